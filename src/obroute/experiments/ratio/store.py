"""What a store of an oblivious ratio holds, what is gathered of it, and how it is checked."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from obroute.certificates import CertificateError
from obroute.kinds.answers import Contents, Rederived
from obroute.rational import RationalArray
from obroute.ratios import ChannelProof, Ratio, checked_ratio
from obroute.ratios.focus import turns_of
from obroute.ratios.named import orbits_of
from obroute.results.arrays import (
    CASE,
    ArraySpec,
    AttributeSpec,
    exact_and_float,
    exact_floats,
    texts,
)
from obroute.routing import Routing
from obroute.routing.designed import DesignedRouting
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.network import Network

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


def contents(found: Ratio) -> Contents:
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


def summarize(cell: xr.Dataset) -> dict[str, Any]:
    """Return what is gathered of a ratio: its interval."""
    return {
        **{name: cell[name].values for name in _GATHERED},
        "claims": cell.attrs["claims"],
    }


def rederive_ratio(cell: xr.Dataset, network: Network, routing: Routing) -> Rederived:
    """Return what a store must hold, by its own proofs, checked on the whole network.

    Raises
    ------
    CertificateError
        If prices, flows or the routing prove nothing.
    """
    focus, reduction = orbits_of(network, routing)
    channels = [one.channel for one in focus]
    if cell["focus_channel"].values.tolist() != channels:
        raise CertificateError("focus_channel: not the channels that stand for the others")
    proofs = []
    for place, one in enumerate(focus):
        prices = cell["price_exact"].values[place].tolist()
        flows = _fractions(cell["flow_exact"].values[place].ravel().tolist(), "flow_exact")
        proofs.append(
            ChannelProof(
                one.channel,
                None if not any(prices) else _fractions(prices, "price_exact"),
                flows.take(np.arange(len(flows)).reshape(len(network.sources), -1)),
                turns_of(one),
            )
        )
    chosen = routing
    if reduction is not None:
        if "routing_flow_exact" not in cell:
            raise CertificateError("routing_flow_exact: missing, nothing says what the routing is")
        given = _fractions(cell["routing_flow_exact"].values.tolist(), "routing_flow_exact")
        chosen = DesignedRouting(routing.name, reduction, flows=given)
    try:
        found = checked_ratio(
            network,
            chosen,
            tuple(proofs),
            of_all=reduction is not None,
            solver=str(cell.attrs["solver"]),
        )
    except InputError as error:
        raise CertificateError(str(error)) from None
    return Rederived(contents(found), 2 * len(proofs))


def _fractions(values: list[str], what: str) -> RationalArray:
    try:
        return RationalArray.from_fractions(Fraction(value) for value in values)
    except (ValueError, ZeroDivisionError):
        raise CertificateError(f"{what}: an entry is no number") from None
