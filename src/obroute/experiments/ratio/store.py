"""What a store of an oblivious ratio holds, and what is gathered of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.kinds.answers import Contents
from obroute.ratios import Ratio
from obroute.results.arrays import (
    CASE,
    ArraySpec,
    AttributeSpec,
    exact_and_float,
    exact_floats,
    texts,
)
from obroute.routing.designed import DesignedRouting

if TYPE_CHECKING:
    from obroute.experiments.ratio import RatioSettings

RATIO = "utilization over the least of any routing"
_OF_CHANNELS = ("focus",)

ARRAYS: dict[str, ArraySpec] = {
    **exact_and_float("ratio_lower", (), "the oblivious ratio is at least this", RATIO),
    **exact_and_float("ratio_upper", (), "the oblivious ratio is at most this", RATIO),
    "exact": ArraySpec((), "boolean", "the two are equal"),
    "focus_channel": ArraySpec(_OF_CHANNELS, "integer", "a channel of each orbit"),
    "multiplicity": ArraySpec(_OF_CHANNELS, "integer", "channels that it stands for"),
    **exact_and_float(
        "channel_ratio",
        _OF_CHANNELS,
        "ratio of the routing that the flows show for the channel",
        RATIO,
        witness=True,
    ),
    **exact_and_float(
        "channel_ratio_upper",
        _OF_CHANNELS,
        "ratio of the routing that no traffic exceeds on the channel, by the prices",
        RATIO,
        witness=True,
    ),
    "price_exact": ArraySpec(
        ("focus", "channel"),
        "text",
        "price of each channel that bounds the ratio of the focus channel, as a fraction; empty "
        "where nothing loads it",
        witness=True,
    ),
    "flow_exact": ArraySpec(
        ("focus", "source", "channel"),
        "text",
        "what the worst traffic of the focus channel from each source sends over each channel, at "
        "one scale for all, as a fraction",
        "packets per cycle",
        witness=True,
    ),
    "routing_flow_exact": ArraySpec(
        ("variable",),
        "text",
        "flow of each orbit of (source, destination, channel), of least_ratio, as a fraction",
        witness=True,
        optional=True,
    ),
}
"""Every array of a store of a ratio."""

ATTRIBUTES = {
    "claims": AttributeSpec("what is proved, with its scope"),
    "solver": AttributeSpec("what solved the linear programs", on_trust=True),
}
"""Every attribute of such a store besides those of all stores."""
_GATHERED = ("ratio_lower", "ratio_lower_exact", "ratio_upper", "ratio_upper_exact", "exact")
SUMMARY: dict[str, ArraySpec] = {
    **{name: ARRAYS[name].by_case() for name in _GATHERED},
    "claims": ArraySpec(CASE, "text", ATTRIBUTES["claims"].meaning),
}
"""Every array of the ratios of a study, gathered."""


def contents(found: Ratio, settings: RatioSettings) -> Contents:
    """Return the interval of a ratio with its proofs."""
    network, proofs = found.network, found.proofs
    shape = (len(proofs), len(network.sources), network.channel_count)
    prices = [
        "" if price is None else price
        for proof in proofs
        for price in (
            [None] * network.channel_count if proof.prices is None else proof.prices.fractions()
        )
    ]
    flows = [flow for proof in proofs for flow in proof.flows.fractions()]
    arrays: dict[str, Any] = {
        **exact_floats("ratio_lower", found.bounds.lower),
        **exact_floats("ratio_upper", found.bounds.upper),
        "exact": found.bounds.exact,
        "focus_channel": np.array([proof.channel for proof in proofs]),
        "multiplicity": np.array([proof.multiplicity for proof in proofs]),
        **exact_floats("channel_ratio", [one.lower for one in found.channel_bounds]),
        **exact_floats("channel_ratio_upper", [one.upper for one in found.channel_bounds]),
        "price_exact": texts(prices).reshape(shape[0], shape[2]),
        "flow_exact": texts(flows).reshape(shape),
    }
    if isinstance(found.routing, DesignedRouting) and found.of_all:
        arrays["routing_flow_exact"] = texts(found.routing.flows.fractions())
    attributes = {"claims": _claims(found), "solver": found.solver}
    return Contents(network, found.routing.name, arrays, attributes=attributes)


def _claims(found: Ratio) -> str:
    whose = "no oblivious routing has a ratio" if found.of_all else "the ratio is not"
    against = "against the best routing of each traffic, whatever amounts the terminals send"
    if found.bounds.exact:
        return f"proved: {whose} below it, and this one has it, {against}"
    return f"proved: {whose} below the lower bound, and this one's is at most the upper, {against}"
