"""What gathered simulations say beside theorems of packets: phases, bad permutations, paths."""

from __future__ import annotations

from dataclasses import dataclass

import xarray as xr
from markupsafe import Markup

from obroute.importers import make_network
from obroute.packets import IN_PHASES
from obroute.packets.adversary import guaranteed_pairs
from obroute.packets.phase_bounds import TAILS, phase_bounds, rounded_up, steps_within
from obroute.packets.relations import BORODIN_HOPCROFT
from obroute.plots import routing_label, traffic_label
from obroute.rational import FloatArray
from obroute.report.wording import counted, spread
from obroute.trends.packets import GREEDY, hypercube_runs, seeds_of, sizes_of, traffic_names
from obroute.trends.values import routing_names, value
from obroute.views import Block, Heading, Paragraph, StudyData, Table, additions

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


@additions.register("packets/phases", needs=("simulations",), place=1)
def phases_beside_the_theorem(data: StudyData) -> list[Block]:
    """Return what is proved of Valiant's phases beside runs, for each traffic and dimension."""
    rows = phase_rows(data["simulations"])
    if not rows:
        return []
    blocks: list[Block] = [
        Heading("Valiant's phases: proved and measured"),
        Paragraph(
            "Each phase takes O(n) steps with high probability (Theorem 3), here with its "
            "constants: on a hypercube with one packet at each node, random nodes drawn "
            "independently, bit fixing, full-duplex links of one packet a step, any queue that "
            "never idles, and one phase after the other. The chances that some phase of the two "
            "takes more steps are proved and rounded up; the shares are measured."
        ),
    ]
    for row in rows:
        sentence = (
            f"With {traffic_label(row.traffic)} at n = {row.n}, both phases of "
            f"{counted(len(row.longest), 'seed')}: the longer phase took "
            f"{row.longest.min():g} to {row.longest.max():g} steps, and a packet met at most "
            f"{row.most_met.max():g} others in one phase."
        )
        table = Table(
            "The chance that the longer phase takes more steps: at most, by what the proof rests "
            "on, and the share of seeds.",
            ["Steps", *TAILS, "Measured"],
            [(steps, *proved, f"{share:.2%}") for steps, proved, share in row.tails],
            numbers=range(len(TAILS) + 2),
        )
        blocks += [Paragraph(sentence), table]
    return blocks


@additions.register("packets/witnesses", needs=("simulations",), place=2)
def bad_permutations(data: StudyData) -> list[Block]:
    """Return runs of Borodin and Hopcroft's permutations beside what they promise."""
    rows = witness_rows(data["simulations"])
    if not rows:
        return []
    caption = Markup(
        "Bit fixing on hypercubes: the packets that the proof promises on some link of any "
        "routing, those that the permutation made for bit fixing sends over one channel (exact, a "
        "bound on steps), the most that any permutation does (2<sup>⌊(n−1)/2⌋</sup>, proved: "
        "2<sup>j−1</sup> sources reach a channel of bit j, which leads to 2<sup>n−j</sup> "
        "destinations), and the steps measured."
    )
    header = ["n", "Promised k", "Heaviest channel, exact", "Worst case", "Steps, measured"]
    cells = [(row.n, row.promised, row.load_exact, row.worst, spread(row.steps)) for row in rows]
    return [
        Heading("Bad permutations by Borodin and Hopcroft"),
        Paragraph(
            "For any routing with one path a pair some permutation sends k packets over one link "
            "(proved), and the proof constructs it. For bit fixing it sends more than is promised."
        ),
        Table(caption, header, cells, numbers=range(5)),
    ]


@additions.register("packets/disjoint", needs=("simulations",), place=3)
def disjoint_paths(data: StudyData) -> list[Block]:
    """Return the steps along vertex-disjoint paths of Beneš networks, and of a routing."""
    rows = disjoint_rows(data["simulations"])
    if not rows:
        return []
    cells = [
        (
            traffic_label(row.traffic),
            row.n,
            spread(row.disjoint),
            routing_label(row.routing),
            spread(row.steps),
        )
        for row in rows
    ]
    table = Table(
        "Steps along the disjoint paths, and of the routing (measured: median, and least to most "
        "where seeds differ).",
        ["Traffic", "n", "Disjoint paths", "Routing", "Its steps"],
        cells,
        numbers=(1, 2, 4),
    )
    return [
        Heading("Looping on Beneš networks"),
        Paragraph(
            "For every permutation a Beneš network has vertex-disjoint paths (Theorem 1, proved); "
            "looping finds them, and code that knows nothing of it checks that no two share a "
            "node. Along them no packet waits: 2n steps. What the routing took, which does not "
            "see the whole permutation, is measured."
        ),
        table,
    ]
