"""What changed from one routing to another: a row for each difference of a study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import xarray as xr

from obroute.trends.values import exact, holds, network_names, routing_names, value
from obroute.views import Rows, StudyData, tables

OLD, NEW = "old", "new"


@dataclass(frozen=True)
class Step:
    """A difference: each value before and after, packets per cycle over channel bandwidth."""

    network: str
    name: str
    old: str
    new: str
    old_load: Fraction
    new_load: Fraction
    old_worst_on_new: Fraction | None
    old_channel: str
    new_channel: str
    worse: int
    better: int
    moved: int

    @property
    def throughputs(self) -> tuple[float, float]:
        """What was and is guaranteed, as fractions of injection bandwidth; at most 1 is of use."""
        old, new = (float(1 / load) if load else 1.0 for load in (self.old_load, self.new_load))
        return old, new


def steps(differences: xr.Dataset) -> list[Step]:
    """Return every difference, in the order of the study."""
    return list(_steps(differences))


def _steps(found: xr.Dataset) -> Iterator[Step]:
    for network in network_names(found):
        for name in routing_names(found):
            if not holds(found, network, name):
                continue
            place = {"network": network, "routing": name}
            old, new = ({**place, "version": version} for version in (OLD, NEW))
            loads = [exact(found, "worst_case_load", **version) for version in (old, new)]
            before, after = (load or Fraction(0) for load in loads)
            yield Step(
                network,
                name,
                str(value(found, "compared_routing", **old)),
                str(value(found, "compared_routing", **new)),
                before,
                after,
                exact(found, "old_worst_on_new", **place),
                str(value(found, "critical_channel", **old)),
                str(value(found, "critical_channel", **new)),
                int(value(found, "channels_worse", **place)),
                int(value(found, "channels_better", **place)),
                int(value(found, "pairs_moved", **place)),
            )


@tables.register(
    "differences", "What changed from one routing to another.", needs=("differences",)
)
def differences_table(data: StudyData) -> Rows:
    """Return a row a difference; loads are exact."""
    columns = [
        "network",
        "old",
        "new",
        "old_worst_case_load",
        "new_worst_case_load",
        "old_worst_on_new",
        "channels_worse",
        "channels_better",
        "pairs_moved",
    ]
    rows = [
        {
            "network": step.network,
            "old": step.old,
            "new": step.new,
            "old_worst_case_load": str(step.old_load),
            "new_worst_case_load": str(step.new_load),
            "old_worst_on_new": ""
            if step.old_worst_on_new is None
            else str(step.old_worst_on_new),
            "channels_worse": step.worse,
            "channels_better": step.better,
            "pairs_moved": step.moved,
        }
        for step in steps(data["differences"])
    ]
    return Rows(columns, rows)
