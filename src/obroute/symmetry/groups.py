"""The symmetry of a design problem: automorphisms and path reversal.

An element of the group acts on what a routing is made of, the flow of a pair (s, d) on a channel
c. An automorphism g sends (s, d, c) to (g s, g d, g c). Where channels come in opposite pairs,
taking every path backwards sends (s, d, c) to (d, s, c backwards): a *reversing* element. The
best routing may be averaged over the group, because every cost is convex (SPAA 2003, section 4),
so one flow variable serves an orbit of triples.

No reduction lists the group: orbits and stabilisers come from generators
(:mod:`obroute.symmetry.schreier`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.generators import Generator
from obroute.network import Network, Path
from obroute.rational import IntArray
from obroute.specs import InputError

MOST_ELEMENTS = 20_000
"""Elements of a group that are listed, where they are to be counted."""


@dataclass(frozen=True, eq=False)
class Element:
    """A map of nodes that keeps the network, or turns every channel around.

    Parameters
    ----------
    nodes
        Image of each node.
    channels
        Image of each channel; a reversing element sends a → b to a channel from b's image to
        a's image.
    reverses
        Whether it turns channels around.
    """

    nodes: IntArray
    channels: IntArray
    reverses: bool

    def then(self, other: Element) -> Element:
        """Return the element that does this one first, then ``other``."""
        return Element(
            other.nodes[self.nodes],
            other.channels[self.channels],
            self.reverses != other.reverses,
        )

    def inverse(self) -> Element:
        """Return the element that undoes this one."""
        return Element(_inverse(self.nodes), _inverse(self.channels), self.reverses)

    def carry(self, path: Path) -> Path:
        """Return the image of a path: backwards where the element turns channels around."""
        channels = self.channels[list(path)].tolist()
        return tuple(reversed(channels)) if self.reverses else tuple(channels)

    @property
    def key(self) -> bytes:
        """Equal for equal elements."""
        return self.nodes.tobytes() + bytes([self.reverses])


def identity(network: Network) -> Element:
    """Return the element that leaves everything where it is."""
    return Element(np.arange(network.node_count), np.arange(network.channel_count), False)


def _inverse(image: IntArray) -> IntArray:
    result = np.empty_like(image)
    result[image] = np.arange(len(image))
    return result


def preserving(network: Network, node_image: NDArray[Any]) -> Element:
    """Return the element of an automorphism given by the image of every node."""
    nodes = np.asarray(node_image, dtype=np.int64)
    return Element(nodes, network.channel_image(nodes), False)


def reversing(network: Network, node_image: NDArray[Any]) -> Element | None:
    """Return the reversing element of a map of nodes, None where the network does not allow it.

    It takes every channel a → b to one of the same bandwidth from b's image to a's image, and
    terminals to terminals whose ejection bandwidth is the injection bandwidth, and the other way
    round.
    """
    image = np.asarray(node_image, dtype=np.int64)
    forward = network.tail * network.node_count + network.head
    turned = image[network.head] * network.node_count + image[network.tail]
    order = np.argsort(forward, kind="stable")
    turned_order = np.argsort(turned, kind="stable")
    if not np.array_equal(forward[order], turned[turned_order]):
        return None
    channels = np.empty(network.channel_count, dtype=np.int64)
    channels[turned_order] = order
    bandwidth = network.bandwidth.numerators
    if not np.array_equal(bandwidth[channels], bandwidth):
        return None
    for nodes, amounts, index, others in (
        (network.sources, network.injection, network.destination_index, network.ejection),
        (network.destinations, network.ejection, network.source_index, network.injection),
    ):
        places = index[image[nodes]]
        if np.any(places < 0) or amounts.fractions() != others.take(places).fractions():
            return None
    return Element(image, channels, True)


@dataclass(frozen=True, eq=False)
class SymmetryGroup:
    """A group under which a design problem is reduced.

    Parameters
    ----------
    network
        The network it acts on.
    generators
        Elements that generate it.
    name
        Where it comes from: ``declared`` by the family, ``found``, ``translations``, ``none``.

    Examples
    --------
    >>> from obroute import make_network
    >>> group = declared_group(make_network("torus:4x4"))
    >>> group.name, any(element.reverses for element in group.generators)
    ('declared', True)
    """

    network: Network
    generators: tuple[Element, ...] = field(repr=False)
    name: str

    @cached_property
    def preserving_generators(self) -> tuple[Element, ...]:
        """Generators of the subgroup that turns no channel around (Schreier, index two)."""
        kept = [g for g in self.generators if not g.reverses]
        turning = [g for g in self.generators if g.reverses]
        if turning:
            first, back = turning[0], turning[0].inverse()
            kept += [back.then(g).then(first) for g in list(kept)]
            kept += [g.then(back) for g in turning] + [first.then(g) for g in turning]
        return _distinct(kept)

    def elements(self, most: int = MOST_ELEMENTS) -> list[Element] | None:
        """List the elements, the identity first; None if there are more than ``most``.

        >>> from obroute import make_network
        >>> len(declared_group(make_network("torus:4x4")).elements())
        256
        """
        reached = [identity(self.network)]
        known = {reached[0].key}
        for element in reached:
            for generator in self.generators:
                image = element.then(generator)
                if image.key not in known:
                    known.add(image.key)
                    reached.append(image)
            if len(reached) > most:
                return None
        return reached

    @cached_property
    def reversal(self) -> Element | None:
        """A reversing element, if the group has one."""
        return next((g for g in self.generators if g.reverses), None)


def _distinct(elements: Sequence[Element]) -> tuple[Element, ...]:
    known: dict[bytes, Element] = {}
    for element in elements:
        if element.reverses or not np.array_equal(element.nodes, np.arange(len(element.nodes))):
            known.setdefault(element.key, element)
    return tuple(known.values())


def declared_group(
    network: Network, *, only: Callable[[Generator], bool] | None = None
) -> SymmetryGroup:
    """Return the group of the automorphisms that the family declares, and path reversal.

    ``only`` selects generators.
    """
    images = [
        image
        for generator, image in network.automorphisms().items()
        if only is None or only(generator)
    ]
    return group_of(network, images, "declared")


def group_of(network: Network, images: Iterable[NDArray[Any]], name: str) -> SymmetryGroup:
    """Return the group that images of the nodes generate, with path reversal where allowed."""
    elements = [preserving(network, image) for image in images]
    turned = reversing(network, np.arange(network.node_count))
    if turned is not None:
        elements.append(turned)
    return SymmetryGroup(network, _distinct(elements), name)


def trivial_group(network: Network) -> SymmetryGroup:
    """Return the group of the identity alone: the problem as it is written."""
    return SymmetryGroup(network, (), "none")


def translations_group(network: Network, reverse: bool = False) -> SymmetryGroup:
    """Return the group of the translations that the family declares, without path reversal."""
    group = declared_group(network, only=lambda generator: generator.is_translation)
    kept = tuple(g for g in group.generators if reverse or not g.reverses)
    return SymmetryGroup(network, kept, "translations+reversal" if reverse else "translations")


def can_find() -> bool:
    """Say whether the library is installed that finds automorphisms."""
    return importlib.util.find_spec("igraph") is not None


def found_group(network: Network) -> SymmetryGroup:
    """Return the full group of automorphisms, found by the graph library ``igraph``.

    The library works on undirected graphs: each channel becomes two nodes in a row, out and in,
    coloured by bandwidth, and terminals are coloured by what they inject and eject.

    Raises
    ------
    InputError
        If ``igraph`` is not installed.
    """
    try:
        import igraph
    except ImportError:
        raise InputError(
            "finding automorphisms needs igraph, which is not installed; install "
            "obroute[automorphisms], or use the symmetry that the network declares"
        ) from None
    nodes, channels = network.node_count, network.channel_count
    numbers: dict[Any, int] = {}
    injected = [network.injection.fraction(i) if i >= 0 else None for i in network.source_index]
    ejected = [network.ejection.fraction(i) if i >= 0 else None for i in network.destination_index]
    colours = [
        numbers.setdefault(("node", *amounts), len(numbers))
        for amounts in zip(injected, ejected, strict=True)
    ]
    for end in ("out", "in"):
        colours += [
            numbers.setdefault((end, int(b)), len(numbers)) for b in network.bandwidth.numerators
        ]
    out = nodes + np.arange(channels)
    inward = out + channels
    edges = np.concatenate(
        [
            np.stack([network.tail, out], axis=1),
            np.stack([out, inward], axis=1),
            np.stack([inward, network.head], axis=1),
        ]
    )
    graph = igraph.Graph(n=nodes + 2 * channels, edges=edges.tolist())
    images = graph.automorphism_group(color=colours)
    return group_of(network, [np.array(image[:nodes]) for image in images], "found")
