"""Stores of answers that lie in all numbers together: nothing in them contradicts the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from obroute.design.proofs import Bounds
from obroute.importers import make_network
from obroute.kinds.registry import kinds
from obroute.kinds.stores import dataset_of
from obroute.rational import RationalArray
from obroute.specs import CertificateError
from obroute.tasks import run_serially


def more_is_proved(found: Any) -> Any:
    """Raise every bound of a deployment to the load of its routing, the shares as they were."""
    return replace(found, bounds=tuple(replace(b, load=found.load) for b in found.bounds))


def better_is_found(found: Any) -> Any:
    """Lower the load of the routing to the bound."""
    return replace(found, load=found.lower)


def fails_less(found: Any) -> Any:
    """Halve every load after failures."""
    return replace(found, results=[replace(one, load=one.load / 2) for one in found.results])


def cuts_nothing(found: Any) -> Any:
    """Say that no set of failures cuts a pair."""
    return replace(found, results=[replace(one, cut=0) for one in found.results])


def half_of_each_set(found: Any) -> Any:
    """Halve the worst traffic of every set, its load and its potentials."""
    return replace(found, cases=[_half_of(case) for case in found.cases])


def _half_of(case: Any) -> Any:
    worst = case.worst
    given = ("amounts", "source_potentials", "destination_potentials")
    half = {name: getattr(worst, name).scaled(Fraction(1, 2)) for name in given}
    return replace(
        case,
        normalized_load=case.normalized_load / 2,
        worst=replace(
            worst, load=worst.load / 2, total_potential=worst.total_potential / 2, **half
        ),
    )


def half_the_ratio(found: Any) -> Any:
    """Halve a ratio with its prices."""
    bounds = Bounds(found.bounds.lower / 2, found.bounds.upper / 2)
    proofs = [replace(p, prices=p.prices.scaled(Fraction(1, 2))) for p in found.proofs]
    return replace(found, bounds=bounds, proofs=tuple(proofs), channel_bounds=(bounds,))


def flows_of_nothing(found: Any) -> Any:
    """Take traffic of nobody for what shows the ratio."""
    none = [RationalArray.full(proof.flows.numerators.shape, 0) for proof in found.proofs]
    proofs = [replace(p, flows=f) for p, f in zip(found.proofs, none, strict=True)]
    return replace(found, proofs=tuple(proofs))


def twice_the_least(found: Any) -> Any:
    """Double the loads of an all-to-all and the lengths."""
    return replace(
        found, load=2 * found.load, least_load=2 * found.least_load, lengths=2 * found.lengths
    )


def faster_steps(found: Any) -> Any:
    """Halve the loads of a collective."""
    return replace(
        found, each=[replace(one, loads=[x / 2 for x in one.loads]) for one in found.each]
    )


Lie = Callable[[Any], Any]
LIES: list[tuple[Lie, str, str, str, dict[str, Any]]] = [
    (more_is_proved, "deployment", "hypercube:3", "", {"restriction": "single_path"}),
    (better_is_found, "deployment", "hypercube:3", "", {"restriction": "destination"}),
    (better_is_found, "deployment", "hypercube:3", "", {"restriction": "wcmp"}),
    (fails_less, "failures", "ring:4", "ecmp", {"links": 2}),
    (cuts_nothing, "failures", "ring:4", "ecmp", {"links": 2}),
    (half_of_each_set, "restricted", "ring:4", "dor", {"traffic_sets": ["pairs:2", "within:2"]}),
    (half_the_ratio, "ratio", "ring:3", "ecmp", {}),
    (flows_of_nothing, "ratio", "ring:3", "least_ratio", {}),
    (twice_the_least, "all_to_all", "ring:3", "ecmp", {}),
    (faster_steps, "collective", "ring:4", "dor", {"collectives": ["ring"]}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("lie", "name", "network", "routing", "values"), LIES)
def test_numbers_that_agree_with_each_other_prove_nothing(
    lie: Lie, name: str, network: str, routing: str, values: dict[str, Any]
) -> None:
    """The store of the true answer is verified, that of the lie is not."""
    kind: Any = kinds()[name]
    short = {"moves": 8, "steps": 0, "without_best": True} if name == "deployment" else {}
    settings = kind.settings.read({**values, **short})
    built = make_network(network)
    chosen = kind.routing_of(built, routing, settings)
    found = kind.run(built, chosen, settings, run_serially)
    kind.verify(dataset_of(kind, found, settings))
    with pytest.raises(CertificateError):
        kind.verify(dataset_of(kind, lie(found), settings))
