"""Evaluations: of one routing on one network, and of many on many."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import xarray as xr

from obroute.choices.sampling import SampledPairs
from obroute.choices.traffic import MatrixKind
from obroute.differences import Difference
from obroute.differences import difference as difference_of_objects
from obroute.experiments.difference import DifferenceSettings
from obroute.experiments.evaluation import EvaluationSettings
from obroute.functions.arguments import each, public, remember, settings_among
from obroute.functions.making import make_network, make_pattern, make_routing
from obroute.functions.stores import gather
from obroute.network import Network
from obroute.routing import Routing
from obroute.tasks import TaskRunner, run_serially
from obroute.throughput import Evaluation
from obroute.throughput import evaluate as evaluate_objects
from obroute.traffic import Pattern

_EVALUATION = EvaluationSettings()


@public(EvaluationSettings)
def evaluate(
    network: str | Path | Network,
    routing: str | Path | Routing,
    patterns: str | Path | Pattern | Iterable[str | Path | Pattern] = (),
    *,
    random_permutation_samples: int = _EVALUATION.random_permutation_samples,
    average_case_samples: int = _EVALUATION.average_case_samples,
    matrix_kind: MatrixKind = _EVALUATION.matrix_kind,
    seed: int = _EVALUATION.seed,
    sampled_paths: int = _EVALUATION.sampled_paths,
    sampled_pairs: SampledPairs = _EVALUATION.sampled_pairs,
    all_channels: bool = _EVALUATION.all_channels,
    run: TaskRunner = run_serially,
) -> Evaluation:
    """Find the exact worst case of a routing on a network, and its throughput otherwise.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    patterns
        Also this traffic: names, files of a permutation or matrix, or objects.
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    Evaluation
        Loads are exact: packets per cycle over channel bandwidth.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.evaluate("torus:9x9", "romm", "tornado")
    >>> found.worst_case_load, found.certified
    (Fraction(32, 5), True)
    >>> float(found.fraction_of_capacity(found.worst_case_load))
    0.1736111111111111
    """
    settings = settings_among(EvaluationSettings, evaluate, locals() | {"patterns": ()})
    chosen = [make_pattern(pattern) for pattern in each(patterns, "patterns", Pattern)]
    options = settings.model_dump(exclude={"patterns", "pair_load_limit"})
    made = make_routing(routing)
    asked = made.network_for(make_network(network))
    found = evaluate_objects(asked, made, chosen, **options, run=run)
    names = tuple(pattern.name for pattern in chosen)
    return remember(found, settings.model_copy(update={"patterns": names}))


@public(EvaluationSettings)
def compare(
    networks: str | Path | Network | Iterable[str | Path | Network],
    routings: str | Path | Routing | Iterable[str | Path | Routing],
    patterns: str | Path | Pattern | Iterable[str | Path | Pattern] = (),
    *,
    random_permutation_samples: int = _EVALUATION.random_permutation_samples,
    average_case_samples: int = _EVALUATION.average_case_samples,
    matrix_kind: MatrixKind = _EVALUATION.matrix_kind,
    seed: int = _EVALUATION.seed,
    all_channels: bool = _EVALUATION.all_channels,
    run: TaskRunner = run_serially,
) -> xr.Dataset:
    """Evaluate every routing on every network into one dataset, as a study's sweep does.

    Parameters
    ----------
    networks, routings
        One or many, by name, by file or as objects.
    patterns
        Also this traffic: names, files of a permutation or matrix, or objects.
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    xarray.Dataset
        With dims network and routing; exact values are text under ``…_exact``.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> study = obroute.compare(["torus:4x4", "torus:5x5"], ["dor", "valiant"])
    >>> study.worst_case_load_exact.sel(network="torus:5x5").values.tolist()
    ['2', '6/5']
    """
    settings = settings_among(EvaluationSettings, compare, locals() | {"patterns": ()})
    options = settings.model_dump(
        exclude={"patterns", "pair_load_limit", "sampled_paths", "sampled_pairs"}
    )
    made_networks = [make_network(one) for one in each(networks, "networks", Network)]
    made_routings = [make_routing(one) for one in each(routings, "routings", Routing)]
    chosen = [make_pattern(one) for one in each(patterns, "patterns", Pattern)]
    return gather(
        evaluate(routing.network_for(network), routing, chosen, **options, run=run)
        for network in made_networks
        for routing in made_routings
    )


@public()
def difference(
    network: str | Path | Network,
    old: str | Path | Routing,
    new: str | Path | Routing,
    old_network: str | Path | Network | None = None,
    *,
    run: TaskRunner = run_serially,
) -> Difference:
    """Compare two routings exactly: which guarantees, channels and pairs changed.

    Parameters
    ----------
    network, old, new
        The network and both routings, by name, by file or as objects.
    old_network
        The network that the old routing is of, where it is another: nodes are the same by name.
    run
        Where the tasks run; here, one after the other, if not given.

    Returns
    -------
    Difference
        Both evaluations, every channel before and after, and the pairs that moved. Loads are
        exact: packets per cycle over channel bandwidth.

    Raises
    ------
    InputError
        If a routing is not defined on its network.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.difference("torus:5x5", "dor", "romm")
    >>> str(found.old.worst_case_load), str(found.new.worst_case_load), found.worse
    ('2', '8/3', 100)
    """
    was, routing = make_routing(old), make_routing(new)
    made = routing.network_for(make_network(network))
    before = made if old_network is None else make_network(old_network)
    found = difference_of_objects(made, was, routing, before, run)
    other = "" if before is made else before.name
    names = {"old": was.name, "old_network": other}
    return remember(found, DifferenceSettings().model_copy(update=names))
