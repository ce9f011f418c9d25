"""Networks between cities, and graph files of other tools: SNDlib, TopoHub, YATES, LEMON."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from obroute import InputError, Network, make_network, make_pattern
from obroute.importers.description import described

NATIVE = """?SNDlib native format; type: network; version: 1.0
# a comment
META (
  granularity = YEAR
)
NODES (
  Aa ( 1.0 2.0 )
  Bb ( -1.5 2.0 )
  Cc ( 1.0 2.5 )
)
LINKS (
  L1 ( Aa Bb ) 40.00 0.00 0.00 0.00 ( 155.00 1.00 622.00 3.00 )
  L2 ( Bb Cc ) {installed} 0.00 0.00 0.00 ( 622.00 1.00 )
)
DEMANDS (
  D1 ( Aa Cc ) 2 10.50 UNLIMITED
  D2 ( Cc Bb ) 1 3.00 UNLIMITED
)
"""
XML = """<?xml version="1.0"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0"><networkStructure>
<nodes coordinatesType="geographical"><node id="Aa"><coordinates><x>1</x></coordinates></node>
<node id="Bb"/><node id="Cc"/></nodes><links>
<link id="L1"><source>Aa</source><target>Bb</target>
<preInstalledModule><capacity>40.0</capacity><cost>1</cost></preInstalledModule>
<additionalModules><addModule><capacity>622.0</capacity><cost>1</cost></addModule>
<addModule><capacity>155.0</capacity><cost>1</cost></addModule></additionalModules></link>
<link id="L2"><source>Bb</source><target>Cc</target>{installed}
<additionalModules><addModule><capacity>622.0</capacity></addModule></additionalModules></link>
</links></networkStructure><demands>
<demand id="D1"><source>Aa</source><target>Cc</target><routingUnit>2</routingUnit>
<demandValue>10.5</demandValue></demand>
<demand id="D2"><source>Cc</source><target>Bb</target><demandValue>3</demandValue></demand>
</demands></network>
"""
FORMS = {
    "native": NATIVE,
    "xml": XML,
}


def read(folder: Path, text: str, more: str = "") -> Network:
    """Write a file that is called nothing special and read it."""
    (folder / "net").write_text(text, encoding="utf-8")
    return make_network(f"{folder / 'net'}{more}")


def links(network: Network) -> dict[tuple[str, str], Fraction]:
    """Give the bandwidth of each channel by the names of its ends."""
    ends = zip(network.tail.tolist(), network.head.tolist(), strict=True)
    names = [(network.node_name(tail), network.node_name(head)) for tail, head in ends]
    return dict(zip(names, network.bandwidth.fractions(), strict=True))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("installed", "more", "bandwidths"),
    [
        (20, "", (40, 20)),
        (0, "", (155, 622)),
        (20, ":capacity=module", (155, 622)),
        (0, ":capacity=equal", (1, 1)),
    ],
)
def test_sndlib_says_what_links_can(tmp_path: Path, form, installed, more, bandwidths) -> None:
    """What is installed; else the smallest module; and demands beside it."""
    module = f"<preInstalledModule><capacity>{installed}</capacity></preInstalledModule>"
    network = read(
        tmp_path,
        FORMS[form].replace("{installed}", str(installed) if form == "native" else module),
        more,
    )
    first, second = bandwidths
    assert links(network) == {
        ("Aa", "Bb"): first,
        ("Bb", "Aa"): first,
        ("Bb", "Cc"): second,
        ("Cc", "Bb"): second,
    }
    traffic = make_pattern(f"matrix:{tmp_path / 'net'}").traffic(network)
    dense = [[0, 0, 21], [0, 0, 0], [0, 3, 0]]
    assert traffic.amounts.to_dense().tolist() == dense
    assert dict(described(network))["demands"].startswith("2, as --pattern matrix:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NATIVE.replace("( Aa Bb )", "( Aa Zz )"), "line 12: there is no node 'Zz'"),
        (NATIVE.replace("  Aa ( 1.0 2.0 )", "  Aa 1.0"), "line 7 is 'Aa 1.0'; expected name"),
        (NATIVE.replace("40.00", "x"), "line 12: capacity: 'x' is not a number"),
        (NATIVE.replace("NODES (", "NODES"), "line 6 is 'NODES'; expected a section"),
        (XML.replace("<nodes", "<nose").replace("</nodes", "</nose"), "expected nodes and links"),
        (XML.replace("10.5", ""), "demandValue: '' is not a number"),
    ],
)
def test_sndlib_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With the line."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, text.replace("{installed}", "1"))


def test_demands_of_topohub_are_traffic(tmp_path: Path) -> None:
    """And those of a file that has none are refused."""
    text = """{"directed": false, "graph": {"demands": {"a": {"b": 1.50}, "b": {"c": 2}}},
    "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": [
    {"source": "a", "target": "b", "dist": 5.0}, {"source": "b", "target": "c", "dist": 4.0}]}"""
    network = read(tmp_path, text)
    traffic = make_pattern(f"matrix:{tmp_path / 'net'}").traffic(network)
    assert traffic.amounts.to_dense().tolist() == [[0, Fraction(3, 2), 0], [0, 0, 2], [0, 0, 0]]
    (tmp_path / "net").write_text(text.replace("demands", "no"), encoding="utf-8")
    with pytest.raises(InputError, match="is the file of a network, and has no demands"):
        make_pattern(f"matrix:{tmp_path / 'net'}")


@pytest.mark.parametrize(
    "text",
    [
        """// of YATES
strict digraph "a b" { h1[type=host,mac="00:01"]; h2 [type="host"]; s1 [type=switch, id=1];
  h1 -> s1 [src_port=1, capacity="10Gbps"]; s1 -> h1 [capacity="10Gbps"];
  s1 -> h2 [capacity="20Gbps"]; h2 -> s1 [capacity="20Gbps"] }""",
        """digraph { rankdir=LR; node [type=host] h1 h2 ; node [type=switch]; s1
  edge [capacity="10Gbps"] h1 -> s1:p1:n -> h1 edge [capacity="20Gbps"]; h2 -> s1 -> h2 }""",
        """graph x { { node [type=host]; h1; "h" + "2" } /* two
  lines */ s1; h1 -- s1 [capacity=10Gbps]; s1 -- h2 [capacity="20Gbps"]; label = "x" }""",
    ],
)
def test_dot_is_read_however_it_is_written(tmp_path: Path, text: str) -> None:
    """Hosts, speeds, defaults, chains, ports and comments."""
    network = read(tmp_path, text.replace("=10Gbps", '="10Gbps"'))
    assert links(network) == {
        ("h1", "s1"): 1,
        ("s1", "h1"): 1,
        ("h2", "s1"): 2,
        ("s1", "h2"): 2,
    }
    terminals = [network.node_name(node) for node in network.sources.tolist()]
    assert dict(zip(terminals, network.injection.fractions(), strict=True)) == {"h1": 1, "h2": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph {\n a -> b }", "line 2: -> in a graph; expected --"),
        ("digraph { a -> }", "line 1: '}'; expected a node"),
        ("digraph { a -> b", "line 1: the end; expected"),
        ("digraph {\n\n a [x= }", "line 3: '}'; expected a value"),
        ("digraph { a -> b; & }", "line 1: '& }' is no DOT"),
        ("digraph {" + "{" * 100, "nested too deep"),
    ],
)
def test_dot_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With the line, and what was expected."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_lgf_is_read(tmp_path: Path) -> None:
    """Nodes by their labels, columns by their names, arcs and edges in one file."""
    text = """@nodes
label coordinates
"node a" (1,2)
b (3,4)
c (5,6)
@arcs
  label capacity
"node a" b 0 2
b "node a" 1 1/2
@edges
-
b c
@attributes
source b
"""
    network = read(tmp_path, text)
    assert links(network) == {
        ("node a", "b"): 2,
        ("b", "node a"): Fraction(1, 2),
        ("b", "c"): 1,
        ("c", "b"): 1,
    }
    for wrong, message in (
        (text.replace("b c\n", "b d\n"), "line 12 is 'b d'; expected two nodes of @nodes"),
        (text.replace("label coordinates", "name"), "@nodes has no column label"),
        (text.replace("1/2", "x"), "line 9: 'x' is not a number"),
    ):
        with pytest.raises(InputError, match=message):
            read(tmp_path, wrong)


def test_a_line_of_yates_is_a_matrix(tmp_path: Path) -> None:
    """Of the sources in order, scaled to the unit of the network."""
    network = read(tmp_path, "graph { a -- b -- c }")
    lines = "0 5e8 5e8 0 0 1e9 0 0 0\n0.0 1e+9 0 0 0 0 0 0 0\n"
    (tmp_path / "tm.txt").write_text(lines, encoding="utf-8")
    name = f"matrices:{tmp_path / 'tm.txt'}"
    found = make_pattern(f"{name},scale=1e-9").traffic(network).amounts.to_dense().tolist()
    assert found == [[0, Fraction(1, 2), Fraction(1, 2)], [0, 0, 1], [0, 0, 0]]
    second = make_pattern(f"{name},line=2").traffic(network).amounts
    assert second.to_dense().tolist()[0] == [0, 10**9, 0]
    with pytest.raises(InputError, match="has 2 matrices; there is no line=3"):
        make_pattern(f"{name},line=3")
    with pytest.raises(InputError, match=r"line 1 has 9 amounts; .*: expected 4"):
        make_pattern(name).traffic(Network("x", 2, [0, 1], [1, 0]))
