"""The dual of a best worst case as traffic: permutations that no routing can serve better.

The proof of a bound W charges each channel for traffic that the terminals can send
(:mod:`obroute.design.full_problem`). Taken apart by Birkhoff's theorem, that traffic is a list of
weighted permutations, each with the channel that it is held against. Under *every* routing the
weighted mean of their normalized loads, over the list with its images under the symmetry, is at
least W; so some permutation of the list, or an image of one, has a load of at least W.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from obroute.birkhoff import birkhoff
from obroute.design.designs import Design
from obroute.design.expansion import full_prices
from obroute.design.task import DesignTask
from obroute.rational import IntArray
from obroute.specs import InputError


@dataclass(frozen=True, eq=False)
class HardPermutation:
    """A permutation, the channel that it is hard for, and its weight in the proof.

    Parameters
    ----------
    weight
        Share of the proof; all weights sum to at most one.
    channel
        The channel whose load under the permutation counts.
    destinations
        Position of the destination of each source, -1 for a source that stays silent.
    """

    weight: Fraction
    channel: int
    destinations: IntArray


def hard_permutations(best: Design) -> list[HardPermutation]:
    """Return the permutations on which the proof of a best worst case rests, the heaviest first.

    Raises
    ------
    InputError
        If the design is not for the best worst case alone, or terminals are not unit ones.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.design import design
    >>> hard = hard_permutations(design(make_network("ring:4")))
    >>> str(sum(one.weight for one in hard)), len(hard) > 0
    ('1', True)
    """
    problem, network = best.problem, best.problem.network
    if problem.objective != "worst_case" or problem.locality is not None or best.load is None:
        raise InputError(
            f"hard permutations prove a best worst case; {best.routing.name} is designed for "
            "something else, or within a bound on the path length or load"
        )
    if not network.has_unit_terminals:
        raise InputError(
            f"{network.name}: hard permutations need terminals that each inject and eject one "
            "packet per cycle"
        )
    task = DesignTask(problem)
    prices, charges = full_prices(task, best.proofs[0].duals, "load")
    answer = []
    for focus in task.reduction.focus:
        charge = charges.fraction(focus.channel)
        if not charge:
            continue
        rows, columns, amounts = [], [], []
        for place in range(len(network.sources)):
            for end, number in enumerate(prices.index(place)[:, focus.channel].tolist()):
                if number >= 0 and prices.values.numerators[number]:
                    rows.append(place)
                    columns.append(end)
                    amounts.append(prices.values.fraction(number) / charge)
        share = focus.multiplicity * charge * network.bandwidth.fraction(focus.channel)
        shape = (len(network.sources), len(network.destinations))
        answer += [
            HardPermutation(weight * share / prices.charge, focus.channel, destinations)
            for weight, destinations in birkhoff(rows, columns, amounts, shape)
        ]
    return sorted(answer, key=lambda one: one.weight, reverse=True)
