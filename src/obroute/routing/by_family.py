"""One routing by several ways: a name such as ``minimal`` of which families bring their own way.

The name is registered once, by a subclass of :class:`ByFamily` that takes every parameter that
one of the ways takes. A way is a routing of its own, beside the others of its family::

    @Minimal.way_of(Dragonfly, "dragonfly")
    class MinimalOfGroups(Routing): ...

Which way a network has is looked up by its class, then by those that it is made of, so that a
way of :class:`~obroute.network.Network` is what holds for every other network. A way that does
not take a parameter is passed over where one is given; one whose parameter has no default is
taken only there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from obroute.dependencies import Dependencies
from obroute.network import Network
from obroute.registry import is_again
from obroute.routing.contract import Routing
from obroute.routing.delegated import Delegated
from obroute.routing.registry import routings
from obroute.specs import InputError

Maker = TypeVar("Maker", bound=Callable[..., Routing])


@dataclass(frozen=True)
class Way:
    """One way of a routing: what makes it, and the families that it is for.

    Parameters
    ----------
    make
        The class or function that makes it of the parameters that it names.
    families
        Names of the families; of a way of every network, what that has to have, if anything.
    taken, required
        The parameters that it names, and those of them without a default.
    """

    make: Callable[..., Routing]
    families: tuple[str, ...]
    taken: frozenset[str]
    required: frozenset[str]

    def takes(self, given: frozenset[str]) -> bool:
        """Say whether it is a way of a member with these parameters other than defaults."""
        return self.required <= given <= self.taken


class ByFamily(Delegated):
    """A routing that is registered once, and is on each network what the network's family says.

    What it is on a network, :meth:`on`, is the way that it has there.

    >>> from obroute import make_network, make_routing
    >>> dor = make_routing("dor")
    >>> type(dor.on(make_network("torus:3x3"))).__name__
    'DimensionOrderOfGrids'
    >>> dor.on(make_network("complete:4"))
    Traceback (most recent call last):
    obroute.specs.InputError: routing dor is not defined on complete:4; it is defined for ...
    """

    ways: ClassVar[dict[type[Network], list[Way]]] = {}
    """The ways of the routing by class of network, in the order in which they are tried."""
    _ways_are_here: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.ways, cls._ways_are_here = {}, False

    @classmethod
    def way_of(cls, networks: type[Network], *families: str) -> Callable[[Maker], Maker]:
        """Register the decorated class or function as the way that it is on some networks.

        Parameters
        ----------
        networks
            The class of the networks.
        families
            The families whose members are of the class, for messages; of every network, nothing
            or what it has to have.
        """

        def decorate(make: Maker) -> Maker:
            parameters = inspect.signature(make).parameters
            required = (n for n, p in parameters.items() if p.default is inspect.Parameter.empty)
            way = Way(make, families, frozenset(parameters), frozenset(required))
            others = [one for one in cls.ways.get(networks, []) if not is_again(one.make, make)]
            cls.ways[networks] = [*others, way]
            return make

        return decorate

    @classmethod
    def families(cls, given: frozenset[str] | None = None) -> str:
        """Return where it is defined, in words: with these parameters, or with any.

        >>> from obroute.routing.dimension_order import DimensionOrder
        >>> DimensionOrder.families().startswith("torus, mesh, ring")
        True
        """
        ways = [
            (networks, way)
            for networks, several in cls.ways.items()
            for way in several
            if given is None or way.takes(given)
        ]
        for networks, way in ways:
            if networks is Network:
                return " ".join(("every network", *way.families))
        names = dict.fromkeys(family for _, way in ways for family in way.families)
        return f"{_joined(list(names))} networks" if names else "no network"

    @property
    def given(self) -> frozenset[str]:
        """The parameters whose values are not their defaults."""
        signature = inspect.signature(type(self)).parameters
        return frozenset(
            name for name, value in self.parameters.items() if value != signature[name].default
        )

    @property
    def defined_for(self) -> str:  # type: ignore[override]  # it depends on the parameters
        """The networks on which it has a way, in words."""
        self._import_ways()
        return self.families(self.given)

    @classmethod
    def _import_ways(cls) -> None:
        """Import the modules that bring ways: those that name the class and what registers one."""
        if not cls._ways_are_here:
            name, registers = cls.__name__, cls.way_of.__name__
            routings.import_those(lambda source: name in source and registers in source)
            cls._ways_are_here = True

    @classmethod
    def _all_ways(cls) -> list[Way]:
        cls._import_ways()
        return [way for several in cls.ways.values() for way in several]

    def _way(self, network: Network) -> Way | None:
        self._import_ways()
        given = self.given
        return next(
            (
                way
                for networks in type(network).__mro__
                for way in self.ways.get(networks, ())
                if way.takes(given)
            ),
            None,
        )

    def make(self, network: Network) -> Routing:
        """Return the way that it is on a network, by the same name.

        Raises
        ------
        InputError
            If there is none.
        """
        way = self._way(network)
        if way is None and not any(one.takes(self.given) for one in self._all_ways()):
            raise InputError(
                f"routing {self.name} is not defined on {network.name} or any network: "
                f"{_joined(sorted(self.given))} do not go together; leave one out"
            )
        if way is None:
            raise InputError(
                f"routing {self.name} is not defined on {network.name}; it is defined for "
                f"{self.defined_for} (ecmp and tables work on every network)"
            )
        made = self._made(way).on(network)
        made.named(self.name, self.family, self.parameters, way.make.__module__)
        return made

    def _made(self, way: Way) -> Routing:
        return way.make(**{k: v for k, v in self.parameters.items() if k in way.taken})

    def depends_on(self, network: Network | None = None) -> Dependencies:
        """Return what it depends on: on a network, on its way there alone; else on all ways."""
        own = super().depends_on()
        if network is not None:
            return own | self.on(network).depends_on(network)
        ways = [way for way in self._all_ways() if way.takes(self.given)]
        modules = Dependencies(modules=tuple(way.make.__module__ for way in ways))
        return Dependencies.union((own, modules, *(self._made(way).depends_on() for way in ways)))

    def check(self, network: Network) -> None:
        """Raise where it has no way, or where its way is not defined."""
        self.on(network).check(network)


def _joined(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
