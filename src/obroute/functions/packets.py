"""Packets that queue: permutations to their end, and traffic at a rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obroute.choices.packets import Queue
from obroute.experiments.simulation import SimulationSettings
from obroute.experiments.stability import StabilitySettings
from obroute.functions.arguments import each, made, public, run_experiment, settings_among
from obroute.functions.making import make_network, make_routing
from obroute.network import Network
from obroute.routing import Routing
from obroute.tasks import TaskRunner, run_serially
from obroute.traffic import Pattern
from obroute.traffic import make_pattern as pattern_named

if TYPE_CHECKING:
    from obroute.experiments.stability import RateCurves
    from obroute.packets.experiments import PermutationRuns, StabilityRuns

_SIMULATION = SimulationSettings()
_STABILITY = StabilitySettings()


@public(SimulationSettings)
def simulate(
    network: str | Path | Network,
    routing: str | Path | Routing,
    traffic: str | Path | Pattern | Iterable[str | Path | Pattern] = _SIMULATION.traffic,
    *,
    queue: Queue = _SIMULATION.queue,
    phases: bool = _SIMULATION.phases,
    h: int = _SIMULATION.h,
    half_duplex: bool = _SIMULATION.half_duplex,
    seeds: int = _SIMULATION.seeds,
    seed: int = _SIMULATION.seed,
    run: TaskRunner = run_serially,
) -> PermutationRuns:
    """Route permutations by packets that queue, until the last one has arrived.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    PermutationRuns
        ``runs[traffic][seed]`` has the steps, delays and queues of each.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.simulate("hypercube:6", "dor", "bit_reverse", seeds=2)
    >>> [one.steps for one in found.runs[0]], found.exact_loads
    ([7, 7], [Fraction(4, 1)])
    """
    names = _traffic_names(traffic)
    settings = settings_among(SimulationSettings, simulate, locals() | {"traffic": names})
    found: PermutationRuns = run_experiment(
        "simulation", make_network(network), make_routing(routing), settings, run
    )
    return found


@public(StabilitySettings)
def stability(
    network: str | Path | Network,
    routing: str | Path | Routing,
    traffic: str | Path | Pattern | Iterable[str | Path | Pattern] = _STABILITY.traffic,
    *,
    rates: float | Iterable[float] = _STABILITY.rates,
    queue: Queue = _STABILITY.queue,
    half_duplex: bool = _STABILITY.half_duplex,
    steps: int = _STABILITY.steps,
    curve_steps: int = _STABILITY.curve_steps,
    tolerance: float = _STABILITY.tolerance,
    seed: int = _STABILITY.seed,
    run: TaskRunner = run_serially,
) -> StabilityRuns:
    """Find the largest stable rate of traffic that is injected all the time.

    This is ``obroute simulate --saturation``; :func:`load_curves` is the same without the search.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    rates
        Also what happens at these rates: packets per step and source, one or many.
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    StabilityRuns
        ``saturations[traffic]`` has the interval of the rate, in packets per step and source.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.stability("ring:5", "dor", "worst_case", steps=4000, tolerance=0.03)
    >>> found.saturations[0].ideal
    Fraction(1, 2)
    """
    names = _traffic_names(traffic)
    settings = settings_among(
        StabilitySettings, stability, locals() | {"traffic": names, "rates": _rates(rates)}
    ).model_copy(update={"saturation": True})
    found: StabilityRuns = run_experiment(
        "stability", make_network(network), make_routing(routing), settings, run
    )
    return found


@public(StabilitySettings)
def load_curves(
    network: str | Path | Network,
    routing: str | Path | Routing,
    rates: float | Iterable[float],
    traffic: str | Path | Pattern | Iterable[str | Path | Pattern] = _STABILITY.traffic,
    *,
    queue: Queue = _STABILITY.queue,
    half_duplex: bool = _STABILITY.half_duplex,
    steps: int = _STABILITY.steps,
    seed: int = _STABILITY.seed,
) -> RateCurves:
    """Inject traffic all the time at given rates: delays, queues, and whether they are stable.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    rates
        Packets per step and source, one or many.

    Returns
    -------
    RateCurves
        ``points[traffic]`` has what happened at each rate.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.load_curves("ring:5", "dor", [0.2, 0.9], "uniform", steps=2000)
    >>> [point.verdict for point in found.points["uniform"]]
    ['stable', 'stable']
    """
    names = _traffic_names(traffic)
    settings = settings_among(
        StabilitySettings, load_curves, locals() | {"traffic": names, "rates": _rates(rates)}
    )
    found: RateCurves = run_experiment(
        "stability", make_network(network), make_routing(routing), settings, run_serially
    )
    return found


def _traffic_names(given: Any) -> tuple[str, ...]:
    """Return traffic by name; what the routing makes, as its worst case, has no object."""
    names = []
    for one in each(given, "traffic", Pattern):
        if not isinstance(one, (str, Path, Pattern)):
            made(one, "traffic", Pattern, pattern_named, "tornado")
        names.append(one.name if isinstance(one, Pattern) else str(one))
    return tuple(names)


def _rates(given: Any) -> Any:
    """Return rates as their setting takes them."""
    return (
        given
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable)
        else tuple(given)
    )
