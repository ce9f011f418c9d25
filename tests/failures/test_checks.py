"""The slow twin of failures: that it agrees, and that it finds what is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.support.effort import few

from obroute import failures
from obroute.experiments.failures.verify import check
from obroute.failures import checks
from obroute.failures.checks import Twin, check_reached, check_whole
from obroute.failures.search import Failures
from obroute.kinds.registry import kinds
from obroute.specs import CertificateError

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "shortest paths": ("leafspine:leaves=3,hosts=2,spines=2", "ecmp", {"links": 1}),
    "detours": ("torus:3x3", "dor", {"links": 1}),
    "self traffic": ("ring:4", "valiant", {"links": 1}),
    "cut pairs": ("ring:5", "dor", {"links": 2}),
    "kept": ("ring:5", "valiant", {"links": 2, "repair": "kept"}),
    "switches": ("mesh:3x3", "ecmp", {"switches": 1}),
    "channels": ("mesh:2x3", "o1turn", {"links": 1, "link_kind": "channels"}),
    "bundles": ("leafspine:leaves=2,hosts=2,spines=2,links=2", "ecmp", {"link_kind": "bundles"}),
    "parallel cables": ("leafspine:leaves=2,hosts=2,spines=2,links=2", "ecmp", {"links": 2}),
    "several hosts": ("ring:4,hosts=2", "dor", {"links": 1}),
    "a design": ("ring:4", "optimal", {"links": 1}),
    "only the worst": ("torus:3x3", "ecmp", {"links": 1, "only_worst": True}),
}


@pytest.mark.parametrize("name", few(CASES, ["detours", "cut pairs"]))
def test_the_twin_agrees_with_every_set(name: str) -> None:
    """All sets of an orbit each: the load of every channel, and the pairs that are cut."""
    network, routing, given = CASES[name]
    found = failures(network, routing, **given)
    for orbit, one in enumerate(found.results):
        check_whole(twin(found, orbit), one.load, one.cut)
    assert check(found) == min(3, len(found.results))


def twin(found: Failures, orbit: int) -> Twin:
    """Return the twin of a set of failures."""
    chosen = found.orbits.sets[orbit].tolist()
    return Twin(found.parts, found.routing, found.repair, chosen)


def test_the_worst_traffic_is_walked_where_there_are_many_paths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It reaches the load; where even that is too much nothing is said."""
    found = failures("ring:4", "dor", links=1)
    monkeypatch.setattr(checks, "MOST_UNITS", 1)
    assert check(found) == len(found.results)
    wrong = replace(found.results[found.worst], load=found.worst_load + 1)
    with pytest.raises(CertificateError, match="is the load by the paths"):
        check(replace(found, results=[wrong, *found.results[1:]]))
    with pytest.raises(CertificateError, match="more traffic than"):
        check_reached(twin(found, 0), 0, Fraction(2), [(0, 1, Fraction(2))])
    monkeypatch.setattr(checks, "MOST_CHANNELS", 1)
    assert check(found) == 0


@pytest.mark.parametrize("what", ["load", "cut"])
def test_a_defect_that_comes_again_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes a store and makes it again is wrong alike: only the twin says so."""
    found = failures("ring:4", "dor", links=1)
    wrong = [replace(one, **{what: getattr(one, what) + 1}) for one in found.results]
    kind = kinds()["failures"]
    cell = replace(found, results=wrong).to_dataset()
    monkeypatch.setattr(type(kind), "run", lambda *_: replace(found, results=wrong))
    with pytest.raises(CertificateError, match="by the paths, not"):
        kind.verify(cell)
    monkeypatch.undo()
    assert kind.verify(found.to_dataset()) == len(found.results)
