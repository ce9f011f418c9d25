"""Networks of simulators: BookSim, SST, EvalNet, CAMINOS, htsim, ns-3 and ASTRA-sim."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from obroute import InputError, Network, evaluate, make_network
from obroute.importers.description import described


def read(folder: Path, text: str, more: str = "", name: str = "net.txt") -> Network:
    """Write a file and read it."""
    (folder / name).write_text(text, encoding="utf-8")
    return make_network(f"{folder / name}{more}")


def links(network: Network) -> list[tuple[int, int, Fraction]]:
    """Give the channels with their bandwidths, sorted."""
    ends = zip(network.tail.tolist(), network.head.tolist(), strict=True)
    return sorted((*e, w) for e, w in zip(ends, network.bandwidth.fractions(), strict=True))


RING = [(a, b, 1) for a in range(4) for b in range(4) if (a - b) % 4 in (1, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "router 0 node 0 node 1 router 1 15 router 3\nrouter 1 router 2 2 node 2\n"
        "router 2 router 3\n",
        "# a ring\nrouter 0 router 1 router 3\nrouter 1 router 0 router 2\n"
        "router 2 router 1 router 3\nrouter 3 router 0 router 2\nnode 0 router 0\n"
        "node 1 router 0 5\nnode 2 router 1\n",
    ],
)
def test_booksim_has_several_nodes_at_a_router(tmp_path: Path, text: str) -> None:
    """A link that both ends list is one; routers without nodes are no terminals."""
    network = read(tmp_path, text)
    assert links(network) == RING
    assert network.sources.tolist() == network.destinations.tolist() == [0, 1]
    assert network.injection.fractions() == network.ejection.fractions() == [2, 1]
    rows = dict(described(network))
    assert rows["hosts"] == "3 nodes at 2 routers"
    assert rows["left out"].startswith("latencies (1 to ")
    assert evaluate(network, "ecmp").certified


@pytest.mark.parametrize(
    ("text", "more", "units"),
    [
        ("4 4\n1 3 \n0 2 \n1 3 \n0 2 \n", "", 1),
        ("4 4\n1 3\n0 2\n3 1\n2 0", ":hosts=3", 3),
        ("NODOS 4\nGRADO 2\nN 0\n1 3\nN 2\n1 3\nN 1\n0 2\nN 3\n2 0\n", ":hosts=2", 2),
    ],
)
def test_lists_of_neighbours_are_read(tmp_path: Path, text: str, more: str, units: int) -> None:
    """Of EvalNet and CAMINOS, with as many hosts at each router as the user says."""
    network = read(tmp_path, text, more)
    assert links(network) == RING
    assert network.injection.fractions() == [units] * 4


@pytest.mark.parametrize("name", ["net.txt", "net.adj.txt"])
def test_an_edge_list_of_numbers_stays_one(tmp_path: Path, name: str) -> None:
    """Unless its counts are those of adjacency lists."""
    assert links(read(tmp_path, "0 1\n1 0\n", name="net.txt")) == [(0, 1, 1), (1, 0, 1)]
    found = read(tmp_path, "3 3\n1 2\n0 2\n0 1\n", name=name)
    assert found.channel_count == 6


def test_routers_of_sst_have_endpoints(tmp_path: Path) -> None:
    """The GraphML that merlin's anytopo imports."""
    nodes = "".join(
        f'<node id="{n}"><data key="d0">{hosts}</data></node>'
        for n, hosts in enumerate((2, 2, 0, 1))
    )
    edges = "".join(f'<edge source="{a}" target="{(a + 1) % 4}"/>' for a in range(4))
    network = read(
        tmp_path,
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="node" '
        f'attr.name="endpoints" attr.type="long"/><graph edgedefault="undirected">{nodes}{edges}'
        "</graph></graphml>",
    )
    assert links(network) == RING
    assert network.sources.tolist() == [0, 1, 3]
    assert network.injection.fractions() == [2, 2, 1]


HPCC = """4 1 4
3
0 3 100Gbps 0.001ms 0
1 3 100Gbps 0.001ms 0
2 3 400Gbps 0.001ms 0
2 3 40Gbps 1us 0
"""


@pytest.mark.parametrize("text", [HPCC, HPCC.replace("4 1 4\n3", "4 2 1 0 4 H800\n3")])
def test_hosts_of_ns3_inject_what_their_links_carry(tmp_path: Path, text: str) -> None:
    """Those with two ports what both carry, over the slowest of all."""
    network = read(tmp_path, text)
    assert network.sources.tolist() == [0, 1, 2]
    assert network.injection.fractions() == [Fraction(5, 2), Fraction(5, 2), 11]
    assert network.channel_count == 8
    assert ("a packet per cycle", "40 Gb/s") in described(network)


def tiers(*lines: str) -> str:
    """Give the tiers of a file of htsim, each with its lines."""
    return "".join(
        f"Tier {tier}\n" + said.replace(",", "\n") + "\n" for tier, said in enumerate(lines)
    )


TREE = "Nodes 16\nTiers 3\nPodsize 4\n" + tiers(
    "Downlink_speed_Gbps 200,Radix_Up 2,Radix_Down 2,Queue_up 100",
    "Downlink_speed_Gbps 200,Radix_Up 2,Radix_Down 2",
    "Downlink_speed_Gbps 400,Radix_Down 4",
)


def test_fat_trees_of_htsim_are_built(tmp_path: Path) -> None:
    """Of three tiers, with faster cables at the top; and of two, in bundles."""
    network = read(tmp_path, TREE, name="tree.topo")
    assert (network.node_count, network.channel_count) == (16 + 8 + 8 + 4, 2 * (16 + 16 + 16))
    assert sorted(set(network.bandwidth.fractions())) == [1, 2]
    plain = read(tmp_path, TREE.replace("400", "200"), name="tree.topo")
    family = make_network("fattree:k=4")
    assert (family.node_count, family.channel_count) == (plain.node_count, plain.channel_count)
    assert evaluate(plain, "ecmp").worst_case_load == evaluate(family, "ecmp").worst_case_load
    two = "nodes 8\ntiers 2\npodsize 8\n" + tiers(
        "downlink_speed_gbps 100,radix_down 4,radix_up 4",
        "downlink_speed_gbps 100,radix_down 4,bundle 2",
    )
    network = read(tmp_path, two)
    assert (network.node_count, network.channel_count) == (8 + 2 + 2, 2 * (8 + 8))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("router 0 node 0\nrouter 1 node 0 router 0\n", "line 2 .* node 0 has two"),
        ("router 0 router 0\nrouter 0 node 1\n", "line 1 .*joined to itself"),
        ("router 0 router 1\nrouter 1 router 2\n", "has no node; expected nodes at routers"),
        ("NODOS 2\nN 0\n1\nN 0\n1\n", "line 4 .*expected each node once"),
        ("NODOS 2\nN 0\n7\nN 1\n0\n", "line 3: '7' is out of range; expected 0 to 1"),
        ("NODOS 3\nN 0\n1\n", "NODOS is 3, and 1 nodes are listed"),
        (
            HPCC.replace("4 1 4", "4 1 5"),
            "line 1 says 1 switches and 5 links, and 1 switches and 4",
        ),
        (HPCC.replace("40Gbps", "0Gbps"), "line 6: bandwidth 0Gbps is not positive"),
        (TREE.replace("Nodes 16", "Nodes 17"), "Nodes is 17; expected a multiple of Podsize: 16"),
        (TREE.replace("Radix_Down 4", "Radix_Down 3"), "Radix_Down of tier 2 is 3; .*pod: 4"),
        (TREE.replace("Queue_up", "Queu_up"), "line 8 is 'Queu_up 100'; expected one of radix"),
        (TREE.replace("Gbps 400", "Gbps 0"), "downlink_speed_gbps of tier 2: 0 is not positive"),
        (TREE.replace("Podsize 4", "Podsize 16"), "Radix_Down of tier 1 is 2; .* each leaf: 8"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With the line, or with what does not fit."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)
