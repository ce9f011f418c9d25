"""What a store of failures holds, and what is gathered of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.failures import SCOPES, Failures
from obroute.kinds.answers import Contents
from obroute.results.arrays import (
    CASE,
    LOAD,
    ArraySpec,
    AttributeSpec,
    exact_and_float,
    exact_floats,
    texts,
)

if TYPE_CHECKING:
    from obroute.experiments.failures import FailuresSettings

_SCALARS: dict[str, ArraySpec] = {
    **exact_and_float("worst_case_load", (), "largest load after any set of failures", LOAD),
    **exact_and_float("load_before", (), "worst-case load where nothing has failed", LOAD),
    "worst_set": ArraySpec((), "text", "a set with the largest load: its parts"),
    "parts": ArraySpec((), "integer", "parts that can fail"),
    "count": ArraySpec((), "integer", "parts that fail at a time"),
    "sets": ArraySpec((), "integer", "sets of so many parts"),
    "sets_that_cut": ArraySpec((), "integer", "sets that cut some pair of terminals"),
    "most_pairs_cut": ArraySpec((), "integer", "pairs of terminals that a set cuts at the most"),
}
_BY_LOAD: dict[str, ArraySpec] = {
    **exact_and_float(
        "load", ("load_rank",), "each worst-case load after failures, the largest first", LOAD
    ),
    "sets_of_rank": ArraySpec(("load_rank",), "integer", "sets that have this load"),
    "cutting_of_rank": ArraySpec(("load_rank",), "integer", "those of them that cut a pair"),
}
ARRAYS: dict[str, ArraySpec] = {
    **_SCALARS,
    **_BY_LOAD,
    "failed": ArraySpec(("orbit",), "text", "a set of each orbit: its parts"),
    "sets_alike": ArraySpec(("orbit",), "integer", "sets that a symmetry carries to it"),
    **exact_and_float(
        "orbit_load",
        ("orbit",),
        "worst-case load after its failure; blank where it is not the largest and no other was "
        "asked for",
        LOAD,
    ),
    "channel": ArraySpec(("orbit",), "integer", "the channel that has it; -1 if none is known"),
    "pairs_cut": ArraySpec(("orbit",), "integer", "pairs of terminals that are cut"),
}
"""Every array of a store of failures, with dims orbit and load_rank."""

ATTRIBUTES = {
    "failing": AttributeSpec("what fails: cables, channels, bundles or switches"),
    "repair": AttributeSpec("how the routing goes on: recomputed, detoured or kept"),
    "scope": AttributeSpec("what that means"),
}
"""Every attribute of a store of failures besides those of all stores."""

SUMMARY: dict[str, ArraySpec] = {
    **{name: spec.by_case() for name, spec in (_SCALARS | _BY_LOAD).items()},
    **{name: ArraySpec(CASE, "text", ATTRIBUTES[name].meaning) for name in ("failing", "repair")},
}
"""The worst set of every network and routing, and the distribution."""


def contents(answer: Failures, settings: FailuresSettings) -> Contents:
    """Return what is stored of an answer."""
    found = answer.distribution()
    results = answer.results
    arrays: dict[str, Any] = {
        **exact_floats("worst_case_load", answer.worst_load),
        **exact_floats("load_before", answer.whole),
        "worst_set": _named(answer, answer.worst),
        "parts": len(answer.parts),
        "count": answer.count,
        "sets": answer.sets,
        "sets_that_cut": answer.sets_that_cut,
        "most_pairs_cut": results[answer.most_cut].cut,
        **exact_floats("load", [load for load, _, _ in found]),
        "sets_of_rank": np.array([sets for _, sets, _ in found], dtype=np.int64),
        "cutting_of_rank": np.array([cutting for _, _, cutting in found], dtype=np.int64),
        "failed": texts(_named(answer, orbit) for orbit in range(len(results))),
        "sets_alike": np.asarray(answer.orbits.sizes, dtype=np.int64),
        **exact_floats("orbit_load", [one.load for one in results]),
        "channel": np.array([one.channel for one in results], dtype=np.int64),
        "pairs_cut": np.array([one.cut for one in results], dtype=np.int64),
    }
    attributes = {
        "failing": answer.parts.kind,
        "repair": answer.repair,
        "scope": SCOPES[answer.repair],
    }
    return Contents(answer.network, answer.routing.name, arrays, attributes=attributes)


def _named(answer: Failures, orbit: int) -> str:
    return ", ".join(answer.names(orbit))
