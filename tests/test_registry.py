"""Registries: families found, names read and given, and what is said of those that cannot be."""

from __future__ import annotations

import pickle
import py_compile
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Barrier, Thread
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obroute import InputError, make_network, make_pattern, make_routing
from obroute import registry as registries
from obroute.importers import importers
from obroute.registry import Entry, Member, Registry
from obroute.routing import routings
from obroute.routing.dimension_order import DimensionOrder
from obroute.routing.grid_moves import Order
from obroute.specs import Parameter, parse_choice, parse_integer
from obroute.topologies import networks
from obroute.topologies.grid import torus
from obroute.traffic import patterns

Side = Annotated[int, Parameter("its side", parse_integer(1))]
Colour = Annotated[str, Parameter("its colour", parse_choice("red", "blue"))]
Word = Annotated[str, Parameter("a word", str)]
ALL = (networks, importers, routings, patterns)


@pytest.fixture
def shapes() -> Registry[tuple]:
    """Make a registry with a family of two parameters, and one of none."""
    registry: Registry[tuple] = Registry("shape")

    @registry.register("box", "a box", aliases=("cube",), defined_for="all")
    def box(side: Side, colour: Colour = "red") -> tuple:
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

    @registry.register("n", "a number")
    def number(a: Word = "1", b: Word = "2") -> int:
        return int(a + b)

    assert registry.find("n").usage() == "n:[a=1][,b=2]"
    assert registry.create("n:b=3") == 13


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

    @shelf.register("book", "a file")
    def book(file: Annotated[Path, Parameter("the file", Path)]) -> Path:
        return file

    assert shelf.create("book:my results, all/k=3/a.zarr") == Path("my results, all/k=3/a.zarr")
    assert shelf.create("book:file=a, b.csv") == Path("a, b.csv")


# -------------------------------------------------------------------------------------- naming


@dataclass(frozen=True)
class Shape(Member):
    """Something to name, frozen as networks and patterns are."""

    name: str = "a shape"


class Disc(Member):
    """Something to name that is made by its class, as routings are."""

    def __init__(self, radius: Side, *, colour: Colour = "red") -> None:
        self.radius, self.shown = radius, colour


def only_of_large(values: Any) -> bool:
    """Say whether a box is large enough for a label."""
    return bool(values["sides"][0] > 1)


@pytest.fixture
def drawings() -> Registry[Member]:
    """Make a registry of things that take names."""
    registry: Registry[Member] = Registry("drawing")

    @registry.register("box", "a box")
    def box(
        sides: Annotated[
            tuple[int, ...],
            Parameter(
                "its sides",
                lambda text: tuple(map(int, text.split("x"))),
                lambda sides: "x".join(map(str, sides)),
            ),
        ],
        colour: Colour = "red",
        label: Annotated[str, Parameter("of a large box", str, matters=only_of_large)] = "",
    ) -> Shape:
        return Shape()

    registry.register("disc", "a disc", aliases=("circle",))(Disc)
    return registry


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("box:2x03", "box:2x3"),
        ("box:2x3,red", "box:2x3"),
        ("box:colour=blue,sides=2x3", "box:2x3,colour=blue"),
        ("box:2x3,blue,me", "box:2x3,colour=blue,label=me"),
        ("box:1x3,label=me", "box:1x3"),
        ("circle:3", "disc:3"),
        ("disc:3,colour=blue", "disc:3,colour=blue"),
    ],
)
def test_what_is_made_has_the_one_name_that_makes_it_again(
    drawings: Registry[Member], spec: str, name: str
) -> None:
    """Required values, then the others but for defaults and those without effect."""
    made = drawings.create(spec)
    assert made.name == name
    assert drawings.create(made.name).name == name
    assert made.family == name.partition(":")[0]
    assert made.made_by == __name__


def test_what_is_called_is_named_as_what_is_made_by_name(drawings: Registry[Member]) -> None:
    """Functions and classes, by place and by keyword; the values are kept, defaults included."""
    assert Disc(radius=3, colour="blue").name == "disc:3,colour=blue"
    box = drawings.find("box").make
    assert box([2, 3]).name == "box:2x3"
    assert box((2, 3), colour="blue").parameters == {
        "sides": (2, 3),
        "colour": "blue",
        "label": "",
    }
    assert torus((8, 8), Fraction(1, 2)).name == "torus:8x8,bandwidth=1/2"
    assert DimensionOrder(Order("1-0")).name == "dor:order=1-0"


def test_what_must_be_given_by_keyword_is_written_by_keyword() -> None:
    """In the form of a name, and in the name; a default that is worked out is not shown."""
    registry: Registry[Member] = Registry("graph")

    @registry.register("graph", "a graph")
    def graph(*, q: Side, hosts: Annotated[int | None, Parameter("hosts", int)] = None) -> Member:
        return Disc(q + (hosts or 0))

    assert registry.find("graph").usage() == "graph:q=…[,hosts=…]"
    assert registry.create("graph:hosts=2,q=5").name == "graph:q=5,hosts=2"
    assert registry.create("graph:q=5").name == "graph:q=5"


def test_a_parameter_by_keyword_has_no_place(drawings: Registry[Member]) -> None:
    """As in the signature."""
    with pytest.raises(InputError, match="'blue' is one value too many"):
        drawings.create("disc:3,blue")


def test_the_files_among_its_values_are_what_a_member_was_read_from(tmp_path: Path) -> None:
    """Whatever its maker says, so that a change in one of them is noticed."""

    @Registry[Member]("drawing").register("scan", "a scan")
    def scan(
        file: Annotated[Path, Parameter("the scan", Path)],
        mask: Annotated[Path | None, Parameter("its mask", Path)] = None,
    ) -> Shape:
        return Shape()

    assert scan(Path("a.png")).files == ("a.png",)
    assert scan(Path("a.png"), Path("b.png")).depends_on().files == ("a.png", "b.png")


def test_what_no_registry_made_says_what_its_class_says() -> None:
    """A name of its own, no parameters, the module of the class."""
    shape = Shape("mine")
    assert (shape.name, shape.family, shape.parameters) == ("mine", "mine", {})
    assert shape.made_by == Shape.__module__


def test_a_pickled_member_keeps_its_name_and_origin() -> None:
    """Networks and routings travel to other processes."""
    for made in (make_network("torus:4x3,bandwidth=2/3"), make_routing("romm:order=fixed")):
        again = pickle.loads(pickle.dumps(made))
        assert (again.name, again.family, again.made_by) == (made.name, made.family, made.made_by)
        assert again.parameters == made.parameters


def test_a_parameter_without_a_meaning_is_refused() -> None:
    """When it is registered, with what to write."""
    with pytest.raises(TypeError, match=r"'side' of .*box.* annotate it: Annotated\[type, Param"):

        @Registry("shape").register("box", "a box")
        def box(side: int) -> tuple:
            return (side,)


@pytest.mark.parametrize("registry", ALL, ids=lambda registry: registry.kind)
def test_examples_and_small_members_are_named_as_they_are_made(registry: Registry[Any]) -> None:
    """Every family has small members, unless it is read from a file."""
    for entry in registry:
        assert entry.small or entry.takes_file()
        for spec in (*(() if entry.takes_file() else entry.small), *entry.examples):
            made = registry.create(spec)
            assert (made.name, made.family, made.made_by) == (spec, entry.name, entry.module)


@pytest.mark.parametrize("registry", ALL, ids=lambda registry: registry.kind)
def test_every_parameter_has_a_small_member(registry: Registry[Any]) -> None:
    """One that several families share, in the same words, in one of them."""
    wanted, shown = set(), set()
    for entry in registry:
        for parameter in entry.parameters:
            if not parameter.required and not entry.takes_file():
                wanted.add(parameter.meaning)
                if any(f"{parameter.name}=" in spec for spec in entry.small):
                    shown.add(parameter.meaning)
    assert wanted == shown


NAMED_BY_VALUES = [
    pytest.param(registry, entry, id=entry.name)
    for registry in (networks, routings, patterns)
    for entry in registry
    if not entry.takes_file()
]


@pytest.mark.parametrize(("registry", "entry"), NAMED_BY_VALUES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_any_values_make_a_name_that_makes_the_same_again(
    registry: Registry[Any], entry: Entry[Any], data: st.DataObject
) -> None:
    """Values of its small members and examples in any mixture, by place or by keyword."""
    known = [entry.bind(spec.partition(":")[2], spec) for spec in (*entry.small, *entry.examples)]
    values = {
        parameter.name: data.draw(st.sampled_from([some[parameter.name] for some in known]))
        for parameter in entry.parameters
    }
    try:
        made = entry.make(**values)
    except InputError:  # of members that do not go together
        return
    assert made.parameters == values
    again = registry.create(made.name)
    assert again.name == made.name
    for parameter in entry.parameters:
        if parameter.matters is None or parameter.matters(values):
            assert again.parameters[parameter.name] == values[parameter.name]
    texts = {
        parameter.name: parameter.write(values[parameter.name])
        for parameter in entry.parameters
        if values[parameter.name] is not None
    }
    spelt = ",".join(f"{name}={text}" for name, text in reversed(texts.items()))
    assert registry.create(f"{entry.name}:{spelt}").name == made.name


# ---------------------------------------------------------------------------- where families are


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write modules of a package that can be imported; forget them afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    folder = tmp_path / "shelf"
    folder.mkdir()

    def write(**modules: str) -> None:
        for name, text in {"__init__": "", **modules}.items():
            (folder / f"{name}.py").write_text(text)

    yield write
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "shelf":
            del sys.modules[name]


HEAD = "from obroute.registry import Registry\nbooks = Registry('book', ['shelf'])\n"
BOOK = """from shelf.list import books
@books.register("{name}", "a book")
def make() -> str:
    return "{name}"
"""


def test_a_registry_imports_its_places_when_it_is_first_asked(package) -> None:
    """A new file is a new family; nothing is imported before; the order is that of the files."""
    package(list=HEAD, b=BOOK.format(name="second"), a=BOOK.format(name="first"))
    from shelf.list import books

    assert "shelf.a" not in sys.modules
    assert "second" in books
    assert [entry.name for entry in books] == ["first", "second"]
    assert books.find("first").module == "shelf.a"
    assert books.create("second") == "second"


def test_who_looks_for_one_family_waits_for_its_module_alone(package) -> None:
    """Whatever else is registered there; a name that no source has is looked for in all."""
    other = BOOK.format(name="third").replace("def make", "# no second one\ndef make")
    put_together = BOOK.format(name="fourth").replace('"fourth", "a', '"four" + "th", "a')
    package(list=HEAD, a=BOOK.format(name="second"), b=other, c=put_together)
    from shelf.list import books

    assert "third" in books
    assert not {"shelf.a", "shelf.c"} & set(sys.modules)
    assert books.create("fourth") == "fourth"
    assert [entry.name for entry in books] == ["second", "third", "fourth"]


def test_a_module_whose_source_cannot_be_read_may_register_anything(package, tmp_path) -> None:
    """As where modules are there in compiled form alone."""
    package(list=HEAD, a=BOOK.format(name="first"), b=BOOK.format(name="second"))
    py_compile.compile(str(tmp_path / "shelf/b.py"), cfile=str(tmp_path / "shelf/b.pyc"))
    (tmp_path / "shelf/b.py").unlink()
    from shelf.list import books

    assert books.create("second") == "second"
    assert "shelf.a" not in sys.modules


def test_every_thread_that_asks_waits_for_all_families(package) -> None:
    """None sees the registry half full, and each module is imported once."""
    slow = "import time; time.sleep(0.2)\n"
    package(list=HEAD, a=slow + BOOK.format(name="first"), b=BOOK.format(name="second"))
    from shelf.list import books

    barrier, found = Barrier(4), []

    def ask() -> None:
        barrier.wait()
        found.append([entry.name for entry in books])

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["first", "second"]] * 4


def test_a_module_may_ask_while_it_is_imported(package) -> None:
    """It sees what is registered before it."""
    package(
        list=HEAD,
        a=BOOK.format(name="first"),
        b=BOOK.format(name="second") + "books.find('first')\n",
    )
    from shelf.list import books

    assert books.create("second") == "second"


def test_a_module_that_fails_fails_again_in_the_same_words(package) -> None:
    """What it had registered by then is no obstacle when it is imported again."""
    package(list=HEAD, a=BOOK.format(name="first") + "1 / 0\n")
    from shelf.list import books

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            books.find("first")


def install(monkeypatch: pytest.MonkeyPatch, **modules: str) -> None:
    """Let entry points name modules, as an installed distribution does."""
    points = tuple(EntryPoint(name, at, registries.PLUGINS) for name, at in modules.items())
    monkeypatch.setattr(registries, "plugins", lambda: points)


def test_an_installed_plugin_registers_families(package, monkeypatch) -> None:
    """Its module is imported as those of the places are, and its families come last."""
    package(list=HEAD.replace("'shelf'", ""), extra=BOOK.format(name="mine"))
    install(monkeypatch, extra="shelf.extra")
    from shelf.list import books

    assert books.create("mine") == "mine"


def test_an_installed_distribution_names_its_plugins(package, tmp_path: Path) -> None:
    """By the group of entry points, in its metadata on the path."""
    package(list=HEAD.replace("'shelf'", ""), extra=BOOK.format(name="mine"))
    (tmp_path / "shelves-1.0.dist-info").mkdir()
    metadata = {
        "METADATA": "Metadata-Version: 2.1\nName: shelves\nVersion: 1.0\n",
        "entry_points.txt": "[obroute.plugins]\nextra = shelf.extra\n",
    }
    for name, text in metadata.items():
        (tmp_path / "shelves-1.0.dist-info" / name).write_text(text)
    registries.plugins.cache_clear()
    try:
        from shelf.list import books

        assert [entry.name for entry in books] == ["mine"]
        (plugin,) = registries.plugins()
        assert (plugin.name, plugin.dist.name) == ("extra", "shelves")
    finally:
        registries.plugins.cache_clear()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise RuntimeError('one\\ntwo')", "RuntimeError: one two"),
    ],
)
def test_a_broken_plugin_is_named_in_one_line(package, monkeypatch, text: str, why: str) -> None:
    """Its name, its module, why, and the remedy."""
    package(list=HEAD.replace("'shelf'", ""), extra=text)
    install(monkeypatch, extra="shelf.extra")
    from shelf.list import books

    for _ in range(2):
        with pytest.raises(InputError) as caught:
            books.create("mine")
        assert str(caught.value) == (
            f"the plugin 'extra' does not import (shelf.extra: {why}); mend it, or uninstall what "
            "brings it"
        )
