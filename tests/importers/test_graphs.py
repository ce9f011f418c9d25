"""Networks from graphs of networkx, and from the files that it and scipy write."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from tests.support.random_networks import fabrics

from obroute import InputError, Network, make_network
from obroute.importers.description import described


def same(one: Network, other: Network) -> None:
    """Compare networks by the names of their nodes."""
    assert sorted(_channels(one)) == sorted(_channels(other))
    assert _terminals(one) == _terminals(other)


def _channels(network: Network) -> list[tuple[str, str, Fraction]]:
    ends = zip(network.tail.tolist(), network.head.tolist(), strict=True)
    names = [(network.node_name(tail), network.node_name(head)) for tail, head in ends]
    return [(*n, w) for n, w in zip(names, network.bandwidth.fractions(), strict=True)]


def _terminals(network: Network) -> list[dict[str, Fraction]]:
    pairs = ((network.sources, network.injection), (network.destinations, network.ejection))
    return [
        {network.node_name(n): a for n, a in zip(nodes.tolist(), amounts.fractions(), strict=True)}
        for nodes, amounts in pairs
    ]


@given(fabrics(units=False))
def test_a_graph_of_a_network_is_the_network(network: Network) -> None:
    """With parallel channels, unequal bandwidths and terminals."""
    same(Network.from_networkx(network.to_networkx()), network)


def test_a_graph_is_read_by_its_attributes() -> None:
    """Its kind, speeds with units, hosts at routers, and what is left out."""
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", capacity="100G", latency=3)
    graph.add_edge("a", "b", capacity="25G")
    graph.add_nodes_from([("a", {"endpoints": 2}), ("b", {"endpoints": 0})])
    graph.add_edge("b", "c", capacity="50G")
    graph.nodes["c"]["endpoints"] = 3
    network = Network.from_networkx(graph)
    assert sorted(_channels(network))[:2] == [("a", "b", 1), ("a", "b", 4)]
    assert _terminals(network) == [{"a": 2, "c": 3}] * 2
    rows = dict(described(network))
    assert (rows["left out"], rows["a packet per cycle"]) == ("'latency' of links", "25 Gb/s")


def test_hosts_inject_what_their_links_carry() -> None:
    """And the slowest of these links is a packet per cycle."""
    graph = nx.Graph([("h1", "s", {"speed": "200G"}), ("h2", "s", {"speed": "100G"})])
    graph.add_edge("s", "t", speed="25G")
    for host in ("h1", "h2"):
        graph.nodes[host]["type"] = "host"
    graph.add_edge("t", "h1", speed="100G")
    network = Network.from_networkx(graph)
    assert _terminals(network) == [{"h1": 3, "h2": 1}] * 2
    assert ("s", "t", Fraction(1, 4)) in _channels(network)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"weight": 3}, "weight may be a bandwidth or a length; say which: bandwidth=weight"),
        ({"capacity": "fast"}, "capacity of 0 → 1: 'fast' is not a number"),
        ({"capacity": [1]}, r"capacity of 0 → 1: \[1\] is no number"),
        ({"bandwidth": True}, "True is no number"),
        ({"bandwidth": float("nan")}, "'nan' is not a number"),
        ({"bandwidth": 0}, "bandwidth 0 is not positive"),
    ],
)
def test_an_attribute_that_is_none_is_refused(attributes: dict[str, object], message: str) -> None:
    """With the ends of the link."""
    with pytest.raises(InputError, match=message):
        Network.from_networkx(nx.Graph([(0, 1, attributes)]))


GRAPH = nx.Graph(
    [("a", "b", {"capacity": 2.5}), ("b", "c", {"capacity": 1.0}), ("c", "a", {"capacity": 0.1})]
)


def _write_json(graph: nx.Graph, file: Path) -> None:
    file.write_text(json.dumps(nx.node_link_data(graph, edges="links")), encoding="utf-8")


def _write_with_edges(graph: nx.Graph, file: Path) -> None:
    file.write_text(json.dumps(nx.node_link_data(graph, edges="edges")), encoding="utf-8")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
@pytest.mark.parametrize(
    ("form", "write"),
    [
        ("graphml", nx.write_graphml_xml),
        ("gml", nx.write_gml),
        ("gexf", nx.write_gexf),
        ("node_link", _write_json),
        ("node_link", _write_with_edges),
    ],
)
@pytest.mark.parametrize("name", ["net.csv", "net"])
def test_what_networkx_writes_is_read(tmp_path: Path, kind, form, write, name) -> None:
    """Whatever the file is called; as the graph itself is read."""
    graph = kind(GRAPH)
    if kind is nx.MultiGraph and form != "gexf":
        graph.add_edge("a", "b", capacity=3.0)
    write(graph, tmp_path / name)
    network = make_network(str(tmp_path / name))
    same(network, Network.from_networkx(graph))
    assert network.parameters["bandwidth"] == "auto"
    assert dict(network.read_as)["read as"].replace("-", "_").lower().startswith(form)


@pytest.mark.parametrize("form", ["npz", "mtx", "mtx symmetric"])
def test_what_scipy_writes_is_read(tmp_path: Path, form: str) -> None:
    """A sparse matrix of bandwidths."""
    matrix = scipy.sparse.csr_array(np.array([[0, 0.5, 2], [0.5, 0, 0], [2, 0, 0]]))
    if form != "mtx symmetric":
        matrix = scipy.sparse.csr_array(np.array([[0, 0.5, 2], [1, 0, 0], [1, 3, 0]]))
    file = tmp_path / "matrix"
    if form == "npz":
        with file.open("wb") as out:
            scipy.sparse.save_npz(out, matrix)
    else:
        with file.open("wb") as out:
            scipy.io.mmwrite(out, matrix, symmetry="symmetric" if "sym" in form else "general")
    network = make_network(str(file))
    found = np.zeros((3, 3))
    for tail, head, width in zip(
        network.tail, network.head, network.bandwidth.fractions(), strict=True
    ):
        found[tail, head] = width
    assert (found == matrix.toarray()).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<!DOCTYPE g [<!ENTITY a "b">]><graphml><graph/></graphml>',
            "line 1 declares the entity a",
        ),
        ("<graphml><graph>\n</graphm>", "line 2 is no XML: mismatched tag"),
        ("<graphml>" + "<graph>" * 200, "line 1: nested more than 100 levels deep"),
        ("<graphml/>", "is no GraphML that networkx reads"),
        ('{"nodes": [], "links": [{}]}', "link 1 is .*expected an object with source"),
        ('{"nodes": [{"id": 1}], "links": [], "edges": []}', "say which to read: .*:edges=links"),
        ('{"nodes": [{"id": "a"}], "links": [{"source": "a", "target": "b"}]}', "no node 'b'"),
        ("graph [ node [ id 0 ] edge [ source 0 target 1 ] ]", "is no GML that networkx reads"),
        ("graph [", "is no GML that networkx reads"),
        ("%%MatrixMarket matrix coordinate real general\n9999999999 1 1\n1 1 1\n", "entries"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", "is no Matrix Market"),
        ("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 1\n", "expected a square one"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """In one line, with what is wrong."""
    (tmp_path / "net").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        make_network(str(tmp_path / "net"))
    assert "\n" not in str(caught.value)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    """A matrix of objects is refused."""
    with (tmp_path / "net.npz").open("wb") as out:
        np.savez(out, format=np.array([object()], dtype=object))
    with pytest.raises(InputError, match=r"is no sparse matrix of scipy: .*allow_pickle"):
        make_network(str(tmp_path / "net.npz"))
