"""Oblivious ratios: against the best routing for each traffic, with no limit on the traffic.

The oblivious ratio of a routing (Azar, Cohen, Fiat, Kaplan and Räcke 2003) is the largest, over
all traffic, of its fullest channel's utilization over the least that any routing has for that
traffic alone, split as it may be. Terminals may send any amounts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from obroute.certificates import CertificateError
from obroute.choices.designs import SYMMETRY
from obroute.design.exact import exact_optimum
from obroute.design.linear_program import LinearProgram
from obroute.design.problem import DesignProblem
from obroute.design.proofs import Bounds
from obroute.design.rounding import rounded_flows
from obroute.design.routing_check import CheckedFlows
from obroute.design.solver import CROSSOVER_ROWS, Model, SolverError
from obroute.network import Network
from obroute.presented import Answer
from obroute.rational import RationalArray
from obroute.ratios.checks import (
    Carried,
    ChannelProof,
    carried_traffic,
    check_covered,
    least_ratio_from_below,
    ratio_from_above,
    ratio_from_below,
)
from obroute.ratios.focus import FocusChannel, focus_channels_of, turns_of
from obroute.ratios.programs import ChannelBlocks, Found, GivenProgram, LeastRatioProgram
from obroute.routing import Routing
from obroute.routing.designed import DesignedRouting, without_cycles
from obroute.symmetry import Reduction, SymmetryGroup, preserving
from obroute.tasks import TaskRunner, run_serially

LEAST_RATIO = "least_ratio"
"""What the best routing is called."""


@dataclass(frozen=True, eq=False)
class Ratio(Answer):
    """The oblivious ratio of a routing, or the least of all, with its proofs.

    Parameters
    ----------
    network, routing
        What it is of; the best routing where it is the least of all.
    bounds
        The interval that the ratio is proved to be in.
    proofs
        Of a channel of each orbit: prices, flows, and symmetries to the others.
    channel_bounds
        The interval of each of these channels; of the least ratio, what its own traffic and prices
        say of the routing found.
    of_all
        Whether no oblivious routing is below; else the ratio is that of the routing.
    solver
        What solved the programs.
    """

    network: Network
    routing: Routing
    bounds: Bounds
    proofs: tuple[ChannelProof, ...]
    channel_bounds: tuple[Bounds, ...]
    of_all: bool
    solver: str

    @property
    def worst(self) -> int:
        """The position of the channel whose traffic shows the largest ratio."""
        return max(
            range(len(self.proofs)), key=lambda place: (self.channel_bounds[place].lower, -place)
        )

    @property
    def traffic(self) -> RationalArray:
        """The traffic that is worst for that channel, which the best routing carries with 1.

        Sources × destinations, packets per cycle.
        """
        carried: Carried = carried_traffic(self.network, self.proofs[self.worst].flows)
        return carried.amounts.scaled(1 / carried.utilization)


def oblivious_ratio(
    network: Network,
    routing: Routing,
    *,
    seconds: float | None = None,
    run: TaskRunner = run_serially,
) -> Ratio:
    """Return the oblivious ratio of a routing, proved.

    Parameters
    ----------
    network, routing
        The network and the routing.
    seconds
        Time limit of each linear program; None for none.
    run
        Where the programs of channels run.

    Raises
    ------
    InputError
        If the routing is not defined, or the solver ends without an optimum.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> oblivious_ratio(make_network("ring:5"), make_routing("dor")).bounds.upper
    Fraction(2, 1)
    """
    routing.check(network)
    focus = focus_channels_of(group_of_routing(network, routing))
    shared = (network, routing, seconds)
    batches = [[one] for one in focus]
    solved = list(run(_solve_channels, shared, batches, "channels", [1] * len(focus)))
    proofs = tuple(proof for batch in solved for proof, _ in batch)
    solver = next((name for batch in solved for _, name in batch if name), "none")
    return checked_ratio(network, routing, proofs, of_all=False, solver=solver)


def group_of_routing(network: Network, routing: Routing) -> SymmetryGroup:
    """Return the group of the symmetries that a routing respects."""
    generators = tuple(preserving(network, g) for g in routing.symmetries(network).values())
    return SymmetryGroup(network, generators, "of the routing")


def _solve_channels(
    network: Network, routing: Routing, seconds: float | None, batch: list[FocusChannel]
) -> list[tuple[ChannelProof, str]]:
    """Return the proof of each channel of a batch, and the name of what solved it."""
    found = []
    shape = (len(network.sources), network.channel_count)
    nothing = RationalArray(np.zeros(shape, dtype=np.int64), 1)
    for focus in batch:
        given = GivenProgram.of(network, focus, routing.pair_loads(network, focus.channel))
        if given is None:
            found.append((ChannelProof(focus.channel, None, nothing, turns_of(focus)), ""))
            continue
        solution = _solved(given.program, seconds)
        found.append((_proof(network, given.blocks, solution), solution[0].solver))
    return found


def least_ratio(
    network: Network,
    *,
    symmetry: str = SYMMETRY,
    seconds: float | None = None,
    name: str = LEAST_RATIO,
) -> Ratio:
    """Return the least oblivious ratio of all routings, and a routing that has it.

    Parameters
    ----------
    network
        The network.
    symmetry
        The group that the problem is reduced by (:class:`~obroute.design.DesignProblem`).
    seconds
        Time limit of the linear program; None for none.
    name
        What to call the routing.

    Raises
    ------
    InputError
        If the solver ends without an optimum.

    Examples
    --------
    >>> from obroute import make_network
    >>> least_ratio(make_network("ring:5")).bounds
    Bounds(lower=Fraction(8, 5), upper=Fraction(8, 5))
    """
    group = DesignProblem(network, symmetry=symmetry).group
    reduction = Reduction.build(group)
    least = LeastRatioProgram(reduction, focus_channels_of(group))
    found = _solved(least.program, seconds)
    solution, exact = found
    if exact is None:
        flows = RationalArray.from_fractions(rounded_flows(least.design, solution.values))
    else:
        flows = exact.values.take(least.design.columns["flow"].slice).reduced()
        flows = without_cycles(reduction, flows)
    routing = DesignedRouting(name, reduction, flows=flows)
    proofs = tuple(_proof(network, blocks, found) for blocks in least.blocks)
    return checked_ratio(network, routing, proofs, of_all=True, solver=solution.solver)


def _solved(program: LinearProgram, seconds: float | None) -> Found:
    """Solve, for a basis where it can be found; else for interior points."""
    solution = Model(program, "auto", seconds).solve()
    if not solution.optimal:
        raise SolverError(
            "the solver stopped before it found the ratio (time limit "
            f"{seconds:g} s); allow it more time"
            if seconds
            else "the solver found no optimum; try another symmetry"
        )
    exact = exact_optimum(program, solution)
    if exact is None and program.shape[0] <= CROSSOVER_ROWS:
        again = Model(program, "crossover", seconds).solve()
        exact = exact_optimum(program, again) if again.optimal else None
        solution = solution if exact is None else again
    return solution, exact


def _proof(network: Network, blocks: ChannelBlocks, found: Found) -> ChannelProof:
    focus = blocks.focus
    return ChannelProof(
        focus.channel,
        blocks.prices_in(found),
        blocks.flows_in(network, found),
        turns_of(focus),
    )


def checked_ratio(
    network: Network,
    routing: Routing,
    proofs: tuple[ChannelProof, ...],
    of_all: bool,
    solver: str,
) -> Ratio:
    """Return what proofs prove of the ratio of a routing, or of the least.

    Raises
    ------
    CertificateError
        If they prove nothing.
    """
    check_covered(network, proofs)
    bounds = tuple(
        Bounds(
            ratio_from_below(network, routing, proof), ratio_from_above(network, routing, proof)
        )
        for proof in proofs
    )
    upper = max(one.upper for one in bounds)
    if of_all:
        CheckedFlows.of(network, routing)
        lower = least_ratio_from_below(network, proofs)
    else:
        lower = max(one.lower for one in bounds)
    if lower > upper:
        raise CertificateError(f"the ratio would be at least {lower} and at most {upper}")
    return Ratio(network, routing, Bounds(lower, upper), proofs, bounds, of_all, solver)
