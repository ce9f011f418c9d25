"""HyperX and flattened butterflies: published counts, and every load that is known of them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fabrics import numbers, values

from obroute import InputError, design, evaluate, make_network, make_routing
from obroute.routing.contract import Routing
from obroute.topologies.hyperx import HyperX

slow = pytest.mark.slow
SMALL = [((3,), 1, (1,)), ((2, 3), 2, (1, 2)), ((3, 3), 3, (1,)), ((2, 2, 2), 1, (3, 1, 2))]
LARGER = [((4, 4), 4, (1,)), ((2, 3, 4), 2, (2,)), ((3, 3, 3), 3, (1,)), ((5, 2, 3), 1, (1, 4, 2))]
SHAPES = [*SMALL, *(pytest.param(*shape, marks=slow) for shape in LARGER)]


def name_of(shape: tuple[int, ...], hosts: int, width: tuple[int, ...]) -> str:
    """Name a member."""
    radices, widths = ("x".join(map(str, numbers)) for numbers in (shape, width))
    return f"hyperx:{radices},hosts={hosts},width={widths}"


def member(text: str) -> str:
    """Name the member that a key of the reference values means, such as ``(3,3) T3``."""
    *shape, hosts = numbers(text)
    return name_of(tuple(shape), hosts, (1,))


@pytest.mark.parametrize(("shape", "hosts", "width"), SHAPES)
def test_routers_are_joined_where_one_coordinate_differs(
    shape: tuple[int, ...], hosts: int, width: tuple[int, ...]
) -> None:
    """Both ways, with the links of the dimension; the diameter is the number of dimensions."""
    network = make_network(name_of(shape, hosts, width))
    assert isinstance(network, HyperX)
    assert network.node_count == math.prod(shape)
    assert network.channel_count == network.node_count * sum(radix - 1 for radix in shape)
    assert network.distances.max() == len(shape)
    assert network.total_injection == hosts * network.node_count
    place = network.coordinates
    assert place is not None
    widths = width * (len(shape) // len(width))
    for channel in range(network.channel_count):
        ends = network.tail[channel], network.head[channel]
        (differs,) = np.flatnonzero(place[ends[0]] != place[ends[1]])
        assert network.bandwidth.fraction(channel) == widths[differs]
        assert network.channel_along(differs, ends[0], place[ends[1], differs]) == channel


def test_a_flattened_butterfly_has_as_many_hosts_as_the_butterfly() -> None:
    """k^n hosts on k^(n-1) routers of (n - 1)(k - 1) + k ports (Kim, Dally and Abts 2007)."""
    for k, n in ((2, 3), (4, 3), (3, 4)):
        network = make_network(f"flattened_butterfly:k={k},n={n}")
        assert network.name == f"flattened_butterfly:k={k},n={n}"
        assert network.total_injection == k**n
        assert network.channel_count == network.node_count * (n - 1) * (k - 1)
    assert make_network("flattened_butterfly:k=4,n=2,hosts=1").total_injection == 4


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hyperx:1x3", "radix 1 in dimension 0; expected a radix of at least 2"),
        ("hyperx:3x3,width=1x2x3", "3 widths for 2 dimensions; give one for all"),
        ("hyperx:3x3,width=0", "width: 0 is too small; expected at least 1"),
        ("flattened_butterfly:k=4,n=1", "n: 1 is too small; expected at least 2"),
        ("flattened_butterfly:k=1000,n=30", "more than 2.62 nodes"),
    ],
)
def test_what_is_no_hyperx_is_refused(spec: str, message: str) -> None:
    """With what was expected."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


def test_an_order_names_every_dimension_and_no_ties() -> None:
    """Nothing has half a ring to go."""
    with pytest.raises(InputError, match="order 1-0 names 2 dimensions, the network has 3"):
        evaluate("hyperx:2x2x2", "dor:order=1-0")
    with pytest.raises(
        InputError, match=r"is not defined on hyperx:2x2; .* torus, mesh, ring and"
    ):
        evaluate("hyperx:2x2", "dor:ties=positive")


# --------------------------------------------------------------------------------- what is known


@pytest.mark.parametrize(("text", "load"), values("hyperx", "enumerated", "dor"))
def test_dimension_order_has_the_enumerated_loads(text: str, load: Fraction) -> None:
    """As independent code has them."""
    assert evaluate(member(text), "dor").worst_case_load == load


@pytest.mark.parametrize(("text", "load"), values("hyperx", "enumerated", "each order"))
def test_random_order_has_the_enumerated_loads(text: str, load: Fraction) -> None:
    """As independent code has them."""
    assert evaluate(member(text), "dor:order=random").worst_case_load == load


@pytest.mark.parametrize(("text", "load"), values("hyperx", "enumerated", "valiant"))
def test_valiant_has_the_enumerated_loads(text: str, load: Fraction) -> None:
    """As independent code has them."""
    assert evaluate(member(text), "valiant").worst_case_load == load


@pytest.mark.parametrize(("shape", "hosts", "width"), SHAPES)
def test_loads_follow_the_formulas_of_shape_hosts_and_width(
    shape: tuple[int, ...], hosts: int, width: tuple[int, ...]
) -> None:
    """Dimension order, Valiant over any minimal base, capacity: each proved in the docs."""
    network = make_network(name_of(shape, hosts, width))
    widths = width * (len(shape) // len(width))
    dor = max(
        Fraction(hosts * min(math.prod(shape[:i]), math.prod(shape[i + 1 :])), widths[i])
        for i in range(len(shape))
    )
    narrowest = min(k * radix for k, radix in zip(widths, shape, strict=True))
    capacity = Fraction(hosts, narrowest)
    found = evaluate(network, "dor")
    assert (found.worst_case_load, found.certified) == (dor, True)
    assert network.capacity_load() == found.uniform.load == capacity
    for routing in ("valiant", "valiant:base=dor"):
        found = evaluate(network, routing)
        assert (found.worst_case_load, found.certified) == (2 * capacity, True)
        assert found.uniform.load == 2 * capacity


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, marks=slow) for text, _ in values("hyperx", "certified", "optimum")],
)
def test_no_routing_is_better_than_valiant(text: str) -> None:
    """The best routing for the worst case has its load."""
    known = dict(values("hyperx", "certified", "optimum"))
    best = design(member(text)).load
    assert best.lower == best.upper == known[text]
    assert evaluate(member(text), "valiant").worst_case_load == known[text]


@pytest.mark.parametrize("split", ["paths", "hops", "bandwidth"])
def test_minimal_routing_is_all_shortest_paths(split: str) -> None:
    """Whatever the widths: random orders are what equal shares make of them."""
    network = make_network("hyperx:2x3x2,width=1x2x3")
    ours, theirs = (make_routing(f"{name}:split={split}") for name in ("minimal", "ecmp"))
    pairs = np.divmod(np.arange(network.node_count**2), network.node_count)
    assert ours.channel_loads(network, *pairs).equals(theirs.channel_loads(network, *pairs))


@settings(deadline=None, max_examples=10)
@given(
    shape=st.lists(st.integers(2, 3), min_size=1, max_size=3),
    order=st.sampled_from(["fixed", "random"]),
    data=st.data(),
)
def test_closed_forms_of_dimension_order_agree_with_its_paths(
    shape: list[int], order: str, data: st.DataObject
) -> None:
    """Pair loads and channel loads, of any shape."""
    network = make_network(f"hyperx:{'x'.join(map(str, shape))}")
    dor = make_routing(f"dor:order={order}").on(network)
    pairs = np.divmod(np.arange(network.node_count**2), network.node_count)
    loads = dor.listed_loads(network, *pairs)
    assert dor.channel_loads(network, *pairs).equals(loads)
    channel = data.draw(st.integers(0, network.channel_count - 1))
    assert dor.pair_loads(network, channel).equals(Routing.pair_loads(dor, network, channel))
