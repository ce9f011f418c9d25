"""All-to-all: what a routing takes for it, and the least that any can, proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obroute.kinds.answers import Output, Rederived, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Settings
from obroute.kinds.shown import exact_json, in_short

if TYPE_CHECKING:
    import xarray as xr

    from obroute.all_to_all import AllToAll
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner


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
    code = ("obroute.all_to_all",)

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
                ("over the least", in_short(over)),
                ("has the least", answer.best),
                ("fullest channel", network.describe_channel(answer.channel)),
                ("load", f"{in_short(answer.load)} over bandwidth, at full injection"),
            ],
        )

    def to_json(
        self, answer: AllToAll, settings: AllToAllSettings, seconds: float
    ) -> dict[str, Any]:
        """Return both loads and times, and the lengths."""
        from obroute.experiments.all_to_all.store import values

        return {
            "network": answer.network.name,
            "routing": answer.routing.name,
            **{
                key: value
                for name, exact in values(answer).items()
                for key, value in exact_json(name, exact).items()
            },
            "best": answer.best,
            "channel": answer.channel,
            "lengths": list(map(str, answer.lengths.tolist())),
            "seconds": round(seconds, 3),
        }

    def rederive(
        self,
        cell: xr.Dataset,
        network: Network,
        routing: Routing | None,
        settings: AllToAllSettings,
    ) -> Rederived:
        """Check the lengths by other code, and find both loads anew."""
        from obroute.experiments.all_to_all.store import check_lengths

        check_lengths(cell, network)
        return Rederived(super().rederive(cell, network, routing, settings).contents, 1)

    def outputs(self) -> Sequence[Output]:
        """Return the schedule."""
        return (Schedule(),)
