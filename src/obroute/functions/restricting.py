"""Worst cases over sets of traffic."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from obroute.experiments.restricted import RestrictedSettings
from obroute.functions.arguments import each, made, public, run_experiment, settings_among
from obroute.functions.making import make_network, make_routing
from obroute.network import Network
from obroute.routing import Routing
from obroute.tasks import TaskRunner, run_serially
from obroute.traffic_sets import TrafficSet, make_traffic_set

if TYPE_CHECKING:
    from obroute.restrictions import Restricted

_RESTRICTED = RestrictedSettings()


@public(RestrictedSettings)
def evaluate_over(
    network: str | Path | Network,
    routing: str | Path | Routing,
    traffic_sets: str | TrafficSet | Iterable[str | TrafficSet] = _RESTRICTED.traffic_sets,
    *,
    all_channels: bool = _RESTRICTED.all_channels,
    run: TaskRunner = run_serially,
) -> Restricted:
    """Find the exact worst case of a routing over sets of traffic.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    traffic_sets
        Sets of traffic by name: ``pairs:8``, ``within:rack``, ``limited:1/4``, …
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    Restricted
        ``cases`` has the worst case over each set, with its traffic and what proves it.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.evaluate_over("torus:8x8", "dor", ["pairs:2", "within:4x4", "any"])
    >>> [str(case.normalized_load) for case in found.cases]
    ['2', '3', '7/2']
    """
    given = tuple(
        made(one, "set of traffic", TrafficSet, make_traffic_set, "pairs:8").name
        for one in each(traffic_sets, "traffic_sets", TrafficSet)
    )
    settings = settings_among(
        RestrictedSettings, evaluate_over, locals() | {"traffic_sets": given}
    )
    found: Restricted = run_experiment(
        "restricted", make_network(network), make_routing(routing), settings, run
    )
    return found
