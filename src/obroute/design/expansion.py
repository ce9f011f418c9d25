"""From the duals of a reduced program to a bound of the full problem.

A multiplier of a reduced row stands for an orbit of pairs and a channel of an orbit of channels.
Here it is spread evenly over them. That this is right is not argued but checked: the prices go to
:mod:`obroute.design.full_problem`, which knows no orbits.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from obroute.design.carriers import Carriers
from obroute.design.full_problem import FullBound, full_bound
from obroute.design.multipliers import Multipliers, multipliers_of
from obroute.design.prices import (
    Matrix,
    Prices,
    sample_prices,
    traffic_prices,
    worst_case_prices,
)
from obroute.design.task import DesignTask
from obroute.rational import FloatArray, IntArray, RationalArray
from obroute.symmetry import Reduction, translations_group


def expanded_bound(
    task: DesignTask, duals: RationalArray | FloatArray, objective: str
) -> FullBound:
    """Return what duals of the rows of a task's program prove of the full problem.

    Parameters
    ----------
    task
        The problem and its reduced program, with the rows that the duals belong to.
    duals
        Exact, or a solver's floats, whatever they are.
    objective
        What the program minimises: ``load`` or ``length``.

    Raises
    ------
    CertificateError
        If exact duals are more than the full problem allows.
    """
    allowed = task.problem.allowed
    carriers = None if allowed.by_source is not None else carriers_of(task.reduction)
    prices, _, hops = expanded_prices(task, duals, objective, carriers)
    return full_bound(
        task.problem.network,
        prices,
        hops,
        minimal=allowed.channels is not None,
        listed=allowed.by_source,
    )


def carriers_of(reduction: Reduction) -> Carriers | None:
    """Return the declared translations, where they are of the group that a problem is reduced by.

    None where they do not carry one source to each other, in exactly one way.
    """
    translations = translations_group(reduction.network).generators
    kept = {element.key for element in reduction.group.generators}
    if not all(element.key in kept for element in translations):
        return None
    turns = [(element.nodes, element.channels, element.reverses) for element in translations]
    return Carriers.of(reduction.network, turns)


def expanded_prices(
    task: DesignTask,
    duals: RationalArray | FloatArray,
    objective: str,
    carriers: Carriers | None = None,
) -> tuple[Prices, RationalArray, Fraction]:
    """Return the prices, charges and price of the mean path length of :func:`expanded_bound`.

    With ``carriers``, worst cases are priced for the first source, and carried to the others.
    """
    given = multipliers_of(task.design, duals, objective)
    length = task.design.length_denominator
    scale = Fraction(1, length) if objective == "length" else Fraction(1)
    prices, charges = _prices(task, given, scale, carriers)
    return prices, charges, Fraction(given.hops * length, given.denominator) * scale


def full_prices(
    task: DesignTask, duals: RationalArray | FloatArray, objective: str
) -> tuple[Prices, RationalArray]:
    """Return the checked prices that duals are in the full problem, and each channel's charge.

    Of a sample, the charges are those of its rows.
    """
    return _prices(task, multipliers_of(task.design, duals, objective), Fraction(1))


def _prices(
    task: DesignTask, given: Multipliers, scale: Fraction, carriers: Carriers | None = None
) -> tuple[Prices, RationalArray]:
    """Return the checked prices of the objective, times ``scale``, and the charges."""
    reduction, network = task.reduction, task.problem.network
    unit = scale / given.denominator
    if task.problem.objective == "average_case":
        rows = list(task.design.sample_rows)
        matrices: list[Matrix] = [
            (sample.amounts.rows, sample.amounts.columns, sample.amounts.values)
            for sample in task.samples
        ]
        charges = [
            unit * charge / network.bandwidth.fraction(channel)
            for charge, (_, channel) in zip(given.charges, rows, strict=True)
        ]
        turns = [(g.nodes, g.channels, g.reverses) for g in reduction.group.generators]
        every = RationalArray.from_fractions(charges)
        return sample_prices(network, matrices, rows, every, turns), every
    charges = [Fraction(0)] * network.channel_count
    for focus, charge in zip(reduction.focus, given.charges, strict=True):
        each = unit * charge / network.bandwidth.fraction(focus.channel) / focus.multiplicity
        for channel in focus.members.tolist():
            charges[channel] = each
    every = RationalArray.from_fractions(charges)
    if task.problem.objective == "capacity":
        return traffic_prices(network, task.amounts, every), every
    sizes = triple_counts(reduction).tolist()
    shared = math.lcm(*sizes)
    weights = [
        weight * (shared // size) * unit.numerator
        for weight, size in zip(given.weights, sizes, strict=True)
    ]
    values = RationalArray(np.array(weights, dtype=object), shared * unit.denominator)
    return worst_case_prices(network, values, reduction.flows_from, every, carriers), every


def triple_counts(reduction: Reduction) -> IntArray:
    """Return how many (source, destination, channel) each flow variable stands for."""
    counts = np.zeros(reduction.flow_count, dtype=np.int64)
    for place in range(len(reduction.sources)):
        flows = reduction.flow_of[place]
        counts += int(reduction.multiplicity[place]) * np.bincount(
            flows[flows >= 0], minlength=reduction.flow_count
        )
    return counts
