"""A stored evaluation checked: every certificate, from the network and the routing anew.

A sample of pair loads is also derived from the definition of the routing, path by path.
"""

from __future__ import annotations

import itertools
import json
import re
from fractions import Fraction

import numpy as np
import xarray as xr

from obroute.averages import average_case, random_permutation_loads
from obroute.capacity import capacity_load
from obroute.certificates import CertificateError, WorstCase, check_certificate
from obroute.experiments.evaluation.store import ARRAYS, critical_focus
from obroute.importers import make_network
from obroute.kinds.comparing import compare_exact
from obroute.loads import PairLoadTensor, largest_load, loads_of
from obroute.network import Network
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.results.provenance import network_digest
from obroute.routing import Routing, routings
from obroute.symmetry import focus_channels
from obroute.theorems import confirm
from obroute.traffic import Sample, make_pattern
from obroute.worst_cases import WORST_CASE, worst_traffic

PAIRS_FROM_DEFINITION = 12
MOST_PATHS_A_PAIR = 20_000
MAY_BE_EMPTY = ("capacity_load_exact",)
"""Empty where the capacity is unknown."""


def verify_evaluation(cell: xr.Dataset) -> int:
    """Check every entry of a cell; return the number of certificates proved.

    Raises
    ------
    CertificateError
        Names the first entry that is wrong.
    """
    for name, spec in ARRAYS.items():
        if spec.kind == "text" and name in cell:
            for place, entry in enumerate(cell[name].values.ravel().tolist()):
                if not re.fullmatch(r"-?\d+(/[1-9]\d*)?", entry) and name not in MAY_BE_EMPTY:
                    raise CertificateError(f"{name}: entry {place} is '{entry}', not a number")
    for name, limit in (
        ("focus_channel", cell.sizes["channel"]),
        ("flow_source", cell.sizes["source"]),
        ("flow_destination", cell.sizes["destination"]),
    ):
        if name in cell and not all(0 <= entry < limit for entry in cell[name].values.tolist()):
            raise CertificateError(f"{name}: an entry is not between 0 and {limit - 1}")
    if not all(int(entry) > 0 for entry in cell["potential_denominator"].values.tolist()):
        raise CertificateError("potential_denominator: an entry is not positive")
    return _verify(cell)


def _verify(cell: xr.Dataset) -> int:
    network = make_network(cell.attrs["network"])
    if network_digest(network) != cell.attrs["network_digest"]:
        raise CertificateError(f"{cell.attrs['network']} is no longer the network of this store")
    if not cell["certified"].values.all():
        raise CertificateError("certified: the store holds an estimate from sampled paths")
    routing = routings.create(cell.attrs["routing"])
    routing.check(network)
    _check_focus(cell, network, routing)
    bandwidths = [str(bandwidth) for bandwidth in network.bandwidth.fractions()]
    if cell["bandwidth_exact"].values.tolist() != bandwidths:
        raise CertificateError("bandwidth_exact: not the bandwidths of the network")
    rows, columns = network.uniform_weight()
    hops = Fraction(0)
    cases = []
    for focus, channel in enumerate(cell["focus_channel"].values.tolist()):
        pair_loads = routing.pair_loads(network, channel)
        _check_definition(network, routing, channel, pair_loads)
        _check_pair_loads(cell, focus, channel, pair_loads)
        worst = stored_worst_case(cell, network, focus)
        check_certificate(worst, pair_loads, network.injection, network.ejection)
        cases.append(worst)
        bandwidth = network.bandwidth.fraction(channel)
        compare_exact(cell, "worst_case_load", worst.load / bandwidth, focus)
        uniform = pair_loads.weighted_sum(rows, columns)
        compare_exact(cell, "focus_uniform_load", uniform / bandwidth, focus)
        hops += uniform * int(cell["multiplicity"].values[focus])
    compare_exact(cell, "mean_path_length", hops / network.total_injection)
    compare_exact(cell, "mean_shortest_path_length", network.mean_shortest_path_length())
    compare_exact(cell, "capacity_load", capacity_load(network))
    _check_patterns(cell, network, routing)
    _check_channel_loads(cell, network, routing, cases[critical_focus(cell)])
    _check_samples(cell, network, routing)
    return cell.sizes["focus"]


def confirmed(cell: xr.Dataset) -> str:
    """Hold worst case and path length of a cell against a theorem; say what it confirms.

    The theorem proves them for every k at once, with neither pair loads nor matching: it is
    independent of all else that is checked. Empty where there is none.

    Raises
    ------
    CertificateError
        If the recorded worst case or mean path length is not what is proved.
    """
    loads = [Fraction(load) for load in cell["worst_case_load_exact"].values.tolist()]
    routing = routings.create(cell.attrs["routing"])
    length = Fraction(cell["mean_path_length_exact"].item())
    return confirm(make_network(cell.attrs["network"]), routing, max(loads), length)


def _check_patterns(cell: xr.Dataset, network: Network, routing: Routing) -> None:
    uniform = [Fraction(load) for load in cell["focus_uniform_load_exact"].values.tolist()]
    for position, name in enumerate(cell["pattern"].values.tolist()):
        pattern = make_pattern(name)
        channel = int(cell["pattern_channel"].values[position])
        if pattern.is_uniform:
            load = max(uniform)
            heaviest = int(cell["focus_channel"].values[uniform.index(load)])
        else:
            load, heaviest = largest_load(routing, pattern.traffic(network))
        compare_exact(cell, "pattern_load", load, position)
        if channel != heaviest:
            raise CertificateError(
                f"pattern_channel[{position}] is recorded as {channel}, but is {heaviest}"
            )


def _check_pair_loads(
    cell: xr.Dataset, focus: int, channel: int, pair_loads: SparseRationalMatrix
) -> None:
    denominator = int(cell["pair_load_denominator"].values[focus])
    if denominator != pair_loads.values.denominator:
        raise CertificateError(
            f"pair_load_denominator[{focus}] is recorded as {denominator}, but is "
            f"{pair_loads.values.denominator}"
        )
    if "pair_load_focus" not in cell:
        return
    mine = cell["pair_load_focus"].values == focus
    for name, expected in (
        ("source", pair_loads.rows),
        ("destination", pair_loads.columns),
        ("numerator", pair_loads.values.numerators),
    ):
        if not np.array_equal(cell[f"pair_load_{name}"].values[mine], expected):
            raise CertificateError(f"channel {channel}: pair_load_{name} is not the routing's")


def _check_channel_loads(
    cell: xr.Dataset, network: Network, routing: Routing, worst: WorstCase
) -> None:
    if "channel_load" not in cell:
        return
    for position, name in enumerate(cell["traffic"].values.tolist()):
        traffic = (
            worst_traffic(network, worst)
            if name == WORST_CASE
            else make_pattern(name).traffic(network)
        )
        expected = loads_of(routing, traffic)
        found = cell["channel_load"].values[position]
        if not np.array_equal(found, expected.to_float() / network.bandwidth.to_float()):
            raise CertificateError(f"channel_load[{name}] is not the load of that traffic")


def _check_samples(cell: xr.Dataset, network: Network, routing: Routing) -> None:
    """Draw the samples again from the recorded seed."""
    if "random_permutation_load" not in cell and "average_case_load" not in cell:
        return
    settings = json.loads(cell.attrs["settings"])
    tensor = PairLoadTensor.build(network, routing)
    if "random_permutation_load" in cell:
        found = cell["random_permutation_load"].values
        again = random_permutation_loads(tensor, Sample(len(found), settings.get("seed", 0)))
        if not np.array_equal(found, [float(load) for load in again.loads]):
            raise CertificateError("random_permutation_load is not what the seed draws")
        recorded = cell["random_permutation_worst_exact"].item()
        if recorded != str(again.worst):
            raise CertificateError(
                f"random_permutation_worst_exact is recorded as {recorded}, but is {again.worst}"
            )
    if "average_case_load" in cell:
        found = cell["average_case_load"].values
        kind = settings.get("matrix_kind", "permutation")
        average = average_case(tensor, Sample(len(found), settings.get("seed", 0), kind))
        if not np.allclose(found, average.loads, rtol=1e-12, atol=0):
            raise CertificateError("average_case_load is not what the seed draws")


def stored_worst_case(cell: xr.Dataset, network: Network, focus: int) -> WorstCase:
    """Read the worst case of one focus channel, by its position."""
    channel = int(cell["focus_channel"].values[focus])
    permutation = cell["worst_permutation"].values[focus]
    if (permutation >= 0).all():
        sources = np.arange(len(network.sources))
        if permutation.max(initial=0) >= network.node_count:
            raise CertificateError(f"channel {channel}: a destination that is no node")
        destinations = network.destination_index[permutation]
        amounts = RationalArray.full(len(sources), 1)
    else:
        mine = cell["flow_focus"].values == focus
        sources = cell["flow_source"].values[mine].astype(np.int64)
        destinations = cell["flow_destination"].values[mine].astype(np.int64)
        amounts = RationalArray.from_fractions(
            Fraction(amount) for amount in cell["flow_amount_exact"].values[mine].tolist()
        )
    denominator = int(cell["potential_denominator"].values[focus])
    potentials = [
        RationalArray(
            np.array([int(n) for n in cell[name].values[focus].tolist()], dtype=object),
            denominator,
        )
        for name in ("source_potential", "destination_potential")
    ]
    load = Fraction(cell["worst_case_load_exact"].values[focus])
    return WorstCase(
        channel,
        load * network.bandwidth.fraction(channel),
        sources,
        destinations,
        amounts,
        *potentials,
    )


def _check_focus(cell: xr.Dataset, network: Network, routing: Routing) -> None:
    if not np.array_equal(cell["tail"].values, network.tail) or not np.array_equal(
        cell["head"].values, network.head
    ):
        raise CertificateError("tail, head: not the channels of the network")
    symmetries = routing.symmetries(network)
    expected = focus_channels(network, symmetries)
    found = cell["focus_channel"].values
    multiplicity = cell["multiplicity"].values
    if len(found) == network.channel_count:
        expected = focus_channels(network, {})
    labels = focus_channels(network, symmetries).labels
    if len(set(labels[found].tolist())) != labels.max() + 1:
        raise CertificateError("focus_channel: an orbit of channels is missing")
    if not np.array_equal(multiplicity, expected.multiplicity):
        raise CertificateError("multiplicity: not the sizes of the channel orbits")
    if not np.array_equal(cell["channel_focus"].values, expected.labels):
        raise CertificateError("channel_focus: not the channel orbits")


def _check_definition(
    network: Network, routing: Routing, channel: int, pair_loads: SparseRationalMatrix
) -> None:
    """Derive a seeded sample of non-zero pair loads path by path."""
    chosen = np.random.default_rng(channel).permutation(pair_loads.nonzeros)
    for place in chosen[:PAIRS_FROM_DEFINITION].tolist():
        row, column = int(pair_loads.rows[place]), int(pair_loads.columns[place])
        source, destination = int(network.sources[row]), int(network.destinations[column])
        paths = list(
            itertools.islice(routing.paths(network, source, destination), MOST_PATHS_A_PAIR + 1)
        )
        if len(paths) > MOST_PATHS_A_PAIR:
            continue
        load = sum((p * path.count(channel) for p, path in paths), Fraction(0))
        if load != pair_loads.values.fraction(place):
            raise CertificateError(
                f"channel {channel}: the paths from node {source} to node {destination} load it "
                f"with {load}, not {pair_loads.values.fraction(place)}"
            )
