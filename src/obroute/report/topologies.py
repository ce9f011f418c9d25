"""Which topology guarantees what, in the report of a study of several families."""

from __future__ import annotations

from fractions import Fraction

from obroute.plots import routing_label
from obroute.plots.topologies import topologies_figure
from obroute.report.drawings import drawing
from obroute.report.wording import percent
from obroute.trends.topologies import Guarantee, Topology, is_of_topologies, topologies
from obroute.trends.values import network_names
from obroute.views import Block, Coverage, Paragraph, Section, StudyData, Table, sections


@sections.register("topologies", uses=("designs",), place=15)
def topologies_section(data: StudyData) -> Section | None:
    """Return the networks by what they cost and guarantee; None with few families."""
    if not is_of_topologies(Coverage({}, frozenset(network_names(data["evaluations"])))):
        return None
    found = [one for one in topologies(data) if one.guarantees]
    found.sort(key=lambda one: (-_best(one), one.structure.ports_per_host))
    blocks: list[Block] = [
        Paragraph(_sentence(found)),
        drawing(
            lambda: topologies_figure(found),
            alt="Chart of guaranteed throughput, a row a topology, from its worst routing to its "
            "best and to the best possible; the numbers are in the table.",
            caption="Every bar is a routing, the filled point the best of them, the ring what "
            "the best of all oblivious routings guarantees, where a design proved it. At 1 all "
            "that hosts inject arrives, whatever the traffic; more is room to spare. Ports are "
            "those of switches and routers; a host of a router takes one.",
        ),
        _structure(found),
        _guarantees(found),
    ]
    return Section("Topologies", "topologies", blocks, "Which topology guarantees what")


def _best(one: Topology) -> Fraction:
    """Return the best guarantee, at most all that hosts inject."""
    return min(Fraction(1), max(guarantee.throughput for guarantee in one.guarantees))


def _sentence(found: list[Topology]) -> str:
    """Say which guarantees most with the fewest ports, and most for a port."""
    strong = found[0]
    thrifty = max(found, key=lambda one: _best(one) / one.structure.ports_per_host)
    alike = sum(_best(one) == _best(strong) for one in found)
    ports = f"{float(strong.structure.ports_per_host):.3g}"
    routing = routing_label(strong.guarantees[0].routing)
    if _best(strong) == 1 and alike > 1:
        said = (
            f"{alike} of {len(found)} topologies guarantee all that their hosts inject, under all "
            f"traffic, {strong.network} with the fewest switch ports per host, {ports}, by "
            f"{routing}. "
        )
    else:
        said = (
            f"{strong.network} guarantees most: {percent(_best(strong))} of what its hosts "
            f"inject, under all traffic, by {routing}, with {ports} switch ports per host. "
        )
    if thrifty is strong:
        return said + "No other guarantees more per port."
    return said + (
        f"{thrifty.network} guarantees most per port: {percent(_best(thrifty))} with "
        f"{float(thrifty.structure.ports_per_host):.3g}."
    )


def _structure(found: list[Topology]) -> Table:
    return Table(
        "Structure. Degree counts channels between switches; the diameter is in hops between "
        "switches with hosts. Capacity is the throughput of uniform traffic under the best "
        "routing for it, best possible the largest throughput that any oblivious routing "
        "guarantees for all traffic; a dash where it was not proved in this study. Both are "
        "exact.",
        [
            "Network",
            "Hosts",
            "Switches",
            "Ports per host",
            "Degree",
            "Diameter",
            "Capacity",
            "Best possible",
        ],
        [
            [
                one.network,
                str(one.structure.hosts),
                one.structure.switches,
                f"{float(one.structure.ports_per_host):.3g}",
                one.structure.degree,
                one.structure.diameter,
                _inverse(one.capacity_load),
                _inverse(one.best_load),
            ]
            for one in found
        ],
        numbers=(1, 2, 3, 4, 5),
        exact=(6, 7),
    )


def _inverse(load: Fraction | None) -> str:
    return "–" if not load else str(1 / load)


def _guarantees(found: list[Topology]) -> Table:
    return Table(
        "What each routing guarantees: its throughput for all traffic (fraction of injection "
        "bandwidth), as a share of the best possible, its mean path length (hops, those of host "
        "links included), and the virtual channels with which it is proved to be free of "
        "deadlock, by a numbering of them; a dash where there are too many paths to walk.",
        [
            "Network",
            "Routing",
            "Guarantee, exact",
            "Guarantee",
            "Of best",
            "Path length",
            "Virtual channels",
        ],
        [_cells(one, routing) for one in found for routing in one.guarantees],
        numbers=(3, 4, 5, 6),
        exact=(2,),
        tall=True,
    )


def _cells(one: Topology, routing: Guarantee) -> list[object]:
    return [
        one.network,
        routing_label(routing.routing),
        str(routing.throughput),
        f"{float(routing.throughput):.4f}",
        "–" if one.best_load is None else percent(one.best_load / routing.load),
        "–" if routing.length is None else f"{float(routing.length):.3f}",
        "–" if routing.virtual_channels is None else routing.virtual_channels,
    ]
