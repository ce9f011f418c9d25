"""Objects say what they are at a prompt and in a notebook, whatever experiment gave them."""

from __future__ import annotations

from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import obroute
from obroute.breakdown import channel_rows
from obroute.importers import make_network
from obroute.kinds.registry import kinds
from obroute.kinds.settings import is_list
from obroute.presented import Answer, WorstCaseAnswer
from obroute.routing import routings
from obroute.tasks import run_serially
from obroute.topologies import networks
from obroute.views import figures

LONGEST = 300
KINDS = sorted(kinds())
FEW = {
    "steps": 200,
    "seeds": 1,
    "traffic": ["tornado"],
    "saturation": True,
    "routings": ["dor"],
}


@cache
def answer_of(name: str) -> Any:
    """Return an answer of a kind of experiment on a small ring, asked for as little as it can."""
    kind, network = kinds()[name], make_network("ring:3")
    fields = kind.settings.model_fields
    known = {
        key: value
        for key, value in FEW.items()
        if key in fields and is_list(fields[key]) == isinstance(value, list)
    }
    settings = kind.settings.read(known)
    routing = kind.routing_of(network, "dor", settings)
    return kind.run(network, routing, settings, run_serially)


def read_html(text: str) -> ElementTree.Element:
    """Read a piece of a page as XML, in which every tag is closed where it should be."""
    return ElementTree.fromstring(text)


def check_shown(thing: Any) -> ElementTree.Element:
    """Check line, words and page of an object."""
    line = repr(thing)
    assert line.startswith(f"<{type(thing).__name__} ")
    assert line.endswith(">")
    assert "\n" not in line
    assert len(line) <= LONGEST
    page = read_html(thing._repr_html_())
    said = thing.summary()
    assert said
    for row in page.iter("tr"):
        label, value = ("".join(cell.itertext()) for cell in row)
        assert label in said
        assert value in said
    return page


@pytest.mark.parametrize("name", KINDS)
def test_every_answer_is_shown_and_kept(name: str, tmp_path) -> None:
    """A short line, a well-formed page, and a dataset that a store gives back."""
    answer = answer_of(name)
    assert isinstance(answer, Answer)
    page = check_shown(answer)
    assert list(page.iter("table")) or list(page.iter("pre"))
    dataset = answer.to_dataset()
    obroute.write_store(answer, tmp_path / "it.zarr")
    read = obroute.read_store(tmp_path / "it.zarr")
    xr.testing.assert_equal(read, dataset)
    assert {key: read.attrs[key] for key in dataset.attrs if key != "created"} == {
        key: value for key, value in dataset.attrs.items() if key != "created"
    }


@pytest.mark.parametrize("name", KINDS)
def test_every_class_of_answers_is_shown(name: str) -> None:
    """What a kind says that it gives can be shown as all others."""
    for place in kinds()[name].answers:
        module, _, cls = place.rpartition(".")
        found = getattr(__import__(module, fromlist=[cls]), cls)
        assert issubclass(found, Answer), place


@pytest.mark.parametrize("name", KINDS)
def test_what_an_answer_holds_is_short_as_well(name: str) -> None:
    """A certificate, a channel, a traffic: whatever of ours is found in it, three levels down."""
    seen: set[type] = set()
    left = [answer_of(name)]
    for _ in range(3):
        held = [value for one in left for value in vars(one).values()]
        firsts = [
            value[0] if isinstance(value, (list, tuple)) and value else value for value in held
        ]
        left = [one for one in firsts if is_ours(one) and type(one) not in seen]
        seen |= {type(one) for one in left}
        for one in left:
            assert len(repr(one)) <= LONGEST, type(one)
            assert " at 0x" not in repr(one)


def is_ours(thing: Any) -> bool:
    """Say whether a thing is an object of a class of this library, with values of its own."""
    return type(thing).__module__.startswith("obroute") and hasattr(thing, "__dict__")


@pytest.mark.parametrize("name", [small for entry in networks for small in entry.small[:1]])
def test_every_family_is_shown(name: str) -> None:
    """Also as a class that is a dataclass of its own."""
    check_shown(make_network(name))


@pytest.mark.parametrize("name", [small for entry in routings for small in entry.small[:1]])
def test_every_routing_is_shown(name: str) -> None:
    """With its parameters, and where it is defined."""
    check_shown(routings.create(name))


def test_a_verdict_and_a_pattern_are_shown() -> None:
    """With a proof, and with a cycle."""
    found = obroute.deadlock("torus:4x4", "dor", virtual_channels=4)
    assert "free of deadlock: proved" in "".join(check_shown(found).itertext())
    assert "a cycle of" in repr(obroute.deadlock("torus:4x4", "dor"))
    assert repr(obroute.make_pattern("tornado")) == "<Pattern tornado>"


def test_names_are_no_markup(tmp_path) -> None:
    """A file's name stays text."""
    file = tmp_path / "<b>&.csv"
    file.write_text("from,to\na,b\nb,c\nc,a\n")
    check_shown(obroute.make_network(str(file)))
    found = obroute.evaluate(str(file), "minimal")
    assert "<b>&.csv" in "".join(check_shown(found).itertext())


def test_what_is_not_finished_is_shown_as_well() -> None:
    """A debugger may ask before an object has its fields."""
    assert repr(object.__new__(obroute.Evaluation)) == "<Evaluation>"
    assert repr(object.__new__(obroute.Network)) == "<Network>"


@given(
    st.sampled_from(["ring:4", "torus:3x3", "mesh:2x3", "mesh:2x2,bandwidth=1/2"]),
    st.sampled_from(["dor", "romm", "ecmp", "valiant"]),
)
def test_the_worst_pairs_add_up(network: str, routing: str) -> None:
    """Exactly to the load; and no channel has more than the worst of all."""
    found = obroute.evaluate(network, routing, "uniform")
    assert isinstance(found, WorstCaseAnswer)
    pairs = found.worst_pairs()
    assert sum(pairs.load_exact) == found.worst_case_load
    assert pairs.load.is_monotonic_decreasing
    assert (pairs.load > 0).all()
    channels = found.channel_loads()
    assert len(channels) == found.network.channel_count == len(channel_rows(found))
    assert channels.worst_case_load_exact.max() == found.worst_case_load
    assert channels.worst_case_load.max() == float(found.worst_case_load)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_every_answer_is_drawn_or_says_why_not(name: str) -> None:
    """A figure, or one line."""
    answer = answer_of(name)
    drawn = any(view.needs == (kinds()[name].section,) for view in figures)
    if drawn or kinds()[name].makes_routing or isinstance(answer, WorstCaseAnswer):
        assert answer.plot().get_size_inches().min() > 0
    else:
        with pytest.raises(obroute.InputError, match="there is no figure"):
            answer.plot()


@pytest.mark.slow
def test_figures_of_a_worst_case() -> None:
    """The picture of the permutation where there is a plane, else a map of the loads."""
    found = obroute.evaluate("torus:3x3", "dor")
    assert len(found.plot_worst_permutation().axes) > 1
    assert found.plot_loads().axes
    assert obroute.evaluate("complete:4", "minimal").plot().axes
