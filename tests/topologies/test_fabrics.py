"""Fabrics of groups, boards, cells and rails: their counts, published loads and closed forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import block_diag, csr_array, eye_array, hstack
from tests.support.fabric_values import loads_of, values_of
from tests.support.plain_networks import plain

from obroute import InputError, Network, evaluate, make_network
from obroute.capacity import capacity_load


def worst(spec: str, routing: str = "ecmp") -> Fraction:
    """Return the certified worst-case load."""
    return evaluate(make_network(spec), routing).worst_case_load


def least_uniform_load(network: Network) -> float:
    """Solve for flows of uniform traffic, one of each source, whose largest load is least."""
    channels, count = network.channel_count, len(network.sources)
    ones = np.ones(channels)
    into = csr_array((ones, (network.head, np.arange(channels))))
    out = csr_array((ones, (network.tail, np.arange(channels))))
    column = csr_array((count * network.node_count, 1))
    kept = hstack([block_diag([into - out] * count), column])
    share = network.ejection.to_float() / float(network.ejection.sum())
    arriving = np.zeros((count, network.node_count))
    arriving[:, network.destinations] = share
    arriving[np.arange(count), network.sources] -= 1
    amounts = (arriving * network.injection.to_float()[:, None]).ravel()
    widths = csr_array(network.bandwidth.to_float()[:, None])
    within = hstack([*[eye_array(channels)] * count, -widths])
    cost = np.zeros(channels * count + 1)
    cost[-1] = 1
    found = linprog(cost, within, np.zeros(channels), kept, amounts)
    return float(found.fun)


@pytest.mark.parametrize(
    ("spec", "terminals", "others", "cables", "diameter"),
    [
        ("megafly:leaves=2,spines=2,hosts=2,global=2", 10, 10, 20 + 10, 3),
        ("hammingmesh:boards=4x4,a=2,b=2", 64, 16, 128 + 64, 4),
        ("hammingmesh:boards=2x3,a=3,b=1", 18, 9, 12 + 12 + 36, 6),
        ("bcube:n=4,k=1", 16, 8, 32, 4),
        ("bcube:n=3,k=2", 27, 27, 81, 6),
        ("dcell:n=4,k=1", 20, 5, 30, 5),
        ("dcell:n=2,k=2", 42, 21, 84, 7),
        ("rail:hosts=4,accelerators=8", 32, 12, 64, 4),
        ("rail:hosts=4,accelerators=3,spines=2,links=2", 12, 9, 24 + 12, 4),
    ],
)
def test_a_fabric_has_the_published_counts(
    spec: str, terminals: int, others: int, cables: int, diameter: int
) -> None:
    """Of terminals, switches, cables, and hops between the farthest terminals; both ways alike."""
    network = make_network(spec)
    assert len(network.sources) == terminals
    assert network.node_count == terminals + others
    assert network.channel_count == 2 * cables
    assert network.distances[:, network.destinations].max() == diameter
    assert (network.adjacency != network.adjacency.T).nnz == 0


def test_hosts_of_cells_have_a_port_for_each_level() -> None:
    """As many as levels, and switches n; an accelerator on boards has four."""
    for spec in ("dcell:n=3,k=2", "bcube:n=3,k=2"):
        network = make_network(spec)
        degree = np.bincount(network.tail)
        assert set(degree[network.sources]) == {3}
        assert set(np.delete(degree, network.sources)) == {3}
    boards = make_network("hammingmesh:boards=3x2,a=2,b=2")
    assert set(np.bincount(boards.tail)[boards.sources]) == {4}
    assert set(np.bincount(boards.tail)[24:]) == {6, 4}


def test_two_groups_of_a_megafly_have_one_link() -> None:
    """In the palmtree arrangement: port k of group G leads to group G - 1 - k."""
    network = make_network("megafly:leaves=1,spines=2,hosts=1,global=3")
    group, place = np.divmod(np.arange(network.node_count), 3)
    over = group[network.tail] != group[network.head]
    pairs = set(
        zip(group[network.tail[over]].tolist(), group[network.head[over]].tolist(), strict=True)
    )
    assert len(pairs) == over.sum() == 7 * 6
    tails, heads = network.tail[over], network.head[over]
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        port = (group[tail] - 1 - group[head]) % 7
        assert place[tail] == 1 + port // 3


# ---------------------------------------------------------------------------------- megafly


def test_megafly_loads_are_those_published() -> None:
    """Certified on a network made by hand."""
    for parameters, load in loads_of("megafly", "ecmp").items():
        s, p, h = (int(word[1:]) for word in parameters.split())
        assert worst(f"megafly:leaves={s},spines={s},hosts={p},global={h}") == load


@pytest.mark.slow
def test_the_best_routing_of_a_megafly_is_the_published() -> None:
    """A design, certified."""
    for load in loads_of("megafly", "optimum").values():
        assert worst("megafly:leaves=2,spines=2,hosts=2,global=2", "optimal") == load


@pytest.mark.parametrize(
    ("leaves", "spines", "hosts", "links"),
    [
        pytest.param(*numbers, marks=[] if numbers[0] < 3 and numbers[2] > 1 else pytest.mark.slow)
        for numbers in product((1, 2, 3), (1, 2), (1, 3), (1, 2))
    ],
)
def test_closed_forms_of_megaflies(leaves: int, spines: int, hosts: int, links: int) -> None:
    """All packets of one group to another take one link; capacity is what shortest paths reach."""
    spec = f"megafly:leaves={leaves},spines={spines},hosts={hosts},global={links}"
    found = evaluate(make_network(spec), "ecmp")
    assert found.worst_case_load == leaves * hosts
    assert found.uniform.load == found.network.capacity_load()


# ------------------------------------------------------------------------------------ capacity


def test_the_capacity_of_boards_is_the_published() -> None:
    """(a/2) (1 - 1/x) of square boards."""
    for boards, load in values_of("hammingmesh")["values"][0]["certified"].items():
        shape = boards.split()[0]
        network = make_network(f"hammingmesh:boards={shape},a=2,b=2")
        assert network.capacity_load() == Fraction(load)
    for a, x in product((1, 2, 3, 4), (2, 3, 4)):
        network = make_network(f"hammingmesh:boards={x}x{x},a={a},b={a}")
        assert network.capacity_load() == Fraction(a, 2) * (1 - Fraction(1, x))


@pytest.mark.parametrize(
    "spec",
    [
        "megafly:leaves=2,spines=1,hosts=2,global=1",
        "hammingmesh:boards=2x1,a=2,b=1,bandwidth=1/2",
        "bcube:n=2,k=1",
        "rail:hosts=2,accelerators=3,within=1/2",
        *(
            pytest.param(spec, marks=pytest.mark.slow)
            for spec in (
                "megafly:leaves=2,spines=2,hosts=2,global=2",
                "megafly:leaves=1,spines=3,hosts=3,global=1,bandwidth=2",
                "hammingmesh:boards=2x2,a=2,b=2",
                "hammingmesh:boards=2x1,a=3,b=2",
                "hammingmesh:boards=3x2,a=1,b=3",
                "hammingmesh:boards=1x1,a=3,b=2",
                "hammingmesh:boards=2x1,a=4,b=1",
                "bcube:n=3,k=1,bandwidth=2",
                "bcube:n=2,k=2",
                "rail:hosts=3,accelerators=2",
                "rail:hosts=2,accelerators=1",
            )
        ),
    ],
)
def test_a_capacity_in_closed_form_is_what_the_solver_finds(spec: str) -> None:
    """As a linear program over all routings of uniform traffic; exactly, where that is proved."""
    network = make_network(spec)
    closed = network.capacity_load()
    assert closed is not None
    assert capacity_load(plain(network)) in (closed, None)
    assert float(closed) == pytest.approx(least_uniform_load(network), rel=1e-7)


@pytest.mark.parametrize("spec", ["megafly:leaves=1,spines=1,hosts=1", "slimfly:q=3,hosts=1"])
def test_more_hosts_than_numbers_have_room_for_are_one_line(spec: str) -> None:
    """Whether a router hangs on another or not."""
    with pytest.raises(InputError, match="terminal bandwidths have no common unit"):
        worst(spec + "0" * 21)


def test_spines_above_rails_have_no_closed_form() -> None:
    """Packets may change the rail above or within a host, as is best."""
    assert make_network("rail:hosts=2,accelerators=2,spines=1").capacity_load() is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hammingmesh:boards=4,a=2,b=2", "1 numbers; expected two joined by x, such as 4x4"),
        (
            "megafly:leaves=2,spines=2,global_=2",
            "megafly has no parameter 'global_'; did you mean",
        ),
        ("dcell:n=3,k=6", "more than 2.62 nodes or channels"),
        ("bcube:n=2,k=100000", "more than 2.62 nodes or channels"),
    ],
)
def test_what_is_no_fabric_is_refused(spec: str, message: str) -> None:
    """With what is wrong, and what was expected."""
    with pytest.raises(InputError, match=message):
        make_network(spec)
