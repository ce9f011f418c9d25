"""A routing carried from one of hypercube, butterfly and Beneš network to another is the same."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from obroute import InputError, make_network, make_routing
from obroute.network import Path
from obroute.packets.correspondence import carried, contract, fold, unfold, unroll
from obroute.routing import path_distribution
from obroute.routing.grid_moves import remove_loops

DIMENSIONS = [1, 2, 3]


def three(dimensions: int) -> tuple[Any, Any, Any]:
    """Make the hypercube, the butterfly and the Beneš network of a dimension."""
    return tuple(make_network(f"{f}:{dimensions}") for f in ("hypercube", "butterfly", "benes"))


def rows_of(dimensions: int) -> list[tuple[int, int]]:
    """Give all pairs of rows."""
    return list(product(range(2**dimensions), repeat=2))


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_bit_fixing_on_a_butterfly_contracts_to_bit_fixing_on_a_hypercube(dimensions: int) -> None:
    """And unrolls back: the same path distribution of every pair, both ways."""
    cube, butterfly, _ = three(dimensions)
    routing = make_routing("bit_fixing")
    for source, destination in rows_of(dimensions):
        ends = int(butterfly.sources[source]), int(butterfly.destinations[destination])
        there = path_distribution(routing, butterfly, *ends)
        here = path_distribution(routing, cube, source, destination)
        assert carried(there, lambda path: contract(butterfly, cube, path)) == here
        assert carried(here, lambda path, s=source: unroll(cube, butterfly, s, path)) == there


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_two_phases_on_a_butterfly_contract_to_valiant(dimensions: int) -> None:
    """Straight back along the row is standing still on the hypercube."""
    cube, butterfly, _ = three(dimensions)
    for source, destination in rows_of(dimensions):
        ends = int(butterfly.sources[source]), int(butterfly.destinations[destination])
        there = path_distribution(make_routing("two_phase"), butterfly, *ends)
        here = path_distribution(make_routing("valiant"), cube, source, destination)
        assert carried(there, lambda path: contract(butterfly, cube, path)) == here


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_two_phases_on_a_benes_network_contract_to_ival(dimensions: int) -> None:
    """The second half takes the bits in reverse order; IVAL also removes the loops."""
    cube, _, benes = three(dimensions)
    for source, destination in rows_of(dimensions):
        ends = int(benes.sources[source]), int(benes.destinations[destination])

        def without_loops(path: Path, start: int = source) -> Path:
            nodes = cube.path_nodes(start, contract(benes, cube, path))
            found: Path = cube.path_from_nodes(remove_loops(list(nodes)))
            return found

        there = path_distribution(make_routing("two_phase"), benes, *ends)
        here = path_distribution(make_routing("ival"), cube, source, destination)
        assert carried(there, without_loops) == here


@pytest.mark.parametrize("dimensions", DIMENSIONS)
@pytest.mark.parametrize("routing", ["bit_fixing", "two_phase"])
def test_a_benes_path_folds_to_a_butterfly_path_forth_and_back(
    dimensions: int, routing: str
) -> None:
    """Levels count up and down, rows stay, and unfolding gives the path again."""
    _, butterfly, benes = three(dimensions)
    levels = [*range(dimensions + 1), *reversed(range(dimensions))]
    for source, destination in rows_of(dimensions):
        ends = int(benes.sources[source]), int(benes.destinations[destination])
        there = path_distribution(make_routing(routing), benes, *ends)
        folded = carried(there, lambda path: fold(benes, butterfly, path))
        assert len(folded) == len(there)
        assert carried(folded, lambda path: unfold(butterfly, benes, path)) == there
        for path in folded:
            nodes = list(butterfly.path_nodes(int(butterfly.sources[source]), path))
            assert nodes[-1] == butterfly.sources[destination]
            assert butterfly.coordinates[nodes][:, 1].tolist() == levels
            original = benes.path_nodes(ends[0], unfold(butterfly, benes, path))
            rows = benes.coordinates[list(original)][:, 0]
            assert butterfly.coordinates[nodes][:, 0].tolist() == rows.tolist()


def test_paths_of_a_folded_benes_network_are_those_of_two_greedy_routings() -> None:
    """To a random output, and from it back: each with the path that bit fixing takes."""
    _, butterfly, benes = three(2)
    greedy = make_routing("bit_fixing")
    height = butterfly.steps + 1
    for source, destination in rows_of(2):
        expected = {}
        for middle in range(4):
            output = middle * height + butterfly.steps
            ((_, forth),) = greedy.paths(butterfly, source * height, output)
            ((_, back),) = greedy.paths(butterfly, destination * height, output)
            nodes = butterfly.path_nodes(destination * height, back)[::-1]
            expected[(*forth, *butterfly.path_from_nodes(nodes))] = Fraction(1, 4)
        ends = int(benes.sources[source]), int(benes.destinations[destination])
        there = path_distribution(make_routing("two_phase"), benes, *ends)
        assert carried(there, lambda path: fold(benes, butterfly, path)) == expected


def test_a_path_without_a_counterpart_is_refused() -> None:
    """The message says which steps were expected."""
    cube, butterfly, benes = three(2)
    with pytest.raises(InputError, match=r"dimensions \[1, 0\] is none of butterfly:2"):
        unroll(cube, butterfly, 0, cube.path_from_nodes([0, 1, 3]))
    with pytest.raises(InputError, match=r"dimensions \[0, 0\]"):
        unroll(cube, butterfly, 0, cube.path_from_nodes([0, 2, 0]))
    with pytest.raises(InputError, match=r"the path is at node \(0,1\)"):
        unroll(cube, butterfly, 1, cube.path_from_nodes([0, 2]))
    forward = benes.path_from_nodes([0, 1, 2])
    with pytest.raises(InputError, match=r"steps \[0, 1\] .* expected \[0, 1, 2, 3\], forward"):
        fold(benes, butterfly, forward)
    with pytest.raises(InputError, match=r"expected \[0, 1, 1, 0\], forward from an input and"):
        unfold(butterfly, benes, butterfly.path_from_nodes([0, 1, 2]))
    gap = (*butterfly.path_from_nodes([0, 1]), *butterfly.path_from_nodes([4, 5, 4, 3]))
    with pytest.raises(InputError, match="the path is at node"):
        unfold(butterfly, benes, gap)


def test_networks_that_do_not_correspond_are_refused() -> None:
    """Different dimensions, or no hypercube."""
    _, butterfly, benes = three(2)
    other: Any = make_network("hypercube:3")
    with pytest.raises(InputError, match="hypercube:3 and butterfly:2 do not correspond"):
        contract(butterfly, other, ())
    with pytest.raises(InputError, match="benes:2 and butterfly:3 do not correspond"):
        fold(benes, three(3)[1], ())
    torus: Any = make_network("torus:4x4")
    with pytest.raises(InputError, match="torus:4x4 is no hypercube"):
        unroll(torus, butterfly, 0, ())
