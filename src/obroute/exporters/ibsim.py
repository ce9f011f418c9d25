"""Networks as netlists of ``ibsim``: :mod:`obroute.exporters.ibsim_netlist` among the formats."""

from __future__ import annotations

from collections.abc import Mapping

from obroute.exporters.ibsim_netlist import ibsim_netlist
from obroute.exporters.registry import register
from obroute.network import Network


@register(
    "ibsim",
    endings=("netlist",),
    summary="netlist of ibsim, for OpenSM: hosts as adapters",
    keeps="cables and hosts without their bandwidths, names",
)
def ibsim(network: Network) -> Mapping[str, str]:
    """Return the netlist of the network."""
    return {"": ibsim_netlist(network)}
