"""Engines and routings of a fabric beside each other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from obroute.deadlock import check_told_lanes
from obroute.functions.arguments import each, file_at, public, settings_among
from obroute.functions.deploying import deploy
from obroute.functions.designing import design
from obroute.functions.evaluating import evaluate
from obroute.functions.making import make_network, make_routing
from obroute.kinds.settings import Settings
from obroute.league import Standing, ranked, standing
from obroute.network import Network
from obroute.routing import Routing
from obroute.specs import LARGEST_SEED, MOST_DRAWN, InputError
from obroute.tasks import TaskRunner, run_serially
from obroute.throughput import Evaluation


class LeagueSettings(Settings):
    """What is found of every routing besides its guarantee."""

    permutations: int = Field(
        default=1000,
        ge=0,
        le=MOST_DRAWN,
        description="Random permutations over which the mean throughput is taken; 0 for none.",
    )
    seed: int = Field(
        default=0,
        ge=0,
        le=LARGEST_SEED,
        description="Seed of the permutations, the same for all.",
    )
    best: bool = Field(
        default=False,
        description="Find the best routing and the best table too, to say how much of their "
        "guarantees each has.",
    )
    lanes: bool = Field(
        default=False,
        description="Ask OpenSM for the service level of every pair, and judge the virtual lanes "
        "that its tables use.",
    )


_LEAGUE = LeagueSettings()


@dataclass(frozen=True)
class League:
    """Routings on a network, ranked by what they guarantee.

    Parameters
    ----------
    name
        The name of the network that was given.
    network
        The network as the tables have it.
    standings
        The best first.
    evaluations
        Of each routing, by its name: its worst permutation, critical channel, certificates.
    refused
        What could not be evaluated, with the reason.
    best
        The least worst-case load of all routings (packets per cycle over channel bandwidth); None
        where none was asked for.
    best_table
        In which interval the least worst-case load of all tables of one next hop for each node and
        destination is, both ends proved; None where it was not asked for.
    """

    name: str
    network: Network
    standings: list[Standing]
    evaluations: dict[str, Evaluation] = field(repr=False)
    refused: dict[str, str]
    best: Fraction | None
    best_table: tuple[Fraction, Fraction] | None

    def of_best_table(self, one: Standing) -> tuple[Fraction, Fraction] | None:
        """Return between what its guarantee over that of the best table is."""
        if self.best_table is None or not one.load:
            return None
        lower, upper = self.best_table
        return lower / one.load, upper / one.load


@public(LeagueSettings)
def compare_engines(
    network: str | Path | Network,
    routings: str | Path | Routing | Iterable[str | Path | Routing] = (),
    *,
    without: Iterable[tuple[str, str]] = (),
    permutations: int = _LEAGUE.permutations,
    seed: int = _LEAGUE.seed,
    best: bool = _LEAGUE.best,
    lanes: bool = _LEAGUE.lanes,
    folder: str | Path | None = None,
    run: TaskRunner = run_serially,
) -> League:
    """Rank routings, or the tables of OpenSM's engines, by what they guarantee.

    Parameters
    ----------
    network
        A network or fabric, by name, by file or as an object.
    routings
        Routings or tables, by name, by file or as objects; every engine of OpenSM that routes the
        network, in a simulator, if not given.
    without
        Cables that have failed, each by the names of its ends: both channels of all cables between
        them. Engines and routings are those of what is left.
    folder
        Where the fabric and the tables of the engines are kept; nowhere if not given.
    run
        Where the tasks run.

    Returns
    -------
    League
        Loads are exact (packets per cycle over channel bandwidth); means over random permutations
        are of a sample.

    Raises
    ------
    InputError
        If OpenSM is needed and not there, or nothing can be evaluated.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.compare_engines("torus:4x4", ["dor", "valiant"], permutations=10)
    >>> [(one.place, one.routing, str(one.load)) for one in found.standings]
    [(1, 'valiant', '1'), (2, 'dor', '3/2')]
    """
    settings = settings_among(LeagueSettings, compare_engines, locals())
    chosen = each(routings, "routings", Routing)
    cables = [_cable(one) for one in each(without, "without", type(None))]
    kept = None if folder is None else file_at(folder, "folder")
    if kept is not None and chosen:
        raise InputError(f"folder: {kept}; expected none, as the routings are given")
    whole = make_network(network)
    made = _left(whole, cables) if cables else whole
    if chosen:
        return _league(made, chosen, settings, run)
    from obroute.opensm import ENGINES, FABRIC, route

    with tempfile.TemporaryDirectory(prefix="tables") as own:
        place = Path(own) if kept is None else kept
        tables = route(made, place, whole=whole, lanes=settings.lanes)
        if not tables:
            raise InputError(f"no engine of OpenSM ({', '.join(ENGINES)}) can route {made.name}")
        found = _league(make_network(place / FABRIC), [*tables.values()], settings, run)
    found.refused.update(
        {
            engine: "OpenSM cannot route the fabric by it"
            for engine in ENGINES
            if engine not in tables
        }
    )
    return replace(found, name=made.name)


def _cable(given: Any) -> tuple[str, str]:
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return str(given[0]), str(given[1])
    raise InputError(f"without: {given!r}; expected the two ends of a cable, ('leaf0', 'spine1')")


def _left(network: Network, named: list[tuple[str, str]]) -> Network:
    """Return what is left of a network without cables."""
    from obroute.failures import remains_of

    failed = np.zeros(network.channel_count, dtype=bool)
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
    return replace(left.networks[0], name=name)


def _league(
    network: Network,
    chosen: Iterable[str | Path | Routing],
    settings: LeagueSettings,
    run: TaskRunner,
) -> League:
    drawn, seed = settings.permutations if network.has_unit_terminals else 0, settings.seed
    evaluations, told, refused = {}, {}, {}
    for one in chosen:
        try:
            found = evaluate(
                network, make_routing(one), average_case_samples=drawn, seed=seed, run=run
            )
            told[found.routing.name] = check_told_lanes(network, found.routing)
        except InputError as error:
            refused[getattr(one, "name", str(one))] = str(error)
            continue
        evaluations[found.routing.name] = found
    if not evaluations:
        raise InputError(
            f"nothing to compare on {network.name}: "
            + "; ".join(f"{name}: {why}" for name, why in refused.items())
        )
    least = best_table = None
    if settings.best:
        designed = design(network)
        least = designed.routing_load if designed.least_proved else None
        deployed = deploy(network, restriction="destination", seed=seed)
        best_table = deployed.lower, deployed.load
    standings = ranked(standing(found, least, told[name]) for name, found in evaluations.items())
    return League(network.name, network, standings, evaluations, refused, least, best_table)
