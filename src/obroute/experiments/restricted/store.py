"""What a store of restricted traffic holds: loads by set, traffic, potentials; and its check."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.certificates import CertificateError
from obroute.kinds.answers import Contents
from obroute.kinds.comparing import check_length
from obroute.rational import IntArray, RationalArray
from obroute.restrictions import Restricted, RestrictedWorst, check_restricted, restricted_cases
from obroute.results.arrays import (
    LOAD,
    ArraySpec,
    exact_and_float,
    exact_floats,
    text,
    texts,
)
from obroute.traffic_sets import make_traffic_set

if TYPE_CHECKING:
    import xarray as xr

    from obroute.experiments.restricted import RestrictedSettings
    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner

BY_SET = ("traffic_set",)
_LOADS = {
    **exact_and_float(
        "worst_case_load",
        BY_SET,
        "largest load that traffic of the set can put on a channel",
        LOAD,
    ),
    "worst_channel": ArraySpec(BY_SET, "integer", "a channel that can be loaded most"),
    "multiplicity": ArraySpec(BY_SET, "integer", "number of channels that are like it"),
    "focus_channels": ArraySpec(
        BY_SET, "integer", "channels looked at, of all that are alike one"
    ),
}
ARRAYS: dict[str, ArraySpec] = {
    **_LOADS,
    "source_potential": ArraySpec(
        (*BY_SET, "source"),
        "text",
        "dual potential of each source, times potential_denominator",
        witness=True,
    ),
    "destination_potential": ArraySpec(
        (*BY_SET, "destination"),
        "text",
        "dual potential of each destination, times potential_denominator",
        witness=True,
    ),
    "total_potential": ArraySpec(
        BY_SET,
        "text",
        "dual potential of all traffic together, times potential_denominator",
        witness=True,
    ),
    "potential_denominator": ArraySpec(
        BY_SET, "text", "denominator of the potentials", witness=True
    ),
    "flow_set": ArraySpec(
        ("flow",), "integer", "position of the set whose worst traffic a flow is of", witness=True
    ),
    "flow_source": ArraySpec(("flow",), "integer", "position of its source", witness=True),
    "flow_destination": ArraySpec(
        ("flow",), "integer", "position of its destination", witness=True
    ),
    "flow_amount_exact": ArraySpec(
        ("flow",), "text", "its size", "packets per cycle", witness=True
    ),
}
"""Every array of a store of restricted traffic."""
SUMMARY = {name: spec.by_case() for name, spec in _LOADS.items()}
"""The loads by set for every network and routing."""
_WHOLE = re.compile(r"\d+")
_AMOUNT = re.compile(r"\d+(/[1-9]\d*)?")


def run_restricted(
    network: Network, routing: Routing, settings: RestrictedSettings, run: TaskRunner
) -> Restricted:
    """Find the worst case over each set that the settings name."""
    sets = [make_traffic_set(name) for name in settings.traffic_sets]
    return restricted_cases(network, routing, sets, all_channels=settings.all_channels, run=run)


def contents(found: Restricted, settings: RestrictedSettings) -> Contents:
    """Return what is stored: loads by set, the worst traffic of each, and its potentials."""
    network, worst = found.network, [case.worst for case in found.cases]
    denominators = [
        math.lcm(
            one.source_potentials.denominator,
            one.destination_potentials.denominator,
            one.total_potential.denominator,
        )
        for one in worst
    ]
    arrays: dict[str, Any] = {
        **exact_floats("worst_case_load", [case.normalized_load for case in found.cases]),
        "worst_channel": np.array([one.channel for one in worst], dtype=np.int64),
        "multiplicity": np.array([case.multiplicity for case in found.cases], dtype=np.int64),
        "focus_channels": np.array([case.focus_channels for case in found.cases], dtype=np.int64),
        "potential_denominator": texts(map(str, denominators)),
        "total_potential": texts(
            text(one.total_potential * common)
            for one, common in zip(worst, denominators, strict=True)
        ),
        "flow_set": np.repeat(np.arange(len(worst)), [len(one.sources) for one in worst]),
        "flow_source": _joined([one.sources for one in worst]),
        "flow_destination": _joined([one.destinations for one in worst]),
        "flow_amount_exact": texts(amount for one in worst for amount in one.amounts.fractions()),
    }
    for name in ("source", "destination"):
        given = [getattr(one, f"{name}_potentials") for one in worst]
        arrays[f"{name}_potential"] = np.stack(
            [
                texts(map(str, one.over(common).tolist()))
                for one, common in zip(given, denominators, strict=True)
            ]
        )
    labels = {
        "traffic_set": texts([case.traffic_set.name for case in found.cases]),
        "source": network.sources.astype(np.int32),
        "destination": network.destinations.astype(np.int32),
    }
    return Contents(network, found.routing.name, arrays, labels, label=found.routing.label)


def _joined(parts: list[Any]) -> Any:
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)


def check_stored(
    cell: xr.Dataset, network: Network, routing: Routing, settings: RestrictedSettings
) -> int:
    """Check the traffic and the potentials of every set; return how many.

    Raises
    ------
    CertificateError
        Names the first set whose proof does not hold.
    """
    check_length(cell, "traffic_set", len(settings.traffic_sets))
    for name, form in (
        *((name, _WHOLE) for name in ARRAYS if "potential" in name),
        ("flow_amount_exact", _AMOUNT),
        ("worst_case_load_exact", _AMOUNT),
    ):
        for place, entry in enumerate(cell[name].values.ravel().tolist()):
            if not form.fullmatch(entry):
                raise CertificateError(f"{name}: entry {place} is '{entry}', not a number")
    for place, name in enumerate(settings.traffic_sets):
        worst = _stored_worst(cell, network, place)
        limits = make_traffic_set(name).limits(network)
        try:
            check_restricted(worst, routing.pair_loads(network, worst.channel), limits)
        except CertificateError as error:
            raise CertificateError(f"{name}: {error}") from None
    return len(settings.traffic_sets)


def _stored_worst(cell: xr.Dataset, network: Network, place: int) -> RestrictedWorst:
    """Read the worst case of a set, by its position."""
    channel = int(cell["worst_channel"].values[place])
    if not 0 <= channel < network.channel_count:
        raise CertificateError("worst_channel: not a channel of the network")
    mine = cell["flow_set"].values == place
    ends: list[IntArray] = []
    for name, count in (
        ("flow_source", len(network.sources)),
        ("flow_destination", len(network.destinations)),
    ):
        positions = cell[name].values[mine].astype(np.int64)
        if positions.size and not 0 <= positions.min() <= positions.max() < count:
            raise CertificateError(f"{name}: an entry is not between 0 and {count - 1}")
        ends.append(positions)
    common = int(cell["potential_denominator"].values[place])
    if not common:
        raise CertificateError("potential_denominator: an entry is not positive")
    potentials = [
        RationalArray.from_fractions(
            Fraction(int(entry), common) for entry in cell[f"{name}_potential"].values[place]
        )
        for name in ("source", "destination")
    ]
    load = Fraction(cell["worst_case_load_exact"].values[place])
    return RestrictedWorst(
        channel,
        load * network.bandwidth.fraction(channel),
        ends[0],
        ends[1],
        RationalArray.from_fractions(map(Fraction, cell["flow_amount_exact"].values[mine])),
        potentials[0],
        potentials[1],
        Fraction(int(cell["total_potential"].values[place]), common),
    )
