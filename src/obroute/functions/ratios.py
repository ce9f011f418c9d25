"""Oblivious ratios: against the best routing for each traffic."""

from __future__ import annotations

from pathlib import Path

from obroute.experiments.ratio import RatioExperiment, RatioSettings
from obroute.functions.arguments import public, run_experiment, settings_among
from obroute.functions.making import make_network, make_routing
from obroute.network import Network
from obroute.ratios import Ratio
from obroute.routing import Routing
from obroute.tasks import TaskRunner, run_serially

_RATIO = RatioSettings()


@public(RatioSettings)
def ratio(
    network: str | Path | Network,
    routing: str | Path | Routing = RatioExperiment.usual_routing,
    *,
    time_limit: float | None = _RATIO.time_limit,
    run: TaskRunner = run_serially,
) -> Ratio:
    """Find how far a routing is from the best for each traffic, or the least of any routing.

    Parameters
    ----------
    network
        By name, by file or as an object.
    routing
        Likewise; ``least_ratio``, the best by this measure, if not given.
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    Ratio
        ``bounds`` is the interval of the oblivious ratio, of no width where it is exact: the
        largest utilization of a channel, over the least that any routing has for the same
        traffic, whatever amounts the terminals send.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> obroute.ratio("hypercube:3").bounds.upper
    Fraction(2, 1)
    >>> obroute.ratio("hypercube:3", "dor").bounds.upper
    Fraction(4, 1)
    """
    settings = settings_among(RatioSettings, ratio, locals())
    found: Ratio = run_experiment(
        "ratio", make_network(network), make_routing(routing), settings, run
    )
    return found
