"""Networks from DOT, as YATES, Graphviz and people write it.

``graph`` has cables (``a -- b``), ``digraph`` channels (``a -> b``). Attributes are those of any
graph (:mod:`obroute.graphs`): ``capacity="10Gbps"`` of a link, ``type=host`` of a node. Defaults
(``edge [capacity=1]``) hold for what follows. Subgraphs only group: what is in them counts.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

from obroute.importers.graph_files import BandwidthOf, TerminalFile, network_of_graph
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head, read_text
from obroute.specs import InputError, Parameter, shown

if TYPE_CHECKING:
    import networkx as nx

_TOKEN = re.compile(
    r"(?P<skip>\s+|//[^\n]*|#[^\n]*|/\*.*?\*/)"
    r'|"(?P<text>(?:[^"\\]|\\.)*)"'
    r"|(?P<mark>->|--|[{}\[\];,=:+])"
    r"|(?P<word>-?(?:\.\d+|\d+(?:\.\d*)?)|[^\W\d][\w]*)",
    re.DOTALL,
)
_BEGINNING = re.compile(
    r"(?:\s|//[^\n]*\n|#[^\n]*\n|/\*.*?\*/)*(?:strict\s+)?(?:di)?graph\b[^{\[\]\n]*\{",
    re.DOTALL | re.IGNORECASE,
)
_KINDS = ("graph", "node", "edge")
MOST_NESTED = 50
MOST_OF_A_STATEMENT = 1_000_000
"""Edges that one statement may stand for."""


def _is_dot(head: Head) -> bool:
    return _BEGINNING.match(head.text) is not None


@importers.register(
    "dot",
    "DOT: YATES, Graphviz",
    recognise=_is_dot,
    aliases=("gv",),
    small=(
        "digraph net {\n  h1 [type=host]; h2 [type=host]; s [type=switch];\n  h1 -> s -> h2 "
        '[capacity="1Gbps"];\n  h2 -> s -> h1 [capacity="2Gbps", cost=1];\n}\n',
        "graph { a -- b -- c }\n",
    ),
)
def dot(
    file: Annotated[FilePath, Parameter("the DOT file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
) -> Network:
    """Read a network from DOT; see the module."""
    text = read_text(file, "DOT")
    return network_of_graph(file, "DOT", lambda: _Reader(file, text).graph(), bandwidth, terminals)


class _Reader:
    """Reads statements of DOT, one token ahead."""

    def __init__(self, file: FilePath, text: str) -> None:
        self.file = file
        self.tokens = self._tokens(text)
        self.line = 1
        self.token, self.is_text = "", False
        self._next()

    def _tokens(self, text: str) -> Iterator[tuple[str, bool, int]]:
        place, line = 0, 1
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                rest = text[place:].partition("\n")[0]
                raise InputError(f"{self.file}: line {line}: {shown(rest)} is no DOT")
            if found["text"] is not None:
                said = re.sub(r"\\\n", "", found["text"]).replace('\\"', '"')
                yield html.unescape(said), True, line
            elif found["skip"] is None:
                yield found[0], False, line
            line += found[0].count("\n")
            place = found.end()

    def _next(self) -> str:
        before = self.token
        self.token, self.is_text, self.line = next(self.tokens, ("", False, self.line))
        return before

    def _is(self, *marks: str) -> bool:
        return not self.is_text and self.token in marks

    def _expect(self, *marks: str) -> str:
        if not self._is(*marks):
            raise self._unexpected(" or ".join(marks))
        return self._next()

    def _unexpected(self, expected: str) -> InputError:
        found = shown(self.token) if self.token or self.is_text else "the end"
        return InputError(f"{self.file}: line {self.line}: {found}; expected {expected}")

    def graph(self) -> nx.Graph:
        """Return the graph."""
        import networkx as nx

        kind = self._word("graph or digraph").lower()
        if kind == "strict":
            kind = self._word("graph or digraph").lower()
        if not self._is("{"):
            self._word("{")
        self._expect("{")
        self.directed = kind == "digraph"
        self.found = nx.MultiDiGraph() if self.directed else nx.MultiGraph()
        self._statements({"node": {}, "edge": {}}, 0)
        return self.found

    def _word(self, expected: str) -> str:
        """Return a name, whose pieces in quotes may be joined by a plus."""
        if not self.is_text and (not self.token or not re.match(r"[-.\w]", self.token)):
            raise self._unexpected(expected)
        if self._is("--", "->"):
            raise self._unexpected(expected)
        quoted, word = self.is_text, self._next()
        while quoted and self._is("+"):
            self._next()
            word += self._next()
        return word

    def _statements(self, defaults: dict[str, dict[str, str]], depth: int) -> list[str]:
        """Read statements up to the brace that closes them; return the nodes in them."""
        if depth > MOST_NESTED:
            raise InputError(
                f"{self.file}: line {self.line}: nested too deep; expected a few levels"
            )
        nodes: list[str] = []
        while not self._is("}"):
            if self._is(";", ","):
                self._next()
            elif not self.is_text and self.token.lower() in _KINDS:
                kind = self._next().lower()
                defaults.setdefault(kind, {}).update(self._attributes())
            else:
                nodes += self._statement(defaults, depth)
        self._next()
        return nodes

    def _statement(self, defaults: dict[str, dict[str, str]], depth: int) -> list[str]:
        ends = [self._end(defaults, depth)]
        if len(ends[0]) == 1 and self._is("="):  # of the graph
            self._next()
            self._word("a value")
            if self.was_new:
                self.found.remove_node(ends[0][0])
            return []
        while self._is("->", "--"):
            mark = self._next()
            if (mark == "->") != self.directed:
                kind = "digraph" if self.directed else "graph"
                raise InputError(
                    f"{self.file}: line {self.line}: {mark} in a {kind}; expected "
                    f"{'->' if self.directed else '--'}"
                )
            ends.append(self._end(defaults, depth))
        said = self._attributes()
        if len(ends) == 1:
            for node in ends[0] if said else ():
                self.found.nodes[node].update(said)
        for tails, heads in itertools.pairwise(ends):
            if len(tails) * len(heads) > MOST_OF_A_STATEMENT:
                raise InputError(
                    f"{self.file}: line {self.line}: {len(tails) * len(heads):,} edges in one "
                    f"statement; expected at most {MOST_OF_A_STATEMENT:,}"
                )
            for tail, head in itertools.product(tails, heads):
                key = self.found.add_edge(tail, head)
                self.found.edges[tail, head, key].update({**defaults["edge"], **said})
        return [node for end in ends for node in end]

    def _end(self, defaults: dict[str, dict[str, str]], depth: int) -> list[str]:
        """Return the nodes at one end of an edge: one, or those of a subgraph."""
        if self._is("subgraph"):
            self._next()
            if not self._is("{"):
                self._word("{")
            if not self._is("{"):
                raise self._unexpected("{")
        if self._is("{"):
            self._next()
            inner = {kind: dict(said) for kind, said in defaults.items()}
            return self._statements(inner, depth + 1)
        node = self._word("a node, an edge or }")
        self.was_new = node not in self.found
        if self.was_new:
            self.found.add_node(node)
            self.found.nodes[node].update(defaults["node"])
        while self._is(":"):  # a port or a side of the drawing
            self._next()
            self._word("a port")
        return [node]

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._is("["):
            self._next()
            while not self._is("]"):
                key = self._word("an attribute or ]")
                found[key] = "true"
                if self._is("="):
                    self._next()
                    found[key] = self._word("a value")
                if self._is(",", ";"):
                    self._next()
            self._next()
        found.pop("label", None)  # what is drawn, and no name
        return found
