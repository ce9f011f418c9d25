"""Networks that are written and read again, and what a format has no room for."""

from __future__ import annotations

import json
import tempfile
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.random_networks import fabrics
from tests.support.rule import run

from obroute import InputError, Network, evaluate, make_network, make_routing
from obroute.exporters.registry import exporters, write_network
from obroute.exporters.traffic import traffic_text
from obroute.routing import path_distribution
from obroute.routing.written_sst import write_sst

WHOLE = [name for name, exporter in exporters().items() if exporter.keeps == "everything"]
AS_THEY_ARE = [name for name in exporters() if name != "ibsim"]
"""Formats that do not make nodes of the hosts at routers."""


def facts(network: Network) -> tuple[object, ...]:
    """Give the channels and terminals by the names of nodes, in no order."""
    name = network.node_name
    ends = zip(network.tail.tolist(), network.head.tolist(), strict=True)
    channels = [
        (name(tail), name(head), width, network.port(channel))
        for channel, ((tail, head), width) in enumerate(
            zip(ends, network.bandwidth.fractions(), strict=True)
        )
    ]
    terminals = [
        sorted(zip(map(name, nodes.tolist()), amounts.fractions(), strict=True))
        for nodes, amounts in (
            (network.sources, network.injection),
            (network.destinations, network.ejection),
        )
    ]
    return sorted(channels, key=str), terminals


def again(network: Network, folder: Path, form: str, name: str = "out") -> Network:
    """Write a network and read it, told by its content."""
    written = write_network(network, folder / name, form)
    more = f":terminals={written[1]}" if len(written) > 1 else ""
    return make_network(f"{written[0]}{more}")


@given(fabrics(units=False), st.sampled_from(WHOLE))
def test_a_network_that_is_written_is_the_network_again(network: Network, form: str) -> None:
    """Its channels, bandwidths, ports and terminals."""
    with tempfile.TemporaryDirectory() as folder:
        assert facts(again(network, Path(folder), form)) == facts(network)


@pytest.mark.parametrize("form", AS_THEY_ARE)
@pytest.mark.parametrize("name", ["mesh:3x2", "leafspine:leaves=2,hosts=2,spines=1"])
def test_a_family_is_written_in_every_format(tmp_path: Path, form: str, name: str) -> None:
    """With its hosts; nodes that have names lose them where the format has numbers."""
    network = make_network(name)
    found = again(network, tmp_path, form)
    assert (found.node_count, found.channel_count) == (network.node_count, network.channel_count)
    assert found.total_injection == network.total_injection
    same = np.array_equal(np.sort(found.sources), network.sources) or form in WHOLE
    assert same


@pytest.mark.parametrize(
    ("network", "form", "message"),
    [
        (Network("x", 2, [0, 0, 1, 1], [1, 1, 0, 0]), "booksim", "x has 2 cables between 0 and 1"),
        (Network("x", 3, [0, 1, 2], [1, 2, 0]), "booksim", "x has 1 channels 0 → 1 and 0 back"),
        (Network("x", 3, [0, 1, 2], [1, 2, 0]), "nothing", "unknown format 'nothing'"),
        (Network("x", 3, [0, 1, 2], [1, 2, 0]), "", "no network is written as .zip"),
    ],
)
def test_what_a_format_has_no_room_for_is_refused(
    tmp_path: Path, network: Network, form: str, message: str
) -> None:
    """And nothing is written."""
    with pytest.raises(InputError, match=message):
        write_network(network, tmp_path / "out.zip", form)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["ring:6", "torus:3x3"])
@pytest.mark.parametrize("routing", ["dor", "1/3*dor+2/3*valiant"])
def test_a_routing_goes_to_sst_and_back(tmp_path: Path, name: str, routing: str) -> None:
    """With the graph that anytopo imports; thirds stay thirds, though weights are floats."""
    network, chosen = make_network(name), make_routing(routing)
    write_network(network, tmp_path / "net.graphml", "sst")
    write_sst(network, chosen, tmp_path / "routes.json")
    graph = nx.read_graphml(tmp_path / "net.graphml")
    assert not graph.is_directed()
    assert all(data["endpoints"] == 1 for _, data in graph.nodes(data=True))
    found = make_routing(str(tmp_path / "routes.json"))
    read = make_network(str(tmp_path / "net.graphml"))
    for a, b in permutations(range(network.node_count), 2):
        listed = [
            {
                network_.path_nodes(a, p): share
                for p, share in path_distribution(r, network_, a, b).items()
            }
            for r, network_ in ((chosen, network), (found, read))
        ]
        assert listed[0] == listed[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"0": {"1": []}}', "pair 0 → 1: expected a list of weights and paths"),
        ('{"0": {"1": [[1]]}}', "pair 0 → 1 has .*expected .weight, .router"),
        ('{"0": {"1": [[0, [1]]]}}', "the weights are all 0"),
        ('{"0": [1]}', "source '0': expected an object of destinations"),
        ('{"routing_table": 3}', "expected an object of sources under routing_table"),
        ('{"0": {"1": [[1, [7]]]}}', "no node '7'"),
        ('{"0": {}}', "lists nothing"),
    ],
)
def test_a_table_of_sst_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """In one line, with the pair."""
    (tmp_path / "routes.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        make_routing(str(tmp_path / "routes.json")).check(make_network("ring:3"))


def test_worst_traffic_is_written_for_hosts(tmp_path: Path) -> None:
    """Several hosts at a router are several; each sends to one."""
    (tmp_path / "net.anynet").write_text(
        "router 0 node 0 node 1 router 1 router 2\nrouter 1 node 2 router 2\nrouter 2 node 3\n"
    )
    network = make_network(str(tmp_path / "net.anynet"))
    worst = evaluate(network, "ecmp").critical.worst
    amounts = worst.amounts.fractions()
    texts = {
        suffix: traffic_text(network, worst.sources, worst.destinations, amounts, suffix)
        for suffix in (".csv", ".cm", ".noxim", ".rankfile")
    }
    assert texts[".csv"].startswith("source,destination,amount\n")
    begins = texts[".cm"].splitlines()[:2]
    sent = [line.split()[0] for line in texts[".cm"].splitlines()[2:]]
    assert begins == ["Nodes 4", f"Connections {len(sent)}"]
    assert sent == [line.replace(" ", "->") for line in texts[".noxim"].splitlines()]
    ranks = [line.split("=")[1].split()[0] for line in texts[".rankfile"].splitlines()]
    assert sorted(ranks[:4]) == sorted(ranks[4:]) == ["0", "0", "1", "2"]
    with pytest.raises(InputError, match="is no permutation of hosts"):
        traffic_text(network, np.array([0]), np.array([1]), [Fraction(1, 2)], ".cm")


def test_commands_say_what_they_read_and_wrote(tmp_path: Path) -> None:
    """And a file that is written is read again."""
    (tmp_path / "net.txt").write_text("a,b,100G\nb,c,25G\n", encoding="utf-8")
    found = run(tmp_path, "convert", "net.txt:undirected", "out.graphml")
    assert "an edge list" in found.printed
    assert "written" in found.printed
    said = json.loads(run(tmp_path, "convert", "out.graphml", "--json").printed)
    assert said["read"]["read as"] == "GraphML"
    assert run(tmp_path, "convert", "net.txt", "out.pdf").status == 2
    assert run(tmp_path, "export", "out.graphml", "ecmp", "t.json", "--table", "sst").status == 0
    assert run(tmp_path, "export", "out.graphml", "ecmp", "t.csv", "--table", "sst").status == 2
    assert run(tmp_path, "export", "out.graphml", "ecmp", "t.csv", "--table", "x").status == 2
    assert run(tmp_path, "evaluate", "out.graphml", "t.json", "--worst", "w.cm").status == 0
    assert (tmp_path / "w.cm").read_text().startswith("Nodes 3\n")
