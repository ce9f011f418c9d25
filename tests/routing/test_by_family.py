"""A routing that is registered once, and of which families bring their own ways."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

import pytest

from obroute import InputError, evaluate, make_network, make_routing
from obroute.dependencies import sources
from obroute.network import Network, Path
from obroute.registry import Registry
from obroute.routing import Routing
from obroute.routing.by_family import ByFamily
from obroute.routing.combination import Combination
from obroute.specs import Parameter
from obroute.topologies.complete import Complete
from obroute.topologies.grid import Grid, Hypercube

Word = Annotated[str, Parameter("a word", str)]
toys: Registry[Routing] = Registry("routing")


@toys.register(
    "toy",
    "a routing of several ways",
    defined_for=lambda: Toy.families(),  # noqa: PLW0108  # no class yet
)
class Toy(ByFamily):
    """Two words, of which each way takes some."""

    def __init__(self, one: Word = "a", other: Word = "b") -> None:
        super().__init__()


class ToyWay(Routing):
    """Any path."""

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield no path: only which way is taken is asked."""
        yield Fraction(1), ()


@Toy.way_of(Grid, "torus", "mesh")
class OfGrids(ToyWay):
    """Takes one word."""

    def __init__(self, one: str = "a") -> None:
        super().__init__()


@Toy.way_of(Hypercube, "hypercube")
class OfHypercubes(ToyWay):
    """Is taken only where the other word is given."""

    def __init__(self, other: str) -> None:
        super().__init__()


@Toy.way_of(Complete, "complete")
class OfComplete(ToyWay):
    """Takes none."""


@pytest.mark.parametrize(
    ("spec", "network", "way"),
    [
        ("toy", "torus:3x3", OfGrids),
        ("toy:one=c", "torus:3x3", OfGrids),
        ("toy", "hypercube:3", OfGrids),
        ("toy:other=c", "hypercube:3", OfHypercubes),
        ("toy", "complete:4", OfComplete),
    ],
)
def test_a_network_has_the_way_of_its_class_that_takes_what_is_given(
    spec: str, network: str, way: type[Routing]
) -> None:
    """Or else of a class that its own is made of; it goes by the name of the routing."""
    made = make_network(network)
    found = toys.create(spec).on(made)
    assert type(found) is way
    assert found.name == spec
    assert toys.create(spec).on(made) is not found
    again = pickle.loads(pickle.dumps(toys.create(spec)))
    assert type(again.on(made)) is way


@pytest.mark.parametrize(
    ("spec", "network", "where"),
    [
        ("toy", "benes:2", "torus, mesh and complete networks"),
        ("toy:one=c", "complete:4", "torus and mesh networks"),
        ("toy:other=c", "torus:3x3", "hypercube networks"),
    ],
)
def test_where_no_way_takes_what_is_given_the_error_says_which_networks_have_one(
    spec: str, network: str, where: str
) -> None:
    """From what is registered; as a listing has it, where nothing is given."""
    toy = toys.create(spec)
    with pytest.raises(InputError) as caught:
        toy.check(make_network(network))
    message = f"routing {spec} is not defined on {network}; it is defined for {where} ("
    assert str(caught.value).startswith(message)
    assert toy.defined_for == where
    assert toys.find("toy").defined_for == "torus, mesh, hypercube and complete networks"


def test_a_way_of_every_network_holds_where_a_family_has_none() -> None:
    """Minimal routing is all shortest paths there, with the same loads."""
    minimal = make_routing("minimal")
    assert minimal.defined_for == "every network"
    for network in ("mesh:3x2", "complete:4"):
        ours, theirs = evaluate(network, minimal), evaluate(network, "ecmp")
        assert ours.worst_case_load == theirs.worst_case_load
        assert ours.mean_path_length == theirs.mean_path_length


def test_a_routing_depends_on_the_way_that_it_takes_and_on_no_other() -> None:
    """Also in a combination; where no network is said, on all of them."""
    torus, complete = make_network("torus:3x3"), make_network("complete:4")
    valiant = make_routing("valiant")
    assert "obroute.routing.two_phase" in valiant.depends_on(torus).modules
    assert "obroute.routing.two_phase" not in valiant.depends_on(complete).modules
    assert {*valiant.depends_on(torus).modules, *valiant.depends_on(complete).modules} <= {
        *valiant.depends_on().modules
    }
    assert "routing/through_terminals.py" not in sources(valiant.depends_on(torus).modules)
    both = Combination([(Fraction(1, 2), valiant), (Fraction(1, 2), make_routing("ecmp"))])
    assert "obroute.routing.two_phase" in both.depends_on(torus).modules
    assert "obroute.routing.two_phase" not in both.depends_on(complete).modules
    assert both.on(torus).name == both.name
