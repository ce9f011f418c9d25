"""What a store of simulations holds, and what is gathered of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from obroute.kinds.answers import Contents
from obroute.packets.experiments import PermutationRuns
from obroute.results.arrays import HOPS, LOAD, ArraySpec, exact_and_float, exact_floats, texts
from obroute.results.gathering import as_stored
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.experiments.simulation import SimulationSettings

ARRAYS: dict[str, ArraySpec] = {
    "steps": ArraySpec(("traffic", "seed"), "integer", "steps until all packets arrived", "steps"),
    "mean_delay": ArraySpec(
        ("traffic", "seed"),
        "float",
        "mean steps from injection to arrival, over packets of pairs that load a channel (NaN if "
        "there are none)",
        "steps",
    ),
    "largest_queue": ArraySpec(
        ("traffic", "seed"), "integer", "longest queue of any channel at any time", "packets"
    ),
    "heaviest_channel": ArraySpec(
        ("traffic", "seed"), "integer", "packets that crossed the most used channel", "packets"
    ),
    "longest_path": ArraySpec(("traffic", "seed"), "integer", "hops of the longest path", HOPS),
    "offline_steps": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "steps of the off-line schedule on a hypercube, or along the vertex-disjoint paths of a "
        "Beneš network; -1 elsewhere",
        "steps",
    ),
    "longest_phase": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "steps of the longer of two phases run one after the other; -1 otherwise",
        "steps",
    ),
    "most_met": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "most other packets whose paths share a channel with one packet's in a phase on a "
        "hypercube; -1 otherwise",
        "packets",
    ),
    **exact_and_float(
        "exact_load",
        ("traffic",),
        "exact expected load of the heaviest channel (NaN and empty for traffic drawn with every "
        "seed, for phases, and where it would take too long)",
        LOAD,
    ),
}
"""Every array of a store of simulations, with dims traffic and seed."""

SUMMARY = {name: spec.by_case() for name, spec in ARRAYS.items()}
"""The same for every network and routing."""


def contents(answer: PermutationRuns, settings: SimulationSettings) -> Contents:
    """Return the runs by traffic and seed."""
    arrays: dict[str, Any] = {
        name: np.array([[getattr(run, name) for run in runs] for runs in answer.runs])
        for name, spec in ARRAYS.items()
        if "seed" in spec.dims
    }
    arrays |= exact_floats("exact_load", answer.exact_loads)
    coordinates = {
        "traffic": texts(answer.traffic),
        "seed": settings.seed + np.arange(len(answer.runs[0])),
    }
    return Contents(answer.network, answer.routing.name, arrays, coordinates)


def summarize(cell: xr.Dataset) -> Mapping[str, Any]:
    """Return every run; runs of relations or cables of another kind do not stand beside."""
    settings = json.loads(cell.attrs["settings"])
    if settings["half_duplex"] or settings["h"] > 1:
        raise InputError(
            f"{cell.attrs['network']} with {cell.attrs['routing']} holds runs of h-relations "
            "or half-duplex links, which would stand beside others under one name; gather "
            "runs without --h and --half-duplex"
        )
    return as_stored(cell, SUMMARY)
