"""The oblivious ratios of a study, network by network."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from obroute.trends.values import exact, holds, network_names, routing_names
from obroute.views import Rows, StudyData, tables


@dataclass(frozen=True)
class RatioRow:
    """The ratio of a routing on a network: the interval that it is proved to be in."""

    network: str
    routing: str
    lower: Fraction
    upper: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether the ratio itself is known."""
        return self.lower == self.upper


def ratio_rows(data: StudyData) -> list[RatioRow]:
    """Return the ratios of a study, the least of each network first."""
    study = data["ratios"]
    found = []
    for network in network_names(study):
        mine = []
        for routing in routing_names(study):
            if not holds(study, network, routing):
                continue
            ends = [
                exact(study, f"ratio_{end}", network=network, routing=routing)
                for end in ("lower", "upper")
            ]
            assert ends[0] is not None
            assert ends[1] is not None
            mine.append(RatioRow(network, routing, ends[0], ends[1]))
        found += sorted(mine, key=lambda row: (row.upper, row.routing))
    return found


@tables.register("ratios", "Oblivious ratios, network by network.", needs=("ratios",))
def ratio_table(data: StudyData) -> Rows:
    """Return a row for each network and routing."""
    return Rows(
        [
            "network",
            "routing",
            "ratio_lower",
            "ratio_upper",
            "ratio_lower_exact",
            "ratio_upper_exact",
            "exact",
        ],
        [
            {
                "network": row.network,
                "routing": row.routing,
                "ratio_lower": float(row.lower),
                "ratio_upper": float(row.upper),
                "ratio_lower_exact": str(row.lower),
                "ratio_upper_exact": str(row.upper),
                "exact": row.is_exact,
            }
            for row in ratio_rows(data)
        ],
    )
