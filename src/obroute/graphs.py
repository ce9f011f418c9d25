"""Networks from graphs of networkx, and back: nodes, channels, attributes.

The bandwidth of a link is the attribute that is called so (:data:`BANDWIDTHS`), or the one that
the user names. A node has hosts if it says how many (``endpoints``, ``hosts``), or is one
(``type`` or ``kind`` is ``host``); or it says what it injects and ejects. An undirected edge is a
cable, a directed one a channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.cabling import ONE, Cabling
from obroute.names import check_name
from obroute.rational import RationalArray
from obroute.reading import Rate, over_one_denominator, parse_rate
from obroute.specs import InputError, parse_fraction, parse_integer, shown, suggestion

if TYPE_CHECKING:
    import networkx as nx

BANDWIDTHS = ("bandwidth", "capacity", "speed", "rate", "datarate", "bw", "linkspeedraw")
"""Attributes that are a bandwidth, in any letters: the first that any link has."""
BITS = ("linkspeedraw",)
"""Those of bits per second, as the Topology Zoo has them."""
AUTO, NONE = "auto", "none"
HOSTS_AT = ("endpoints", "hosts")
KINDS = ("type", "kind")
HOST_KINDS = ("host", "server", "terminal", "endpoint")


def cabling_of(
    graph: nx.Graph, form: str, origin: Any, bandwidth: str = AUTO
) -> tuple[Cabling, dict[str, Any] | None]:
    """Return what a graph says, and its terminals by fields of a network where it lists them.

    Parameters
    ----------
    graph
        Any graph of networkx.
    form, origin
        What it is and where it is from, for people.
    bandwidth
        The attribute of links that is their bandwidth; ``none``, or ``auto`` for the one that is
        called so.

    Raises
    ------
    InputError
        If an attribute is not what it should be, or a weight may be a bandwidth.
    """
    cabling = Cabling(origin, form)
    names = _names(graph)
    for node in graph.nodes:
        check_name(names[node], f"node of {origin}")
        cabling.node(names[node])
    if len(cabling.names) < len(names):
        raise InputError(f"{origin}: two nodes have one name; give each its own")
    number = {node: place for place, node in enumerate(graph.nodes)}
    attribute = _bandwidth(origin, graph, bandwidth)
    take = cabling.channel if graph.is_directed() else cabling.cable
    for tail, head, data in graph.edges(data=True):
        ends = f"{names[tail]} → {names[head]}"
        rate = _rate(f"{origin}: {attribute} of {ends}", attribute, data)
        take(number[tail], number[head], rate, str(data.get("port", "")))
    _take_hosts(cabling, graph, number)
    _say_what_is_left(cabling, graph, attribute)
    return cabling, _terminals(origin, graph, cabling)


def _names(graph: nx.Graph) -> dict[Any, str]:
    """Return the name of every node: its label, if every node has one of its own."""
    labels = {node: str(data.get("label", "")).strip() for node, data in graph.nodes(data=True)}
    if all(labels.values()) and len(set(labels.values())) == len(labels):
        return labels
    return {node: node if isinstance(node, str) else str(node) for node in graph.nodes}


def _bandwidth(origin: Any, graph: nx.Graph, chosen: str) -> str:
    """Return the attribute that is the bandwidth of links, empty if none is."""
    known = dict.fromkeys(key for *_, data in graph.edges(data=True) for key in data)
    if chosen == NONE:
        return ""
    if chosen != AUTO:
        if chosen not in known:
            raise InputError(
                f"{origin}: no link has {shown(chosen)}" + suggestion(chosen, list(known))
            )
        return chosen
    small = {str(key).lower(): key for key in known}
    for word in BANDWIDTHS:
        if word in small:
            return str(small[word])
    if "weight" in small:
        said = [data.get(small["weight"], 1) for *_, data in graph.edges(data=True)]
        if any(weight not in (1, "1", "1.0") for weight in said):
            raise InputError(
                f"{origin}: weight may be a bandwidth or a length; say which: bandwidth=weight or "
                f"bandwidth={NONE}"
            )
    return ""


def _rate(where: str, attribute: str, data: Mapping[str, Any]) -> Rate:
    given = data.get(attribute) if attribute else None
    if given is None:
        return ONE
    try:
        rate = parse_rate(_text(given))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if attribute.lower() in BITS and not rate.has_unit:
        return Rate(rate.amount / 10**9, has_unit=True)
    return rate


def _text(value: Any) -> str:
    """Return a number or a text as it is written; a float as the shortest decimal that is it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (str, int, float, Fraction, Decimal, np.integer, np.floating)
    ):
        raise InputError(f"{shown(value)} is no number")
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    return repr(value) if isinstance(value, float) else str(value)


def _take_hosts(cabling: Cabling, graph: nx.Graph, number: Mapping[Any, int]) -> None:
    for node, data in graph.nodes(data=True):
        small = {str(key).lower(): value for key, value in data.items()}
        kinds = {str(small.get(kind, "")).lower() for kind in KINDS}
        if kinds & set(HOST_KINDS):
            cabling.hosts.append(number[node])
        for key in HOSTS_AT:
            if key in small:
                try:
                    hosts = parse_integer(0)(_text(small[key]))
                except InputError as error:
                    name = cabling.names[number[node]]
                    raise InputError(f"{cabling.file}: {key} of {name}: {error}") from None
                cabling.units[number[node]] = hosts
                break
    if cabling.units and not any(cabling.units.values()):
        raise InputError(f"{cabling.file}: no node has a host; give one at least two")


def _terminals(origin: Any, graph: nx.Graph, cabling: Cabling) -> dict[str, Any] | None:
    """Return terminals where nodes say what they inject and eject."""
    amounts: dict[str, dict[int, Fraction]] = {"injection": {}, "ejection": {}}
    _, renumbered = cabling.numbered()
    for node, (_, data) in enumerate(graph.nodes(data=True)):
        for key, found in amounts.items():
            if key in data:
                try:
                    found[int(renumbered[node])] = parse_fraction(_text(data[key]))
                except InputError as error:
                    raise InputError(
                        f"{origin}: {key} of {cabling.names[node]}: {error}"
                    ) from None
    if not any(amounts.values()):
        return None
    fields: dict[str, Any] = {}
    for (key, found), nodes in zip(amounts.items(), ("sources", "destinations"), strict=True):
        places = sorted(place for place, amount in found.items() if amount)
        over_one_denominator(str(origin), found.values())
        fields[nodes] = np.array(places, dtype=np.int64)
        fields[key] = RationalArray.from_fractions(found[place] for place in places)
    return fields


def _say_what_is_left(cabling: Cabling, graph: nx.Graph, attribute: str) -> None:
    used = {attribute, "port"}
    left = dict.fromkeys(key for *_, data in graph.edges(data=True) for key in data)
    cabling.left_out(f"{shown(str(key))} of links" for key in left if key not in used)


def plain(value: Fraction) -> int | str:
    """Return a number as attributes hold it: whole ones as they are, others as ``1/2``."""
    return value.numerator if value.denominator == 1 else str(value)


def graph_of(
    names: Iterable[Any],
    ends: Iterable[tuple[Any, Any]],
    bandwidths: Iterable[Fraction],
    ports: Iterable[str | None],
    terminals: Iterable[tuple[str, Any, Fraction]],
) -> nx.MultiDiGraph:
    """Return the graph of a network: a node and an edge for each of its nodes and channels.

    Parameters
    ----------
    names
        Of the nodes.
    ends, bandwidths, ports
        Of the channels; a port is None where no other channel is parallel.
    terminals
        ``injection`` or ``ejection``, of which node, and how much.
    """
    import networkx as nx

    graph = nx.MultiDiGraph()
    graph.add_nodes_from(names)
    for (tail, head), bandwidth, port in zip(ends, bandwidths, ports, strict=True):
        said = {"bandwidth": plain(bandwidth)} | ({} if port is None else {"port": port})
        graph.add_edge(tail, head, **said)
    for key, node, amount in terminals:
        graph.nodes[node][key] = plain(amount)
    return graph
