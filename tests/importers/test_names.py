"""Any name of a node, in every file that names nodes, and any parallel channels."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obroute import InputError, Network, make_network, make_pattern, make_routing
from obroute.choices.tables import Table
from obroute.delimited import quoted
from obroute.routing import path_distribution
from obroute.routing.hops import hop_text, path_text
from obroute.routing.written import routing_rows, write_rows

LETTERS = st.sampled_from([*'ab1 \t,;"#->→()|漢é\u00a0\u2028', "->", " > ", "--", '""', "node "])
NAMES = st.lists(LETTERS, min_size=1, max_size=5).map("".join)
LEAVES = st.lists(NAMES, min_size=3, max_size=4, unique=True)
HUB = "the hub"
SEPARATORS = ("comma", "semicolon", "tab", "blank", "arrow", "excel")


def edge_text(edges: list[tuple[str, str]], separator: str) -> str:
    """Write an edge list as people do: names in quotes only where they need them."""
    if separator == "excel":
        written = io.StringIO()
        csv.writer(written, quoting=csv.QUOTE_ALL).writerows([("source", "target"), *edges])
        return written.getvalue()
    if separator == "arrow":
        return "".join(
            f"{quoted(a, ',;	-<>→')} -> {quoted(b, ',;	-<>→')}\n" for a, b in edges
        )
    mark = {"comma": ",", "semicolon": " ; ", "tab": "\t", "blank": "  "}[separator]
    special = ",;\t" + ("" if separator != "blank" else " \u00a0\u2028")
    rows = [("Tail", "Head"), *edges]
    return "".join(f"{quoted(a, special)}{mark}{quoted(b, special)}\n" for a, b in rows)


def star(folder: Path, leaves: list[str], separator: str) -> Network:
    """Read a star whose leaves, in another order, are the terminals."""
    edges = [pair for leaf in leaves for pair in ((leaf, HUB), (HUB, leaf))]
    (folder / "net.csv").write_text(edge_text(edges, separator), encoding="utf-8", newline="")
    hosts = "\n".join(["node", *(quoted(leaf, ",;\t") for leaf in reversed(leaves))])
    (folder / "hosts.csv").write_text(hosts, encoding="utf-8")
    return make_network(f"{folder}/net.csv:terminals={folder}/hosts.csv")


@given(LEAVES, st.sampled_from(SEPARATORS))
def test_edge_list_and_terminals_keep_any_name(leaves: list[str], separator: str) -> None:
    """Blanks, separators, quotes, arrows, marks of comments and ports, and other scripts."""
    with tempfile.TemporaryDirectory() as folder:
        network = star(Path(folder), leaves, separator)
    assert network.labels == (leaves[0], HUB, *leaves[1:])
    assert [network.node_name(node) for node in network.sources.tolist()] == leaves[::-1]


@given(LEAVES, st.sampled_from(["paths.csv", "flows.csv", "paths.json", "flows.json"]))
def test_a_table_keeps_any_name(leaves: list[str], kind: str) -> None:
    """Paths and flows, CSV and JSON; in JSON a name is a string as it stands."""
    records = []
    for a, b in permutations(leaves, 2):
        ends = {"source": a, "destination": b}
        if kind == "paths.json":
            records.append({**ends, "probability": 1, "path": [a, HUB, b]})
        elif kind == "paths.csv":
            path = path_text([(a, None), (HUB, None), (b, None)])
            records.append({**ends, "probability": "1", "path": path})
        else:
            head = (lambda name: name) if kind == "flows.json" else (lambda n: hop_text(n, None))
            records.append({**ends, "tail": a, "head": head(HUB), "flow": "1"})
            records.append({**ends, "tail": HUB, "head": head(b), "flow": "1"})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        network = star(folder, leaves, "comma")
        text = json.dumps(records)
        if kind.endswith(".csv"):
            written = io.StringIO()
            writer = csv.DictWriter(written, list(records[0]), quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(records)
            text = written.getvalue()
        (folder / kind).write_text(text, encoding="utf-8", newline="")
        routing = make_routing(f"table:{folder / kind}")
        routing.check(network)
    for a, b in permutations(network.sources.tolist(), 2):
        (found,) = path_distribution(routing, network, a, b)
        assert network.path_nodes(a, found) == (a, network.node_named(HUB), b)


@given(LEAVES, st.sampled_from(["one.csv", "two.csv", "one.json", "two.json"]))
def test_a_permutation_keeps_any_name(leaves: list[str], kind: str) -> None:
    """A destination a line, or source and destination; CSV and JSON."""
    pairs = [[a, b] for a, b in zip(leaves, leaves[1:] + leaves[:1], strict=True)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        network = star(folder, leaves, "comma")
        of = dict(pairs)
        in_order = [of[network.node_name(source)] for source in network.sources.tolist()]
        rows = pairs if kind.startswith("two") else [[leaf] for leaf in in_order]
        text = json.dumps(rows if kind.startswith("two") else in_order)
        if kind.endswith(".csv"):
            text = "\n".join(",".join(quoted(cell, ",;\t") for cell in row) for row in rows)
        (folder / kind).write_text(text, encoding="utf-8", newline="")
        found = make_pattern(f"permutation:{folder / kind}").permutation(network)
    destinations = network.destinations[found].tolist()
    assert [network.node_name(node) for node in destinations] == in_order


@st.composite
def cabled(draw: st.DrawFn) -> Network:
    """A ring of three or four nodes with one to three cables at each place, some ports named."""
    labels = draw(LEAVES)
    ends = [(n, (n + 1) % len(labels)) for n in range(len(labels))]
    channels = []
    for tail, head in ends:
        for number in range(draw(st.integers(1, 3))):
            named = draw(st.booleans())
            port = draw(NAMES) + f"-{number}" if named else ""
            channels += [(tail, head, port), (head, tail, port)]
    tails, heads, ports = zip(*channels, strict=True)
    return Network(
        "ring", len(labels), list(tails), list(heads), labels=tuple(labels), ports=tuple(ports)
    )


@given(
    cabled(),
    st.sampled_from(["paths", "flows"]),
    st.sampled_from(["csv", "json"]),
    st.sampled_from(["ecmp", "1/2*ecmp+1/2*ecmp:split=hops"]),
)
def test_an_exported_table_is_the_same_routing(
    network: Network, table: Table, ending: str, routing_name: str
) -> None:
    """With its parallel channels, whatever nodes and ports are called."""
    routing = make_routing(routing_name)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"routes.{ending}"
        write_rows(list(routing_rows(network, routing, table)), file)
        again = make_routing(str(file))
        again.check(network)
        for a, b in permutations(range(network.node_count), 2):
            first, second = (path_distribution(r, network, a, b) for r in (routing, again))
            assert table == "flows" or first == second
        for channel in range(network.channel_count):
            loads = [r.pair_loads(network, channel).to_dense() for r in (routing, again)]
            assert (loads[0] == loads[1]).all()


def test_a_name_without_its_quotes_is_refused_with_the_line(tmp_path: Path) -> None:
    """An open quote, and text after a closed one."""
    for line in ('"a,b', 'b,"a"x'):
        (tmp_path / "net.csv").write_text(f"a,b\n{line}\n", encoding="utf-8")
        with pytest.raises(
            InputError, match=r"net\.csv: line 2: .* has a quote that is not closed"
        ):
            make_network(str(tmp_path / "net.csv"))


def test_bandwidths_stand_beside_names_with_blanks(tmp_path: Path) -> None:
    """After an arrow and a comma, or in a column."""
    for text in (
        "node a -> b, 3/2\nb -> node a, 3/2\n",
        "bandwidth;to;from\n3/2;b;node a\n3/2;node a;b\n",
    ):
        (tmp_path / "net.txt").write_text(text, encoding="utf-8")
        network = make_network(str(tmp_path / "net.txt"))
        assert set(network.labels or ()) == {"node a", "b"}
        assert network.bandwidth.fractions() == [Fraction(3, 2)] * 2
