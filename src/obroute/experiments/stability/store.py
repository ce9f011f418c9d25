"""What a store of stable rates holds, and what is gathered of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from obroute.kinds.answers import Contents
from obroute.packets.experiments import StabilityRuns
from obroute.results.arrays import (
    DTYPE,
    RATE,
    SENDING_RATE,
    ArraySpec,
    exact_and_float,
    exact_floats,
    texts,
)
from obroute.results.gathering import as_stored
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.experiments.stability import RateCurves, StabilitySettings

ARRAYS: dict[str, ArraySpec] = {
    "stable_rate": ArraySpec(
        ("traffic",),
        "float",
        "largest rate simulated that is shown to be stable: the queue of the critical channels "
        "drifts downwards (95 % with unstable_rate), and no growth of the backlog is seen; 0 if "
        "none",
        RATE,
    ),
    "unstable_rate": ArraySpec(
        ("traffic",),
        "float",
        "least rate simulated that is shown to be unstable: that queue drifts upwards; 1 if none",
        RATE,
    ),
    "critical_channels": ArraySpec(
        ("traffic",), "integer", "channels with the largest expected load over bandwidth"
    ),
    **exact_and_float(
        "ideal_rate", ("traffic",), "throughput from exact pair loads, at most 1", RATE
    ),
    "accepted": ArraySpec(
        ("traffic", "rate"),
        "float",
        "packets delivered, of pairs that load a channel",
        SENDING_RATE,
    ),
    "offered": ArraySpec(
        ("traffic", "rate"),
        "float",
        "packets injected, of pairs that load a channel",
        SENDING_RATE,
    ),
    "mean_delay": ArraySpec(
        ("traffic", "rate"),
        "float",
        "mean steps from injection to arrival, over packets of pairs that load a channel",
        "steps",
    ),
    "largest_queue": ArraySpec(
        ("traffic", "rate"), "integer", "longest queue of any channel at any time", "packets"
    ),
    "drift": ArraySpec(
        ("traffic", "rate"),
        "float",
        "drift of the queue of the critical channels",
        "packets per step over their bandwidth",
    ),
    "drift_error": ArraySpec(
        ("traffic", "rate"),
        "float",
        "standard error of the drift",
        "packets per step over their bandwidth",
    ),
}
"""Every array of a store of stable rates, with dims traffic and rate."""

SUMMARY = {name: spec.by_case() for name, spec in ARRAYS.items()}
"""The same for every network and routing."""

_CURVE = tuple(name for name, spec in ARRAYS.items() if spec.dims == ("traffic", "rate"))


def contents(answer: StabilityRuns | RateCurves, settings: StabilitySettings) -> Contents:
    """Return the rates by traffic, and the curves by traffic and rate."""
    if not isinstance(answer, StabilityRuns):
        raise InputError("--save of rates keeps the saturation too; add --saturation")
    saturations = answer.saturations
    shape = (len(answer.traffic), len(answer.rates))
    arrays: dict[str, Any] = {
        "stable_rate": np.array([saturation.stable for saturation in saturations]),
        "unstable_rate": np.array([saturation.unstable for saturation in saturations]),
        "critical_channels": np.array([s.critical_channels for s in saturations]),
        **exact_floats("ideal_rate", [saturation.ideal for saturation in saturations]),
    }
    for name in _CURVE:
        values = [[getattr(point, name) for point in curve] for curve in answer.curves]
        arrays[name] = np.array(values, dtype=DTYPE[ARRAYS[name].kind]).reshape(shape)
    coordinates = {
        "traffic": texts(answer.traffic),
        "rate": np.array(answer.rates, dtype=float),
    }
    return Contents(answer.network, answer.routing.name, arrays, coordinates)


def summarize(cell: xr.Dataset) -> Mapping[str, Any]:
    """Return every rate; runs on cables of another kind do not stand beside."""
    if json.loads(cell.attrs["settings"])["half_duplex"]:
        raise InputError(
            f"{cell.attrs['network']} with {cell.attrs['routing']} holds runs on half-duplex "
            "links, which would stand beside others under one name; gather runs without "
            "--half-duplex"
        )
    return as_stored(cell, SUMMARY)
