"""Names with parameters: how they are read, and what is said of those that cannot be."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from obroute import InputError, make_network, make_pattern, make_routing
from obroute.specs import (
    Parameter,
    Registry,
    canonical_name,
    parse_choice,
    parse_fraction,
    parse_integer,
    parse_positive_fraction,
    suggestion,
)


@pytest.fixture
def shapes() -> Registry[tuple]:
    """Make a registry with a family of two parameters, and one of none."""
    registry: Registry[tuple] = Registry("shape")

    @registry.register(
        "box",
        "a box",
        (
            Parameter("side", "its side", parse_integer(1)),
            Parameter("colour", "its colour", parse_choice("red", "blue"), "red"),
        ),
        aliases=("cube",),
        defined_for="all",
    )
    def box(side: int, colour: str) -> tuple:
        if side > 100:
            raise InputError(f"a side of {side} is too long")
        return ("box", side, colour)

    @registry.register("point", "a point")
    def point() -> tuple:
        return ("point",)

    return registry


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("box:3", ("box", 3, "red")),
        ("box:3,blue", ("box", 3, "blue")),
        ("box:side=3,colour=blue", ("box", 3, "blue")),
        ("box:colour=blue,side=3", ("box", 3, "blue")),
        ("cube:3", ("box", 3, "red")),
        ("  box : 3 , colour=blue ", ("box", 3, "blue")),
        ("point", ("point",)),
        ("point:", ("point",)),
    ],
)
def test_a_name_is_read_by_place_and_by_keyword(
    shapes: Registry[tuple], spec: str, expected: tuple
) -> None:
    """Values in the order of the parameters, or named; spaces do not matter; aliases serve."""
    assert shapes.create(spec) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bxo:3", r"unknown shape 'bxo'; did you mean 'box'\? \(known: box, point\)"),
        ("zzz", r"unknown shape 'zzz' \(known: box, point\)"),
        ("", r"unknown shape ''"),
        ("box", r"'box': side is missing \(its side\); expected box:side\[,colour=red\]"),
        ("box:colour=blue", r"side is missing"),
        ("box:3,red,7", r"'box:3,red,7': '7' is one value too many; expected box:side"),
        ("box:3,color=red", r"box has no parameter 'color'; did you mean 'colour'\?"),
        ("point:x=1", r"point has no parameter 'x'; it takes none"),
        ("point:1", r"'1' is one value too many; expected point"),
        ("box:side=3,side=4", r"parameter 'side' is given twice"),
        ("box:side=3,4,side=5", r"twice"),
        ("box:x", r"'box:x': side: 'x' is not a whole number"),
        ("box:0", r"'box:0': side: 0 is too small; expected at least 1"),
        ("box:3,green", r"colour: 'green' is not one of red, blue"),
        ("box:101", r"'box:101': a side of 101 is too long"),
    ],
)
def test_an_error_names_the_input_the_value_and_the_remedy(
    shapes: Registry[tuple], spec: str, message: str
) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message) as caught:
        shapes.create(spec)
    assert "\n" not in str(caught.value)


def test_a_name_is_registered_once(shapes: Registry[tuple]) -> None:
    """Neither a name nor an alias can be taken again, as either."""
    for name, aliases in (("box", ()), ("cube", ()), ("sphere", ("point",)), ("egg", ("cube",))):
        with pytest.raises(ValueError, match="registered twice"):
            shapes.register(name, "again", aliases=aliases)(lambda: ())


def test_a_registry_lists_its_families_once(shapes: Registry[tuple]) -> None:
    """Aliases are known, but no families of their own."""
    assert [entry.name for entry in shapes] == ["box", "point"]
    assert "cube" in shapes
    assert "egg" not in shapes
    assert shapes.find("cube").usage() == "box:side[,colour=red]"
    assert shapes.find("point").usage() == "point"


def test_usage_of_optional_parameters_alone_starts_without_a_comma() -> None:
    """The form of a name that needs nothing."""
    registry: Registry[int] = Registry("number")
    parameters = (Parameter("a", "", str, "1"), Parameter("b", "", str, "2"))
    registry.register("n", "a number", parameters)(lambda a, b: int(a + b))
    assert registry.find("n").usage() == "n:[a=1][,b=2]"
    assert registry.create("n:b=3") == 13


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("1/3", Fraction(1, 3)), (" 0.25 ", Fraction(1, 4)), ("-2", -2), ("1e-2", 0.01)],
)
def test_numbers_are_read_exactly(text: str, value: Fraction) -> None:
    """Decimals in ten and not in two."""
    assert parse_fraction(text) == Fraction(str(value))


@pytest.mark.parametrize("text", ["", "x", "1/0", "1/2/3", "nan", "inf", "0x10", "1,5"])
def test_what_is_no_number_is_refused(text: str) -> None:
    """With an example of what is."""
    with pytest.raises(InputError, match="is not a number; expected a whole number, a fraction"):
        parse_fraction(text)


@pytest.mark.parametrize("text", ["0", "-1/2"])
def test_a_positive_number_is_above_zero(text: str) -> None:
    """Zero is not."""
    with pytest.raises(InputError, match=f"{text} is not positive"):
        parse_positive_fraction(text)
    assert parse_positive_fraction("1/2") == Fraction(1, 2)


def test_a_suggestion_is_the_closest_word_or_all() -> None:
    """Nothing close: the list alone."""
    assert suggestion("romn", ["romm", "dor"]) == "; did you mean 'romm'? (known: dor, romm)"
    assert suggestion("xyz", ["romm", "dor"]) == " (known: dor, romm)"


def test_a_canonical_name_leaves_defaults_out() -> None:
    """And joins by a comma what follows a colon."""
    assert canonical_name("ring:5", {"bandwidth": 2}, {"bandwidth": 1}) == "ring:5,bandwidth=2"
    assert canonical_name("ring:5", {"bandwidth": 1}, {"bandwidth": 1}) == "ring:5"
    assert canonical_name("f", {"a": 1, "b": 2}, {}) == "f:a=1,b=2"


@pytest.mark.parametrize(
    ("make", "spec", "message"),
    [
        (make_network, "tours:8x8", "unknown network 'tours'; did you mean 'torus'"),
        (make_network, "torus", "shape is missing"),
        (make_network, "torus:8xx8", "'8xx8' is not a shape"),
        (make_network, "torus:8x8,bandwith=2", "did you mean 'bandwidth'"),
        (make_network, "torus:8x8,bandwidth=0", "0 is not positive"),
        (make_network, "hypercube:0", "0 is too small"),
        (make_network, "edges.cvs", "'edges.cvs' is no network file.*did you mean 'csv'"),
        (make_network, "", "unknown network ''"),
        (make_routing, "rom", "unknown routing 'rom'; did you mean 'romm'"),
        (make_routing, "dor:ties=up", "'up' is not one of split, positive"),
        (make_routing, "o1turn:order=fixed", "o1turn has no parameter 'order'"),
        (make_routing, "dor+ival", "'dor' has no weight; expected weight\\*routing"),
        (make_routing, "1/3*dor+1/3*ival", "sum to 2/3; expected weights of at least 0 that sum"),
        (make_routing, "2*dor+-1*ival", "weights of at least 0"),
        (make_routing, "1/2*dor+1/2*ivall", "did you mean 'ival'"),
        (make_routing, "x*dor+1*ival", "'x' is not a number"),
        (make_pattern, "torndo", "unknown pattern 'torndo'; did you mean 'tornado'"),
        (make_pattern, "tornado:dimensions=two", "'two' is not one of first, all"),
        (make_pattern, "random_permutation:seed=-1", "-1 is too small"),
    ],
)
def test_misspelt_names_are_refused_with_a_remedy(make, spec: str, message: str) -> None:
    """For networks, routings and patterns alike."""
    with pytest.raises(InputError, match=message) as caught:
        make(spec)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_all_of_a_name_may_have_commas() -> None:
    """Nothing else could follow it."""
    shelf: Registry[Path] = Registry("book")
    shelf.register("book", "a file", (Parameter("file", "the file", Path),))(lambda file: file)
    assert shelf.create("book:my results, all/k=3/a.zarr") == Path("my results, all/k=3/a.zarr")
    assert shelf.create("book:file=a, b.csv") == Path("a, b.csv")
