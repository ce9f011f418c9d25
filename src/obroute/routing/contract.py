"""What a routing is: one definition, and shortcuts that have to agree with it."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from threading import RLock
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from obroute.dependencies import Dependencies
from obroute.generators import Generators
from obroute.network import Network, Path
from obroute.presented import Presented
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.registry import Member
from obroute.routing.pair_orbits import CarriedLoads, loads_by_channel
from obroute.routing.rounded_loads import LoadsOfMatrices, RoundedLoads
from obroute.specs import InputError

Remembered = TypeVar("Remembered")
_REMEMBERING = RLock()
BYTES_A_LISTED_LOAD = 60
"""Of each load of a channel by a pair, where all are held."""
MOST_PATHS = 1_000_000
"""Paths of a pair that are listed."""


@dataclass(frozen=True, eq=False)
class PathBatch:
    """Many paths in one array: path i is ``channels[starts[i]:starts[i + 1]]``."""

    starts: IntArray
    channels: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def path(self, index: int) -> Path:
        """Return one path."""
        return tuple(self.channels[self.starts[index] : self.starts[index + 1]].tolist())

    @property
    def lengths(self) -> IntArray:
        """Hops of each path."""
        return np.diff(self.starts)

    @classmethod
    def of(cls, paths: Iterable[Path]) -> PathBatch:
        """Put paths into one batch.

        >>> PathBatch.of([(3, 4), (), (5,)]).starts.tolist()
        [0, 2, 2, 3]
        """
        listed = list(paths)
        lengths = [len(path) for path in listed]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        channels = np.fromiter(itertools.chain.from_iterable(listed), np.int32, int(starts[-1]))
        return cls(starts, channels)


@dataclass(frozen=True, eq=False)
class LanedPaths:
    """Paths with the virtual channel of each hop, in the order of the batch's channels."""

    batch: PathBatch
    lanes: NDArray[np.int32]


class Routing(Presented, Member, ABC):
    """An oblivious routing: a distribution over paths for every source and destination.

    :meth:`paths` is the definition, literal and slow. The other methods have defaults that follow
    from it; a family overrides them with closed forms, and the shared tests hold each override
    against the default.
    """

    @property
    def label(self) -> str:
        """What figures and tables call it; the name unless a family says otherwise."""
        return self.name

    designs: ClassVar[bool] = False
    """Whether it is designed for a network, when it is first used there or before."""

    takes_shortest_paths: bool = False
    """Whether every path of it is a shortest one, in hops."""

    has_one_path: ClassVar[bool] = False
    """Whether every pair has one path, which :meth:`sample_paths` gives."""

    respects_automorphisms: ClassVar[bool] = False
    """Whether it respects all automorphisms of any network that keep terminals and bandwidths."""

    made_anew: ClassVar[bool] = False
    """Whether programs make it for each network, anew after failures, whatever files it names."""

    has_factors: ClassVar[bool] = False
    """Whether pair loads are held as factors (:mod:`obroute.product_matrix`), never as a list."""

    defined_for: ClassVar[str] = "every network"
    """The networks that :meth:`check` accepts, in words."""

    def __init__(self) -> None:
        self._memory: WeakKeyDictionary[Network, dict[Any, Any]] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_memory"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _memory=WeakKeyDictionary())

    def remember(self, network: Network, what: Any, make: Callable[[], Remembered]) -> Remembered:
        """Return what was made for a network before, or make it; dropped with the network.

        One thread makes it while others wait. It does not travel with a pickled routing.
        """
        with _REMEMBERING:
            known = self._memory.setdefault(network, {})
            if what not in known:
                known[what] = make()
            found: Remembered = known[what]
            return found

    def components(self) -> Iterator[Routing]:
        """Yield the routings that it is made of, at any depth: itself, unless it combines some."""
        yield self

    def on(self, network: Network) -> Routing:
        """Return what it is on a network: itself, unless families bring their own way of it."""
        return self

    def network_for(self, network: Network) -> Network:
        """Return the network that it is asked about where a user names this one.

        Itself, unless the routing tells apart what the network counts as one.
        """
        return network

    def after_failures(self, whole: Network, channels: IntArray) -> Routing:
        """Return the routing that is made anew on what is left of a network.

        Itself, unless that rests on what the whole was.

        Parameters
        ----------
        whole, channels
            The network before something failed, and those of its channels that are left, in the
            order of what is left.
        """
        return self

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return the files and modules that it depends on, on a network or wherever it is used."""
        return super().depends_on()

    def check(self, network: Network) -> None:
        """Raise :class:`InputError` where the routing is not defined on the network."""
        return  # defined everywhere, unless a family says otherwise

    @abstractmethod
    def paths(
        self, network: Network, source: int, destination: int
    ) -> Iterator[tuple[Fraction, Path]]:
        """Yield the paths from a source node to a destination node with their probabilities.

        Probabilities are positive and sum to one; a path may come more than once.
        """

    def pair_loads(self, network: Network, channel: int) -> SparseRationalMatrix:
        """Return the exact pair loads of one channel, sources × destinations.

        The pair load of a channel for (s, d) is the expected number of packets that cross it per
        cycle when s sends one packet per cycle to d (technical report, section 2.2). Rows and
        columns follow ``network.sources`` and ``network.destinations``.

        The default finds the loads by one source of every orbit under :meth:`symmetries` and
        carries them to the others.
        """
        loads = self.remember(
            network,
            "all pairs",
            lambda: loads_by_channel(self, network, self.symmetries(network)),
        )
        return loads.pair_loads(channel)

    def pair_loads_of_each(
        self, network: Network, channels: Sequence[int]
    ) -> list[SparseRationalMatrix]:
        """Return what :meth:`pair_loads` does for each of many channels.

        A family overrides it where many together take less time.
        """
        return [self.pair_loads(network, channel) for channel in channels]

    def rounded_loads(self, network: Network) -> RoundedLoads:
        """Return the pair loads of all channels, rounded up, for bounds on their worst cases.

        The default rounds :meth:`pair_loads`.
        """
        return LoadsOfMatrices(
            network, partial(self.pair_loads, network), self.most_crossings(network)
        )

    def bytes_to_bound(self, network: Network, loads: float) -> float:
        """Return the bytes that :meth:`rounded_loads` hold, of so many loads that are not zero."""
        lists = type(self).pair_loads is Routing.pair_loads
        return loads * BYTES_A_LISTED_LOAD if lists else 0.0

    def channel_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return the exact loads of every channel by each of the given pairs, pairs × channels.

        ``sources`` and ``destinations`` are nodes, one of each a pair. The default lists the
        paths of one pair of every orbit under :meth:`symmetries`, each once, and carries their
        loads to the others.
        """

        def carry() -> CarriedLoads | None:
            symmetries = self.symmetries(network)
            return CarriedLoads(self, network, symmetries) if symmetries else None

        carried = self.remember(network, "canonical pairs", carry)
        if carried is None:
            return self.listed_loads(network, sources, destinations)
        return carried.channel_loads(self, network, sources, destinations)

    def listed_loads(
        self, network: Network, sources: NDArray[Any], destinations: NDArray[Any]
    ) -> SparseRationalMatrix:
        """Return what :meth:`channel_loads` does by the definition: the paths of each pair."""
        rows: list[int] = []
        columns: list[int] = []
        values: list[Fraction] = []
        for row, (source, destination) in enumerate(zip(sources, destinations, strict=True)):
            for probability, path in self.paths(network, int(source), int(destination)):
                rows.extend([row] * len(path))
                columns.extend(path)
                values.extend([probability] * len(path))
        return SparseRationalMatrix.from_triplets(
            np.array(rows, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            RationalArray.from_fractions(values),
            (len(sources), network.channel_count),
        )

    def symmetries(self, network: Network) -> Generators:
        """Return those generators of the network's automorphisms that the routing respects.

        An automorphism g is respected when the path distribution of (g s, g d) is the image of
        that of (s, d). A routing that respects transitive translations is *relative* (technical
        report, section 4.2).
        """
        return {}

    def most_crossings(self, network: Network) -> int:
        """Return a bound on how often one path crosses one channel.

        It is 1 for paths without loops; a routing whose paths may cross a channel again says so.
        Intervals of sampled estimates rest on it.
        """
        return 1

    def told_lanes(self, network: Network) -> LanedPaths | None:
        """Return its paths with their virtual channels where it tells them itself, else None.

        They are those of all pairs of two terminals, a path as often as it has virtual channels
        of its own.
        """
        return None

    def longest_path(self, network: Network) -> int | None:
        """Return a bound on the hops of every path, None where none is known.

        A bound makes the intervals of estimates from few sampled pairs narrower.
        """
        if not self.takes_shortest_paths:
            return None
        return int(network.distances[:, network.destinations].max())

    def mean_path_length(self, network: Network) -> Fraction:
        """Return the exact mean hops of paths under uniform traffic, self pairs included."""
        if self.takes_shortest_paths:
            return network.mean_shortest_path_length()
        weights = network.uniform_weight()
        loads = (
            self.pair_loads(network, channel).weighted_sum(*weights)
            for channel in range(network.channel_count)
        )
        return sum(loads, Fraction(0)) / network.total_injection

    def sample_path(
        self, network: Network, source: int, destination: int, generator: np.random.Generator
    ) -> Path:
        """Draw one path from the distribution."""
        distribution = list(self.paths(network, source, destination))
        weights = np.array([float(probability) for probability, _ in distribution])
        return distribution[generator.choice(len(weights), p=weights / weights.sum())][1]

    def sample_paths(
        self,
        network: Network,
        sources: NDArray[Any],
        destinations: NDArray[Any],
        generator: np.random.Generator,
    ) -> PathBatch:
        """Draw one path for each pair of nodes; families override it to draw millions."""
        return PathBatch.of(
            self.sample_path(network, source, destination, generator)
            for source, destination in zip(
                np.asarray(sources).tolist(), np.asarray(destinations).tolist(), strict=True
            )
        )

    def in_words(self) -> list[tuple[str, str]]:
        """Return what there is to say of it in words."""
        given = [(name.replace("_", " "), str(value)) for name, value in self.parameters.items()]
        return [*given, ("defined for", self.defined_for)]


def path_distribution(
    routing: Routing, network: Network, source: int, destination: int, most: int = MOST_PATHS
) -> dict[Path, Fraction]:
    """Return the distribution over paths, equal paths added, most probable first.

    Raises
    ------
    InputError
        If there are more paths than ``most``, as soon as so many are listed.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:4x4")
    >>> distribution = path_distribution(make_routing("dor"), torus, 0, 8)
    >>> [str(p) for p in distribution.values()]
    ['1/2', '1/2']
    """
    found: dict[Path, Fraction] = {}
    for probability, path in routing.paths(network, source, destination):
        found[path] = found.get(path, Fraction(0)) + probability
        if len(found) > most:
            raise InputError(
                f"{routing.name} has too many paths to list on {network.name}, from "
                f"{network.describe(source)} to {network.describe(destination)}; take a smaller "
                "network, or a routing of fewer paths"
            )
    total = sum(found.values(), Fraction(0))
    if total != 1:
        raise InputError(
            f"{routing.name}: the path probabilities from node {network.describe(source)} to node "
            f"{network.describe(destination)} sum to {total}; expected 1"
        )
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
