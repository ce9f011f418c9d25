"""Valiant's algorithm on any network, with any routing in both phases."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.random_networks import digraphs

from obroute import InputError, Network, evaluate, make_network, make_routing
from obroute.additive_matrix import AdditiveMatrix
from obroute.certificates import CertificateError, check_certificate
from obroute.matching import worst_case
from obroute.quotient_certificates import check_quotients
from obroute.quotients import Quotients
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.routing.contract import Routing
from obroute.topologies.registry import hosts_at

SPLITS = st.sampled_from(["ecmp", "ecmp:split=hops", "minimal"])


@settings(deadline=None, max_examples=10)
@given(network=digraphs(), base=SPLITS)
def test_loads_are_those_of_the_paths(network: Network, base: str) -> None:
    """Pair loads and channel loads of any digraph, wherever its terminals are."""
    valiant = make_routing(f"valiant:base={base}").on(network)
    try:
        valiant.check(network)
    except InputError:
        assert not set(network.sources.tolist()) & set(network.destinations.tolist())
        return
    sources = np.repeat(network.sources, len(network.destinations))
    destinations = np.tile(network.destinations, len(network.sources))
    listed = valiant.listed_loads(network, sources, destinations)
    assert valiant.channel_loads(network, sources, destinations).equals(listed)
    for channel in range(network.channel_count):
        expected = Routing.pair_loads(valiant, network, channel)
        assert valiant.pair_loads(network, channel).equals(expected)


@settings(deadline=None, max_examples=10)
@given(network=digraphs(), base=SPLITS)
def test_every_channel_has_twice_the_uniform_load_of_the_base(network: Network, base: str) -> None:
    """Valiant's identity, where all nodes are terminals; few channels or many."""
    plain = Network("plain", network.node_count, network.tail, network.head, network.bandwidth)
    found = evaluate(plain, f"valiant:base={base}", all_channels=True)
    uniform = make_routing(base)
    for result in found.channels:
        loads = uniform.pair_loads(plain, result.worst.channel)
        expected = 2 * loads.weighted_sum(*plain.uniform_weight())
        assert result.worst.load == expected
        assert result.uniform_load == expected
    assert found.mean_path_length == 2 * uniform.mean_path_length(plain)


@pytest.mark.parametrize(
    "spec",
    [
        "dragonfly:p=1,a=4,h=2,arrangement=absolute",
        pytest.param("jellyfish:n=24,d=4,hosts=2", marks=pytest.mark.slow),
        pytest.param("leafspine:leaves=6,hosts=3,spines=4", marks=pytest.mark.slow),
    ],
)
def test_many_channels_are_bounded_and_few_solved(spec: str) -> None:
    """The same worst case as where all are solved."""
    few, every = (
        evaluate(spec, "valiant", all_channels=everything) for everything in (False, True)
    )
    assert few.worst_case_load == every.worst_case_load
    assert few.certified
    assert len(few.channels) < len(every.channels)


@pytest.mark.parametrize("base", ["ecmp", "ecmp:split=hops"])
def test_hosts_that_are_nodes_are_as_hosts_counted_at_their_switches(base: str) -> None:
    """A packet turns round at the switch of the host that is drawn."""
    fabric = make_network("leafspine:leaves=3,hosts=2,spines=2")
    attached = [fabric.node_named(f"leaf{leaf}") for leaf in range(3)]
    inner = [n for n in range(fabric.node_count) if not fabric.describe(n).startswith("host")]
    place = {node: number for number, node in enumerate(inner)}
    kept = [c for c in range(fabric.channel_count) if {*ends(fabric, c)} <= set(inner)]
    counted = Network(
        "counted",
        len(inner),
        [place[ends(fabric, c)[0]] for c in kept],
        [place[ends(fabric, c)[1]] for c in kept],
        **hosts_at(np.array([place[node] for node in attached]), 2),
    )
    valiant = make_routing(f"valiant:base={base}")
    theirs = evaluate(counted, valiant, all_channels=True)
    ours = evaluate(fabric, valiant, all_channels=True)
    of_core = {r.worst.channel: r.worst.load for r in ours.channels}
    assert [of_core[c] for c in kept] == [r.worst.load for r in theirs.channels]
    others = {load for channel, load in of_core.items() if channel not in set(kept)}
    assert others == {Fraction(1)}


def ends(network: Network, channel: int) -> tuple[int, int]:
    """Give the ends of a channel."""
    return int(network.tail[channel]), int(network.head[channel])


# ---------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("val", "valiant"),
        ("valiant:base=own", "valiant"),
        ("valiant:base=e-cube", "valiant:base=dor"),
        ("valiant:base=ecmp:split=hops", "valiant:base=ecmp:split=hops"),
        ("valiant:base=(ecmp:split=paths)", "valiant:base=ecmp"),
        (
            "valiant:base=(dor:ties=positive,order=1-0)",
            "valiant:base=(dor:order=1-0,ties=positive)",
        ),
        ("valiant:base=(1/2*dor+1/2*romm)", "valiant:base=(1/2*dor+1/2*romm)"),
        ("valiant:base=valiant:base=ecmp", "valiant:base=valiant:base=ecmp"),
    ],
)
def test_a_base_has_the_name_that_makes_it_again(given: str, name: str) -> None:
    """In brackets where it has a comma or a plus, also within a combination."""
    assert make_routing(given).name == name
    assert make_routing(name).name == name
    both = f"1/3*{name}+2/3*romm"
    assert make_routing(both).name == both


@pytest.mark.parametrize(
    ("routing", "network", "message"),
    [
        ("valiant:base=dro", "torus:3x3", "base: unknown routing 'dro'; did you mean 'dor'"),
        ("valiant:base=(romm:order=fixed", "torus:3x3", "has a bracket without its other"),
        ("valiant:base=romm)", "torus:3x3", "'romm.' has a bracket without its other"),
        ("valiant:base=romm", "complete:4", "routing romm is not defined on complete:4"),
        ("valiant", "butterfly:2", "valiant is not defined on butterfly:2, of which no terminal"),
        ("valiant:order=random", "complete:4", r"complete:4; it is defined for torus, mesh, ring"),
        (
            "valiant:order=random,base=ecmp",
            "torus:3x3",
            "torus:3x3 or any network: base and order do not",
        ),
    ],
)
def test_what_is_not_defined_is_refused_by_name(routing: str, network: str, message: str) -> None:
    """With where it is defined."""
    with pytest.raises(InputError, match=message):
        evaluate(network, routing)


def test_a_base_that_is_dimension_order_is_what_a_grid_has() -> None:
    """The general way and that of grids agree."""
    for network in ("torus:4x3", "mesh:2x3"):
        ours, own = evaluate(network, "valiant:base=dor"), evaluate(network, "valiant")
        assert ours.worst_case_load == own.worst_case_load
        assert ours.mean_path_length == own.mean_path_length


# ------------------------------------------------------------------------------------- the matrix

NUMBERS = st.lists(
    st.fractions(min_value=0, max_value=3, max_denominator=12), min_size=1, max_size=4
)
WIDE = [Fraction(1, 3**200), Fraction(1, 5**200), Fraction(2, 7)]


@settings(deadline=None, max_examples=25)
@given(of_row=NUMBERS, of_column=NUMBERS, wide=st.booleans(), data=st.data())
def test_an_additive_matrix_is_what_it_expands_to(
    of_row: list[Fraction], of_column: list[Fraction], wide: bool, data: st.DataObject
) -> None:
    """Sums and entries from the two numbers, and pairs that potentials do not cover."""
    kind = Quotients if wide else RationalArray
    matrix = AdditiveMatrix(kind.from_fractions(of_row), kind.from_fractions(of_column))
    plain = matrix.expanded
    assert type(plain) is SparseRationalMatrix
    assert matrix.sum() == plain.sum()
    shape = len(of_row), len(of_column)
    assert all(matrix.entry(*at) == plain.entry(*at) for at in np.ndindex(*shape))
    weights = RationalArray(np.arange(shape[0]) + 1, 7), RationalArray(np.arange(shape[1]) + 2, 5)
    assert matrix.weighted_sum(*weights) == plain.weighted_sum(*weights)
    assert pickle.loads(pickle.dumps(matrix)).equals(plain)
    u, v = (
        RationalArray.from_fractions(
            data.draw(
                st.lists(st.sampled_from(list({*of_row, *of_column})), min_size=n, max_size=n)
            )
        )
        for n in shape
    )
    short = matrix.first_short_pair(u, v)
    every = [
        (i, j) for i, j in np.ndindex(*shape) if plain.entry(i, j) > u.fraction(i) + v.fraction(j)
    ]
    assert (short in every) if every else short is None


@pytest.mark.parametrize("numbers", [WIDE, [Fraction(0), Fraction(1, 2), Fraction(2, 7)]])
def test_its_certificate_is_checked_and_forged_ones_are_refused(numbers: list[Fraction]) -> None:
    """Whether the numbers have a common denominator or not."""
    kind = Quotients if numbers is WIDE else RationalArray
    check = check_quotients if numbers is WIDE else check_certificate
    matrix = AdditiveMatrix(kind.from_fractions(numbers), kind.from_fractions(numbers[::-1]))
    one = RationalArray.full(3, 1)
    worst = worst_case(matrix, one, one)
    assert worst.load == 2 * sum(numbers)
    check(worst, matrix, one, one)
    check(worst, matrix.expanded, one, one)
    other = AdditiveMatrix(matrix.of_row, matrix.of_column.scaled(Fraction(9, 8)))
    with pytest.raises(CertificateError, match="channel 0"):
        check(worst, other, one, one)
    moved = AdditiveMatrix(
        matrix.of_row, kind.from_fractions([*numbers[:1], *numbers[2:], numbers[1]])
    )
    with pytest.raises(CertificateError, match="sum to less than their pair load"):
        check(worst, moved, one, one)
