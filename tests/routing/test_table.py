"""Routings by tables of paths or of channel flows, and combinations of routings."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from tests.support.cases import FABRIC, network_of, table

import obroute
from obroute import InputError, make_network, make_routing
from obroute.routing import path_distribution
from obroute.routing.combination import interpolate
from obroute.routing.flows import decompose_flow
from obroute.routing.path_table import PathTable

RING = make_network("ring:3")
PATHS = """source,destination,probability,path
0,1,2/3,0 1
0,1,1/3,0 2 1
1,2,1,1 2
2,0,0.5,2 0
2,0,0.5,2 1 0
1,0,1,1 0
2,1,1,2 1
0,2,1,0 2
"""
FLOWS = """source,destination,tail,head,flow
0,1,0,1,2/3
0,1,0,2,1/3
0,1,2,1,1/3
1,2,1,2,1
2,0,2,0,0.5
2,0,2,1,0.5
2,0,1,0,0.5
1,0,1,0,1
2,1,2,1,1
0,2,0,2,1
"""


NEXT = """node,destination,next
0,1,1
0,2,1
1,2,2
1,0,2
2,0,0
2,1,0
"""


def as_json(text: str) -> str:
    """Write a CSV table as JSON."""
    header, *rows = (line.split(",") for line in text.split("\n") if line)
    return json.dumps([dict(zip(header, row, strict=True)) for row in rows])


def write(folder: Path, text: str, name: str = "routes.csv") -> str:
    """Write a table and return its name."""
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def nodes_of(routing: obroute.Routing, source: int, destination: int) -> dict:
    """Give the paths of a pair by their nodes."""
    return {
        RING.path_nodes(source, path): probability
        for path, probability in path_distribution(routing, RING, source, destination).items()
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("routes.csv", PATHS),
        ("routes.json", as_json(PATHS)),
        ("routes.csv", FLOWS),
        ("routes.json", as_json(FLOWS)),
        ("routes.csv", "\ufeff" + PATHS.replace(",", " , ").replace("\n", "\r\n")),
        ("routes.json", as_json(PATHS).replace('"0 2 1"', "[0, 2, 1]").replace('"0.5"', "0.5")),
    ],
)
def test_a_table_reads_the_same_in_every_form(tmp_path: Path, name: str, text: str) -> None:
    """Paths or flows, CSV or JSON, numbers as fractions or decimals."""
    routing = make_routing(write(tmp_path, text, name))
    routing.check(RING)
    assert nodes_of(routing, 0, 1) == {(0, 1): Fraction(2, 3), (0, 2, 1): Fraction(1, 3)}
    assert nodes_of(routing, 2, 0) == {(2, 0): Fraction(1, 2), (2, 1, 0): Fraction(1, 2)}
    assert nodes_of(routing, 1, 1) == {(1,): 1}
    loads = routing.pair_loads(RING, RING.channel(0, 1))
    assert loads.entry(0, 1) == Fraction(2, 3)
    assert loads.nonzeros == 1


def test_a_table_is_evaluated_as_any_routing_is(tmp_path: Path) -> None:
    """Certified, with a name that makes it again."""
    found = obroute.evaluate("ring:3", write(tmp_path, PATHS))
    assert found.certified
    again = obroute.evaluate(RING, found.routing.name)
    # every channel is some pair's only one, and no two pairs load it with more together
    assert found.worst_case_load == again.worst_case_load == 1
    assert found.mean_path_length == Fraction(41, 54)  # 4/3 + 3/2 + 4 hops, over nine pairs


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("next.csv", NEXT),
        ("next.csv", "# one way round\n" + NEXT + "2,1,0\n"),
        ("next.json", as_json(NEXT)),
        ("next.csv", NEXT + "0,0,1\n"),
    ],
)
def test_next_hops_are_followed(tmp_path: Path, name: str, text: str) -> None:
    """All go one way round, wherever they come from; a packet that has arrived stays."""
    routing = make_routing(write(tmp_path, text, name))
    assert nodes_of(routing, 0, 2) == {(0, 1, 2): 1}
    assert nodes_of(routing, 2, 1) == {(2, 0, 1): 1}
    assert obroute.evaluate(RING, routing).worst_case_load == 2
    assert routing.longest_path(RING) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0,2,1", "0,2,2\n0,2,1"), "line 4: node \\(0\\) has another next hop for \\(2\\) above"),
        (("0,2,1", "0,2,0"), "line 3: ring:3 has no channel from node \\(0\\) to node \\(0\\)"),
        (("0,2,1", "0,9,1"), "line 3: ring:3 has no node '9'"),
        (("0,2,1\n", ""), "no way from node \\(0\\) to node \\(2\\): node \\(0\\) has no next"),
        (("0,2,1\n1,2,2", "0,2,1\n1,2,0"), "no way from node .* it comes back to where it was"),
    ],
)
def test_next_hops_that_do_not_arrive_are_refused(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    """With the line, or the node at which packets are left."""
    routing = make_routing(write(tmp_path, NEXT.replace(*change)))
    with pytest.raises(InputError, match=message):
        routing.check(RING)


def test_next_hops_and_paths_do_not_mix(tmp_path: Path) -> None:
    """In JSON they could."""
    both = json.dumps(json.loads(as_json(NEXT)) + json.loads(as_json(PATHS)))
    with pytest.raises(InputError, match="has next hops and paths or flows; expected one of them"):
        make_routing(write(tmp_path, both, "both.json"))


@pytest.mark.parametrize("network", ["torus:3x3", "benes:1", FABRIC])
@pytest.mark.parametrize("form", ["paths", "flows"])
def test_a_plain_table_is_read_as_it_is_line_by_line(
    tmp_path: Path, network: str, form: str
) -> None:
    """A quote makes a file not plain."""
    made = network_of(network)
    text = table(made, make_routing("ecmp:split=hops"), form == "flows")
    quoted = text.replace("source", '"source"', 1)
    plain, lines = (
        make_routing(write(tmp_path, each, f"{len(each)}.csv")) for each in (text, quoted)
    )
    assert "#" in text or (plain.plain is not None and lines.plain is None)
    for channel in range(made.channel_count):
        assert plain.pair_loads(made, channel).equals(lines.pair_loads(made, channel))
    assert plain.mean_path_length(made) == lines.mean_path_length(made)
    for source in made.sources.tolist():
        destination = int(made.destinations[-1])
        assert path_distribution(plain, made, source, destination) == path_distribution(
            lines, made, source, destination
        )


def test_labels_name_the_nodes(tmp_path: Path) -> None:
    """As the edge list has them."""
    edges = write(tmp_path, "a,b\nb,a\n", "edges.csv")
    table = "source,destination,probability,path\na,b,1,a b\nb,a,1,b a\n"
    found = obroute.evaluate(edges, write(tmp_path, table))
    assert found.worst_case_load == 1


def test_a_path_listed_twice_adds_up(tmp_path: Path) -> None:
    """Two halves are one."""
    halves = PATHS.replace("1,2,1,1 2\n", "1,2,1/2,1 2\n1,2,1/2,1 2\n")
    routing = make_routing(write(tmp_path, halves))
    assert nodes_of(routing, 1, 2) == {(1, 2): 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            PATHS.replace("2/3", "0.666"),
            "the probabilities from node .* to node .* sum to 1499/1500",
        ),
        (
            PATHS.replace("2/3", "4/3").replace("1/3", "-1/3"),
            r"line \d: probability -1/3 is negative",
        ),
        (
            PATHS.replace("0,2,1,0 2\n", ""),
            "has no path from node .*; list at least one for every",
        ),
        (
            PATHS.replace("0,2,1,0 2", "0,2,1,0 1"),
            r"line 9: the path '0 1' does not lead from 0",
        ),
        (PATHS.replace("0,2,1,0 2", "0,2,1,"), "line 9: the path '' does not lead"),
        (PATHS.replace("0,2,1,0 2", "0,2,1,0 0 2"), "has no channel from node .* to node"),
        (PATHS.replace("0,2,1,0 2", "0,2,1,0 9 2"), "line 9: ring:3 has no node '9'"),
        (PATHS.replace("0,2,1,0 2", "0,2,all,0 2"), "line 9: 'all' is not a number"),
        (PATHS.replace("probability", "chance"), "line 2 has source, destination, chance, path"),
        ("source,destination,probability,path\n", "lists nothing; expected a header and rows"),
        ("", "lists nothing"),
        (FLOWS.replace("0,1,2,1,1/3\n", ""), "flow .* is not conserved at node .*off by"),
        (FLOWS.replace("0,2,0,2,1", "0,2,0,2,1/2"), "not conserved .*expected one unit out of"),
        (FLOWS.replace("1,0,1,0,1", "1,0,1,0,2"), "is not conserved"),
        (FLOWS.replace("0,2,0,2,1", "0,2,0,2,-1"), r"line \d+: flow -1 is negative"),
        (FLOWS.replace("0,2,0,2,1", "0,2,0,0,1"), "has no channel"),
    ],
)
def test_a_table_that_is_no_routing_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """File, line or pair, what is wrong and what was expected, in one line."""
    with pytest.raises(InputError, match=message) as caught:
        obroute.evaluate(RING, write(tmp_path, text))
    assert "routes.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[{", "not JSON"),
        ("7", "expected a list of objects with the keys source,destination"),
        ('{"source": 0}', "source 'source': expected an object of destinations"),
        ("[1, 2]", "expected a list of objects"),
        ("[]", "lists nothing"),
        ('[{"source": 0}]', "record 1 has source; expected"),
    ],
)
def test_json_that_is_no_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With the keys that were expected."""
    with pytest.raises(InputError, match=message):
        make_routing(write(tmp_path, text, "routes.json"))


def test_a_table_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Missing, or not of text."""
    with pytest.raises(InputError, match=r"cannot read .*none\.csv: No such file"):
        make_routing(str(tmp_path / "none.csv"))
    (tmp_path / "routes.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not a text file"):
        make_routing(str(tmp_path / "routes.csv"))


def test_a_table_of_another_network_is_refused(tmp_path: Path) -> None:
    """Here it takes a channel that the larger ring lacks."""
    with pytest.raises(InputError, match=r"line 3: ring:4 has no channel from node \(0\)"):
        obroute.evaluate("ring:4", write(tmp_path, PATHS))


@pytest.mark.parametrize("record", ["0,0,3,0 1 0", "0,0,1/2,0"])
def test_a_pair_of_a_node_with_itself_is_a_distribution_too(tmp_path: Path, record: str) -> None:
    """Where it is listed."""
    with pytest.raises(InputError, match="sum to"):
        obroute.evaluate(RING, write(tmp_path, f"{PATHS}{record}\n"))


def test_a_table_survives_pickling(tmp_path: Path) -> None:
    """And needs its file no more."""
    routing = make_routing(write(tmp_path, PATHS))
    (tmp_path / "routes.csv").unlink()
    again = pickle.loads(pickle.dumps(routing))
    assert nodes_of(again, 0, 1) == nodes_of(routing, 0, 1)


def test_a_table_in_memory_gives_paths_by_channels() -> None:
    """Pairs with themselves may be left out, others not; a path has to end where it should."""
    pairs = [(s, d) for s, d in product(range(3), repeat=2) if s != d]
    direct = {(s, d): {(RING.channel(s, d),): Fraction(1)} for s, d in pairs}
    table = PathTable("direct", direct)
    table.check(RING)
    assert list(table.paths(RING, 1, 1)) == [(1, ())]
    short = PathTable("short", {pair: direct[pair] for pair in pairs[1:]})
    with pytest.raises(InputError, match="short has no path from node"):
        list(short.paths(RING, 0, 1))
    astray = PathTable("astray", direct | {(0, 1): direct[0, 2]})
    with pytest.raises(InputError, match=r"astray: a path .* ends at another node"):
        astray.check(RING)


# --------------------------------------------------------------------------------------- flows


def test_a_flow_splits_into_paths_that_carry_it() -> None:
    """Summed over paths, each channel has its flow again; probabilities sum to one."""
    torus = make_network("torus:3x3")
    for destination in range(1, 9):
        flow: dict[int, Fraction] = {}
        for probability, path in make_routing("romm").paths(torus, 0, destination):
            for channel in path:
                flow[channel] = flow.get(channel, Fraction(0)) + probability
        found = decompose_flow(torus, 0, destination, flow, "here")
        assert sum(found.values()) == 1
        carried: dict[int, Fraction] = {}
        for path, probability in found.items():
            assert torus.path_nodes(0, path)[-1] == destination
            for channel in path:
                carried[channel] = carried.get(channel, Fraction(0)) + probability
        assert carried == flow


@pytest.mark.parametrize("amount", [Fraction(1, 7), Fraction(1), Fraction(5)])
@pytest.mark.parametrize("cycle", [(0, 1, 2, 0), (1, 2, 1), (0, 1, 0), (0, 2, 0), (2, 0, 1, 2)])
def test_cycles_in_a_flow_are_dropped(amount: Fraction, cycle: tuple[int, ...]) -> None:
    """Through the source, through the destination, or beside the path."""
    flow = {RING.channel(0, 1): Fraction(1)}
    for channel in RING.path_from_nodes(cycle):
        flow[channel] = flow.get(channel, Fraction(0)) + amount
    found = decompose_flow(RING, 0, 1, flow, "here")
    assert sum(found.values()) == 1
    for path in found:
        nodes = RING.path_nodes(0, path)
        assert nodes[-1] == 1
        assert len(set(nodes)) == len(nodes)


def test_a_flow_from_a_node_to_itself_is_the_empty_path() -> None:
    """Whatever turns in circles."""
    circle = dict.fromkeys(RING.path_from_nodes((0, 1, 2, 0)), Fraction(1, 2))
    assert decompose_flow(RING, 0, 0, circle, "here") == {(): 1}


# -------------------------------------------------------------------------------- combinations


def test_an_interpolation_weighs_paths_and_loads() -> None:
    """A third of the one, two thirds of the other."""
    torus = make_network("torus:4x3")
    parts = make_routing("dor"), make_routing("ival")
    mixed = interpolate(*parts, Fraction(1, 3))
    assert mixed.name == "1/3*dor+2/3*ival"
    first, second = (path_distribution(part, torus, 0, 7) for part in parts)
    assert path_distribution(mixed, torus, 0, 7) == {
        path: first.get(path, Fraction(0)) / 3 + second.get(path, Fraction(0)) * 2 / 3
        for path in {**first, **second}
    }
    for channel in (0, 30):
        loads = [part.pair_loads(torus, channel) for part in (*parts, mixed)]
        assert loads[2].sum() == loads[0].sum() / 3 + loads[1].sum() * 2 / 3
        assert loads[2].entry(0, 7) == loads[0].entry(0, 7) / 3 + loads[1].entry(0, 7) * 2 / 3


@pytest.mark.parametrize(("alpha", "same"), [(Fraction(1), "dor"), (Fraction(0), "ival")])
def test_an_interpolation_ends_in_its_routings(alpha: Fraction, same: str) -> None:
    """With weight one it is that routing."""
    mixed = interpolate(make_routing("dor"), make_routing("ival"), alpha)
    assert obroute.evaluate("torus:4x4", mixed).worst_case_load == (
        obroute.evaluate("torus:4x4", same).worst_case_load
    )


def test_three_routings_combine_by_name() -> None:
    """Spaces do not matter; a decimal is as good as a fraction."""
    mixed = make_routing("0.5*dor + 1/4*romm:order=fixed+1/4*valiant")
    assert mixed.name == "1/2*dor+1/4*romm:order=fixed+1/4*valiant"
    loads = mixed.pair_loads(make_network("torus:4x4"), 5)
    parts = [
        make_routing(name).pair_loads(make_network("torus:4x4"), 5).sum()
        for name in ("dor", "romm:order=fixed", "valiant")
    ]
    assert loads.sum() == parts[0] / 2 + parts[1] / 4 + parts[2] / 4


def test_a_combination_is_defined_where_all_its_routings_are() -> None:
    """RLB is not on a mesh, and the message says so."""
    with pytest.raises(InputError, match="routing rlb is not defined on mesh:3x3"):
        obroute.evaluate("mesh:3x3", "1/2*dor+1/2*rlb")


def test_an_interpolation_of_an_interpolation_has_a_name_that_makes_it_again() -> None:
    """As every routing has."""
    inner = make_routing("1/3*dor+2/3*ival")
    nested = interpolate(inner, make_routing("romm"), Fraction(1, 2))
    again = make_routing(nested.name)
    torus = make_network("torus:3x3")
    assert again.pair_loads(torus, 0).equals(nested.pair_loads(torus, 0))
