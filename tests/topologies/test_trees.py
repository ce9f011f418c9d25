"""Trees of switches: their counts, the published loads of their routings, and the closed forms."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import product
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from tests.support.fabric_values import loads_of, values_of
from tests.support.plain_networks import plain

from obroute import InputError, Network, evaluate, make_network, make_routing
from obroute.capacity import capacity_load
from obroute.theorems import (
    TREE_ROUTINGS,
    bounds_on_tree,
    confirm,
    least_tree_load,
    single_path_bound,
)
from obroute.topologies.tree import Tree


def tree(spec: str) -> Tree:
    """Make a tree of switches."""
    made = make_network(spec)
    assert isinstance(made, Tree)
    return made


def leaf_spine(numbers: str, *others: str) -> str:
    """Name a fabric of so many leaves, hosts and spines."""
    given = zip(("leaves", "hosts", "spines"), numbers.split(","), strict=True)
    return "leafspine:" + ",".join([*(f"{name}={value}" for name, value in given), *others])


def worst(network: Network, routing: str) -> Fraction:
    """Return the certified worst-case load."""
    return evaluate(network, make_routing(routing)).worst_case_load


# -------------------------------------------------------------------------------------- counts


@pytest.mark.parametrize(
    ("spec", "hosts", "switches", "cables"),
    [
        ("leafspine:leaves=4,hosts=4,spines=2,links=3", 16, 6, 16 + 24),
        ("xgft:m=3x3x3,w=1x3x3", 27, 27, 81),
        ("xgft:m=2x3,w=2x2,links=1x3", 6, 6 + 4, 12 + 36),
        ("kary_ntree:k=4,n=3", 64, 48, 192),
        ("fattree:k=8", 128, 80, 384),
        ("fattree:k=48", 27648, 2880, 82944),
    ],
)
def test_a_tree_has_the_published_counts(
    spec: str, hosts: int, switches: int, cables: int
) -> None:
    """Öhring and others, Petrini and Vanneschi, and Al-Fares and others count the same."""
    network = tree(spec)
    assert len(network.sources) == network.size == hosts
    assert network.node_count == hosts + switches
    assert network.channel_count == 2 * cables


def test_every_switch_of_a_fat_tree_uses_all_its_ports() -> None:
    """Of k-port switches each has k; hosts have one, and all others are at most six hops away."""
    network = tree("fattree:k=6")
    degree = np.bincount(network.tail, minlength=network.node_count)
    assert set(degree[network.levels == 0]) == {1}
    assert set(degree[network.levels > 0]) == {6}
    assert network.distances[:, network.destinations].max() == 6


def test_nodes_are_called_what_people_call_them() -> None:
    """Hosts count through, and each switch is of its level."""
    fabric = tree("leafspine:leaves=2,hosts=3,spines=2")
    assert fabric.labels == (*(f"host{i}" for i in range(6)), "leaf0", "leaf1", "spine0", "spine1")
    assert fabric.describe_channel(fabric.channel(4, 7)) == "host4 → leaf1"
    names = {re.sub(r"\d+$", "", label) for label in tree("fattree:k=4").labels or ()}
    assert names == {"host", "edge", "aggregation", "core"}


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.lists(st.integers(1, 3), min_size=3, max_size=3),
    st.lists(st.integers(1, 2), min_size=3, max_size=3),
)
def test_parents_are_those_of_the_definition(
    children: list[int], parents: list[int], links: list[int]
) -> None:
    """A cable joins (a_h … a_{l+1}, b_l … b_1) to (a_h … a_{l+2}, b_{l+1} … b_1)."""
    if math.prod(children) == 1:
        return
    m, w, p = tuple(children), tuple(parents[: len(children)]), tuple(links[: len(children)])
    network = Tree.build(m, w, p, Fraction(1), tuple("abc"[: len(m)]))
    nodes = [
        (level, *digits)
        for level in range(len(m) + 1)
        for digits in product(*(range(n) for n in (*m[level:][::-1], *w[:level][::-1])))
    ]
    assert len(nodes) == network.node_count
    found = {}
    for lower, upper in zip(network.tail, network.head, strict=True):
        found[int(lower), int(upper)] = found.get((int(lower), int(upper)), 0) + 1
    expected = {}
    for low, (level, *digits) in enumerate(nodes):
        for high, (above, *others) in enumerate(nodes):
            known = len(m) - level - 1
            if (
                above == level + 1
                and digits[:known] == others[:known]
                and (digits[known + 1 :] == others[known + 1 :])
            ):
                expected[low, high] = expected[high, low] = p[level]
    assert found == expected


# -------------------------------------------------------------------------------- leaf and spine


@pytest.mark.parametrize("routing", ["ecmp", "d_mod_k", "sqrt"])
def test_leaf_spine_loads_are_those_published(routing: str) -> None:
    """Enumerated in independent code, and certified on networks made by hand."""
    said = "spine = (s mod q)" if routing == "sqrt" else routing
    for parameters, load in loads_of("leafspine", said).items():
        assert worst(make_network(leaf_spine(parameters.strip("()"))), routing) == load


def failures() -> list[object]:
    """Give each published failure; the best routing of one takes a second."""
    found: list[object] = []
    for failure in values_of("leafspine")["failures"]:
        failed = "+".join(f"{leaf}-{spine}" for leaf, spine in failure["failed"])
        found.append((failed, "ecmp", failure["ecmp"]))
        if "optimum" in failure:
            values = (failed, "optimal", failure["optimum"])
            found.append(pytest.param(*values, marks=pytest.mark.slow))
    return found


@pytest.mark.parametrize(("failed", "routing", "load"), failures())
def test_failed_links_raise_the_load_as_published(failed: str, routing: str, load: str) -> None:
    """Of four leaves of four hosts and four spines."""
    assert worst(make_network(leaf_spine("4,4,4", f"failed={failed}")), routing) == Fraction(load)


def check_leaf_spine(leaves: int, hosts: int, spines: int) -> None:
    """Hold the certified loads of a leaf-spine fabric against the closed forms."""
    fabric = tree(leaf_spine(f"{leaves},{hosts},{spines}"))
    assert worst(fabric, "ecmp") == max(1, Fraction(hosts, spines)) == least_tree_load(fabric)
    numbered = [worst(fabric, routing) for routing in ("d_mod_k", "s_mod_k")]
    most = min(hosts, (leaves - 1) * -(-hosts // spines))
    if hosts % spines == 0 or hosts == 1:
        assert numbered == [most, most]
    assert max(numbered) <= most
    proved = bounds_on_tree(fabric, make_routing("d_mod_k"))
    assert proved is not None
    assert numbered == [proved.exact] * 2
    q = math.isqrt(spines)
    if q * q == spines:
        found = worst(fabric, "sqrt")
        assert found == getattr(bounds_on_tree(fabric, make_routing("sqrt")), "exact", None)
        assert found >= single_path_bound(leaves, hosts, spines)
        if hosts == spines:
            assert found == q
            assert leaves < 2 * q or single_path_bound(leaves, hosts, spines) == q
    assert min(numbered) >= single_path_bound(leaves, hosts, spines)


def test_closed_forms_of_small_leaf_spines() -> None:
    """Three leaves."""
    for hosts, spines in product((2, 3), (1, 2, 4)):
        check_leaf_spine(3, hosts, spines)


@pytest.mark.slow
@pytest.mark.parametrize("leaves", range(2, 8))
def test_closed_forms_of_larger_leaf_spines(leaves: int) -> None:
    """Up to nine hosts and spines."""
    for hosts, spines in product(range(1, 10), range(1, 10)):
        check_leaf_spine(leaves, hosts, spines)


def test_hosts_count_through_so_that_residues_differ_from_leaf_to_leaf() -> None:
    """Where m does not divide n the published form, (r - 1) ⌈n/m⌉, is a bound alone."""
    fabric = make_network("leafspine:leaves=3,hosts=4,spines=3")
    assert worst(fabric, "d_mod_k") == 3 < min(4, 2 * 2)


@pytest.mark.slow
def test_square_roots_are_beaten_with_few_leaves() -> None:
    """Nine leaves of 64 hosts, 64 spines: one path a pair with seven on no channel more.

    Of 38 spines each is for seven hosts of its own, all that they send and all that they get; the
    other hosts, 35 a leaf at most, take 25 spines by the square-root rule.
    """
    leaves, hosts, own, each, groups = 9, 64, 38, 7, 5
    ranks = np.arange(leaves * hosts)
    leaf, within = np.divmod(ranks, hosts)
    order = np.argsort(within * leaves + leaf, kind="stable")  # specials even over the leaves
    spine_of = np.full(len(ranks), -1)
    spine_of[order[: own * each]] = np.repeat(np.arange(own), each)
    number = np.zeros(len(ranks), dtype=int)
    for one in range(leaves):
        rest = (leaf == one) & (spine_of < 0)
        number[rest] = np.arange(rest.sum())
    source, destination = np.ix_(ranks, ranks)
    grid = own + number[source] % groups * groups + number[destination] % groups
    taken = np.where(spine_of[destination] >= 0, spine_of[destination], grid)
    taken = np.where(spine_of[source] >= 0, spine_of[source], taken)
    apart = leaf[source] != leaf[destination]
    most = 0
    for one, spine in product(range(leaves), range(hosts)):
        through = (taken == spine) & apart
        for channel in (through & (leaf[source] == one), through & (leaf[destination] == one)):
            matched = maximum_bipartite_matching(csr_array(channel))
            most = max(most, int((matched >= 0).sum()))
    assert most == 7 < math.isqrt(hosts) == 8
    assert single_path_bound(leaves, hosts, hosts) <= 7


# --------------------------------------------------------------------------- trees of any height


@pytest.mark.parametrize("routing", ["ecmp", "random_nca"])
def test_ecmp_on_fat_trees_loads_channels_as_published(routing: str) -> None:
    """Enumerated in independent code."""
    for parameters, load in loads_of("xgft", "ecmp").items():
        m, _, w = parameters.strip("()").replace(",", "x").partition(";")
        assert worst(make_network(f"xgft:m={m},w={w}"), routing) == load


def test_d_mod_k_on_k_ary_n_trees_loads_channels_as_published() -> None:
    """The two certified, and the form of them."""
    (value,) = (one for one in values_of("xgft")["values"] if one["routing"].startswith("d_mod_k"))
    for parameters, load in value["certified"].items():
        k, n = re.findall(r"\d+", parameters)
        assert worst(make_network(f"kary_ntree:k={k},n={n}"), "d_mod_k") == Fraction(load)
    for k, n in ((2, 2), (2, 4), (2, 5), (3, 3), (4, 2), (5, 2)):
        most = max(min(k**level, k ** (n - level) - 1) for level in range(1, n))
        assert worst(make_network(f"kary_ntree:k={k},n={n}"), "d_mod_k") == most


def check_tree(spec: str) -> None:
    """Hold certified loads against the theorems and the published form, and capacity too."""
    network = tree(spec)
    levels = range(network.height)
    hosts, below, above = network.host_count, network.below, network.above
    if set(network.links) == {1} and set(network.bandwidth.fractions()) == {Fraction(1)}:
        said = max(
            Fraction(min(int(below[i]), hosts - int(below[i])), int(above[i + 1])) for i in levels
        )
        assert least_tree_load(network) == said
    for routing in TREE_ROUTINGS:
        if routing != "sqrt":
            made = make_routing(routing)
            found = evaluate(network, made)
            proved = bounds_on_tree(network, made)
            assert proved is not None
            assert found.worst_case_load == proved.exact
            assert "as the theorem" in confirm(
                network, made, found.worst_case_load, found.mean_path_length
            )
            assert found.worst_case_load >= least_tree_load(network)


SMALL_TREES = (
    "xgft:m=2x3,w=1x2",
    "xgft:m=2x3,w=2x2,links=1x3,bandwidth=2/3",
    "xgft:m=2x2x2,w=1x1x3",
)


@pytest.mark.parametrize("spec", SMALL_TREES)
def test_closed_forms_of_small_trees(spec: str) -> None:
    """ECMP, D-mod-k and S-mod-k."""
    check_tree(spec)


@pytest.mark.slow
@given(
    st.integers(1, 3).flatmap(
        lambda h: st.tuples(*(st.lists(st.integers(1, 3), min_size=h, max_size=h),) * 3)
    ),
    st.sampled_from(["1", "2/3", "5/2"]),
)
@settings(max_examples=25)
def test_closed_forms_of_any_tree(shape: tuple[list[int], ...], bandwidth: str) -> None:
    """Any numbers of children, parents and links."""
    m, w, links = ("x".join(map(str, numbers)) for numbers in shape)
    if math.prod(shape[0]) > 1:
        check_tree(f"xgft:m={m},w={w},links={links},bandwidth={bandwidth}")


@pytest.mark.parametrize(
    "spec",
    [
        "leafspine:leaves=3,hosts=2,spines=2",
        "xgft:m=2x2,w=1x2,bandwidth=1/2",
        pytest.param("xgft:m=2x3,w=2x2,links=1x3", marks=pytest.mark.slow),
        pytest.param("leafspine:leaves=4,hosts=4,spines=2", marks=pytest.mark.slow),
        pytest.param("kary_ntree:k=2,n=3,bandwidth=3/4", marks=pytest.mark.slow),
        pytest.param("xgft:m=3x2x2,w=1x2x1", marks=pytest.mark.slow),
    ],
)
def test_the_capacity_of_a_tree_is_what_the_solver_finds(spec: str) -> None:
    """As a linear program over all routings of uniform traffic, on a network of no family."""
    network = tree(spec)
    assert network.capacity_load() == capacity_load(plain(network))


@pytest.mark.parametrize(
    "routing",
    [
        "d_mod_k",
        pytest.param("s_mod_k", marks=pytest.mark.slow),
        pytest.param("sqrt", marks=pytest.mark.slow),
    ],
)
def test_ports_by_number_are_fast(routing: str) -> None:
    """16,384 hosts; and the one channel that is solved is proved, as everywhere."""
    spec = (
        "leafspine:leaves=128,hosts=128,spines=64" if routing == "sqrt" else "kary_ntree:k=2,n=14"
    )
    network = make_network(spec)
    start = process_time()
    found = evaluate(network, make_routing(routing))
    assert process_time() - start < 5
    assert found.certified
    assert "as the theorem" in confirm(
        network, found.routing, found.worst_case_load, found.mean_path_length
    )


@pytest.mark.slow
def test_ecmp_on_a_fat_tree_of_thousands_of_hosts_is_fast() -> None:
    """8,192 hosts below switches of 32 ports."""
    network = make_network("fattree:k=32")
    start = process_time()
    assert worst(network, "ecmp") == 1
    assert process_time() - start < 15


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "leafspine:leaves=4,hosts=4,spines=4,failed=4-0",
            "there is no link 4-0; leaves are 0 to 3 and spines 0 to 3",
        ),
        (
            "leafspine:leaves=4,hosts=4,spines=4,failed=1",
            "'1' is no pair of a leaf and a spine; expected numbers such",
        ),
        (
            "leafspine:leaves=2,hosts=2,spines=1,failed=0-0",
            "disconnected: no path leads from node host0 to node host2",
        ),
        ("xgft:m=2x2,w=1", "2 numbers of children and 1 of parents; give one a level"),
        ("xgft:m=2x2,w=1x1,links=1x1x1", "3 numbers of links and 2 levels; give one a level"),
        ("xgft:m=2x0,w=1x1", "'2x0': 0 is too small; expected at least 1; expected whole numbers"),
        ("xgft:w=1,m=" + "x".join(["2"] * 70), "70 numbers joined by x; expected at most 62"),
        ("fattree:k=5", "5 is odd; expected an even number of ports"),
    ],
)
def test_what_is_no_tree_is_refused(spec: str, message: str) -> None:
    """With what is wrong, and what was expected."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


@pytest.mark.parametrize(
    ("spec", "routing", "message"),
    [
        ("leafspine:leaves=3,hosts=2,spines=2,failed=0-1", "d_mod_k", "it has failed links"),
        ("torus:3x3", "random_nca", "it is no tree of switches"),
        ("leafspine:leaves=3,hosts=2,spines=2", "sqrt", "2 spines are no square"),
        (
            "leafspine:leaves=3,hosts=2,spines=4,links=2",
            "sqrt",
            "it is no leaf-spine fabric of single links",
        ),
        ("kary_ntree:k=2,n=3", "sqrt", "it is no leaf-spine fabric of single links"),
    ],
)
def test_routings_of_trees_are_refused_elsewhere(spec: str, routing: str, message: str) -> None:
    """With why."""
    with pytest.raises(InputError, match=f"{routing} is not defined on {spec}: {message}"):
        make_routing(routing).check(make_network(spec))
