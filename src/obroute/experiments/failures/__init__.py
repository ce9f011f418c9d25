"""Failures: the worst case of a routing over every set of cables or switches that fail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from obroute.choices.failures import LINK_KIND, REPAIR, LinkKind, Repair
from obroute.kinds.answers import Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings
from obroute.kinds.shown import exact_json, in_short
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.failures import Failures
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

MOST_LOADS = 12
MOST_PAIRS = 6
"""Loads of the distribution, and pairs that are cut, that are shown."""


class FailuresSettings(Settings):
    """What fails, how much of it at a time, and how the routing goes on."""

    links: int | None = Field(
        default=None, ge=1, description="So many links fail at a time, any; 1 if nothing is said."
    )
    switches: int | None = Field(
        default=None, ge=1, description="So many switches fail at a time, any."
    )
    link_kind: LinkKind = Field(
        default=LINK_KIND,
        description="What a link is: cables (both ways), channels (one way), or bundles of all "
        "cables between two switches.",
    )
    with_hosts: bool = Field(
        default=False, description="Hosts and their cables can fail, too; else they do not."
    )
    repair: Repair = Field(
        default=REPAIR,
        description="recomputed: the routing made anew on what is left; detoured: pairs that are "
        "hit take all shortest paths; kept: pairs keep the paths that are left; auto: what fits.",
    )
    only_worst: Annotated[bool, Option("--only-worst")] = Field(
        default=False, description="Find the largest load alone, without the distribution."
    )

    @model_validator(mode="after")
    def _of_one_kind(self) -> FailuresSettings:
        if self.links is not None and self.switches is not None:
            raise InputError("links and switches are both given; expected one of them")
        return self

    @property
    def kind(self) -> str:
        """What fails, of the kinds of parts."""
        return self.link_kind if self.switches is None else "switches"

    @property
    def count(self) -> int:
        """How many fail at a time."""
        return self.switches or self.links or 1


@experiments.register("failures", "the worst case over every set of links or switches that fail")
class FailuresExperiment(Experiment[FailuresSettings, "Failures"]):
    """The worst case over every set of links or switches that fail."""

    name = "failures"
    section = "failures"
    gathered = "gathered_failures"
    title = "Failures: the worst case after every set of them"
    command = "failures"
    purpose = "Find the worst case over every set of links or switches that fail, and that set."
    about = "The worst case of a routing over every set of links or switches that fail."
    settings = FailuresSettings
    answers = ("obroute.failures.search.Failures",)
    code = ("obroute.failures.search",)
    remedy = "let fewer fail, take a smaller network, or a machine with more"

    def label(self, routing: str, settings: FailuresSettings) -> str:
        """Return the routing with what fails."""
        what = settings.kind if settings.count > 1 else _one(settings.kind)
        how = "" if settings.repair == "auto" else f", {settings.repair}"
        return f"{routing} without {settings.count} {what}{how}"

    def check(self, network: Network, routing: Routing | None, settings: FailuresSettings) -> None:
        """Raise where the routing is not defined, or so many cannot fail."""
        from obroute.failures import check_sets, parts_of

        super().check(network, routing, settings)
        parts = parts_of(network, settings.kind, with_hosts=settings.with_hosts)
        check_sets(len(parts), settings.count, settings.kind)

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: FailuresSettings,
        run: TaskRunner,
    ) -> Failures:
        """Look at a set of every orbit."""
        from obroute.failures import find_failures, parts_of

        assert routing is not None
        parts = parts_of(network, settings.kind, with_hosts=settings.with_hosts)
        return find_failures(
            network,
            routing,
            parts,
            settings.count,
            repair=settings.repair,
            only_worst=settings.only_worst,
            run=run,
        )

    def megabytes(
        self, network: Network, routing: Routing | None, settings: FailuresSettings, threads: int
    ) -> int:
        """Return the megabytes of an evaluation a thread, and of the list of all sets."""
        from obroute.failures import bytes_of_sets, parts_of
        from obroute.memory import evaluation_megabytes

        assert routing is not None
        parts = parts_of(network, settings.kind, with_hosts=settings.with_hosts)
        listed = bytes_of_sets(len(parts), settings.count)
        return evaluation_megabytes(
            network, routing, all_channels=True, threads=threads
        ) + math.ceil(listed / 1e6)

    def settings_behind(self, answer: Failures) -> FailuresSettings:
        """Return the settings that an answer shows."""
        parts = answer.parts
        switches = parts.kind == "switches"
        return FailuresSettings.read(
            {
                "switches" if switches else "links": answer.count,
                "link_kind": "cables" if switches else parts.kind,
                "with_hosts": parts.with_hosts,
                "repair": answer.repair,
                "only_worst": answer.only_worst,
            }
        )

    def shown(
        self, answer: Failures, settings: FailuresSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the worst set, what is cut, and the distribution."""
        from obroute.failures import SCOPES

        worst, load = answer.worst, answer.worst_load
        channel = answer.results[worst].channel
        kind = answer.parts.kind if answer.count > 1 else _one(answer.parts.kind)
        rows = [
            ("worst-case load", f"{in_short(load)} packets per cycle over channel bandwidth"),
            ("nothing failed", in_short(answer.whole)),
            ("worst set", ", ".join(answer.names(worst))),
        ]
        if channel >= 0:
            rows.append(("channel", answer.network.describe_channel(channel)))
        rows += [
            ("sets", f"{answer.sets}, {len(answer.orbits)} looked at, the others alike"),
            ("sets that cut pairs", str(answer.sets_that_cut)),
        ]
        if answer.sets_that_cut:
            rows.append(("most pairs cut", _cut(answer)))
        rows.append(("repair", f"{answer.repair}: {SCOPES[answer.repair]}"))
        yield Shown(
            f"{answer.routing.name} on {answer.network.name}, any {answer.count} of "
            f"{len(answer.parts)} {answer.parts.kind} failed"
            if answer.count > 1
            else f"{answer.routing.name} on {answer.network.name}, any {kind} of "
            f"{len(answer.parts)} failed",
            rows,
        )
        found = answer.distribution()
        if not found:
            return
        lines = [
            f"  {in_short(one)}: {sets}" + (f", {cutting} of them cut pairs" if cutting else "")
            for one, sets, cutting in found[:MOST_LOADS]
        ]
        if len(found) > MOST_LOADS:
            rest = sum(sets for _, sets, _ in found[MOST_LOADS:])
            lines.append(f"  less, in {len(found) - MOST_LOADS} steps: {rest}")
        yield Shown("sets by their worst-case load", lines=lines)

    def to_json(
        self, answer: Failures, settings: FailuresSettings, seconds: float
    ) -> dict[str, Any]:
        """Return the worst set, what is cut, and the distribution."""
        worst, cut = answer.worst, answer.most_cut
        return {
            "network": answer.network.name,
            "routing": answer.routing.name,
            "parts": answer.parts.kind,
            "count": answer.count,
            "repair": answer.repair,
            **exact_json("worst_case_load", answer.worst_load),
            **exact_json("load_before", answer.whole),
            "worst_set": answer.names(worst),
            "sets": answer.sets,
            "orbits": len(answer.orbits),
            "sets_that_cut": answer.sets_that_cut,
            "most_pairs_cut": answer.results[cut].cut,
            "set_that_cuts_most": answer.names(cut) if answer.results[cut].cut else [],
            "distribution": [
                {**exact_json("worst_case_load", load), "sets": sets, "sets_that_cut": cutting}
                for load, sets, cutting in answer.distribution()
            ],
            "seconds": round(seconds, 3),
        }


def _one(kind: str) -> str:
    """Return the singular of what fails."""
    return "switch" if kind == "switches" else kind.removesuffix("s")


def _cut(answer: Failures) -> str:
    """Say how many pairs are cut at the most, by which set, and some of them."""
    network = answer.network
    pairs = answer.cut_pairs(answer.most_cut)
    named = [
        f"{network.describe(int(source))} → {network.describe(int(destination))}"
        for source, destination in pairs[:MOST_PAIRS].tolist()
    ]
    more = f" and {len(pairs) - MOST_PAIRS} more" if len(pairs) > MOST_PAIRS else ""
    return (
        f"{len(pairs)}, without {', '.join(answer.names(answer.most_cut))}: "
        f"{', '.join(named)}{more}"
    )
