"""Traffic from files: every form of demands reads the same, and its load is exact everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.datasets import cell_dataset

import obroute
from obroute import InputError, Network, make_network, make_pattern, make_routing
from obroute.breakdown import channel_rows, contributions, describe_groups, load_groups
from obroute.certificates import CertificateError
from obroute.design import design
from obroute.kinds.registry import kinds
from obroute.loads import loads_of
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.study import read_study
from obroute.traffic import Pattern, Traffic

CASES = Path(__file__).parents[1] / "inputs"
"""Small inputs with answers found independently, by hand or by a linear program."""

Answer = Callable[..., Any]


def case(name: str) -> str:
    """Return the network of a case."""
    return f"{CASES}/{name}/net.csv:terminals={CASES}/{name}/hosts.csv"


# -------------------------------------------------------------------------------- known answers


def test_demands_beyond_terminals_have_the_load_that_they_have(answer: Answer) -> None:
    """One and two packets per cycle into a host that ejects one: 3, and it is said."""
    file = f"{CASES}/demand_matrix/demands.csv"
    found = answer("evaluate", case("demand_matrix"), "ecmp", "--pattern", file)["patterns"][0]
    assert found["pattern_load_exact"] == "3"
    assert found["pattern_throughput"] == pytest.approx(1 / 3)
    assert found["channel"]["head_name"] == "h100"
    assert found["beyond_terminals"] == (
        "node h001 injects 2 of at most 1, node h100 ejects 3 of at most 1"
    )


def test_a_partial_pattern_is_traffic(answer: Answer) -> None:
    """Two flows under equal-cost paths: 1."""
    file = f"{CASES}/partial_pattern/pattern.csv"
    found = answer("evaluate", case("partial_pattern"), "ecmp", "--pattern", file)["patterns"][0]
    assert found["pattern_load_exact"] == "1"
    assert found["beyond_terminals"] is None


def test_the_lines_on_demands_say_what_they_mean(obroute: Callable[..., Any]) -> None:
    """What is too much, and how far the demands can be scaled: no share of capacity."""
    file = f"{CASES}/demand_matrix/demands.csv"
    status, printed, _ = obroute("evaluate", case("demand_matrix"), "ecmp", "--pattern", file)
    assert status == 0
    lines = [line for line in printed.splitlines() if "demands.csv" in line or "beyond" in line]
    assert len(lines) == 2
    assert lines[0].endswith("3; the demands can be scaled by 1/3 = 0.3333")
    assert "h001 injects 2 of at most 1, node h100 ejects 3 of at most 1" in lines[1]


def test_a_design_for_demands_is_proved() -> None:
    """No routing carries three packets over one unit; two flows from two hosts need one."""
    for name, file, load in (
        ("demand_matrix", "demands.csv", 3),
        ("partial_pattern", "pattern.csv", 1),
    ):
        traffic = make_pattern(f"{CASES}/{name}/{file}")
        found = design(make_network(case(name)), "capacity", traffic=traffic)
        assert found.load is not None
        assert found.load.exact
        assert found.load.upper == load


# ------------------------------------------------------------------------------------------ forms

DEMANDS = {(0, 2): Fraction(1, 2), (0, 1): Fraction(1, 4), (3, 2): Fraction(1)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d.csv", "source,destination,amount\n0,2,1/2\n0,1,0.25\n3,2,1\n"),
        ("d.csv", "Source,Destination,Rate\n3,2,1\n0,2,0.5\n0,1,1/4\n1,1,0\n"),
        ("d.csv", "source,destination,amount\n0,2,1/4\n0,2,1/4\n0,1,0.25\n3,2,1\n"),
        ("d.csv", "0,1/4,1/2,0\n0,0,0,0\n0,0,0,0\n0,0,1,0\n"),
        ("d.csv", ",2,1\n0,1/2,1/4\n3,1,\n"),
        ("d.csv", "source,2,1\n3,1,0\n0,0.5,0.25\n"),
        ("d.csv", 'source,"(1,0)","(0,1)"\n"(1,1)",1,0\n"(0,0)",0.5,0.25\n'),
        ("d.txt", "source,destination,amount\n0,2,1/2\n0,1,0.25\n3,2,1\n"),
        ("d.json", "[[0, 0.25, 0.5, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]"),
        ("d.json", '[["source", "destination", "amount"], [0, 2, 0.5], [0, 1, "1/4"], [3, 2, 1]]'),
        (
            "d.json",
            '[{"source": 0, "destination": 2, "rate": 0.5}, '
            '{"source": 0, "destination": 1, "rate": 0.25}, '
            '{"source": 3, "destination": 2, "rate": 1}]',
        ),
    ],
)
def test_every_form_of_a_matrix_reads_the_same(tmp_path: Path, name: str, text: str) -> None:
    """Lists and dense ones, with names or without, CSV or JSON; fractions stay exact."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    mesh = make_network("mesh:2x2")
    for spec in (f"{tmp_path / name}", f"matrix:{tmp_path / name}"):
        pattern = make_pattern(spec)
        assert pattern.name == f"matrix:{tmp_path / name}"
        found = pattern.amounts(mesh)
        entries = zip(
            found.rows.tolist(), found.columns.tolist(), found.values.fractions(), strict=True
        )
        assert {(row, column): amount for row, column, amount in entries} == DEMANDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,destination,amount\n0,2\n", "line 2 has 2 values; expected one destination a"),
        ("source,destination,bytes\n0,2,1\n", "header source,destination,bytes; expected source"),
        ("source,destination,amount,x\n0,2,1,1\n", "expected source,destination,amount"),
        ("source,destination,amount\n0,2,\n", "line 2: '' is not a number"),
        ("source,destination,amount\n0,2,-1\n", "line 2: a demand of -1; expected no negative"),
        ("source,destination,amount\n0,2,many\n", "line 2: 'many' is not a number"),
        ("source,destination,amount\n0,9,1\n", "line 2: mesh:2x2 has no node '9'"),
        (",0,0\n1,1,1\n", "line 1: 0 comes twice; list it once"),
        (",0,1\n1,1,1\n1,1,1\n", "line 3: 1 comes twice; list it once"),
        (",0,1\n1,1\n", "line 2 has 2 values"),
        ("0,2,1\n1,2,1\n", "is a matrix of 2 × 3; mesh:2x2 has 4 sources and 4 destinations"),
        ("0,0,0,x\n0,0,0,0\n0,0,0,0\n0,0,0,0\n", "line 1: 'x' is not a number"),
    ],
)
def test_a_file_that_is_no_matrix_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """File, line, what is wrong and the remedy, in one line."""
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        make_pattern(str(tmp_path / "d.csv")).amounts(make_network("mesh:2x2"))
    assert "d.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("network", "text"),
    [("complete:2", "1,0\n0,1\n"), ("complete:3", "0,1,1\n1,2,1\n2,0,1\n")],
)
def test_what_may_be_a_list_or_a_matrix_needs_a_header(
    tmp_path: Path, network: str, text: str
) -> None:
    """Two columns on two terminals, three on three: no guess is made."""
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="may be a matrix or a list of pairs; put the header"):
        make_pattern(str(tmp_path / "d.csv")).amounts(make_network(network))


def test_pairs_without_amounts_need_unit_terminals(tmp_path: Path) -> None:
    """What a terminal of several units sends is not to be guessed."""
    (tmp_path / "e.csv").write_text("a,b\nb,a\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,2\nb,2\n", encoding="utf-8")
    (tmp_path / "p.csv").write_text("source,destination\na,b\n", encoding="utf-8")
    (tmp_path / "d.csv").write_text("source,destination,amount\na,b,3/2\n", encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    with pytest.raises(InputError, match="injects up to 2 packets per cycle, so say how much"):
        make_pattern(f"{tmp_path}/p.csv").amounts(network)
    found = obroute.evaluate(network, "ecmp", [f"{tmp_path}/d.csv"])
    assert found.patterns[0].load == Fraction(3, 2)
    assert found.patterns[0].beyond == ""


def test_partial_traffic_is_no_permutation_of_all(tmp_path: Path) -> None:
    """Where one is needed the error names a source that is silent, or says that it is demands."""
    (tmp_path / "p.csv").write_text("0,2\n3,1\n", encoding="utf-8")
    (tmp_path / "d.csv").write_text("source,destination,amount\n0,2,2\n", encoding="utf-8")
    mesh = make_network("mesh:2x2")
    with pytest.raises(InputError, match=r"no permutation of all sources: node \(0,1\) sends"):
        make_pattern(f"{tmp_path}/p.csv").permutation(mesh)
    with pytest.raises(InputError, match="is a matrix of demands, no permutation"):
        make_pattern(f"{tmp_path}/d.csv").permutation(mesh)
    with pytest.raises(InputError, match="says how much is sent; name it matrix:"):
        make_pattern(f"permutation:{tmp_path}/d.csv")


# ------------------------------------------------------------------------------------------ loads


@st.composite
def demands(draw: st.DrawFn, sources: int, destinations: int) -> SparseRationalMatrix:
    """Draw traffic of any size between some pairs."""
    places = st.tuples(st.integers(0, sources - 1), st.integers(0, destinations - 1))
    amount = st.builds(Fraction, st.integers(1, 9), st.integers(1, 5))
    found = draw(st.dictionaries(places, amount, max_size=8))
    return SparseRationalMatrix.from_triplets(
        np.array([row for row, _ in found], dtype=np.int64),
        np.array([column for _, column in found], dtype=np.int64),
        RationalArray.from_fractions(found.values()),
        (sources, destinations),
    )


def loads_by_paths(
    network: Network, routing: str, traffic: SparseRationalMatrix
) -> list[Fraction]:
    """Add every path of every demand up, slowly."""
    loads = [Fraction(0)] * network.channel_count
    for row, column, amount in zip(
        traffic.rows, traffic.columns, traffic.values.fractions(), strict=True
    ):
        ends = int(network.sources[row]), int(network.destinations[column])
        for probability, path in make_routing(routing).paths(network, *ends):
            for channel in path:
                loads[channel] += probability * amount
    return loads


@given(st.sampled_from(["dor", "romm", "valiant", "o1turn"]), st.data())
@settings(max_examples=25, deadline=None)
def test_the_load_of_demands_is_the_sum_over_their_paths(
    routing: str, data: st.DataObject
) -> None:
    """On every channel, whatever is asked of the terminals; the store holds and verifies it."""
    network = make_network("mesh:3x2")
    traffic = data.draw(demands(6, 6))
    expected = loads_by_paths(network, routing, traffic)
    given = Traffic.of_amounts(network, traffic)
    assert loads_of(make_routing(routing), given).fractions() == expected
    pattern = Pattern(demands=lambda _: traffic, name="mine")
    found = obroute.evaluate(network, routing, [pattern])
    assert found.patterns[0].load == max(expected)
    assert [Fraction(r["mine_load_exact"]) for r in channel_rows(found)] == expected
    rows = np.zeros(6, dtype=object)
    np.add.at(rows, traffic.rows, np.array(traffic.values.fractions(), dtype=object))
    columns = np.zeros(6, dtype=object)
    np.add.at(columns, traffic.columns, np.array(traffic.values.fractions(), dtype=object))
    too_much = [total for total in (*rows, *columns) if total > 1]
    assert bool(given.beyond_terminals) == bool(too_much)


def test_uniform_traffic_is_a_matrix_too() -> None:
    """Its loads as demands are those of the focus channels."""
    found = obroute.evaluate("torus:4x3", "romm")
    uniform = make_pattern("uniform").traffic(found.network)
    matrix = Traffic.of_amounts(found.network, uniform.amounts)
    assert not matrix.is_uniform
    loads = loads_of(found.routing, matrix).fractions()
    assert loads == loads_of(found.routing, uniform).fractions()
    assert max(loads) == found.uniform.load
    assert [Fraction(r["uniform_load_exact"]) for r in channel_rows(found)] == loads


def test_a_permutation_is_recognised() -> None:
    """Of all 2 × 2 matrices of small demands."""
    rows, columns = np.indices((2, 2)).reshape(2, -1)
    ring = make_network("ring:2")
    for a, b, c, d in product([0, 1, 2], repeat=4):
        matrix = SparseRationalMatrix.from_triplets(
            rows, columns, RationalArray(np.array([a, b, c, d]), 1), (2, 2)
        )
        partial = max(a + b, c + d, a + c, b + d) <= 1
        found = Traffic.of_amounts(ring, matrix).permutation
        assert (found is not None) == partial, (a, b, c, d)
        if found is not None:
            assert found.tolist() == [-1 + a + 2 * b, -1 + c + 2 * d], (a, b, c, d)


def test_a_stored_matrix_is_verified(tmp_path: Path) -> None:
    """Its load, the channel that has it and the load of every channel are derived anew."""
    file = tmp_path / "d.csv"
    file.write_text("source,destination,amount\n0,2,1/2\n0,1,5/4\n3,2,1\n", encoding="utf-8")
    cell = cell_dataset(obroute.evaluate("mesh:2x2", "dor", [str(file)]))
    kinds()["evaluation"].verify(cell)
    assert cell["traffic"].values.tolist() == ["worst_case", f"matrix:{file}"]
    file.write_text("source,destination,amount\n0,2,1/2\n0,1,1\n3,2,1\n", encoding="utf-8")
    with pytest.raises(CertificateError, match=r"pattern_load\[0\] is recorded as 5/4, but is 1"):
        kinds()["evaluation"].verify(cell)


# ----------------------------------------------------------------------------------- every channel


def test_every_channel_has_its_worst_case() -> None:
    """By symmetry or solved, it is what solving every channel gives, also on a mesh."""
    for network, routing in (("mesh:4x3", "romm"), ("torus:4x3", "dor"), ("torus:5", "rlb")):
        by_class = channel_rows(obroute.evaluate(network, routing))
        solved = channel_rows(obroute.evaluate(network, routing, all_channels=True))
        assert {row["how"] for row in solved} == {"solved"}
        assert {row["how"] for row in by_class} == {"solved", "symmetry"}
        for mine, theirs in zip(by_class, solved, strict=True):
            assert mine["worst_case_load_exact"] == theirs["worst_case_load_exact"]
            assert mine["uniform_load_exact"] == theirs["uniform_load_exact"]
            assert (mine["tail"], mine["head"]) == (theirs["tail"], theirs["head"])


def test_the_table_of_channels_is_written(answer: Answer, tmp_path: Path) -> None:
    """A line for every channel; a name that is no table is refused before the work."""
    table = tmp_path / "channels.csv"
    answer("evaluate", "mesh:3x3", "dor", "--pattern", "transpose", "--channels", table)
    lines = table.read_text().splitlines()
    assert len(lines) == 1 + make_network("mesh:3x3").channel_count
    assert lines[0].startswith("channel,tail,head,port,bandwidth,class,how,worst_case_load,")
    assert lines[0].endswith("transpose_load,transpose_load_exact")


def test_a_table_of_channels_is_csv(obroute: Callable[..., Any], tmp_path: Path) -> None:
    """Not whatever the name says."""
    status, _, printed = obroute("evaluate", "ring:4", "dor", "--channels", tmp_path / "c.xlsx")
    assert status == 2
    assert "expected a name that ends in .csv" in printed


# --------------------------------------------------------------------------------------- make-up


def test_the_worst_load_is_split_as_in_the_report(obroute: Callable[..., Any]) -> None:
    """Figure 8 of the technical report: four whole pairs and 24 tenths are 32/5."""
    _, printed, _ = obroute("evaluate", "torus:9x9", "romm")
    assert "4 pairs of 1, 24 of 1/10: 32/5" in printed


def test_the_split_is_in_json(answer: Answer) -> None:
    """As numbers."""
    found = answer("evaluate", "torus:9x9", "romm")
    assert found["contributions"] == [
        {"pairs": 4, "load": 1.0, "load_exact": "1"},
        {"pairs": 24, "load": 0.1, "load_exact": "1/10"},
    ]


@pytest.mark.parametrize(
    ("network", "routing"),
    [("torus:4x3", "romm"), ("mesh:3x3", "valiant"), ("torus:5x5", "ival"), ("ring:6", "rlb")],
)
def test_the_split_adds_up_to_the_worst_load(network: str, routing: str) -> None:
    """For any cell, whatever the number of groups that are told apart."""
    critical = obroute.evaluate(network, routing).critical
    groups = load_groups(contributions(critical.worst, critical.pair_loads))
    assert sum(group.total for group in groups) == critical.worst.load
    assert describe_groups(groups).endswith(f": {critical.worst.load}")
    assert all(group.load > 0 for group in groups)


def test_split_traffic_is_split_by_its_amounts(tmp_path: Path) -> None:
    """Terminals of two units; and nothing loads a channel that no path takes."""
    (tmp_path / "e.csv").write_text("a,b\nb,a\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,2\nb,2\n", encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    critical = obroute.evaluate(network, "ecmp").critical
    assert describe_groups(load_groups(contributions(critical.worst, critical.pair_loads))) == (
        "1 pair of 2: 2"
    )
    assert describe_groups([]) == "no pair loads it"


def test_a_map_of_worst_cases_is_drawn_of_stores(
    obroute: Callable[..., Any], tmp_path: Path
) -> None:
    """From the command line, of cells of one network."""
    cells = [tmp_path / f"{routing}.zarr" for routing in ("dor", "romm")]
    for cell in cells:
        assert obroute("evaluate", "mesh:3x3", cell.stem, "--save", cell)[0] == 0
    output = tmp_path / "map.svg"
    status, _, printed = obroute("figure", "worst_cases", *cells, "--output", output)
    assert (status, printed) == (0, "")
    assert output.read_text().startswith("<?xml")


# ------------------------------------------------------------------------------- designs, studies


@pytest.mark.parametrize(
    "rows",
    [
        {0: {1: "1/2", 4: "1"}, 3: {1: "2"}},
        {node: {(node + 1) % 5: "1/3", (node + 4) % 5: "1/3"} for node in range(5)},
        {node: {(node + 2) % 5: "3/2"} for node in range(5)},
    ],
    ids=["no symmetry", "turned and mirrored", "turned"],
)
def test_a_design_for_a_matrix_does_not_depend_on_the_reduction(
    tmp_path: Path, rows: dict[int, dict[int, str]]
) -> None:
    """Only the symmetry that the demands have is used; the load is the evaluator's."""
    lines = [f"{s},{d},{amount}" for s, row in rows.items() for d, amount in row.items()]
    file = tmp_path / "d.csv"
    file.write_text("\n".join(["source,destination,amount", *lines]), encoding="utf-8")
    ring, traffic = make_network("ring:5"), make_pattern(str(file))
    reduced, whole = (
        design(ring, "capacity", traffic=traffic, symmetry=symmetry)
        for symmetry in ("declared", "none")
    )
    assert reduced.load is not None
    assert whole.load is not None
    assert reduced.load.exact
    assert reduced.load.upper == whole.load.upper
    found = obroute.evaluate(ring, reduced.routing, [traffic])
    assert found.patterns[0].load == reduced.load.upper


def test_demands_of_too_many_digits_are_no_objective(tmp_path: Path) -> None:
    """A program in floats would round them without a word."""
    file = tmp_path / "d.csv"
    file.write_text(f"source,destination,amount\n0,1,{2**53}/3\n", encoding="utf-8")
    with pytest.raises(InputError, match="have too many digits for a program in floats; round"):
        design(make_network("ring:5"), "capacity", traffic=make_pattern(str(file)))


def test_a_study_takes_a_matrix_where_its_terminals_are() -> None:
    """It is a pattern of the cells of that network, and a file that they depend on."""
    file = f"{CASES}/demand_matrix/demands.csv"
    study = {
        "networks": [case("demand_matrix"), "ring:4"],
        "routings": ["ecmp"],
        "patterns": ["uniform", file],
    }
    mine, other = read_study(study).cells("evaluations").values()
    assert f"matrix:{file}" in mine.words
    assert file in mine.depends.files
    assert other.settings.patterns == ("uniform",)


# --------------------------------------------------------------------------------- one form of all


@given(demands(4, 4))
@settings(max_examples=50, deadline=None)
def test_traffic_adds_up_by_source_and_by_destination(amounts: SparseRationalMatrix) -> None:
    """Dense or sparse it is the same, and its terminals are full where each sum is its limit."""
    traffic = Traffic.of_amounts(make_network("ring:4"), amounts)
    dense = np.array(traffic.dense().fractions(), dtype=object).reshape(4, 4)
    assert [dense[r, c] for r, c in product(range(4), repeat=2)] == [
        amounts.entry(r, c) for r, c in product(range(4), repeat=2)
    ]
    assert traffic.sent.fractions() == dense.sum(axis=1).tolist()
    assert traffic.received.fractions() == dense.sum(axis=0).tolist()
    sums = [*traffic.sent.fractions(), *traffic.received.fractions()]
    assert traffic.fills_terminals == all(total == 1 for total in sums)
    assert bool(traffic.beyond_terminals) == any(total > 1 for total in sums)


@given(st.permutations(range(6)), st.sets(st.integers(0, 5)))
@settings(max_examples=50, deadline=None)
def test_a_permutation_comes_back_from_the_traffic_that_it_makes(
    destinations: list[int], silent: set[int]
) -> None:
    """Whole or in part; only a whole one fills the terminals."""
    network = make_network("mesh:3x2")
    kept = [-1 if source in silent else end for source, end in enumerate(destinations)]
    traffic = Traffic.of_permutation(network, kept, "mine")
    assert traffic.permutation is not None
    assert traffic.permutation.tolist() == kept
    again = Traffic.of_amounts(network, traffic.amounts).permutation
    assert again is not None
    assert again.tolist() == kept
    assert traffic.sent.fractions() == [int(source not in silent) for source in range(6)]
    assert traffic.fills_terminals == (not silent)
    if silent:
        with pytest.raises(InputError, match="mine is no permutation of all sources: node"):
            traffic.full_permutation()


def test_uniform_traffic_follows_the_terminals(tmp_path: Path) -> None:
    """Each source sends what it injects, shared out as the destinations eject."""
    (tmp_path / "e.csv").write_text("a,b\nb,c\nc,a\n", encoding="utf-8")
    hosts = "node,injection,ejection\na,1/2,1\nb,1/4,1/2\nc,1,1/4\n"
    (tmp_path / "t.csv").write_text(hosts, encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    uniform = Traffic.uniform(network)
    assert uniform.is_uniform
    assert uniform.permutation is None
    assert uniform.fills_terminals
    assert uniform.amounts.entry(2, 0) == Fraction(4, 7)
    matrix = Traffic.of_amounts(network, uniform.amounts)
    assert matrix.sent.fractions() == uniform.sent.fractions()
    assert matrix.received.fractions() == uniform.received.fractions()
    assert matrix.dense().fractions() == uniform.dense().fractions()
