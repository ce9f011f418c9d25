"""Dragonflies: published counts and arrangements, and every load that is known of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fabrics import numbers, values

from obroute import InputError, design, evaluate, make_network, make_routing
from obroute.generators import Symmetry
from obroute.routing.contract import Routing
from obroute.topologies.dragonfly import Dragonfly

slow = pytest.mark.slow
ARRANGEMENTS = ("palmtree", "relative", "absolute")
SMALL = [(1, 2, 1), (3, 2, 2), (2, 1, 3)]
LARGER = [(1, 3, 1), (2, 4, 2), (1, 4, 2), (2, 3, 3), (3, 6, 1), (2, 5, 2), (3, 6, 3)]
SIZES = [*SMALL, *(pytest.param(*size, marks=slow) for size in LARGER)]


def member(text: str) -> str:
    """Name the member that a key of the reference values means: ``(2,4,2) absolute``."""
    p, a, h = numbers(text)
    arrangement = next((word for word in ARRANGEMENTS if word in text), "palmtree")
    return f"dragonfly:p={p},a={a},h={h},arrangement={arrangement}"


def made(spec: str) -> Dragonfly:
    """Make a dragonfly."""
    network = make_network(spec)
    assert isinstance(network, Dragonfly)
    return network


# ------------------------------------------------------------------------------------- the graph


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize(("p", "a", "h"), [*SMALL, (2, 4, 2), (4, 8, 4)])
def test_a_full_dragonfly_joins_every_two_groups_once(
    p: int, a: int, h: int, arrangement: str
) -> None:
    """Of a h + 1 groups, with radix p + h + a - 1, N = a p (a h + 1) hosts, diameter 3 at most."""
    network = made(f"dragonfly:p={p},a={a},h={h},arrangement={arrangement}")
    g = a * h + 1
    assert (network.groups, network.rounds) == (g, 1)
    assert network.total_injection == a * p * g
    assert set(np.bincount(network.tail)) == set(np.bincount(network.head)) == {a - 1 + h}
    cables = Counter(zip(network.tail // a, network.head // a, strict=True))
    assert all(cables[x, y] == 1 for x in range(g) for y in range(g) if x != y)
    ends = Counter(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    assert all(ends[head, tail] == number for (tail, head), number in ends.items())
    if a * g <= 100:
        assert network.distances.max() <= 3


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_ports_lead_to_the_groups_that_the_arrangement_says(arrangement: str) -> None:
    """As Camarero, Vallejo and Beivide define them."""
    network = made(f"dragonfly:p=1,a=3,h=2,arrangement={arrangement}")
    g = network.groups
    for group in range(g):
        for port in range(6):
            channel = network.local_count + group * 6 + port
            expected = {
                "absolute": port if port < group else port + 1,
                "relative": (group + 1 + port) % g,
                "palmtree": (group - 1 - port) % g,
            }[arrangement]
            assert network.tail[channel] == group * 3 + port // 2
            assert network.head[channel] // 3 == expected


@settings(deadline=None, max_examples=10)
@given(
    a=st.integers(1, 4),
    h=st.integers(1, 3),
    arrangement=st.sampled_from(ARRANGEMENTS),
    data=st.data(),
)
def test_fewer_groups_have_equally_many_cables(
    a: int, h: int, arrangement: str, data: st.DataObject
) -> None:
    """As many as fill whole rounds, over ports of which no two share a cable, both ways."""
    g = data.draw(st.integers(2, a * h + 1))
    network = made(f"dragonfly:p=1,a={a},h={h},groups={g},arrangement={arrangement}")
    cables = Counter(zip(network.tail // a, network.head // a, strict=True))
    between = {cables[x, y] for x in range(g) for y in range(g) if x != y}
    assert between == {a * h // (g - 1)}
    ends = Counter(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    assert all(ends[head, tail] == number for (tail, head), number in ends.items())
    glob = np.bincount(network.tail[network.local_count :], minlength=a * g)
    assert glob.max() <= h
    for image in network.automorphisms().values():
        network.channel_image(image)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("dragonfly:p=2,a=4,h=2,groups=10", "10 groups of 4 routers with 2 .* from 2 to 9"),
        ("dragonfly:p=2,a=4", "h is missing"),
        ("dragonfly:p=2,a=4,h=2,arrangement=random", "'random' is not one of palmtree, relative"),
        ("dragonfly:p=1,a=100000,h=100000", "expected at most"),
    ],
)
def test_what_is_no_dragonfly_is_refused(spec: str, message: str) -> None:
    """With what was expected."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


# --------------------------------------------------------------------------------- what is known


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize(("p", "a", "h"), SIZES)
def test_loads_follow_the_formulas_whatever_the_arrangement(
    p: int, a: int, h: int, arrangement: str
) -> None:
    """Minimal routing and the three called Valiant, of full dragonflies: proved in the docs."""
    network = made(f"dragonfly:p={p},a={a},h={h},arrangement={arrangement}")
    g = a * h + 1
    minimal = evaluate(network, "minimal")
    assert (minimal.worst_case_load, minimal.certified) == (a * p, True)
    local = Fraction(p, g) * (2 * h + Fraction(1, a)) if a > 1 else Fraction(0)
    uniform = max(Fraction(p * a, g), local)
    assert minimal.uniform.load == uniform
    over_routers = evaluate(network, "valiant")
    assert (over_routers.worst_case_load, over_routers.certified) == (2 * uniform, True)
    on_global, transit = Fraction(2 * a * p, g - 2), Fraction(h * a * p, g - 2)
    of_ends = p * max(Fraction(1), Fraction(2 * h, g - 2))
    over_groups = max(on_global, transit + of_ends if a > 1 else Fraction(0))
    assert evaluate(network, "valiant:through=group").worst_case_load == over_groups
    of_ends = Fraction(2 * p, a - 1) if a > 1 else -transit
    found = evaluate(network, "valiant:through=group_router").worst_case_load
    assert found == max(on_global, transit + of_ends)


@pytest.mark.parametrize(("text", "load"), values("dragonfly", "enumerated", "minimal ("))
def test_minimal_routing_has_the_enumerated_loads(text: str, load: Fraction) -> None:
    """As independent code has them."""
    assert evaluate(member(text), "minimal").worst_case_load == load


@pytest.mark.slow
@pytest.mark.parametrize(("text", "load"), values("dragonfly", "enumerated", "ecmp"))
def test_all_shortest_paths_are_not_minimal_routing(text: str, load: Fraction) -> None:
    """Paths of three hops over a third group make a difference, by arrangement."""
    assert evaluate(member(text), "ecmp").worst_case_load == load


@pytest.mark.parametrize(("text", "load"), values("dragonfly", "certified", "valiant over"))
def test_valiant_over_routers_has_the_certified_loads(text: str, load: Fraction) -> None:
    """17/9 on (2, 4, 2)."""
    assert evaluate(member(text), "valiant").worst_case_load == load


@pytest.mark.parametrize(("text", "load"), values("dragonfly", "enumerated", "over groups"))
def test_valiant_over_groups_has_the_enumerated_loads(text: str, load: Fraction) -> None:
    """30/7 on (2, 4, 2)."""
    assert evaluate(member(text), "valiant:through=group").worst_case_load == load


@pytest.mark.parametrize(("text", "load"), values("dragonfly", "certified", "merlin"))
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_valiant_of_merlin_has_the_certified_load(
    text: str, load: Fraction, arrangement: str
) -> None:
    """76/21 on (2, 4, 2), whatever the arrangement."""
    found = evaluate(member(f"{text} {arrangement}"), "valiant:through=group_router")
    assert found.worst_case_load == load


@pytest.mark.parametrize(
    ("text", "load"),
    [
        pytest.param(text, load, marks=[] if text == "(1,2,1)" else slow)
        for text, load in values("dragonfly", "certified", "optimum")
    ],
)
def test_the_best_routing_has_the_certified_load(text: str, load: Fraction) -> None:
    """By a design, which is proved."""
    found = design(member(text)).load
    assert (found.lower, found.upper) == (load, load)


@pytest.mark.parametrize(
    ("text", "load"),
    [
        pytest.param(text, load, marks=[] if text == "(1,2,1)" else slow)
        for text, load in values("dragonfly", "certified", "capacity")
    ],
)
def test_the_capacity_has_the_certified_load(text: str, load: Fraction) -> None:
    """By a design for uniform traffic."""
    found = design(member(text), objective="capacity").load
    assert (found.lower, found.upper) == (load, load)


@settings(deadline=None, max_examples=10)
@given(
    a=st.integers(1, 3),
    h=st.integers(1, 3),
    routing=st.sampled_from(["minimal", "minimal:split=hops", "valiant", "valiant:through=group"]),
    data=st.data(),
)
def test_closed_forms_agree_with_paths(a: int, h: int, routing: str, data: st.DataObject) -> None:
    """Pair loads and channel loads, of any number of groups and cables."""
    g = data.draw(st.integers(3 if "group" in routing else 2, max(3, min(5, a * h + 1))))
    if g > a * h + 1:
        return
    arrangement = data.draw(st.sampled_from(ARRANGEMENTS))
    network = made(f"dragonfly:p=1,a={a},h={h},groups={g},arrangement={arrangement}")
    chosen = make_routing(routing).on(network)
    pairs = np.divmod(np.arange(network.node_count**2), network.node_count)
    loads = chosen.listed_loads(network, *pairs)
    assert chosen.channel_loads(network, *pairs).equals(loads)
    channel = data.draw(st.integers(0, network.channel_count - 1))
    expected = Routing.pair_loads(chosen, network, channel)
    assert chosen.pair_loads(network, channel).equals(expected)


def test_over_groups_there_have_to_be_three() -> None:
    """In words that say where it is defined."""
    message = "not defined on dragonfly:.*no group beside two; .* dragonfly networks of three"
    with pytest.raises(InputError, match=message):
        evaluate("dragonfly:p=1,a=2,h=1,groups=2", "valiant:through=group")
    with pytest.raises(InputError, match=r"not defined on torus:3x3; .* for dragonfly networks"):
        evaluate("torus:3x3", "valiant:through=group_router")


@pytest.mark.parametrize("arrangement", ["palmtree", "relative"])
@pytest.mark.parametrize(
    ("a", "h", "groups"), [(2, 1, 3), (4, 2, 9), (4, 2, 5), (4, 2, 4), (3, 2, 6)]
)
def test_groups_and_routers_can_be_read_backwards_where_every_port_has_a_cable(
    a: int, h: int, groups: int, arrangement: str
) -> None:
    """What is declared carries channels to channels; without a port's cable it is not there."""
    network = make_network(f"dragonfly:p=1,a={a},h={h},groups={groups},arrangement={arrangement}")
    declared = network.automorphisms()
    kinds = [generator.kind for generator in declared]
    assert (Symmetry.REFLECTION in kinds) == (a * h % (groups - 1) == 0)
    ends = Counter(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    for image in declared.values():
        moved = zip(image[network.tail].tolist(), image[network.head].tolist(), strict=True)
        assert Counter(moved) == ends
