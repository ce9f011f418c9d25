"""A stored oblivious ratio checked: its proofs, on the whole network."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from obroute.certificates import CertificateError
from obroute.experiments.ratio.store import contents
from obroute.kinds.answers import Rederived
from obroute.rational import RationalArray
from obroute.ratios import ChannelProof, checked_ratio
from obroute.ratios.focus import turns_of
from obroute.ratios.named import orbits_of
from obroute.routing.designed import DesignedRouting
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.experiments.ratio import RatioSettings
    from obroute.network import Network
    from obroute.routing import Routing


def rederive(
    cell: xr.Dataset, network: Network, routing: Routing | None, settings: RatioSettings
) -> Rederived:
    """Return what a store must hold, by its own proofs, checked on the whole network.

    Raises
    ------
    CertificateError
        If prices, flows or the routing prove nothing.
    """
    assert routing is not None
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
    return Rederived(contents(found, settings), 2 * len(proofs))


def _fractions(values: list[str], what: str) -> RationalArray:
    try:
        return RationalArray.from_fractions(Fraction(value) for value in values)
    except (ValueError, ZeroDivisionError):
        raise CertificateError(f"{what}: an entry is no number") from None
