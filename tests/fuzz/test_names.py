"""Names of whatever is registered: refused, or made, and then the same by its own name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.fuzz import drawn
from tests.fuzz.answers import check_evaluation
from tests.fuzz.explore import EXTENTS, explore
from tests.support.exact import Answers
from tests.support.rule import limits, run

from obroute import InputError, Network, Routing, make_network
from obroute.kinds.registry import experiments
from obroute.registry import Entry, Member, Registry
from obroute.topologies import networks

REGISTRIES = [registry for registry in drawn.registries() if registry is not experiments]
"""Kinds of experiments are no names of things: their commands are drawn in test_commands.py."""
ENTRIES = [
    pytest.param(registry, entry, id=f"{registry.kind}-{entry.name}".replace(" ", "-"))
    for registry in REGISTRIES
    for entry in registry
]


def test_every_kind_of_name_takes_part() -> None:
    """Networks, file formats, routings and patterns, at the least."""
    kinds = {registry.kind for registry in REGISTRIES}
    assert kinds >= {"network", "file format", "routing", "pattern"}


@pytest.mark.parametrize("times", EXTENTS)
@pytest.mark.parametrize(("registry", "entry"), ENTRIES)
def test_a_name_is_refused_or_makes_what_it_names(
    registry: Registry[Any], entry: Entry[Any], times: int
) -> None:
    """In bounded time and memory."""

    def check(name: str) -> None:
        with limits():
            try:
                made = registry.create(name)
            except InputError:
                return
        assert isinstance(made, Member)
        again = registry.create(made.name)
        assert again.name == made.name
        for parameter in entry.parameters:
            if parameter.matters is None or parameter.matters(made.parameters):
                name_of = parameter.name
                assert again.parameters.get(name_of) == made.parameters.get(name_of)
        if isinstance(made, Routing):
            _check_paths(made)

    explore(check, 25 * times, name=drawn.names(entry))


def _check_paths(routing: Routing) -> None:
    """Hold the paths of a routing to what paths are, on the first small network that has it.

    Not of what is known when it is made: designs, and tables of programs, which may lose hosts.
    """
    if routing.designs or routing.made_anew:
        return
    for network in _small_networks():
        try:
            routing.check(network)
        except InputError:
            continue
        Answers.of(network, routing).check_paths()
        return


def _small_networks() -> list[Network]:
    return [make_network(entry.small[0]) for entry in networks]


@pytest.mark.parametrize("times", EXTENTS)
def test_a_network_is_refused_or_evaluated_rightly(times: int, tmp_path: Path) -> None:
    """On the command line, which says in one line what is wrong."""

    def check(name: str) -> None:
        try:
            network = networks.create(name)
        except InputError:
            assert run(tmp_path, "evaluate", "--json", "--", name, "ecmp").status == 2
            return
        if network.node_count <= 8:
            check_evaluation(tmp_path, name, "ecmp")

    explore(check, 60 * times, name=st.sampled_from(list(networks)).flatmap(drawn.names))
