"""The proof of an evaluation, to hand on."""

from __future__ import annotations

from typing import Any

import xarray as xr

from obroute.experiments.evaluation.verify import stored_worst_case
from obroute.importers import make_network
from obroute.network import Network
from obroute.proofs import PairTable, proof_document
from obroute.routing import Routing, routings
from obroute.solved_channels import solve_channels
from obroute.specs import InputError
from obroute.symmetry import focus_channels


def certificate(
    cell: xr.Dataset, most: int, network: Network | None, routing: Routing | None
) -> dict[str, Any]:
    """Return the proof of a stored evaluation, from its certificates.

    Parameters
    ----------
    cell
        The evaluation.
    most
        Flows that the file may have.
    network, routing
        What it is of; made from the names in the store where not given.

    Raises
    ------
    InputError
        If it is an estimate, or there are more flows.
    """
    if not cell["certified"].values.all():
        raise InputError("an estimate from sampled paths is not proved; evaluate exactly")
    network = make_network(cell.attrs["network"]) if network is None else network
    routing = routings.create(cell.attrs["routing"]) if routing is None else routing
    routing.check(network)
    flows = PairTable.of_flows(network, routing, most)
    worst = [stored_worst_case(cell, network, focus) for focus in range(cell.sizes["focus"])]
    bounded = cell["channel_focus"].values < 0
    if bounded.any():  # the file proves each channel by itself: solve those that have bounds alone
        focus = focus_channels(network, routing.symmetries(network)).channels
        others = focus[bounded[focus]].tolist()
        worst += [found.worst for found in solve_channels(network, routing, others)]
    return proof_document(network, routing, worst, flows, flows.unit)
