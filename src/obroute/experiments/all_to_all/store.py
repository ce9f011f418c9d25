"""What the store of an all-to-all holds, and what is gathered of it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.all_to_all import AllToAll, checked_bound
from obroute.kinds.answers import Contents
from obroute.network import Network
from obroute.results.arrays import LOAD, ArraySpec, AttributeSpec, exact_and_float, exact_floats
from obroute.specs import CertificateError

if TYPE_CHECKING:
    import xarray as xr

    from obroute.experiments.all_to_all import AllToAllSettings

LOADS = {
    **exact_and_float("load", (), "largest load of all-to-all traffic at full injection", LOAD),
    **exact_and_float("least_load", (), "the least that any routing has", LOAD),
    **exact_and_float(
        "time", (), "cycles until every unit terminal has sent a packet to each", "cycles"
    ),
    **exact_and_float("least_time", (), "the least such time", "cycles"),
}
ARRAYS: dict[str, ArraySpec] = {
    **LOADS,
    "channel": ArraySpec((), "integer", "a channel that has the largest load"),
    "length_exact": ArraySpec(
        ("channel_number",),
        "text",
        "length of each channel; by these no routing has less than the least load",
        witness=True,
    ),
}
ATTRIBUTES = {"best": AttributeSpec("a routing that has the least load")}
SUMMARY = {name: spec.by_case() for name, spec in LOADS.items()}


def values(answer: AllToAll) -> dict[str, Fraction]:
    """Return both loads and both times."""
    return {name: getattr(answer, name) for name in ("load", "least_load", "time", "least_time")}


def contents(answer: AllToAll, settings: AllToAllSettings) -> Contents:
    """Return both loads, and the lengths that prove the least."""
    lengths = np.array(list(map(str, answer.lengths.tolist())), dtype=object)
    arrays: dict[str, Any] = {"channel": answer.channel, "length_exact": lengths}
    for name, exact in values(answer).items():
        arrays |= exact_floats(name, exact)
    routing = answer.routing
    return Contents(
        answer.network,
        routing.name,
        arrays,
        attributes={"best": answer.best},
        label=routing.label,
    )


def check_lengths(cell: xr.Dataset, network: Network) -> None:
    """Check by other code that the lengths in a store prove its least load.

    Raises
    ------
    CertificateError
        If they do not.
    """
    stored = cell["length_exact"].values.tolist()
    if len(stored) != network.channel_count or not all(
        text.isascii() and text.isdigit() for text in stored
    ):
        raise CertificateError("length_exact: not one whole number for each channel")
    lengths = np.array([int(text) for text in stored], dtype=object)
    if str(checked_bound(network, lengths)) != cell["least_load_exact"].item():
        raise CertificateError("length_exact: the lengths do not prove least_load")
