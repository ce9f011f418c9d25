"""Packets that queue, in the report: steps and queues over n, off-line schedules, stable rates."""

from __future__ import annotations

import xarray as xr
from markupsafe import Markup

from obroute import plots
from obroute.plots import routing_label, traffic_label
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.report.wording import counted, signed, spread
from obroute.trends.packets import greedy_rows, offline_rows, stable_rates, valiant_rows
from obroute.views import (
    Block,
    Drawing,
    Heading,
    Paragraph,
    Section,
    StudyData,
    Table,
    added_to,
    sections,
)

MULTIPLES_OF_N = (2, 3, 4)
"""Shares of Valiant's runs are given that take more steps than these multiples of n."""


@sections.register("packets", needs=(), uses=("simulations", "stability"), place=90)
def packets_section(data: StudyData) -> Section | None:
    """Return what the report shows of packets that queue; None if nothing was simulated."""
    simulations, stability = data.get("simulations"), data.get("stability")
    if simulations is None and stability is None:
        return None
    blocks: list[Block] = [
        Paragraph(
            "In a step every channel carries as many packets as its bandwidth says, one where "
            "nothing else is said, and the others wait in queues without bound."
        )
    ]
    if simulations is not None:
        blocks += [
            *_simulation_figures(simulations),
            *_greedy(simulations, data.get("evaluations")),
            *_valiant(simulations),
            *added_to("packets", data),
            *_offline(simulations),
        ]
    if stability is not None:
        blocks += _stability(stability)
    return Section("Packets that queue", "packets", blocks)


def _simulation_figures(simulations: xr.Dataset) -> list[Drawing]:
    return [
        drawing(
            lambda: plots.steps_figure(simulations),
            alt="Line charts of the steps to deliver a permutation over the dimension n, a panel "
            "a network and traffic, for greedy routing, Valiant's two phases and the off-line "
            "schedule; the tables below have the numbers.",
            caption="Steps until the last packet has arrived: medians over the seeds, bands from "
            "the least to the most, on a logarithmic scale. On transpose and bit reversal greedy "
            "routing grows with √N; Valiant's two phases go about twice as far, but grow with n. "
            "For odd n, 2^⌊n/2⌋ stands for √N.",
        ),
        drawing(
            lambda: plots.queues_figure(simulations),
            alt="Line charts of the longest queue over the dimension n, a panel a network and "
            "traffic, for greedy routing and Valiant's two phases.",
            caption="The longest queue of any channel in the same runs. Greedy's are never longer "
            "than the packets that cross its heaviest channel (dashed). Off line no packet waits "
            "in the way of another: a node holds one at a time.",
        ),
    ]


def _stability_drawing(stability: xr.Dataset) -> Drawing:
    return drawing(
        lambda: plots.stability_figure(stability),
        alt="Scatter plot of measured stable rates against the ideal throughput, their distance "
        "from it in per cent, and curves of accepted traffic and mean delay over the rate; the "
        "table below has the rates.",
        caption="Measured. Left: 95 % intervals of the largest stable rate, by the drift of the "
        "critical channels' queue, against the exact ideal throughput. Right: packets accepted, "
        "and mean delay of packets delivered, over packets offered, per source that sends; "
        "packets to oneself that load no channel are left out. Dotted lines are the ideal rates. "
        "Open markers are beyond them, where delays grow with the length of the run. Beyond "
        "saturation the packets that avoid the full channels still arrive.",
    )


def _greedy(simulations: xr.Dataset, study: xr.Dataset | None) -> list[Block]:
    rows = greedy_rows(simulations, study)
    if not rows:
        return []
    sentence = (
        "Greedy routing sends √N packets of these permutations through node 0…0, and one channel "
        "there carries half of them, so that no queueing delivers them in fewer than √N/2 steps. "
    )
    if all(row.steps.min() >= row.load for row in rows):
        sentence += (
            "Every run took at least as many. For even n no permutation loads a channel more."
        )
    else:
        sentence += "Some runs took fewer, which cannot be: verify their stores."
    certified = any(row.certified for row in rows)
    caption = Markup(
        "Bit fixing (e-cube) on hypercubes of N = 2<sup>n</sup> nodes: lower bounds on the steps, "
        "and the steps and the longest queue measured (median, and least to most where seeds "
        "differ). For odd n, 2<sup>⌊n/2⌋</sup> stands for √N. e-cube's worst case is "
        "2<sup>⌊(n−1)/2⌋</sup> packets on one channel{}."
    ).format(", in this study certified where marked ✓" if certified else "")
    header = [
        "Permutation",
        "n",
        "⌈√N/n⌉, by the proof",
        "√N/2",
        "Heaviest channel, exact",
        "e-cube's worst case, exact",
        "Steps",
        "Longest queue",
    ]
    cells = [
        (
            traffic_label(row.traffic),
            row.n,
            row.averaging,
            f"{row.half:g}",
            row.load_exact,
            row.worst_exact + (" ✓" if row.certified else ""),
            spread(row.steps),
            spread(row.queues),
        )
        for row in rows
    ]
    return [
        Heading("Greedy routing on hypercubes"),
        Paragraph(sentence),
        Table(caption, header, cells, numbers=range(1, 8)),
    ]


def _valiant(simulations: xr.Dataset) -> list[Block]:
    rows = valiant_rows(simulations)
    if not rows:
        return []
    last = max(row.n for row in rows)
    most = max(row.steps.max() / row.n for row in rows)
    at_last = max(row.steps.max() / row.n for row in rows if row.n == last)
    sentence = (
        f"In {counted(sum(len(row.steps) for row in rows), 'run')} Valiant's two phases "
        f"never took more than {most:.2f}·n steps, and at n = {last} never more than "
        f"{at_last:.2f}·n, whatever the permutation. A packet begins its second phase as "
        "soon as it has ended the first."
    )
    above = [f"Above {multiple}n" for multiple in MULTIPLES_OF_N]
    cells = [
        (
            traffic_label(row.traffic),
            row.n,
            len(row.steps),
            f"{row.steps.mean() / row.n:.2f}",
            f"{row.steps.max() / row.n:.2f}",
            *(f"{(row.steps > m * row.n).mean():.1%}" for m in MULTIPLES_OF_N),
        )
        for row in rows
    ]
    table = Table(
        "Steps over n, mean and largest over the seeds, and the share of seeds that took more "
        "than a multiple of n.",
        ["Traffic", "n", "Seeds", "Mean steps/n", "Largest steps/n", *above],
        cells,
        numbers=range(1, 5 + len(above)),
        tall=True,
    )
    return [Heading("Valiant's two phases on hypercubes"), Paragraph(sentence), table]


def _offline(simulations: xr.Dataset) -> list[Block]:
    rows = offline_rows(simulations)
    if not rows:
        return []
    kept = all(row.steps.max() <= 2 * row.n - 1 for row in rows)
    sentence = (
        "Paths found with the whole permutation in view, by looping on a Beneš network, deliver "
        "it in at most 2n − 1 steps with one packet a channel; "
        + ("every schedule was run and kept to that." if kept else "some took more.")
    )
    table = Table(
        "Steps in which packets move (median, and least to most where seeds differ).",
        ["Traffic", "n", "2n − 1", "Steps"],
        [(traffic_label(row.traffic), row.n, 2 * row.n - 1, spread(row.steps)) for row in rows],
        numbers=(1, 2, 3),
        tall=True,
    )
    return [Heading("The off-line schedule"), Paragraph(sentence), table]


def _stability(stability: xr.Dataset) -> list[Block]:
    rates = stable_rates(stability)
    sentence = ""
    if rates:
        low = min(rate.percents[0] for rate in rates)
        high = max(rate.percents[1] for rate in rates)
        holding = sum(rate.holds_ideal for rate in rates)
        sentence = (
            "No rate above the ideal throughput is stable, whatever the queueing: more packets "
            "enter that have to cross a critical channel than it can send. That is proved. That "
            "every rate below it is stable holds for some disciplines and networks and fails for "
            "others where an adversary injects (Andrews et al., J. ACM 48(1), 2001); for the "
            f"random injection of these runs it is measured. {holding} of "
            f"{counted(len(rates), 'interval')} of 95 % hold the ideal; their ends lie from "
            f"{signed(low)} % to {signed(high)} % of it."
        )
    cells = [
        (
            network_label(rate.network),
            routing_label(rate.routing),
            traffic_label(rate.traffic),
            rate.ideal_exact,
            f"{rate.ideal:.4f}",
            f"{rate.stable:.4f} to {rate.unstable:.4f}",
            " to ".join(signed(percent) for percent in rate.percents),
            "yes" if rate.holds_ideal else "no",
        )
        for rate in rates
    ]
    table = Table(
        "Ideal throughput from exact pair loads, and the measured interval of the largest stable "
        "rate at 95 %: at its lower end the queue of the critical channels drifts downwards, at "
        "its upper end upwards (packets per step and source).",
        [
            "Network",
            "Routing",
            "Traffic",
            "Ideal, exact",
            "Ideal",
            "Measured",
            "Difference, %",
            "Holds the ideal",
        ],
        cells,
        numbers=(4, 5, 6),
        exact=(3,),
    )
    return [
        Heading("The largest stable rate"),
        Paragraph(sentence),
        _stability_drawing(stability),
        table,
    ]
