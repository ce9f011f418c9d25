"""Routings of a network evaluated alike and ranked, beside the best that there can be."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from obroute.deadlock import Verdict, check_told_lanes
from obroute.deployment import Restriction, deploy
from obroute.failures import remains_of
from obroute.importers import make_network
from obroute.league.standings import Standing, ranked, standing
from obroute.network import Network
from obroute.opensm import ENGINES, FABRIC, check_installed
from obroute.opensm.named import EngineTable
from obroute.presented import Answer
from obroute.rational import IntArray
from obroute.routing import Routing, routings
from obroute.routing.on_hosts import on_hosts
from obroute.specs import InputError, split_outside
from obroute.tasks import TaskRunner, run_serially
from obroute.throughput import Evaluation, evaluate


@dataclass(frozen=True, eq=False)
class League(Answer):
    """Routings on a network, ranked by what they guarantee.

    Parameters
    ----------
    network
        The network that was asked about.
    ranked_on
        What the routings are evaluated on: the network, less the cables that failed; with hosts
        of their own as nodes where an engine of OpenSM is compared and its nodes have several.
    asked
        The names of the routings that were asked for; none for the engines of OpenSM.
    without
        Cables that have failed, as they were asked for.
    permutations, seed
        Random permutations that were asked for.
    standings
        The best first.
    evaluations
        Of each routing, by its name: its worst traffic, critical channel, certificates.
    refused
        What could not be evaluated, with the reason.
    best
        The least worst-case load of all routings (packets per cycle over channel bandwidth); None
        where none was asked for, or it is not proved.
    best_table
        In which interval the least worst-case load of all tables of one next hop for each node and
        destination is, both ends proved; None where it was not asked for.
    lanes
        Whether OpenSM was asked for the service level of every pair.
    """

    network: Network
    ranked_on: Network
    asked: tuple[str, ...]
    without: tuple[str, ...]
    permutations: int
    seed: int
    standings: list[Standing]
    evaluations: dict[str, Evaluation] = field(repr=False)
    refused: dict[str, str]
    best: Fraction | None
    best_table: tuple[Fraction, Fraction] | None
    lanes: bool = False

    @property
    def name(self) -> str:
        """What the routings are compared on."""
        failed = ", ".join(" – ".join(ends_of(cable)) for cable in self.without)
        return f"{self.network.name} without {failed}" if failed else self.network.name

    def of_best_table(self, one: Standing) -> tuple[Fraction, Fraction] | None:
        """Return between what its guarantee over that of the best table is."""
        if self.best_table is None or not one.load:
            return None
        lower, upper = self.best_table
        return lower / one.load, upper / one.load


def engines_of() -> list[Routing]:
    """Return the tables of every engine of OpenSM."""
    return [routings.create(f"opensm:{engine}") for engine in ENGINES]


def made_of(names: Iterable[str | Path | Routing]) -> tuple[list[Routing], dict[str, str]]:
    """Return routings, and what of the names makes none, with the reason."""
    found, refused = [], {}
    for one in names:
        try:
            found.append(one if isinstance(one, Routing) else routings.create(str(one)))
        except InputError as error:
            refused[str(one)] = str(error)
    return found, refused


def ends_of(cable: str) -> tuple[str, str]:
    """Return the ends of a cable by its name.

    >>> ends_of("leaf0, spine1"), ends_of("(0,0),(0,1)")
    (('leaf0', 'spine1'), ('(0,0)', '(0,1)'))
    """
    ends = [end.strip() for end in split_outside(cable, ",")]
    if len(ends) != 2 or not all(ends):
        raise InputError(f"{cable}: expected the two ends of a cable, such as leaf0,spine1")
    return ends[0], ends[1]


def compared(
    network: Network,
    chosen: Sequence[Routing],
    *,
    refused: dict[str, str] | None = None,
    without: Sequence[str] = (),
    permutations: int = 0,
    seed: int = 0,
    best: bool = False,
    lanes: bool = False,
    run: TaskRunner = run_serially,
) -> League:
    """Rank routings by what they guarantee.

    Parameters
    ----------
    network
        The network.
    chosen
        The routings; the engines of OpenSM where there are none.
    refused
        Names that make no routing, with the reason.
    without
        Cables that have failed, each by the names of its ends: ``A,B``.
    permutations, seed
        Random permutations that the mean throughput is taken of.
    best
        Find the best routing and the best table, too.
    lanes
        Ask OpenSM for the service level of every pair, and judge the lanes of its tables.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If OpenSM is needed and not there, or nothing can be evaluated.
    """
    not_ranked = dict(refused or {})
    asked = (*(routing.name for routing in chosen), *not_ranked)
    if any(routing.made_anew for routing in chosen) or not asked:
        check_installed()
    whole = network
    for routing in chosen if asked else engines_of():
        whole = routing.network_for(whole)
    left, channels = _left(whole, without) if without else (whole, None)
    drawn = permutations if left.has_unit_terminals else 0
    evaluations: dict[str, Evaluation] = {}
    told: dict[str, Verdict | None] = {}
    for routing in chosen if asked else engines_of():
        here = routing.with_lanes() if lanes and isinstance(routing, EngineTable) else routing
        if channels is not None:
            here = here.after_failures(whole, channels)
        here = on_hosts(here, left)
        try:
            here.check(left)
            here.on(left)  # made here, so that all tasks have the same table
            found = evaluate(left, here, average_case_samples=drawn, seed=seed, run=run)
            if lanes and isinstance(here, EngineTable):
                told[routing.name] = _lanes_of(left, here)
            else:
                told[routing.name] = check_told_lanes(left, here)
        except InputError as error:
            not_ranked[routing.name] = str(error)
            continue
        evaluations[routing.name] = found
    if not evaluations:
        why = "; ".join(f"{name}: {why}" for name, why in not_ranked.items())
        raise InputError(f"nothing to compare on {left.name}: {why}")
    least = best_table = None
    if best:
        table = deploy(left, Restriction("destination"), seed=seed)
        best_table = table.lower, table.load
        if table.oblivious is not None and table.oblivious.exact:
            least = table.oblivious.lower
    standings = [
        replace(standing(found, least, told[name]), routing=name)
        for name, found in evaluations.items()
    ]
    return League(
        network,
        left,
        asked,
        tuple(without),
        permutations,
        seed,
        ranked(standings),
        evaluations,
        not_ranked,
        least,
        best_table,
        lanes,
    )


def _lanes_of(left: Network, routing: EngineTable) -> Verdict | None:
    """Return what is proved of the lanes that OpenSM tells by an engine, on the fabric's hosts."""
    with tempfile.TemporaryDirectory(prefix="lanes") as folder:
        table = routing.dumped(left).write(Path(folder), routing.engine)
        fabric = make_network(str(Path(folder) / FABRIC))
        return check_told_lanes(fabric, routings.create(table))


def _left(network: Network, cables: Sequence[str]) -> tuple[Network, IntArray]:
    """Return what is left of a network without cables, and the channels of it that it has."""
    failed = np.zeros(network.channel_count, dtype=bool)
    named = [ends_of(cable) for cable in cables]
    for first, second in named:
        ends = network.node_named(first), network.node_named(second)
        cable = np.isin(network.tail, ends) & np.isin(network.head, ends)
        if not cable.any():
            raise InputError(f"{network.name} has no cable between {first} and {second}")
        failed |= cable
    left = remains_of(network, failed)
    if len(left.networks) != 1 or left.cut(network).any():
        cut = " and ".join(f"{first},{second}" for first, second in named)
        raise InputError(f"{network.name} without {cut} is in parts; expected one")
    name = f"{network.name} without " + ", ".join(f"{a} – {b}" for a, b in named)
    return replace(left.networks[0], name=name), left.channels[0]
