"""Packets that queue, in the report: steps and queues over n, off-line schedules, stable rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import xarray as xr

from obroute import plots
from obroute.packets.phase_bounds import TAILS
from obroute.plots import routing_label
from obroute.plots.packets import traffic_label
from obroute.report.pieces import Drawing, counted, drawing, signed, spread
from obroute.specs import InputError
from obroute.trends.packet_theorems import disjoint_rows, phase_rows, witness_rows
from obroute.trends.packets import greedy_rows, offline_rows, stable_rates, valiant_rows

PACKET_KINDS = ("simulations", "stabilities")
MULTIPLES_OF_N = (2, 3, 4)
"""Shares of Valiant's runs are given that take more steps than these multiples of n."""


def packets_section(study: xr.Dataset, packets: Sequence[xr.Dataset]) -> dict[str, Any] | None:
    """Return what the report shows of packets that queue; None if nothing was simulated.

    Raises
    ------
    InputError
        If a dataset is of another kind.
    """
    if not packets:
        return None
    kinds = [dataset.attrs.get("kind") for dataset in packets]
    for kind in kinds:
        if kind not in PACKET_KINDS:
            raise InputError(
                f"packets of kind {kind!r} are not reported; expected gathered stores of kind "
                + " or ".join(PACKET_KINDS)
            )
    simulations, stabilities = (
        [dataset for dataset, kind in zip(packets, kinds, strict=True) if kind == chosen]
        for chosen in PACKET_KINDS
    )
    return {
        "figures": [drawn for found in simulations for drawn in _simulation_figures(found)],
        "greedy": _greedy(study, simulations),
        "valiant": _valiant(simulations),
        "phases": _phases(simulations),
        "witnesses": _witnesses(simulations),
        "offline": _offline(simulations),
        "disjoint": _disjoint(simulations),
        "bounds": list(TAILS),
        "stability_figures": [_stability_drawing(found) for found in stabilities],
        "stability": _stability(stabilities),
    }


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


def _greedy(study: xr.Dataset, simulations: Sequence[xr.Dataset]) -> dict[str, Any]:
    rows = [row for found in simulations for row in greedy_rows(found, study)]
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
    return {
        "sentence": sentence,
        "rows": [
            vars(row)
            | {
                "traffic": traffic_label(row.traffic),
                "steps": spread(row.steps),
                "queues": spread(row.queues),
            }
            for row in rows
        ],
    }


def _valiant(simulations: Sequence[xr.Dataset]) -> dict[str, Any]:
    rows = [row for found in simulations for row in valiant_rows(found)]
    sentence = ""
    if rows:
        last = max(row.n for row in rows)
        most = max(row.steps.max() / row.n for row in rows)
        at_last = max(row.steps.max() / row.n for row in rows if row.n == last)
        sentence = (
            f"In {counted(sum(len(row.steps) for row in rows), 'run')} Valiant's two phases "
            f"never took more than {most:.2f}·n steps, and at n = {last} never more than "
            f"{at_last:.2f}·n, whatever the permutation. A packet begins its second phase as "
            "soon as it has ended the first."
        )
    return {
        "sentence": sentence,
        "multiples": MULTIPLES_OF_N,
        "rows": [
            {
                "traffic": traffic_label(row.traffic),
                "n": row.n,
                "seeds": len(row.steps),
                "mean": f"{row.steps.mean() / row.n:.2f}",
                "largest": f"{row.steps.max() / row.n:.2f}",
                "shares": [f"{(row.steps > m * row.n).mean():.1%}" for m in MULTIPLES_OF_N],
            }
            for row in rows
        ],
    }


def _phases(simulations: Sequence[xr.Dataset]) -> list[dict[str, Any]]:
    """Return Theorem 3 beside runs, one entry for each traffic and dimension."""
    return [
        {
            "sentence": (
                f"{traffic_label(row.traffic)} at n = {row.n}, both phases of "
                f"{counted(len(row.longest), 'seed')}: the longer phase took "
                f"{row.longest.min():g} to {row.longest.max():g} steps, and a packet met at most "
                f"{row.most_met.max():g} others in one phase."
            ),
            "rows": [
                {"steps": steps, "proved": proved, "measured": f"{share:.2%}"}
                for steps, proved, share in row.tails
            ],
        }
        for found in simulations
        for row in phase_rows(found)
    ]


def _witnesses(simulations: Sequence[xr.Dataset]) -> list[dict[str, Any]]:
    return [
        vars(row) | {"steps": spread(row.steps)}
        for found in simulations
        for row in witness_rows(found)
    ]


def _disjoint(simulations: Sequence[xr.Dataset]) -> list[dict[str, Any]]:
    return [
        {
            "traffic": traffic_label(row.traffic),
            "n": row.n,
            "routing": routing_label(row.routing),
            "disjoint": spread(row.disjoint),
            "steps": spread(row.steps),
        }
        for found in simulations
        for row in disjoint_rows(found)
    ]


def _offline(simulations: Sequence[xr.Dataset]) -> dict[str, Any]:
    rows = [row for found in simulations for row in offline_rows(found)]
    kept = all(row.steps.max() <= 2 * row.n - 1 for row in rows)
    return {
        "sentence": "Paths found with the whole permutation in view, by looping on a Beneš "
        "network, deliver it in at most 2n − 1 steps with one packet a channel; "
        + ("every schedule was run and kept to that." if kept else "some took more."),
        "rows": [
            {
                "traffic": traffic_label(row.traffic),
                "n": row.n,
                "bound": 2 * row.n - 1,
                "steps": spread(row.steps),
            }
            for row in rows
        ],
    }


def _stability(stabilities: Sequence[xr.Dataset]) -> dict[str, Any]:
    rates = [rate for found in stabilities for rate in stable_rates(found)]
    rows = [
        {
            "network": rate.network,
            "routing": routing_label(rate.routing),
            "traffic": traffic_label(rate.traffic),
            "ideal_exact": rate.ideal_exact,
            "ideal": f"{rate.ideal:.4f}",
            "interval": f"{rate.stable:.4f} to {rate.unstable:.4f}",
            "holds": rate.holds_ideal,
            "difference": " to ".join(signed(percent) for percent in rate.percents),
        }
        for rate in rates
    ]
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
    return {"rows": rows, "sentence": sentence}


def packet_digests(packets: Sequence[xr.Dataset]) -> list[tuple[str, str]]:
    """Return the digests that the gathered packets state of themselves."""
    return [
        (f"digest of the {dataset.attrs['kind']}", str(dataset.attrs["data_digest"]))
        for dataset in packets
        if "data_digest" in dataset.attrs
    ]
