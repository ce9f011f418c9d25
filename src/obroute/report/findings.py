"""What a study found, in sentences made from its data, before anything else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import xarray as xr

from obroute.plots import routing_label
from obroute.plots.style import network_label
from obroute.report.networks import MOST_NETWORKS
from obroute.report.permutation import drawn_network
from obroute.report.wording import counted, listed, percent
from obroute.trends.topologies import best_load
from obroute.trends.values import exact, holds, network_names, routing_names, value
from obroute.views import Paragraph, Section, StudyData, sections

MOST_GROUPS = 5
"""Groups of equal guarantees that a sentence tells apart; of more the best and the worst."""


@sections.register("findings", uses=("designs",), place=5)
def findings_section(data: StudyData) -> Section:
    """Return a few sentences on the networks with most routings."""
    study = data["evaluations"]
    blocks = [Paragraph(" ".join(_on(data, name))) for name in _chosen(study)]
    return Section("Findings", "findings", blocks)


def _chosen(study: xr.Dataset) -> list[str]:
    """Return the networks to speak of: the one that is drawn, and those with most routings."""
    names = [name for name in network_names(study) if _loads(study, name)]
    first = drawn_network(study)
    ranked = sorted(
        names,
        key=lambda name: (
            name != first,
            -len(_loads(study, name)),
            -int(value(study, "nodes", network=name)),
        ),
    )
    return ranked[:MOST_NETWORKS]


def _loads(study: xr.Dataset, network: str) -> dict[str, Fraction]:
    """Return the worst-case load of each routing on a network, the least first."""
    found = {
        routing: load
        for routing in routing_names(study)
        if holds(study, network, routing)
        and (load := exact(study, "worst_case_load", network=network, routing=routing))
    }
    return dict(sorted(found.items(), key=lambda one: one[1]))


def _on(data: StudyData, network: str) -> Iterator[str]:
    study = data["evaluations"]
    loads = _loads(study, network)
    capacity = exact(study, "capacity_load", network=network)
    best = best_load(data.get("designs"), network, "worst_case")
    whole = "capacity" if capacity else "injection bandwidth"
    groups = [
        (load, [routing_label(routing) for routing in loads if loads[routing] == load])
        for load in dict.fromkeys(loads.values())
    ]
    shown = groups if len(groups) <= MOST_GROUPS else [*groups[: MOST_GROUPS - 1], groups[-1]]
    (load, names), *rest = shown
    most = f"{_verb(names, 'guarantees')} {percent((capacity or 1) / load)} of {whole}"
    said = [
        f"{listed(names)} {most}",
        *(f"{listed(names)} {percent((capacity or 1) / load)}" for load, names in rest),
    ]
    left = sum(len(names) for _, names in groups) - sum(len(names) for _, names in shown)
    yield (
        f"On {network_label(network)} {', '.join(said)}"
        + (f"; {counted(left, 'other')} between." if left else ".")
    )
    if best is not None and best in loads.values():
        at_best = [routing_label(routing) for routing, load in loads.items() if load == best]
        yield f"No oblivious routing guarantees more than {listed(at_best)} (proved)."
    elif best is not None:
        yield f"The best oblivious routing guarantees {percent((capacity or 1) / best)} (proved)."
    worst = max(loads.values())
    minimal = [
        routing_label(routing)
        for routing, load in loads.items()
        if load == worst and _is_minimal(study, network, routing)
    ]
    if minimal and len(set(loads.values())) > 1:
        yield (
            f"{_begun(listed(minimal))} {_verb(minimal, 'takes')} shortest paths and "
            f"{_verb(minimal, 'has', 'have')} the worst guarantee."
        )


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _is_minimal(study: xr.Dataset, network: str, routing: str) -> bool:
    length = float(value(study, "normalized_path_length", network=network, routing=routing))
    return math.isclose(length, 1)


def _verb(names: list[str], one: str, several: str = "") -> str:
    return one if len(names) == 1 else several or one.removesuffix("s")
