"""How large a network will be, said and judged before it is built, for every family."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from time import process_time
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cases import NETWORKS
from tests.support.effort import few

from obroute import InputError, make_network
from obroute.network import Network
from obroute.registry import Entry
from obroute.topologies import networks, sizes
from obroute.topologies.grid import ring
from obroute.topologies.registry import Families
from obroute.topologies.sizes import MOST_CHANNELS, MOST_COUNTED, Size, power, product

NUMBER = re.compile(r"\d+")
ABSURD = st.one_of(
    st.sampled_from(["26", "63", "1100", "1000000", str(10**9), str(10**18), "9" * 4000]),
    st.sampled_from(["x".join(["2"] * 500), "x".join(["65536"] * 20_000), "9" * 5000]),
    st.integers(2**22, 10**30).map(str),
)
SMALL = st.integers(0, 6).map(str)


def size_of(spec: str) -> Size:
    """Say how large a network is, from its name."""
    word, _, arguments = spec.partition(":")
    entry: Entry[Network] = networks.find(word)
    return networks.size_of(entry, entry.bind(arguments, spec))


def with_a_number(spec: str, place: int, number: str) -> str:
    """Put a number in place of one of a name's."""
    found = list(NUMBER.finditer(spec.partition(",")[0]))
    first, last = found[place % len(found)].span()
    return spec[:first] + number + spec[last:]


def test_the_examples_of_every_family_have_a_number_to_try() -> None:
    """What is tried below is tried of every family."""
    assert {spec.partition(":")[0] for spec in NETWORKS if NUMBER.search(spec)} == {
        entry.name for entry in networks
    }


@given(spec=st.sampled_from(NETWORKS), place=st.integers(0, 3), number=SMALL)
def test_a_family_says_the_size_of_what_it_builds(spec: str, place: int, number: str) -> None:
    """Nodes and channels, exactly, wherever it builds anything."""
    changed = with_a_number(spec, place, number)
    try:
        network = make_network(changed)
    except InputError:
        return
    assert size_of(changed) == Size(network.node_count, network.channel_count)


def refusal(spec: str) -> str:
    """Try to make a network where 100 MB are free; say why not, or that it was made."""
    with mock.patch.object(sizes, "available_megabytes", return_value=100):
        try:
            channels = make_network(spec).channel_count
        except InputError as error:
            return str(error)
    return "made" if channels < 1e6 else f"made with {channels} channels\n"


@pytest.mark.parametrize(
    "family", few([entry.name for entry in networks], ["torus", "xgft", "kautz"])
)
@given(data=st.data())
def test_absurd_parameters_of_every_family_are_one_line_at_once(
    family: str, data: st.DataObject
) -> None:
    """In two seconds of the processor and 300 MB, whatever the number."""
    spec = data.draw(st.sampled_from(networks.find(family).small))
    changed = with_a_number(spec, data.draw(st.integers(0, 3)), data.draw(ABSURD))
    start = process_time()
    tracemalloc.start()
    why = refusal(changed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "\n" not in why
    assert len(why) < 1000
    assert peak < 300e6
    assert process_time() - start < 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hypercube:26", "67108864 nodes and 1744830464 channels would take about 160 GB"),
        ("butterfly:24", "419430400 nodes and 1610612736 channels would take about 162 GB"),
        ("torus:100000x100000", "10000000000 nodes and 40000000000 channels would take about"),
        ("complete:10000000", "10000000 nodes and 99999990000000 channels would take about"),
        ("hypercube:1000000", r"more than 2\^62 nodes or channels"),
        ("benes:1000000000000", r"more than 2\^62 nodes or channels"),
    ],
)
def test_a_network_above_the_limit_is_refused(spec: str, message: str) -> None:
    """With the counts, what they would take, what is allowed and the remedy."""
    expected = rf"^'{spec}': {message}.*; expected at most {MOST_CHANNELS} of each; take a smaller"
    with pytest.raises(InputError, match=expected):
        make_network(spec)


@pytest.mark.parametrize("make", [lambda: make_network("ring:1000"), lambda: ring(1000)])
def test_what_this_machine_cannot_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], Network]
) -> None:
    """Before it is built, whether it is made by name or called."""
    monkeypatch.setattr(sizes, "available_megabytes", lambda: 0)
    message = r"1000 nodes and 2000 channels would take about 0 MB, and 0 MB are available here"
    with pytest.raises(InputError, match=message):
        make()
    monkeypatch.setattr(sizes, "available_megabytes", lambda: None)
    assert make().channel_count == 2000


@pytest.mark.parametrize("spec", ["butterfly:10", "torus:200x200", "complete:300", "hypercube:12"])
def test_building_takes_no_more_memory_than_is_said(spec: str) -> None:
    """The bytes of a node and of a channel are those of the family that takes most."""
    size = size_of(spec)
    tracemalloc.start()
    make_network(spec)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    said = size.nodes * sizes.BYTES_A_NODE + size.channels * sizes.BYTES_A_CHANNEL
    assert peak < 1.1 * said < 4 * peak


def test_a_family_that_says_no_size_is_not_registered() -> None:
    """A plugin's neither."""
    with pytest.raises(TypeError, match="size"):
        Families().register("star", "a hub and its leaves")  # type: ignore[call-arg]


@given(st.lists(st.integers(1, 2**40), max_size=8), st.integers(2, 40), st.integers(0, 10**40))
def test_powers_and_products_are_exact_up_to_what_is_counted(
    factors: list[int], base: int, exponent: int
) -> None:
    """Beyond, they are that."""
    exact = 1
    for factor in factors:
        exact *= factor
    assert product(factors) == min(exact, MOST_COUNTED)
    assert power(base, exponent) == min(base ** min(exponent, 100), MOST_COUNTED)
