"""What the store of collectives holds, and what is gathered of it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from obroute.collectives import Collectives
from obroute.kinds.answers import Contents
from obroute.results.arrays import LOAD, ArraySpec, exact_and_float, exact_floats, texts

if TYPE_CHECKING:
    from obroute.experiments.collective import CollectiveSettings

_OF_EACH = ("collective",)
_TIME = exact_and_float("time", _OF_EACH, "cycles of all steps for a vector of a packet", "cycles")
ARRAYS: dict[str, ArraySpec] = {
    **_TIME,
    "step_collective": ArraySpec(("step",), "integer", "position of the collective of a step"),
    **exact_and_float(
        "step_load", ("step",), "largest load where each rank sends a packet per cycle", LOAD
    ),
    "step_channel": ArraySpec(("step",), "integer", "a channel that has it"),
    "step_amount_exact": ArraySpec(("step",), "text", "share of the vector that is sent"),
}
SUMMARY = {name: spec.by_case() for name, spec in _TIME.items()}


def contents(answer: Collectives, settings: CollectiveSettings) -> Contents:
    """Return every step of every collective."""
    loads: list[Fraction] = [load for found in answer.each for load in found.loads]
    arrays = {
        **exact_floats("time", [found.time for found in answer.each]),
        "step_collective": np.repeat(
            np.arange(len(answer.each)), [len(f.loads) for f in answer.each]
        ),
        **exact_floats("step_load", loads),
        "step_channel": np.array([c for f in answer.each for c in f.channels], dtype=np.int64),
        "step_amount_exact": texts(a for f in answer.each for a in f.amounts),
    }
    labels = {"collective": texts(found.collective.name for found in answer.each)}
    routing = answer.routing
    return Contents(answer.network, routing.name, arrays, labels, label=routing.label)
