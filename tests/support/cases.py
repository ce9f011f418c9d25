"""Small networks and routings for every shared test: each is made once a process.

A case is a network with a routing that is defined on it, both of the small ones that a registry
knows: a family that is registered takes part, and no table here is edited. Paths of all pairs,
designs and tables are dear; whoever asks for the same case again gets the same object.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import islice, product
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from tests.support.datasets import design_dataset

from obroute import Evaluation, InputError, Network, Routing, evaluate, make_network, make_routing
from obroute.design import design
from obroute.generators import Generator, Generators
from obroute.kinds.stores import write_store
from obroute.network import Path
from obroute.routing import path_distribution, routings
from obroute.topologies import networks

INPUTS = FilePath(__file__).parents[1] / "inputs"

FABRIC = "fabric"
"""Hosts of several units on switches, with parallel channels of several bandwidths, from files."""
LOPSIDED = "lopsided"
"""A digraph without symmetry: one-way channels of several bandwidths, two of them in parallel."""
GEM5 = "gem5"
"""Routers of a mesh, with weights, as gem5 has simulated them."""
FROM_FILES = {"table": ("table:paths", "table:flows"), "designed": ("designed:best",), "lft": ()}
"""What is read from files, which are written when they are asked for (:func:`routing_of`)."""
BY_PROGRAMS = {"opensm"}
"""What programs make that are installed or not, and take long: its tests are its own."""
COMBINATIONS = ("1/3*dor+2/3*ival", "1/4*ecmp+3/4*romm:order=fixed")

NETWORKS = tuple(spec for entry in networks for spec in entry.small)
ROUTINGS = tuple(
    spec
    for entry in routings
    if entry.name not in BY_PROGRAMS
    for spec in (*entry.small, *FROM_FILES.get(entry.name, ()))
)

FIRST = {entry.small[0] for entry in networks}
ALSO_QUICK = {"ring:2", "torus:4x3,bandwidth=2/3", FABRIC}
"""Networks on which every routing is tried in the quick tests; the others are slow."""
MOST_QUICK = 3
"""On how many families a routing is quick, of those where it is defined: others for each."""
LARGER = "torus:4x3,bandwidth=2/3"
"""As one without bandwidths, but for these: routings of few paths say enough."""
FEW_PATHS, MANY_PATHS = 6, 300
"""Paths of the farthest pair up to which a routing is quick there, and elsewhere."""
MOST_PATHS = 210_000
"""Paths of all pairs, if each had as many, up to which a case is tried at all."""
MOST_SOURCES_QUICK = 9
"""Sources of a network up to which a design is quick."""
MOST_SOURCES_IN_FILES, MOST_SOURCES_DESIGNED = 12, 18
"""Sources of a network up to which tables are written, and routings designed."""


# ------------------------------------------------------------------------------- which there are


@dataclass(frozen=True)
class Named:
    """A case by the names of its network and routing, as tests are parametrised by it."""

    network: str
    routing: str
    slow: bool

    def __str__(self) -> str:
        return f"{self.network}-{self.routing}"


@cache
def all_cases() -> tuple[Named, ...]:
    """Give every example of a routing on every example of a network where it is defined."""
    found = tuple(_all_cases())
    quick = {
        case
        for routing in dict.fromkeys(case.routing for case in found)
        for case in _spread([c for c in found if c.routing == routing and not c.slow])
    }
    return tuple(replace(case, slow=case not in quick) for case in found)


def _spread(cases: list[Named]) -> list[Named]:
    """Choose a few networks, others for each routing, and those on which all are tried."""
    families = [case for case in cases if case.network in FIRST]
    families.sort(key=lambda case: crc32(str(case).encode()))
    return families[:MOST_QUICK] + [case for case in cases if case.network not in FIRST]


def _all_cases() -> Iterator[Named]:
    for network, routing in product(NETWORKS, (*ROUTINGS, *COMBINATIONS)):
        sources = len(network_of(network).sources)
        if _is_from_file(routing):
            defined = sources <= MOST_SOURCES_IN_FILES
        else:
            small = not _designs(routing) or sources <= MOST_SOURCES_DESIGNED
            defined = small and is_defined(network, routing)
        if defined and _paths(network, routing) * _pairs(network) <= MOST_PATHS:
            yield Named(network, routing, _takes_long(network, routing))
    for routing in (*routings.find("ecmp").small, *(r for r in ROUTINGS if _is_from_file(r))):
        yield Named(FABRIC, routing, slow=False)
    for routing in ROUTINGS:
        if not _is_from_file(routing) and not any(is_defined(each, routing) for each in NETWORKS):
            yield Named(GEM5, routing, slow=False)


def _is_from_file(routing: str) -> bool:
    return routing.partition(":")[0] in FROM_FILES


def is_defined(network: str, routing: str) -> bool:
    """Say whether a routing is defined on a network."""
    try:
        _made(routing).check(network_of(network))
    except InputError:
        return False
    return True


def _takes_long(network: str, routing: str) -> bool:
    if network not in FIRST | ALSO_QUICK:
        return True
    if _designs(routing):
        return network not in FIRST or len(network_of(network).sources) > MOST_SOURCES_QUICK
    return _paths(network, routing) > (FEW_PATHS if network == LARGER else MANY_PATHS)


def _designs(routing: str) -> bool:
    return not _is_from_file(routing) and _made(routing).designs


@cache
def _made(routing: str) -> Routing:
    return make_routing(routing)


def _pairs(network: str) -> int:
    return len(network_of(network).sources) * len(network_of(network).destinations)


@cache
def _paths(network: str, routing: str) -> int:
    """Count the paths from the first source to the farthest destination, if that is cheap."""
    if _is_from_file(routing) or _designs(routing):
        return 1
    made = network_of(network)
    farthest = made.destinations[np.argmax(made.distances[0][made.destinations])]
    paths = _made(routing).paths(made, int(made.sources[0]), int(farthest))
    return sum(1 for _ in islice(paths, max(MANY_PATHS, MOST_PATHS // _pairs(network)) + 1))


@cache
def one_of_each() -> tuple[Named, ...]:
    """Give each routing once and each network once, for what depends on their classes alone.

    A routing comes with its first case that is no trivial network, quick where there is one.
    """
    by_size = sorted(
        all_cases(), key=lambda case: (case.slow, len(network_of(case.network).sources) < 5)
    )
    chosen = {case.routing: case for case in reversed(by_size)}
    networks = {case.network for case in chosen.values()}
    rest = {case.network: case for case in reversed(by_size) if case.network not in networks}
    return (*chosen.values(), *rest.values())


def parameters(cases: tuple[Named, ...] | list[Named]) -> list[Any]:
    """Give cases to pytest; long ones are marked slow."""
    return [
        pytest.param(case, id=str(case), marks=[pytest.mark.slow] if case.slow else [])
        for case in cases
    ]


# ---------------------------------------------------------------------------------- one of them


class Case:
    """A network, a routing, and the path distributions of all pairs, enumerated once."""

    def __init__(self, network: Network, routing: Routing) -> None:
        self.network, self.routing = network, routing
        self.pairs = list(product(network.sources.tolist(), network.destinations.tolist()))

    @cached_property
    def drawn(self) -> dict[tuple[int, int], list[tuple[Fraction, Path]]]:
        """What the routing yields for each pair."""
        return {pair: list(self.routing.paths(self.network, *pair)) for pair in self.pairs}

    @cached_property
    def distributions(self) -> dict[tuple[int, int], dict[Path, Fraction]]:
        """The probability of each path of each pair."""
        return {pair: added(paths) for pair, paths in self.drawn.items()}


def added(paths: list[tuple[Fraction, Path]]) -> dict[Path, Fraction]:
    """Add the probabilities of equal paths."""
    found: dict[Path, Fraction] = {}
    for probability, path in paths:
        found[path] = found.get(path, Fraction(0)) + probability
    return found


@cache
def case_of(network: str, routing: str) -> Case:
    """Make a case, each once: its paths and its design serve many tests."""
    return Case(network_of(network), routing_of(routing, network))


@cache
def network_of(name: str) -> Network:
    """Make a network, each once."""
    files = {
        FABRIC: f"{INPUTS}/fabric/net.csv:terminals={INPUTS}/fabric/hosts.csv",
        LOPSIDED: f"{INPUTS}/lopsided.csv",
        GEM5: f"{INPUTS.parents[1]}/examples/mesh.ini",
    }
    return make_network(files.get(name, name))


@cache
def routing_of(routing: str, network: str) -> Routing:
    """Make a routing, each once a network; tables and stored designs are written first."""
    file = folder() / re.sub("[^a-z0-9]", "-", f"{network}-{routing}")
    if routing == "designed:best":
        found = design(network_of(network), then="locality")
        write_store(design_dataset(found), file.with_suffix(".zarr"))
        return make_routing(f"designed:{file.with_suffix('.zarr')}")
    if routing.startswith("table:"):
        flows = routing == "table:flows"
        like = make_routing("ecmp:split=hops" if flows else "ecmp")
        file.with_suffix(".csv").write_text(table(network_of(network), like, flows), "utf-8")
        return make_routing(f"table:{file.with_suffix('.csv')}")
    return make_routing(routing)


def table(network: Network, routing: Routing, flows: bool) -> str:
    """Write a routing as a table of paths or of channel flows."""
    lines = ["source,destination," + ("tail,head,flow" if flows else "probability,path")]
    name = network.labels or [str(node) for node in range(network.node_count)]
    head = [
        name[network.head[c]] + ("" if network.port(c) is None else f"#{network.port(c)}")
        for c in range(network.channel_count)
    ]
    for source, destination in product(network.sources, network.destinations):
        found = path_distribution(routing, network, int(source), int(destination))
        ends = f"{name[source]},{name[destination]}"
        for path, probability in found.items():
            if flows:
                lines += [f"{ends},{name[network.tail[c]]},{head[c]},{probability}" for c in path]
            else:
                nodes = " ".join([name[source], *(head[c] for c in path)])
                lines.append(f"{ends},{probability},{nodes}")
    return "\n".join(lines) + "\n"


@cache
def evaluated(network: str, routing: str) -> Evaluation:
    """Evaluate a routing, each once: its worst case, uniform load and path length."""
    return evaluate(network_of(network), routing_of(routing, network))


@cache
def folder() -> FilePath:
    """Make a folder for what routings are read from; it goes when the process ends."""
    made = TemporaryDirectory(prefix="obroute-cases-")
    atexit.register(made.cleanup)
    return FilePath(made.name)


# ------------------------------------------------------------------------- a user's own routing


class Plain(Routing):
    """What a user writes: paths, and which of the network's automorphisms they respect."""

    name = "plain"

    def __init__(self, like: str, respects: Callable[[Generator], bool] = bool) -> None:
        super().__init__()
        self.like, self.respects, self.listed = make_routing(like), respects, 0

    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths of another routing, and count."""
        self.listed += 1
        yield from self.like.paths(network, source, destination)

    def symmetries(self, network: Network) -> Generators:
        """Return those of the other routing that are wanted."""
        found = self.like.symmetries(network)
        return {one: image for one, image in found.items() if self.respects(one)}


def translates(generator: Generator) -> bool:
    """Say whether a generator is a translation."""
    return generator.is_translation
