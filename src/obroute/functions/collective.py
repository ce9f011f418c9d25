"""All-to-all and collectives step by step."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from obroute.experiments.all_to_all import AllToAllSettings
from obroute.experiments.collective import CollectiveSettings
from obroute.functions.arguments import each, made, public, run_experiment, settings_among
from obroute.functions.making import make_network, make_routing
from obroute.network import Network
from obroute.routing import Routing
from obroute.tasks import run_serially

if TYPE_CHECKING:
    from obroute.all_to_all import AllToAll
    from obroute.collectives import Collectives

_COLLECTIVE = CollectiveSettings()


@public(AllToAllSettings)
def alltoall(network: str | Path | Network, routing: str | Path | Routing) -> AllToAll:
    """Find what a routing takes for an all-to-all, and the least that any can.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.

    Returns
    -------
    AllToAll
        Loads and times are exact; ``lengths`` prove the least.

    Raises
    ------
    InputError
        If something is not defined, or no name; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.alltoall("kautz:d=2,D=4", "ecmp")
    >>> str(found.time), str(found.least_time)
    ('45', '389/10')
    """
    found: AllToAll = run_experiment(
        "all_to_all",
        make_network(network),
        make_routing(routing),
        AllToAllSettings(),
        run_serially,
    )
    return found


@public(CollectiveSettings)
def collective(
    network: str | Path | Network,
    routing: str | Path | Routing,
    collectives: str | Iterable[str] = _COLLECTIVE.collectives,
) -> Collectives:
    """Find the exact load of every step of collectives, and the time of all.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    collectives
        By name: ``ring``, ``halving_doubling``, ``bine``, ``bruck``, …

    Returns
    -------
    Collectives
        ``each`` has the loads of every step of each collective.

    Raises
    ------
    InputError
        If something is not defined, or no name; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.collective("torus:4x4", "dor", ["ring", "bruck"])
    >>> [str(one.time) for one in found.each]
    ['15/8', '2']
    """
    from obroute.collectives import Collective, make_collective

    given = tuple(
        made(one, "collective", Collective, make_collective, "ring").name
        for one in each(collectives, "collectives", Collective)
    )
    settings = settings_among(CollectiveSettings, collective, locals() | {"collectives": given})
    found: Collectives = run_experiment(
        "collective", make_network(network), make_routing(routing), settings, run_serially
    )
    return found
