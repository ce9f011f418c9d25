"""Files that a design can be written to: its routing, and the traffic that bounds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obroute.kinds.answers import Output

if TYPE_CHECKING:
    from obroute.design import Design
    from obroute.experiments.design import DesignSettings
    from obroute.experiments.design.store import Designed

_SUFFIXES = (".csv", ".json")


class RoutingTable(Output):
    """The routing of every pair: its paths, its flows, or the next channels at every node."""

    def __init__(self) -> None:
        super().__init__(
            "--export", "Write the routing of every pair here (.csv or .json).", _SUFFIXES
        )

    def write(self, answer: Designed, settings: DesignSettings, file: Path) -> None:
        """Write the table that ``--export-as`` names."""
        from obroute.routing.written import routing_rows, write_rows

        found = answer.design
        rows = routing_rows(found.problem.network, found.routing, settings.export_as)
        write_rows(list(rows), file)


class HardTraffic(Output):
    """The traffic that bounds all routings."""

    def __init__(self) -> None:
        super().__init__(
            "--hard",
            "Write the weighted permutations that no routing serves better (.csv or .json).",
            _SUFFIXES,
        )

    def write(self, answer: Designed, settings: DesignSettings, file: Path) -> None:
        """Write every permutation with its weight and its channel."""
        from obroute.routing.written import write_rows

        write_rows(list(_hard_rows(answer.design)), file)


def _hard_rows(found: Design) -> Iterator[dict[str, Any]]:
    from obroute.design import hard_permutations

    network = found.problem.network
    for number, one in enumerate(hard_permutations(found), start=1):
        for place, end in enumerate(one.destinations.tolist()):
            if end >= 0:
                yield {
                    "permutation": str(number),
                    "weight": str(one.weight),
                    "channel": network.describe_channel(one.channel),
                    "source": network.node_name(int(network.sources[place])),
                    "destination": network.node_name(int(network.destinations[end])),
                }
