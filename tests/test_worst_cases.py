"""The worst case of a routing on a network, wherever it is asked for."""

from __future__ import annotations

from fractions import Fraction

import pytest

from obroute import InputError, evaluate, make_network, make_routing
from obroute.certificates import check_certificate
from obroute.convergence import converge
from obroute.loads import largest_load, loads_of
from obroute.packets.relations import traffic_named
from obroute.sampling import SampledRouting
from obroute.solved_channels import solve_channels
from obroute.worst_cases import worst_cases, worst_traffic

CASES = [
    ("torus:4x3", "romm"),
    ("mesh:3x3", "dor"),
    ("butterfly:2", "two_phase"),
    ("ring:6", "dor"),
]


@pytest.mark.parametrize(("network", "routing"), CASES)
def test_whoever_asks_gets_the_same_worst_case(network: str, routing: str) -> None:
    """An evaluation, the end of a series of estimates, and packets under the worst traffic."""
    made, chosen = make_network(network), make_routing(routing)
    found = worst_cases(made, chosen)
    assert evaluate(made, chosen).worst_case_load == found.load
    assert converge(made, chosen, [1]).exact == found.load
    assert largest_load(chosen, traffic_named(made, chosen, "worst_case"))[0] == found.load


@pytest.mark.parametrize(("network", "routing"), CASES)
def test_focus_channels_stand_for_all(network: str, routing: str) -> None:
    """Solving every channel finds what symmetry says that it has."""
    made, chosen = make_network(network), make_routing(routing)
    few, every = worst_cases(made, chosen), worst_cases(made, chosen, all_channels=True)
    assert len(every.channels) == made.channel_count
    assert sum(result.multiplicity for result in few.channels) == made.channel_count
    by_symmetry = [few.channels[place].normalized_load for place in few.focus.labels.tolist()]
    assert [result.normalized_load for result in every.channels] == by_symmetry


@pytest.mark.parametrize(("network", "routing"), CASES)
def test_a_worst_case_carries_its_proof_and_its_traffic(network: str, routing: str) -> None:
    """The certificate holds, and the traffic loads the channel as it says and no other more."""
    made, chosen = make_network(network), make_routing(routing)
    critical = worst_cases(made, chosen).critical
    assert critical.certified
    check_certificate(critical.worst, critical.pair_loads, made.injection, made.ejection)
    traffic = worst_traffic(made, critical.worst)
    assert traffic.fills_terminals
    loads = loads_of(chosen, traffic)
    assert loads.fraction(critical.worst.channel) == critical.worst.load
    assert largest_load(chosen, traffic)[0] == critical.normalized_load


def test_single_channels_are_solved_in_the_order_given() -> None:
    """Each over its own bandwidth, standing for itself alone."""
    made, chosen = make_network("mesh:3x2,bandwidth=1/2"), make_routing("dor")
    found = solve_channels(made, chosen, [5, 0, 2])
    assert [result.worst.channel for result in found] == [5, 0, 2]
    assert [result.normalized_load for result in found] == [2 * r.worst.load for r in found]
    assert {result.multiplicity for result in found} == {1}


def test_what_a_sample_of_paths_gives_is_not_certified() -> None:
    """Whatever was checked, it was of the sample; the orbits are those of the routing."""
    made, chosen = make_network("torus:4x4"), make_routing("romm")
    sampled = SampledRouting(chosen, 3, 0)
    found = worst_cases(made, chosen, estimated_by=sampled)
    assert not any(result.certified for result in found.channels)
    assert found.focus.labels.tolist() == worst_cases(made, chosen).focus.labels.tolist()
    assert found.load == evaluate(made, chosen, sampled_paths=3).worst_case_load
    assert found.load >= Fraction(3, 2)


def test_a_routing_that_is_not_defined_is_refused() -> None:
    """Before anything is solved."""
    with pytest.raises(InputError, match="dor is not defined on complete:4"):
        worst_cases(make_network("complete:4"), make_routing("dor"))
