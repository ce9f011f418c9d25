"""Traffic patterns, and permutations from files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support import reference

from obroute import InputError, make_network, make_pattern
from obroute.topologies.grid import Grid

GRIDS = [
    "torus:9x9",
    "torus:4x4",
    "torus:4x3",
    "torus:8",
    "mesh:2x3x4",
    "mesh:4x3x4x3",
    "ring:7",
    "hypercube:4",
    "hypercube:3",
]


@pytest.mark.parametrize("pattern", reference.PATTERNS)
def test_a_pattern_is_the_twin_s_wherever_the_twin_has_one(pattern: str) -> None:
    """Where it has none the error says where the pattern is defined."""
    for spec in GRIDS:
        network = make_network(spec)
        assert isinstance(network, Grid)
        try:
            expected = reference.PATTERNS[pattern](network.radices)
        except ValueError:
            message = f"pattern {pattern} is not defined on {spec}; it is"
            with pytest.raises(InputError, match=message):
                make_pattern(pattern).permutation(network)
        else:
            assert make_pattern(pattern).permutation(network).tolist() == expected, spec


def test_transpose_swaps_bits_where_there_are_no_halves_of_dimensions() -> None:
    """Sixteen nodes on a ring are four bits."""
    found = make_pattern("transpose").permutation(make_network("ring:16")).tolist()
    assert found == [node % 4 * 4 + node // 4 for node in range(16)]


def test_patterns_of_bits_are_of_any_network() -> None:
    """They need a power of two of terminals and no coordinates."""
    network = make_network("complete:8")
    for name in ("bit_complement", "bit_reverse", "bit_rotation", "shuffle"):
        expected = reference.PATTERNS[name]((2, 2, 2))
        assert make_pattern(name).permutation(network).tolist() == expected


@pytest.mark.parametrize(
    ("pattern", "spec", "where"),
    [
        ("tornado", "complete:4", "torus, mesh, ring and hypercube networks"),
        ("neighbor", "complete:4", "torus, mesh, ring and hypercube networks"),
        ("bit_complement", "complete:5", "power of two"),
        ("transpose", "complete:8", r"4\^m terminals"),
        ("transpose", "torus:3x4", "second half of dimensions repeats the first"),
        ("shuffle", "torus:3x3", "power of two"),
    ],
)
def test_an_undefined_pattern_says_where_it_is_defined(
    pattern: str, spec: str, where: str
) -> None:
    """The pattern, the network and the remedy."""
    message = f"pattern {pattern} is not defined on {spec}; it is defined for .*{where}"
    with pytest.raises(InputError, match=message):
        make_pattern(pattern).permutation(make_network(spec))


def test_shifts_go_in_the_first_dimension_or_in_all() -> None:
    """Tornado in the first and neighbor in all, unless told otherwise."""
    torus = make_network("torus:5x5")
    place = torus.coordinates
    for spec, shift in [
        ("tornado", [2, 0]),
        ("tornado:dimensions=all", [2, 2]),
        ("neighbor", [1, 1]),
        ("neighbor:dimensions=first", [1, 0]),
    ]:
        moved = place[make_pattern(spec).permutation(torus)]
        assert ((moved - place) % 5 == shift).all()


def test_uniform_traffic_is_no_permutation() -> None:
    """Nor is a permutation possible where terminals differ."""
    assert make_pattern("uniform").is_uniform
    with pytest.raises(InputError, match="uniform traffic is no permutation"):
        make_pattern("uniform").permutation(make_network("ring:4"))


def test_a_permutation_needs_unit_terminals(tmp_path: Path) -> None:
    """What else there is, is in the message."""
    (tmp_path / "e.csv").write_text("a,b\nb,a\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,2\nb,1\n", encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    with pytest.raises(InputError, match=r"pattern shuffle is a permutation; .*; use uniform"):
        make_pattern("shuffle").permutation(network)


# ----------------------------------------------------------------------- permutations by file

EXPECTED = [2, 0, 3, 1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv", "2\n0\n3\n1\n"),
        ("p.csv", "destination\n2\n0\n3\n1\n"),
        ("p.csv", "2,0,3,1\n"),
        ("p.csv", "source,destination\n0,2\n1,0\n2,3\n3,1\n"),
        ("p.csv", "3,1\n0,2\n2,3\n1,0\n"),
        ("p.csv", " 2 \n\n0\n3\n1"),
        ("p.csv", "\ufeff2\r\n0\r\n3\r\n1\r\n"),
        ("p.txt", "2\n0\n3\n1\n"),
        ("p.csv", '"(1,0)"\n"(0, 0)"\n"(1,1)"\n"(0,1)"\n'),
        ("p.csv", '"(0,0)","(1,0)"\n"(0,1)","(0,0)"\n"(1,0)","(1,1)"\n"(1,1)","(0,1)"\n'),
        ("p.json", "[2, 0, 3, 1]"),
        ("p.json", '["2", "0", "3", "1"]'),
        ("p.json", "[[0, 2], [1, 0], [2, 3], [3, 1]]"),
        ("p.json", '["(1,0)", "(0,0)", "(1,1)", "(0,1)"]'),
    ],
)
def test_every_form_of_a_permutation_file_reads_the_same(
    tmp_path: Path, name: str, text: str
) -> None:
    """Destinations or pairs, with a header or without, numbers or coordinates, CSV or JSON."""
    (tmp_path / name).write_bytes(text.encode())
    mesh = make_network("mesh:2x2")
    assert make_pattern(str(tmp_path / name)).permutation(mesh).tolist() == EXPECTED
    assert make_pattern(f"permutation:{tmp_path / name}").permutation(mesh).tolist() == EXPECTED


def test_labels_of_terminals_name_them(tmp_path: Path) -> None:
    """The positions are those among the terminals, in their order; switches do not count."""
    (tmp_path / "e.csv").write_text("s,a\na,s\ns,b\nb,s\ns,c\nc,s\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("c\na\nb\n", encoding="utf-8")
    (tmp_path / "p.csv").write_text("a,b\nb,c\nc,a\n", encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    found = make_pattern(str(tmp_path / "p.csv")).permutation(network)
    assert found.tolist() == [1, 2, 0]  # of c, a, b


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.csv", "2\n0\n3\n", "lists 3 destinations, the network has 4 sources"),
        ("p.csv", "", "lists 0 destinations"),
        ("p.json", "[]", "lists 0 destinations"),
        ("p.csv", "2\n0\n3\n1\n0\n", "lists 5 destinations"),
        ("p.csv", "2\n0\n3\n0\n", r"no permutation: destination 0 comes twice \(line 4\); list"),
        ("p.csv", "0,2\n1,0\n2,3\n0,1\n", r"source 0 comes twice \(line 4\)"),
        ("p.csv", "2\n0\n3\n4\n", "line 4: mesh:2x2 has no node '4'"),
        ("p.csv", "2\n0\nx\n1\n", "line 3: mesh:2x2 has no node 'x'"),
        ("p.csv", "0,2\n1,0\n2,3\n3\n", "line 4 has 1 values; expected one destination a line"),
        ("p.csv", "0,2,9\n1,0,9\n2,3,9\n3,1,9\n", "is a matrix of 4 × 3; mesh:2x2 has 4 sources"),
        ("p.json", "[2, 0, 3", "p.json: not JSON"),
        ("p.json", '{"0": 2}', "expected a list of destinations"),
        ("p.json", "[2, 0, 3, 1.5]", "line 4: mesh:2x2 has no node .1.5."),
        ("p.json", "[[0, 2], [1, 0], [2, 3], [3, 1, 1]]", "line 4 has 3 values"),
    ],
)
def test_a_file_that_is_no_permutation_is_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """File, line, what is wrong and the remedy, in one line."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        make_pattern(str(tmp_path / name)).permutation(make_network("mesh:2x2"))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_switch_is_no_destination(tmp_path: Path) -> None:
    """Only terminals send and receive."""
    (tmp_path / "e.csv").write_text("s,a\na,s\ns,b\nb,s\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("a\nb\n", encoding="utf-8")
    (tmp_path / "p.csv").write_text("b\ns\n", encoding="utf-8")
    network = make_network(f"{tmp_path}/e.csv:terminals={tmp_path}/t.csv")
    with pytest.raises(InputError, match="line 2: a node that is no terminal"):
        make_pattern(str(tmp_path / "p.csv")).permutation(network)


def test_a_permutation_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Missing, or not of text."""
    with pytest.raises(InputError, match=r"cannot read .*none\.csv: No such file"):
        make_pattern(str(tmp_path / "none.csv"))
    (tmp_path / "p.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match="is not a text file; expected CSV or JSON"):
        make_pattern(str(tmp_path / "p.csv"))


def test_a_random_permutation_is_that_of_its_seed() -> None:
    """The same each time, another for another seed."""
    torus = make_network("torus:8x8")
    first, again, other = (
        make_pattern(spec).permutation(torus).tolist()
        for spec in (
            "random_permutation",
            "random_permutation:seed=0",
            "random_permutation:seed=1",
        )
    )
    assert sorted(first) == list(range(64))
    assert first == again != other
