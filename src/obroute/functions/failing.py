"""Failures: the worst case over every set of links or switches that fail."""

from __future__ import annotations

from pathlib import Path

from obroute.choices.failures import LinkKind, Repair
from obroute.experiments.failures import FailuresSettings
from obroute.failures import Failures
from obroute.functions.arguments import public, run_experiment, settings_among
from obroute.functions.making import make_network, make_routing
from obroute.network import Network
from obroute.routing import Routing
from obroute.tasks import TaskRunner, run_serially

_FAILURES = FailuresSettings()


@public(FailuresSettings)
def failures(
    network: str | Path | Network,
    routing: str | Path | Routing,
    *,
    links: int | None = _FAILURES.links,
    switches: int | None = _FAILURES.switches,
    link_kind: LinkKind = _FAILURES.link_kind,
    with_hosts: bool = _FAILURES.with_hosts,
    repair: Repair = _FAILURES.repair,
    only_worst: bool = _FAILURES.only_worst,
    run: TaskRunner = run_serially,
) -> Failures:
    """Find the exact worst case of a routing over every set of links or switches that fail.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    Failures
        The worst set, the distribution over all sets, and what each cuts. Loads are exact:
        packets per cycle over channel bandwidth.

    Raises
    ------
    InputError
        If something is not defined, so many cannot fail, or there are too many sets.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.failures("leafspine:leaves=4,hosts=4,spines=4", "ecmp", links=2)
    >>> str(found.worst_load), found.names(found.worst)
    ('2', ['leaf0 – spine0', 'leaf0 – spine1'])
    >>> [(str(load), sets) for load, sets, _ in found.distribution()]
    [('2', 96), ('4/3', 24)]
    """
    settings = settings_among(FailuresSettings, failures, locals())
    return run_experiment(  # type: ignore[no-any-return]
        "failures", make_network(network), make_routing(routing), settings, run
    )
