"""Matchings between orbits have the value of the whole, and their proofs hold on the whole."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import obroute
from obroute import matching
from obroute.certificates import check_certificate
from obroute.orbit_matching import Collapsed, holds
from obroute.product_matrix import ProductMatrix
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.routing.quadrant_worst_case import worst_case_of_quadrants
from obroute.specs import InputError

NETWORKS = ["torus:4x4", "torus:5x5", "torus:6x5", "torus:3x3x3", "mesh:5x4", "hypercube:4"]
ROUTINGS = ["romm", "romm:order=fixed", "dor", "dor:ties=positive", "valiant", "o1turn", "rlb"]


def cases() -> list[tuple[str, str]]:
    """Every routing on every network that it is defined on."""
    found = []
    for network in NETWORKS:
        made = obroute.make_network(network)
        for routing in [*ROUTINGS, "ival"]:
            try:
                obroute.make_routing(routing).check(made)
            except InputError:
                continue
            found.append((network, routing))
    return found


@pytest.mark.parametrize(("network", "routing"), cases())
def test_orbits_have_the_worst_case_of_the_whole(
    network: str, routing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a proposal and without one, on several channels, against the plain triplets."""
    monkeypatch.setattr(matching, "TERMINALS_COLLAPSED", 1)
    made = obroute.make_network(network)
    terminals = made.injection, made.ejection
    for channel in range(0, made.channel_count, max(1, made.channel_count // 3)):
        loads = obroute.make_routing(routing).pair_loads(made, channel)
        assert isinstance(loads, ProductMatrix)
        plain = loads.expanded
        expected = matching.worst_case(plain, *terminals, channel)
        unproposed = ProductMatrix(loads.terms, lambda plain=plain: plain)
        for matrix in (loads, unproposed):
            found = matching.worst_case(matrix, *terminals, channel)
            assert found.load == expected.load
            assert found.permutation is not None
            check_certificate(found, matrix, *terminals)
            check_certificate(found, plain, *terminals)


@pytest.mark.parametrize("network", ["torus:5x5", "torus:9x9", "torus:13x13"])
def test_the_closed_form_holds_on_every_kind_of_channel(network: str) -> None:
    """Either dimension, either direction, any tail."""
    made = obroute.make_network(network)
    for channel in (0, 7, made.channel_count // 2, made.channel_count - 1):
        loads = obroute.make_routing("romm").pair_loads(made, channel)
        proposal = worst_case_of_quadrants(made, channel)
        assert proposal is not None
        assert holds(proposal, loads)


def wrong(matrix: ProductMatrix, proposal: Any) -> list[Any]:
    """Proposals that are not proofs: one for each thing that is looked at."""
    u, v = proposal.source_potentials, proposal.destination_potentials
    lowered = u.plus(
        RationalArray(-np.eye(1, len(u), int(np.argmax(u.numerators))).astype(int)[0], 60)
    )
    raised = v.plus(RationalArray(np.eye(1, len(v), 3).astype(int)[0], 60))
    return [
        replace(proposal, permutation=np.roll(proposal.permutation, 1)),
        replace(proposal, permutation=np.zeros_like(proposal.permutation)),
        replace(proposal, source_potentials=lowered),
        replace(proposal, source_potentials=lowered, destination_potentials=raised),
        replace(proposal, source_potentials=u.take(slice(1, None))),
        replace(proposal, destination_potentials=v.scaled(Fraction(-1))),
    ]


def test_a_wrong_proposal_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found not to hold, and the worst case is searched for."""
    monkeypatch.setattr(matching, "TERMINALS_COLLAPSED", 1)
    made = obroute.make_network("torus:7x7")
    loads = obroute.make_routing("romm").pair_loads(made, 0)
    right = worst_case_of_quadrants(made, 0)
    expected = matching.worst_case(loads.expanded, made.injection, made.ejection).load
    for proposal in wrong(loads, right):
        assert not holds(proposal, loads)
        proposed = ProductMatrix(loads.terms, lambda: loads.expanded, lambda p=proposal: p)
        found = matching.worst_case(proposed, made.injection, made.ejection)
        assert found.load == expected
        check_certificate(found, loads, made.injection, made.ejection)


def test_weights_between_orbits_are_the_largest_of_their_pairs() -> None:
    """By hand: every two orbits against all the pairs between their members."""
    loads = obroute.make_routing("romm").pair_loads(obroute.make_network("torus:5x4"), 3)
    collapsed = Collapsed(loads)
    heaviest: dict[tuple[int, int], Fraction] = {}
    for place in range(loads.nonzeros):
        row, column = (collapsed.orbit[ends[place]] for ends in (loads.rows, loads.columns))
        value = loads.values.fraction(place)
        heaviest[row, column] = max(value, heaviest.get((row, column), Fraction(0)))
    matrix: SparseRationalMatrix = collapsed.matrix
    pairs = zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True)
    assert {pair: matrix.values.fraction(i) for i, pair in enumerate(pairs)} == heaviest
    assert np.bincount(collapsed.orbit).tolist() == collapsed.units.tolist()
