"""What can be deployed on the networks of a study, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from obroute.trends.values import exact, holds, network_names, routing_names
from obroute.views import Rows, StudyData, tables


@dataclass(frozen=True)
class DeploymentRow:
    """The interval of the best worst-case load under a restriction, and of its price.

    ``restriction`` is what stands after ``deployable:``, and ``words`` say it. The price is None
    where the best oblivious routing was not asked for.
    """

    network: str
    restriction: str
    words: str
    lower: Fraction
    load: Fraction
    price: tuple[Fraction, Fraction] | None
    origin: str


def deployment_rows(data: StudyData) -> list[DeploymentRow]:
    """Return the deployments of a study, in its order."""
    study = data["deployments"]
    found = []
    for network in network_names(study):
        for routing in routing_names(study):
            if not holds(study, network, routing):
                continue
            place = {"network": network, "routing": routing}
            lower, load, cheap, dear = (
                exact(study, name, **place)
                for name in ("load_lower", "routing_load", "price_lower", "price_upper")
            )
            assert lower is not None
            assert load is not None
            texts = {
                name: str(study[name].sel(place).item()) for name in ("restriction", "origin")
            }
            found.append(
                DeploymentRow(
                    network,
                    routing.partition(":")[2] or routing,
                    texts["restriction"],
                    lower,
                    load,
                    None if cheap is None or dear is None else (cheap, dear),
                    texts["origin"],
                )
            )
    return found


@tables.register("deployments", "What can be deployed, and its price.", needs=("deployments",))
def deployment_table(data: StudyData) -> Rows:
    """Return a row for each network and restriction."""
    return Rows(
        [
            "network",
            "restriction",
            "load_lower",
            "load",
            "load_lower_exact",
            "load_exact",
            "proved_best",
            "price_lower_exact",
            "price_upper_exact",
            "origin",
        ],
        [
            {
                "network": row.network,
                "restriction": row.restriction,
                "load_lower": float(row.lower),
                "load": float(row.load),
                "load_lower_exact": str(row.lower),
                "load_exact": str(row.load),
                "proved_best": row.lower == row.load,
                "price_lower_exact": str(row.price[0]) if row.price else "",
                "price_upper_exact": str(row.price[1]) if row.price else "",
                "origin": row.origin,
            }
            for row in deployment_rows(data)
        ],
    )
