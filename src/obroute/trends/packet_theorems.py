"""What gathered simulations say beside theorems of packets: phases, bad permutations, paths."""

from __future__ import annotations

from dataclasses import dataclass

import xarray as xr

from obroute.importers import make_network
from obroute.packets.adversary import guaranteed_pairs
from obroute.packets.phase_bounds import TAILS, phase_bounds, rounded_up, steps_within
from obroute.packets.relations import BORODIN_HOPCROFT
from obroute.rational import FloatArray
from obroute.results import IN_PHASES
from obroute.trends.packets import GREEDY, hypercube_runs, seeds_of, sizes_of, traffic_names
from obroute.trends.readings import routing_names, value

PHASED = tuple(name + IN_PHASES for name in GREEDY)


@dataclass(frozen=True)
class PhaseRow:
    """The longer of two phases on the hypercube of dimension n, over seeds.

    ``tails`` has, for some numbers of steps, what is proved of the chance that the longer phase
    takes more (twice that of one, rounded up; by what it rests on) and the share measured.
    """

    traffic: str
    n: int
    longest: FloatArray
    most_met: FloatArray
    tails: list[tuple[int, list[str], float]]


def phase_rows(simulations: xr.Dataset) -> list[PhaseRow]:
    """Return the phases by bit fixing, run one after the other, by traffic and rising n."""
    return [
        _phase_row(
            traffic, n, longest, seeds_of(simulations, "most_met", network, routing, traffic)
        )
        for traffic in traffic_names(simulations)
        for n, network, routing, longest in hypercube_runs(
            simulations, traffic, PHASED, "longest_phase"
        )
    ]


def _phase_row(traffic: str, n: int, longest: FloatArray, most_met: FloatArray) -> PhaseRow:
    steps = {n, int(longest.max()), *(steps_within(tail, n) for tail in TAILS.values())}
    return PhaseRow(
        traffic,
        n,
        longest,
        most_met,
        [
            (
                bound.steps,
                [rounded_up(min(2 * tail, tail**0)) for tail in bound.tails.values()],
                float((longest > bound.steps).mean()),
            )
            for bound in phase_bounds(n, sorted(steps))
        ],
    )


@dataclass(frozen=True)
class WitnessRow:
    """Borodin and Hopcroft's permutation for bit fixing on the hypercube of dimension n.

    ``promised`` are the packets that the proof promises on some link, ``load_exact`` those that
    the permutation sends over one channel, ``worst`` the most that any does: 2^⌊(n-1)/2⌋.
    """

    n: int
    promised: int
    load_exact: str
    worst: int
    steps: FloatArray


def witness_rows(simulations: xr.Dataset) -> list[WitnessRow]:
    """Return the runs of Borodin and Hopcroft's permutation, by rising n."""
    return [
        WitnessRow(
            n,
            guaranteed_pairs(make_network(network)),
            str(
                value(
                    simulations,
                    "exact_load_exact",
                    network=network,
                    routing=routing,
                    traffic=BORODIN_HOPCROFT,
                )
            ),
            2 ** ((n - 1) // 2),
            steps,
        )
        for n, network, routing, steps in hypercube_runs(simulations, BORODIN_HOPCROFT, GREEDY)
    ]


@dataclass(frozen=True)
class DisjointRow:
    """A Beneš network of dimension n: steps along vertex-disjoint paths, and by its routing."""

    traffic: str
    n: int
    routing: str
    disjoint: FloatArray
    steps: FloatArray


def disjoint_rows(simulations: xr.Dataset) -> list[DisjointRow]:
    """Return the runs on Beneš networks whose channels send one packet a step."""
    return [
        DisjointRow(traffic, n, routing, disjoint, steps)
        for sizes in sizes_of(simulations)
        if sizes.family == "benes" and not sizes.options
        for n, network in sizes.networks.items()
        for routing in routing_names(simulations)
        for traffic in traffic_names(simulations)
        if (steps := seeds_of(simulations, "steps", network, routing, traffic)).size
        and (disjoint := seeds_of(simulations, "offline_steps", network, routing, traffic)).size
    ]
