"""A network in the report: its routings ranked, who collides where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import xarray as xr

from obroute import plots
from obroute.plots import routing_label
from obroute.plots.style import network_label
from obroute.rational import brief
from obroute.report.critical import MOST_PAIRS
from obroute.report.drawings import drawing
from obroute.report.wording import counted, listed, percent
from obroute.topologies import networks
from obroute.trends.critical import CriticalChannel
from obroute.trends.topologies import best_load
from obroute.trends.values import (
    evaluation_of,
    exact,
    holds,
    network_names,
    pattern_names,
    routing_names,
    value,
)
from obroute.views import Block, Columns, Heading, Paragraph, Section, StudyData, Table, sections

MOST_NETWORKS = 3
"""Up to so many networks each has its part; of more, only those that come from files."""
MOST_NODES_DRAWN = 150


@sections.register("networks", uses=("designs",), place=20)
def networks_section(data: StudyData) -> Section | None:
    """Return what there is to know of each network; None where a study has too many."""
    study = data["evaluations"]
    readable = set(data.readable_cells("evaluations"))
    chosen = [
        name
        for name in _chosen(study)
        if all(
            value(study, "cell", network=name, routing=routing) in readable
            for routing in _held(study, name)
        )
    ]
    if not chosen:
        return None
    if len(chosen) == 1:
        heading = f"The network {network_label(chosen[0])}"
        return Section("The network", "networks", list(_of(data, chosen[0])), heading)
    blocks: list[Block] = []
    for name in chosen:
        blocks += [Heading(network_label(name)), *_of(data, name)]
    return Section("Each network", "networks", blocks)


def _chosen(study: xr.Dataset) -> list[str]:
    names = network_names(study)
    if len(names) <= MOST_NETWORKS:
        return names
    return [name for name in names if str(value(study, "family", network=name)) not in networks]


def _held(study: xr.Dataset, network: str) -> list[str]:
    return [routing for routing in routing_names(study) if holds(study, network, routing)]


def _of(data: StudyData, network: str) -> Iterator[Block]:
    study = data["evaluations"]
    best = best_load(data.get("designs"), network, "worst_case")
    loads = {
        routing: load
        for routing in _held(study, network)
        if (load := exact(study, "worst_case_load", network=network, routing=routing))
    }
    ranked = sorted(loads, key=lambda routing: loads[routing])
    yield _ranking(study, network, ranked, loads, best)
    if ranked:
        yield Paragraph(_advice(network, ranked[0], loads[ranked[0]], best))
    cells = [evaluation_of(data, network, routing) for routing in ranked[:3]]
    if cells and cells[0].attrs["nodes"] <= MOST_NODES_DRAWN:
        labels = ", ".join(map(routing_label, ranked[:3]))
        yield drawing(
            lambda: plots.channel_load_comparison(cells),
            alt=f"Maps of {network_label(network)} with every channel coloured by its load, for "
            f"{labels}.",
            caption=f"Load of every channel of {network_label(network)} under the worst-case "
            f"traffic of {labels}, in one scale.",
        )
    alike: list[tuple[list[str], list[Block]]] = []
    for routing in ranked:
        found = list(_collisions(evaluation_of(data, network, routing)))
        same = next((names for names, blocks in alike if blocks == found), None)
        if same is None:
            alike.append(([routing_label(routing)], found))
        else:
            same.append(routing_label(routing))
    for names, blocks in alike:
        yield Heading(f"Who collides under {listed(names)}")
        yield Columns(blocks)


def _ranking(
    study: xr.Dataset,
    network: str,
    ranked: list[str],
    loads: dict[str, Fraction],
    best: Fraction | None,
) -> Table:
    uniform = "uniform" in pattern_names(study)
    header = ["Routing", "Guarantee, exact", "Guarantee", "Worst-case load", "Path length"]
    header += ["Uniform traffic"] * uniform + ["Of best possible"] * (best is not None)
    rows = []
    for routing in ranked:
        place = {"network": network, "routing": routing}
        row: list[object] = [
            routing_label(routing),
            brief(1 / loads[routing]),
            f"{float(1 / loads[routing]):.4f}",
            brief(loads[routing]),
            f"{value(study, 'mean_path_length', **place):.3f}",
        ]
        if uniform:
            load = exact(study, "pattern_load", **place, pattern="uniform")
            row.append(f"{float(1 / load):.4f}" if load else "–")
        if best is not None:
            row.append(percent(best / loads[routing]))
        rows.append(row)
    return Table(
        "The routings by what they guarantee: the largest share of what hosts inject that arrives "
        "whatever the traffic. Path length is the mean in hops; under uniform traffic every host "
        "sends to all alike.",
        header,
        rows,
        numbers=tuple(range(2, len(header))),
        exact=(1, 3),
    )


def _collisions(cell: xr.Dataset) -> Iterator[Block]:
    critical = CriticalChannel(cell)
    channel = critical.name(critical.channel)
    found = critical.collisions
    if found:
        shown = found[:MOST_PAIRS]
        rows: list[list[object]] = [
            [critical.node(one.source), critical.node(one.destination), brief(one.load)]
            for one in shown
        ]
        if len(shown) < len(found):
            rest = sum((one.load for one in found[MOST_PAIRS:]), Fraction(0))
            rows.append([f"{len(found) - len(shown)} further pairs", "", brief(rest)])
        rows.append(["Together", "", brief(sum((one.load for one in found), Fraction(0)))])
        over = "" if critical.bandwidth == 1 else f", over a bandwidth of {critical.bandwidth}"
        yield Table(
            f"In the worst case {counted(len(found), 'pair')} "
            f"{'uses' if len(found) == 1 else 'use'} channel {channel}{over}. What each adds, in "
            "packets per cycle.",
            ["Source", "Destination", "Adds"],
            rows,
            exact=(2,),
        )
    else:
        yield Paragraph(f"The channel that can be loaded most is {channel}.")
    yield Table(
        "The channels that can be loaded most, in packets per cycle over bandwidth.",
        ["Channel", "At most", "Known by"],
        [[critical.name(one), load, how] for one, load, how in critical.most_loaded()],
        exact=(1,),
    )


def _advice(network: str, routing: str, load: Fraction, best: Fraction | None) -> str:
    """Say what could be better, and by which command it is had."""
    label = routing_label(routing)
    if best is None:
        return (
            "What the best oblivious routing of this network guarantees is found by obroute "
            f"design '{network}', which with --export table.csv writes that routing as a table."
        )
    table = f"obroute design '{network}' --export table.csv"
    if best == load:
        return (
            f"No oblivious routing guarantees more than {label} does here (proved). One that "
            f"guarantees as much is written as a table by {table}."
        )
    return (
        f"The best oblivious routing guarantees {brief(1 / best)} of injection bandwidth "
        f"(proved): {float(load / best):.3g} times what {label} does. It is written as a table by "
        f"{table}."
    )
