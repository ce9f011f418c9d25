"""Paths in tables: how a file names the nodes and channels of a path.

A path is the nodes that it visits, joined by blanks (``h0 l0 h1``) or, where a name has blanks, by
arrows with blanks around them (``node a > s > b``, also ``->`` and ``→``). After a node, ``#`` and
the port name which of several parallel channels leads there: ``a s t#2 c``. A name or a port in
double quotes is taken as it stands: ``"a > b" > s > "t#2"#1``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from obroute.delimited import QUOTED, json_name, masked, quoted, unquoted
from obroute.network import Network, Path
from obroute.specs import InputError, cut, shown

_ARROW = re.compile(r"(?<=\s)(?:->|>|→)(?=\s)")
_QUOTED_NAME = re.compile(rf"({QUOTED})(?:#(.+))?", re.DOTALL)
_QUOTED_PORT = re.compile(rf"([^\"].*)#({QUOTED})", re.DOTALL)

Hop = tuple[int, str | None]
"""A node, and the port of the channel that leads there where there are parallel ones."""


def read_path(network: Network, given: str | list[Any]) -> tuple[int, Path]:
    """Return the first node of a path and its channels.

    Parameters
    ----------
    network
        The network.
    given
        The text of a table's cell, or the list in a JSON file: names, ``name#port``, or objects
        ``{"node": …, "port": …}``.

    Raises
    ------
    InputError
        If a node or a channel does not exist, or a port is missing where channels are parallel.

    Examples
    --------
    >>> cables = Network("two cables", 2, [0, 0, 1, 1], [1, 1, 0, 0])
    >>> read_path(cables, "0 1#2"), read_path(cables, ["0", {"node": "1", "port": 1}])
    ((0, (1,)), (0, (0,)))
    """
    steps = given if isinstance(given, list) else _split(given)
    hops = [read_hop(network, step, is_text=not isinstance(given, list)) for step in steps]
    if not hops:
        raise InputError(
            "the path '' does not lead anywhere; expected its nodes, joined by blanks"
        )
    if hops[0][1] is not None:
        raise InputError(f"the path begins with port {shown(hops[0][1])}; a port names a channel")
    pairs = itertools.pairwise(hops)
    return hops[0][0], tuple(network.channel(tail, *hop) for (tail, _), hop in pairs)


def _split(text: str) -> list[str]:
    """Split the text of a path into its steps, quotes and all."""
    hidden = masked(text)
    arrows = [found.span() for found in _ARROW.finditer(hidden)]
    if not arrows:
        return [text[slice(*found.span())] for found in re.finditer(r"\S+", hidden)]
    starts, ends = [0, *(last for _, last in arrows)], [*(first for first, _ in arrows), len(text)]
    return [text[first:last].strip() for first, last in zip(starts, ends, strict=True)]


def read_hop(network: Network, step: Any, *, is_text: bool) -> Hop:
    """Return the node that a step of a path names, and the port where it names one.

    ``is_text`` says that a name may stand in quotes, as in a cell; in JSON it never does.

    Raises
    ------
    InputError
        If it names no node of the network.
    """
    if isinstance(step, Mapping):
        if not {"node"} <= set(step) <= {"node", "port"}:
            raise InputError(
                f"a step with the keys {cut(', '.join(step))}; expected node and port"
            )
        port = step.get("port")
        return network.node_named(json_name(step["node"])), None if port is None else json_name(
            port
        )
    text = json_name(step)
    found = (_QUOTED_NAME.fullmatch(text) or _QUOTED_PORT.fullmatch(text)) if is_text else None
    if found is not None:
        return network.node_named(unquoted(found[1])), found[2] and unquoted(found[2])
    name, mark, port = text.rpartition("#")
    if network.has_node(text) or not mark or not network.has_node(name):
        return network.node_named(text), None
    return network.node_named(name), unquoted(port) if is_text else port


def path_steps(network: Network, path: Path) -> list[tuple[str, str | None]]:
    """Return the names of the nodes that a path visits, each with the port that leads there."""
    steps: list[tuple[str, str | None]] = [(network.node_name(int(network.tail[path[0]])), None)]
    steps += [(network.node_name(int(network.head[c])), network.port(c)) for c in path]
    return steps


def hop_text(name: str, port: str | None) -> str:
    """Write a node and the port that leads there, as :func:`read_hop` reads it."""
    return quoted(name, "#>→") + ("" if port is None else f"#{quoted(port, '#>→')}")


def path_text(steps: Iterable[tuple[str, str | None]]) -> str:
    """Write a path as a table's cell has it.

    >>> path_text([("a", None), ("s", None), ("t", "2")])
    'a s t#2'
    >>> path_text([("node a", None), ("#1", None), ("b > c", "east 1")])
    'node a > "#1" > "b > c"#east 1'
    """
    written = [hop_text(name, port) for name, port in steps]
    has_blanks = any(mark.isspace() for step in written for mark in step)
    return (" > " if has_blanks else " ").join(written)


def path_list(steps: Iterable[tuple[str, str | None]]) -> list[Any]:
    """Write a path as a list for JSON.

    >>> path_list([("a", None), ("t", "2")])
    ['a', {'node': 't', 'port': '2'}]
    """
    return [name if port is None else {"node": name, "port": port} for name, port in steps]
