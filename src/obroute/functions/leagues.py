"""Engines and routings of a fabric beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from obroute.experiments.league import KeptTables, LeagueSettings
from obroute.experiments.league.store import run_league
from obroute.functions.arguments import each, file_at, public, remember, settings_among
from obroute.functions.making import make_network
from obroute.league import League
from obroute.network import Network
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.tasks import TaskRunner, run_serially

_LEAGUE = LeagueSettings()


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
    chosen = each(routings, "routings", Routing)
    given = {**locals(), "routings": [_name(one) for one in chosen]}
    given["without"] = [",".join(_cable(one)) for one in each(without, "without", type(None))]
    settings = settings_among(LeagueSettings, compare_engines, given)
    kept = None if folder is None else file_at(folder, "folder")
    if kept is not None and chosen:
        raise InputError(f"folder: {kept}; expected none, as the routings are given")
    found = run_league(make_network(network), settings, run, chosen)
    if kept is not None:
        KeptTables().write(found, settings, kept)
    return remember(found, settings)


def _name(one: Any) -> str:
    return one.name if isinstance(one, Routing) else str(one)


def _cable(given: Any) -> tuple[str, str]:
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return str(given[0]), str(given[1])
    raise InputError(f"without: {given!r}; expected the two ends of a cable, ('leaf0', 'spine1')")
