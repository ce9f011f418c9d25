"""Published quantities that no store holds and that are cheap to compute: on small networks."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

import numpy as np

from obroute.design.problem import DesignProblem
from obroute.design.task import DesignTask
from obroute.loads import largest_load
from obroute.papers.measures import measure
from obroute.papers.published import SPAA_NETWORK, Published, figure_9
from obroute.papers.stores import Stores
from obroute.routing import routings
from obroute.topologies.grid import Grid
from obroute.topologies.registry import networks
from obroute.traffic import Traffic
from obroute.trends.values import network_names
from obroute.trends.virtual_channels import judged_paths


@measure("figure_9")
def over_worst_case(stores: Stores, item: Published) -> Fraction | None:
    """Return the throughput under Figure 9's permutation over the guaranteed throughput."""
    worst = stores.load("worst_case_load", item.network, routing=item.routing)
    return worst / figure_9_load(item.network, item.routing) if worst else None


@cache
def figure_9_load(network: str, routing: str) -> Fraction:
    """Return the largest channel load under the permutation of Figure 9.

    >>> figure_9_load("torus:9x9", "romm")
    Fraction(32, 5)
    """
    torus = networks.create(network)
    assert isinstance(torus, Grid)
    figure = Traffic.of_permutation(torus, torus.node_at(np.array(figure_9())), "figure 9")
    return largest_load(routings.create(routing), figure)[0]


@measure("virtual_channels")
def virtual_channels(stores: Stores, item: Published) -> Fraction | None:
    """Return how many virtual channels the paper's scheme takes; None if it proves nothing."""
    if SPAA_NETWORK not in network_names(stores.study):
        return None
    judged = judged_paths(item.network, item.routing)
    return None if judged is None else Fraction(judged[0])


@cache
def program_sizes(network: str, symmetry: str) -> dict[str, int]:
    """Return how many flow variables, flow rows and rows of the worst case a program has.

    >>> program_sizes("torus:3x3", "translations")
    {'variables': 228, 'constraints': 64, 'worst_case': 232}
    """
    program = DesignTask(DesignProblem(networks.create(network), symmetry=symmetry)).design
    bounds = sum(rows.pair_rows.size for rows in program.potentials)
    return {
        "variables": program.reduction.flow_count,
        "constraints": program.rows.blocks["flow"].size,
        "worst_case": bounds + len(program.potentials),
    }


def _size(symmetry: str, part: str, stores: Stores, item: Published) -> Fraction | None:
    if not stores.holds(SPAA_NETWORK, item.routing):
        return None
    return Fraction(program_sizes(item.network, symmetry)[part])


for _name, _symmetry, _part in (
    ("flow_variables", "none", "variables"),
    ("flow_constraints", "none", "constraints"),
    ("worst_case_constraints", "none", "worst_case"),
    ("reduced_variables", "translations", "variables"),
    ("reduced_constraints", "translations", "constraints"),
    ("reduced_worst_case", "translations", "worst_case"),
):
    measure(_name)(partial(_size, _symmetry, _part))
