"""Is a routing free of deadlock with so many virtual channels? A proof, or a cycle."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from obroute.deadlock.dependencies import DependencyGraph, VirtualChannel, dependencies
from obroute.deadlock.paths import PathSet
from obroute.deadlock.schemes import Assignment, Scheme, schemes
from obroute.network import Network
from obroute.presented import Presented
from obroute.rational import IntArray
from obroute.routing import Routing
from obroute.specs import InputError

TRIED = ("single", "dateline", "phases", "found")
"""The schemes that are tried in turn where none is named."""
TOLD = "told by the routing"
"""The scheme of a routing that tells the virtual channels of its paths itself."""


@dataclass(frozen=True, eq=False)
class Verdict(Presented):
    """What was proved of a set of paths with a number of virtual channels.

    Parameters
    ----------
    assignment
        The paths with the virtual channel of each hop, within those available.
    scheme
        The scheme's name.
    virtual_channels
        How many were available to each channel.
    virtual_channels_needed
        With how many the scheme is free of deadlock; None if with none.
    graph
        The dependencies of the assignment.
    numbering
        The proof: channels × virtual channels, rising along each dependency. None beside a cycle.
    cycle
        A shortest cycle; empty beside a proof.
    """

    assignment: Assignment
    scheme: str
    virtual_channels: int
    virtual_channels_needed: int | None
    graph: DependencyGraph
    numbering: IntArray | None
    cycle: list[VirtualChannel]

    @property
    def deadlock_free(self) -> bool:
        """Whether it was proved."""
        return self.numbering is not None

    @property
    def name(self) -> str:
        """Of what it was proved."""
        paths = self.assignment.paths
        return f"{paths.name} on {paths.network.name}"

    def in_words(self) -> list[tuple[str, str]]:
        """Return what there is to say of it in words."""
        needed = self.virtual_channels_needed
        found = "free of deadlock: proved"
        if not self.deadlock_free:
            found = f"not proved free of deadlock: a cycle of {len(self.cycle)}"
        return [
            ("is", found),
            ("virtual channels", str(self.virtual_channels)),
            ("scheme", self.scheme),
            ("dependencies", f"{len(self.graph)}"),
            ("free of deadlock with", "no number" if needed is None else f"{needed} or more"),
        ]


def check_deadlock(
    network: Network,
    routing: Routing | PathSet,
    virtual_channels: int | None = None,
    scheme: str | Scheme | None = None,
) -> Verdict:
    """Prove that a routing is free of deadlock with so many virtual channels, or show a cycle.

    Where a scheme would take more, packets stay on the last virtual channel, and that is judged.
    A cycle speaks of the scheme: another may need fewer virtual channels.

    A routing that tells the virtual channels of its paths itself, such as the tables of a fabric
    with their lanes, is judged on those unless a scheme is named.

    Parameters
    ----------
    network
        The network.
    routing
        A routing, or a set of paths.
    virtual_channels
        How many each channel has; 1 if not given, or as many as the routing itself tells.
    scheme
        The scheme; where none is given, the first of ``single``, ``dateline``, ``phases`` and
        ``found`` that can be used here and proves it, else the last that can be used.

    Raises
    ------
    InputError
        If there is no virtual channel, or the routing or scheme is not defined on the network.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:5x5")
    >>> verdict = check_deadlock(torus, make_routing("ival"), 4)
    >>> verdict.scheme, verdict.virtual_channels_needed, len(verdict.graph)
    ('phases', 4, 470)
    >>> verdict = check_deadlock(torus, make_routing("ival"), 2, "phases")
    >>> verdict.deadlock_free, verdict.virtual_channels_needed, len(verdict.cycle)
    (False, 4, 5)
    """
    if scheme is None and isinstance(routing, Routing):
        told = check_told_lanes(network, routing)
        if told is not None:
            if virtual_channels is not None:
                raise InputError(
                    f"{virtual_channels} virtual channels are given, and {routing.name} tells "
                    "those of its paths itself; leave the number out, or name a scheme"
                )
            return told
    virtual_channels = 1 if virtual_channels is None else virtual_channels
    if virtual_channels < 1:
        raise InputError(
            f"{virtual_channels} virtual channels; a packet needs one: give 1 or more"
        )
    paths = PathSet.of_routing(network, routing) if isinstance(routing, Routing) else routing
    if scheme is not None:
        made = schemes.create(scheme) if isinstance(scheme, str) else scheme
        return _judge(made, paths, virtual_channels)
    verdict: Verdict | None = None
    for name in TRIED:
        with suppress(InputError):  # not defined here, or too many paths to search
            verdict = _judge(schemes.create(name), paths, virtual_channels)
            if verdict.deadlock_free:
                break
    assert verdict is not None
    return verdict


def check_told_lanes(network: Network, routing: Routing) -> Verdict | None:
    """Prove that a routing is free of deadlock on the virtual channels that it tells itself.

    Returns
    -------
    Verdict | None
        With a proof or a shortest cycle; None where the routing tells none.

    Raises
    ------
    InputError
        If the routing is not defined on the network, or what it tells of lanes is not whole.
    """
    routing.check(network)
    told = routing.told_lanes(network)
    if told is None:
        return None
    paths = PathSet.of_batch(network, told.batch, routing.name)
    assignment = Assignment(paths, listed=[told.lanes])
    graph = dependencies(assignment)
    numbering = graph.numbering()
    used = graph.virtual_channels
    free = numbering is not None
    cycle = [] if free else graph.cycle()
    return Verdict(assignment, TOLD, used, used if free else None, graph, numbering, cycle)


def _judge(scheme: Scheme, paths: PathSet, most: int) -> Verdict:
    full = scheme.assign(paths)
    graph = dependencies(full)
    numbering = graph.numbering()
    needed = None if numbering is None else graph.virtual_channels
    assignment = full
    if graph.virtual_channels > most:
        assignment = full.within(most)
        graph = dependencies(assignment)
        numbering = graph.numbering()
        needed = needed if numbering is None else graph.virtual_channels
    cycle = graph.cycle() if numbering is None else []
    return Verdict(assignment, scheme.name, most, needed, graph, numbering, cycle)
