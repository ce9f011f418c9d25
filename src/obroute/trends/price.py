"""The price of Valiant: the best oblivious routing beside VAL and shortest paths, in a study."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from obroute.trends.topologies import Guarantee, best_load, topologies
from obroute.trends.values import exact, routing_names, value
from obroute.views import Coverage, Rows, StudyData, tables

VALIANT = ("valiant", "valiant:base=ecmp")
"""VAL by its names; the first that a study has on a network counts."""
MINIMAL = ("minimal", "ecmp")


@dataclass(frozen=True)
class Price:
    """What a network loses by VAL, and by shortest paths.

    Parameters
    ----------
    network, switches
        Its name, and how many switches it has.
    minimal, valiant
        What the two guarantee; None where the study has not the first.
    best
        The least worst-case load of any oblivious routing, proved.
    best_length
        The least mean path length (hops) of the routings with that load; None where it is not
        proved exactly.
    """

    network: str
    switches: int
    minimal: Guarantee | None
    valiant: Guarantee
    best: Fraction
    best_length: Fraction | None

    @property
    def price(self) -> Fraction:
        """How many times the best worst-case load VAL has."""
        return self.valiant.load / self.best


def has_valiant(study: Coverage) -> bool:
    """Say whether a study has VAL among its routings, before it is run."""
    from obroute.names import file_name

    names = {file_name(name) for name in VALIANT}
    cells = study.cells.get("evaluations", ())
    return any(cell.removesuffix(".zarr").rpartition("/")[2] in names for cell in cells)


def prices(data: StudyData) -> list[Price]:
    """Return the networks for which a study has VAL and the best, in its order."""
    designs = data.get("designs")
    found = []
    for one in topologies(data):
        known = {guarantee.routing: guarantee for guarantee in one.guarantees}
        valiant = next((known[name] for name in VALIANT if name in known), None)
        best = best_load(designs, one.network, "worst_case")
        if valiant is None or best is None:
            continue
        minimal = next((known[name] for name in MINIMAL if name in known), None)
        length = _least_length(data, one.network, best)
        switches = one.structure.switches
        found.append(Price(one.network, switches, minimal, valiant, best, length))
    return found


def _least_length(data: StudyData, network: str, best: Fraction) -> Fraction | None:
    """Return the least mean path length at the best load, where a design proved it."""
    designs = data["designs"]
    for design in routing_names(designs):
        place = {"network": network, "routing": design}
        least = str(value(designs, "least_path_length_exact", **place))
        if (
            least
            and value(designs, "objective", **place) == "worst_case"
            and value(designs, "paths", **place) == "all"
            and exact(designs, "routing_load", **place) == best
            and exact(designs, "mean_path_length", **place) == Fraction(least)
        ):
            return Fraction(least)
    return None


@tables.register(
    "price",
    "The best oblivious routing beside VAL and shortest paths.",
    needs=("evaluations", "designs"),
    applies=has_valiant,
)
def price_table(data: StudyData) -> Rows:
    """Return a row for each network with VAL and the best."""
    header = ["network", "switches", "minimal_load", "valiant_load", "best_load", "price"]
    header += ["minimal_length", "valiant_length", "best_length"]
    return Rows(header, [_row(one) for one in prices(data)])


def _row(one: Price) -> dict[str, Any]:
    return {
        "network": one.network,
        "switches": one.switches,
        "minimal_load": "" if one.minimal is None else str(one.minimal.load),
        "valiant_load": str(one.valiant.load),
        "best_load": str(one.best),
        "price": str(one.price),
        "minimal_length": "" if one.minimal is None else str(one.minimal.length),
        "valiant_length": str(one.valiant.length),
        "best_length": "" if one.best_length is None else str(one.best_length),
    }
