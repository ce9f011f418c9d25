"""The table that a deployment is written to, for switches or to be read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obroute.kinds.answers import Output
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.deployment import Deployment
    from obroute.experiments.deployment import DeploymentSettings

_SUFFIXES = (".csv", ".json", ".lfts", ".dump")


class SwitchTable(Output):
    """The routing: paths, flows, next channels, weights of next hops, or OpenSM's tables."""

    def __init__(self) -> None:
        super().__init__(
            "--export",
            "Write the routing here (.csv or .json; .lfts or .dump for --export-as lft).",
            _SUFFIXES,
        )

    def write(self, answer: Deployment, settings: DeploymentSettings, file: Path) -> None:
        """Write the table that ``--export-as`` names."""
        from obroute.routing.written import routing_rows, write_rows
        from obroute.routing.written_lft import write_lft

        as_lft = settings.export_as == "lft"
        if as_lft != (file.suffix in (".lfts", ".dump")):
            raise InputError(
                f"--export {file}: expected {'.lfts or .dump' if as_lft else '.csv or .json'} for "
                f"--export-as {settings.export_as}"
            )
        if settings.export_as == "lft":
            write_lft(answer.network, answer.routing, file)
        elif settings.export_as == "weights":
            write_rows(list(_weights(answer)), file)
        else:
            rows = routing_rows(answer.network, answer.routing, settings.export_as)
            write_rows(list(rows), file)


def _weights(answer: Deployment) -> Iterator[dict[str, Any]]:
    """Yield the weight of each next hop, by node and destination."""
    from obroute.routing.hops import path_list
    from obroute.routing.weighted_hops import WeightedHops

    network, routing = answer.network, answer.routing
    if not isinstance(routing, WeightedHops):
        raise InputError(
            f"--export-as weights: {answer.restriction} has no next hops by destination; take "
            "paths"
        )
    for destination, weights in sorted(routing.weights.items()):
        for channel, weight in sorted(weights.items()):
            head = network.node_name(int(network.head[channel]))
            yield {
                "node": network.node_name(int(network.tail[channel])),
                "destination": network.node_name(destination),
                "next": path_list([(head, network.port(channel))])[0],
                "weight": weight,
            }
