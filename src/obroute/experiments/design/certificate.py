"""The proof of a design, to hand on: its routing, and the bounds of the full problem."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import xarray as xr

from obroute.design import DesignProblem, design_problem
from obroute.design.prices import Prices
from obroute.experiments.design.stored import designed_routing
from obroute.experiments.design.verify import stored_proofs
from obroute.importers import make_network
from obroute.network import Network
from obroute.proofs import PairTable, proof_document
from obroute.proofs.tables import Entries
from obroute.rational import RationalArray, least_common_denominator
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.worst_cases import worst_cases


def certificate(
    cell: xr.Dataset, most: int, network: Network | None, routing: Routing | None
) -> dict[str, Any]:
    """Return the proof of a stored design for the worst case.

    Parameters
    ----------
    cell
        The design.
    most
        Flows, and prices of each bound, that the file may have.
    network, routing
        What it is of; made from the store where not given.

    Raises
    ------
    InputError
        If its objective is another one, or there are more flows or prices.
    """
    network = make_network(cell.attrs["network"]) if network is None else network
    problem = design_problem(network, json.loads(cell.attrs["settings"]))
    if problem.objective != "worst_case":
        raise InputError(
            f"a proof to hand on of a design for the {problem.objective} is not supported; "
            "expected one for the worst_case. Evaluate its routing for the proof of that"
        )
    routing = designed_routing(cell, "the store", network) if routing is None else routing
    flows = PairTable.of_flows(network, routing, most)
    listed, unit = _listed_paths(problem, routing, flows)
    worst = [channel.worst for channel in worst_cases(network, routing).channels]
    document = proof_document(network, routing, worst, flows, unit)
    shortest = problem.allowed.channels is not None
    document["path_set"] = listed or ("shortest" if shortest else "all")
    document["bounds"] = list(_bounds(cell, problem, most))
    return document


def _listed_paths(
    problem: DesignProblem, routing: Routing, flows: PairTable
) -> tuple[list[Any] | None, int]:
    """Return the paths of each pair with their probabilities, if listed; and the common unit."""
    network, by_source = problem.network, problem.allowed.by_source
    if by_source is None:
        return None, flows.unit
    table: list[list[dict[tuple[int, ...], Fraction]]] = []
    probabilities: list[Fraction] = []
    for place, source in enumerate(network.sources.tolist()):
        paths = by_source(place)
        cells: list[dict[tuple[int, ...], Fraction]] = [{} for _ in network.destinations]
        last = 0
        for end, hops in zip(paths.ends.tolist(), paths.hops.tolist(), strict=True):
            cells[end][tuple(paths.channels[last : last + hops].tolist())] = Fraction(0)
            last += hops
        for destination, known in zip(network.destinations.tolist(), cells, strict=True):
            if source != destination:
                for probability, path in routing.paths(network, source, destination):
                    known[path] += probability
            probabilities += known.values()
        table.append(cells)
    unit = math.lcm(flows.unit, least_common_denominator(probabilities))
    return [
        [[[int(amount * unit), list(path)] for path, amount in cell.items()] for cell in cells]
        for cells in table
    ], unit


def _bounds(cell: xr.Dataset, problem: DesignProblem, most: int) -> Iterator[dict[str, Any]]:
    """Yield what proves each recorded bound: prices of the full problem."""
    load = Fraction(cell["routing_load_exact"].item())
    limit = Fraction(cell["load_limit_exact"].item() or 0)
    hops = problem.network.mean_shortest_path_length()
    longest = None if problem.locality is None else problem.locality * hops
    for objective, least, recorded, other in (
        ("load", "load", "load_lower_exact", longest),
        ("length", "mean_path_length", "least_path_length_exact", max(load, limit)),
    ):
        proof, bound = stored_proofs(cell).get(objective), cell[recorded].item()
        if proof is None or not bound or not Fraction(bound):
            continue
        prices, charges, hop = proof.prices(problem)
        values = {
            "load": other if prices.charge else None,
            "mean_path_length": other if hop else None,
            least: Fraction(bound),
        }
        yield {
            "least": least,
            **{name: None if value is None else str(value) for name, value in values.items()},
            **_prices(problem.network, prices, charges, hop, most),
        }


def _prices(
    network: Network, prices: Prices, charges: RationalArray, hops: Fraction, most: int
) -> dict[str, Any]:
    """Return prices, charges and the price of a hop in the least whole numbers."""

    def rows() -> Iterator[Entries]:
        for place in range(len(network.sources)):
            index = prices.index(place)
            priced = (index >= 0) & (prices.values.numerators != 0)[index]
            destinations, channels = np.nonzero(priced)
            yield destinations, channels, prices.values.take(index[priced])

    table = PairTable.of(network, rows(), most, "prices")
    hop = hops / network.injection.sum() / network.ejection.sum()
    each = charges.fractions()
    unit = math.lcm(table.unit, least_common_denominator([*each, hop]))
    return {
        "charges": [int(charge * unit) for charge in each],
        "hop": int(hop * unit),
        "prices": table.whole(unit),
    }
