"""All-to-all: what a routing takes for it, and the least that any can, proved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.kinds.answers import Contents, Output, Rederived, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Settings
from obroute.kinds.shown import exact_json, in_short
from obroute.results.arrays import LOAD, ArraySpec, AttributeSpec, exact_and_float, exact_floats
from obroute.specs import CertificateError

if TYPE_CHECKING:
    import xarray as xr

    from obroute.all_to_all import AllToAll
    from obroute.network import Network
    from obroute.results.arrays import Specs
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

_LOADS = {
    **exact_and_float("load", (), "largest load of all-to-all traffic at full injection", LOAD),
    **exact_and_float("least_load", (), "the least that any routing has", LOAD),
    **exact_and_float(
        "time", (), "cycles until every unit terminal has sent a packet to each", "cycles"
    ),
    **exact_and_float("least_time", (), "the least such time", "cycles"),
}
_ARRAYS: dict[str, ArraySpec] = {
    **_LOADS,
    "channel": ArraySpec((), "integer", "a channel that has the largest load"),
    "length_exact": ArraySpec(
        ("channel_number",),
        "text",
        "length of each channel; by these no routing has less than the least load",
        witness=True,
    ),
}
_BEST = {"best": AttributeSpec("a routing that has the least load")}


class AllToAllSettings(Settings):
    """Nothing is asked of it besides network and routing."""


class Schedule(Output):
    """The schedule of the routing's paths, for collective libraries."""

    def __init__(self) -> None:
        super().__init__(
            "--schedule", "Write the routing's schedule here, for MSCCL (.xml).", (".xml",)
        )

    def write(self, answer: AllToAll, settings: AllToAllSettings, file: Path) -> None:
        """Write the XML."""
        from obroute.exporters.msccl import msccl_text
        from obroute.writing import write_whole

        write_whole(file, msccl_text(answer.network, answer.routing).encode())


@experiments.register("all_to_all", "all-to-all by a routing, beside the least of all")
class AllToAllExperiment(Experiment[AllToAllSettings, "AllToAll"]):
    """All-to-all traffic by a routing, beside the least of all routings."""

    name = "all_to_all"
    section = "all_to_all"
    gathered = "all_to_alls"
    title = "All-to-all: one network with one routing, beside the least of all"
    command = "all-to-all"
    purpose = "Find what a routing takes for an all-to-all, and the least that any can."
    about = "All-to-all traffic by routings, beside the least of all."
    settings = AllToAllSettings
    answers = ("obroute.all_to_all.AllToAll",)
    parallel = False
    code = ("obroute.all_to_all", "obroute.experiments.all_to_all")

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: AllToAllSettings,
        run: TaskRunner,
    ) -> AllToAll:
        """Find both loads."""
        from obroute.all_to_all import all_to_all

        assert routing is not None
        return all_to_all(network, routing)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: AllToAllSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of an evaluation, which takes as many pair loads."""
        from obroute.memory import evaluation_megabytes

        assert routing is not None
        return evaluation_megabytes(network, routing, threads=1)

    def shown(
        self, answer: AllToAll, settings: AllToAllSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield both times, and what has the least."""
        network, over = answer.network, answer.load / answer.least_load
        yield Shown(
            f"all-to-all by {answer.routing.name} on {network.name}",
            [
                ("time", f"{in_short(answer.time)} cycles for a packet from each to each"),
                ("least time", f"{in_short(answer.least_time)} cycles, of any routing: proved"),
                ("over the least", f"{over} = {float(over):.6g}"),
                ("has the least", answer.best),
                ("fullest channel", network.describe_channel(answer.channel)),
                ("load", f"{in_short(answer.load)} over bandwidth, at full injection"),
            ],
        )

    def to_json(
        self, answer: AllToAll, settings: AllToAllSettings, seconds: float
    ) -> dict[str, Any]:
        """Return both loads and times, and the lengths."""
        return {
            "network": answer.network.name,
            "routing": answer.routing.name,
            **{
                key: value
                for name, exact in _values(answer).items()
                for key, value in exact_json(name, exact).items()
            },
            "best": answer.best,
            "channel": answer.channel,
            "lengths": list(map(str, answer.lengths.tolist())),
            "seconds": round(seconds, 3),
        }

    def arrays(self) -> Specs:
        """Return the arrays of a store."""
        return _ARRAYS

    def attributes(self) -> Mapping[str, AttributeSpec]:
        """Return what has the least load."""
        return _BEST

    def contents(self, answer: AllToAll, settings: AllToAllSettings) -> Contents:
        """Return both loads, and the lengths that prove the least."""
        lengths = np.array(list(map(str, answer.lengths.tolist())), dtype=object)
        arrays: dict[str, Any] = {"channel": answer.channel, "length_exact": lengths}
        for name, exact in _values(answer).items():
            arrays |= exact_floats(name, exact)
        routing = answer.routing
        return Contents(
            answer.network,
            routing.name,
            arrays,
            attributes={"best": answer.best},
            label=routing.label,
        )

    def summary(self) -> Specs:
        """Return both loads for every network and routing."""
        return {name: spec.by_case() for name, spec in _LOADS.items()}

    def summarize(self, cell: xr.Dataset) -> Mapping[str, Any]:
        """Return both loads."""
        return {name: cell[name].values for name in _LOADS}

    def rederive(
        self,
        cell: xr.Dataset,
        network: Network,
        routing: Routing | None,
        settings: AllToAllSettings,
    ) -> Rederived:
        """Check the lengths by other code, and find both loads anew."""
        from obroute.all_to_all import checked_bound

        stored = cell["length_exact"].values.tolist()
        if len(stored) != network.channel_count or not all(
            text.isascii() and text.isdigit() for text in stored
        ):
            raise CertificateError("length_exact: not one whole number for each channel")
        lengths = np.array([int(text) for text in stored], dtype=object)
        if str(checked_bound(network, lengths)) != cell["least_load_exact"].item():
            raise CertificateError("length_exact: the lengths do not prove least_load")
        return Rederived(super().rederive(cell, network, routing, settings).contents, 1)

    def outputs(self) -> Sequence[Output]:
        """Return the schedule."""
        return (Schedule(),)


def _values(answer: AllToAll) -> dict[str, Fraction]:
    names = ("load", "least_load", "time", "least_time")
    return {name: getattr(answer, name) for name in names}
