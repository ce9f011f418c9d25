"""A stored deployment checked: the routing by the evaluator, every bound proved anew."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from obroute.certificates import CertificateError
from obroute.deployment import Bound, Deployment, Restriction
from obroute.deployment.bounds import best_oblivious, check_counting, exhaustive_bound
from obroute.deployment.deployments import check_bounds, check_virtual_channels, lower_bounds
from obroute.deployment.restrictions import falls
from obroute.deployment.ways import Ways
from obroute.experiments.deployment.store import (
    common_weight,
    contents,
    restriction_of,
    stored_bounds,
)
from obroute.kinds.answers import Rederived
from obroute.network import Network
from obroute.routing import Routing
from obroute.routing.path_table import PathTable
from obroute.routing.weighted_hops import WeightedHops
from obroute.specs import InputError
from obroute.worst_cases import worst_cases

if TYPE_CHECKING:
    from obroute.experiments.deployment import DeploymentSettings


def rederive(
    cell: xr.Dataset, network: Network, routing: Routing | None, settings: DeploymentSettings
) -> Rederived:
    """Return what a deployment must hold.

    The routing is read, held against the restriction and evaluated exactly. The linear program
    is solved again, its duals checked; the bound by counting is that of the stored shares; what
    was tried out is tried out again.

    Raises
    ------
    CertificateError
        If the routing is none of the restriction, or a bound is not proved.
    """
    restriction = restriction_of(settings)
    try:
        routing = stored_routing(cell, network, restriction)
        load = worst_cases(network, routing).load
    except (InputError, ValueError, IndexError) as error:
        raise CertificateError(f"the routing of the store: {error}") from None
    check_virtual_channels(network, restriction, routing)
    oblivious = None if settings.without_best else best_oblivious(network)
    bounds = lower_bounds(network, restriction, oblivious)
    stored = stored_bounds(cell)
    known = max((b.load for b in bounds if b.name != "counting"), default=Fraction(0))
    bounds = [_counted(network, known, bound, stored) for bound in bounds]
    if restriction.kind == "ecmp":
        bounds.append(Bound("nothing_to_choose", load))
    elif any(bound.name == "exhaustive" for bound in stored):
        lower = max((bound.load for bound in bounds), default=Fraction(0))
        again = exhaustive_bound(network, restriction, lower, load, settings.steps)
        bounds += [] if again is None else [again]
    check_bounds(bounds, load)
    found = Deployment(
        network,
        restriction,
        routing,
        load,
        tuple(bounds),
        oblivious,
        cell.attrs["origin"],
        settings.moves,
        settings.steps,
        settings.seed,
    )
    return Rederived(contents(found, settings), len(bounds) + 1)


def _counted(network: Network, known: Fraction, bound: Bound, stored: list[Bound]) -> Bound:
    """Return a bound; in place of one by counting that of the store, if its shares prove it."""
    if bound.name != "counting":
        return bound
    (given,) = [each for each in stored if each.name == "counting"] or [bound]
    nodes = network.node_count
    if len(given.shares) not in (0, nodes) or not check_counting(network, known, given):
        raise CertificateError(f"meeting_share: the shares do not prove a load of {given.load}")
    return replace(given)


def stored_routing(cell: xr.Dataset, network: Network, restriction: Restriction) -> Routing:
    """Return the routing of a store, if it obeys the restriction.

    Raises
    ------
    InputError
        If it does not, or is none.
    """
    channels = [*cell["entry_channel"].values, *cell["path_channel"].values]
    if channels and not 0 <= min(channels) <= max(channels) < network.channel_count:
        raise InputError("a channel that does not exist; expected 0 to the number of channels")
    if not restriction.by_destination:
        return _stored_paths(cell, network, restriction)
    most = {"ecmp": 1, "destination": 1}.get(restriction.kind, restriction.weight)
    weights: dict[int, dict[int, int]] = {node: {} for node in network.destinations.tolist()}
    taken: set[tuple[int, int]] = set()
    for destination, channel, weight in zip(
        *(cell[f"entry_{what}"].values.tolist() for what in ("destination", "channel", "weight")),
        strict=True,
    ):
        at = destination, int(network.tail[channel])
        if destination not in weights or not 1 <= weight <= most:
            raise InputError(f"an entry of weight {weight} for node {destination}; expected none")
        if restriction.kind == "destination" and at in taken:
            raise InputError(f"two next hops at node {at[1]} for node {at[0]}; expected one")
        taken.add(at)
        weights[destination][channel] = weight
    for destination, hops in weights.items():
        for channel in hops:
            if common_weight(network, hops, channel) > 1:
                raise InputError(
                    f"weights for node {destination} that have a common factor; expected none"
                )
    routing = WeightedHops(restriction.kind, weights)
    if restriction.kind == "ecmp":
        from obroute.deployment.known import ecmp_by_hops

        if weights != ecmp_by_hops(network).weights:
            raise InputError("next hops that are not those of all shortest paths")
    return routing


def _stored_paths(cell: xr.Dataset, network: Network, restriction: Restriction) -> PathTable:
    ways = Ways(network, restriction)
    order = restriction.order(network)
    ends = np.cumsum(cell["path_hops"].values).tolist()
    channels = cell["path_channel"].values.tolist()
    paths = {}
    for source, destination, hops, end in zip(
        cell["path_source"].values.tolist(),
        cell["path_destination"].values.tolist(),
        cell["path_hops"].values.tolist(),
        ends,
        strict=True,
    ):
        path = tuple(channels[end - hops : end])
        if not ways.allows(source, path) or (
            order is not None and falls(order, path) > (restriction.most_falls or 0)
        ):
            raise InputError(f"the path from node {source} to node {destination} is not allowed")
        if (source, destination) in paths:
            raise InputError(f"two paths from node {source} to node {destination}; expected one")
        paths[source, destination] = {path: Fraction(1)}
    return PathTable(restriction.kind, paths)
