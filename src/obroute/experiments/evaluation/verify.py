"""A stored evaluation checked: every certificate, from the network and the routing anew.

A sample of pair loads is also derived from the definition of the routing, path by path.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from obroute.certificates import CertificateError, WorstCase
from obroute.experiments.evaluation.store import contents, evaluate_as_asked
from obroute.importers import make_network
from obroute.kinds.answers import Rederived
from obroute.kinds.comparing import check_length
from obroute.network import Network
from obroute.quotients import Quotients
from obroute.rational import IntArray, RationalArray, SparseRationalMatrix
from obroute.routing import Routing, routings
from obroute.solved_channels import ChannelResult, check_worst_case
from obroute.symmetry import focus_channels
from obroute.tasks import run_serially
from obroute.theorems import confirm
from obroute.worst_cases import (
    WorstCases,
    prove_bounds,
    solves_few,
)

if TYPE_CHECKING:
    from obroute.experiments.evaluation import EvaluationSettings

PAIRS_FROM_DEFINITION = 12
MOST_HOPS_A_PAIR = 50_000
MOST_PATHS_A_PAIR = 20_000
_NUMBER = re.compile(r"-?\d+(/[1-9]\d*)?")
_PROOF = (
    "worst_case_load_exact",
    "source_potential",
    "destination_potential",
    "potential_denominator",
    "flow_amount_exact",
)


def rederive(
    cell: xr.Dataset, network: Network, routing: Routing | None, settings: EvaluationSettings
) -> Rederived:
    """Return what a cell must hold: its worst cases proved by its certificates, all else anew.

    Raises
    ------
    CertificateError
        Names the first certificate that does not hold.
    """
    assert routing is not None
    _check_form(cell)
    if not cell["certified"].values.all():
        raise CertificateError("certified: the store holds an estimate from sampled paths")
    for dim, asked in (
        ("permutation_sample", settings.random_permutation_samples),
        ("matrix_sample", settings.average_case_samples),
    ):
        check_length(cell, dim, asked)
    focus = focus_channels(network, {} if settings.all_channels else routing.symmetries(network))
    few = solves_few(network, routing, focus, all_channels=settings.all_channels)
    solved = _solved_channel(cell, network) if few else focus.channels
    multiplicity = focus.multiplicity[focus.labels[solved]]
    labels = np.where(focus.labels == focus.labels[solved[0]], 0, -1) if few else focus.labels
    _check_focus(cell, network, solved, multiplicity, labels)
    rows, columns = network.uniform_weight()
    results = []
    for place, channel in enumerate(solved.tolist()):
        pair_loads = routing.pair_loads(network, channel)
        _check_definition(network, routing, channel, pair_loads)
        worst = stored_worst_case(cell, network, place)
        check_worst_case(network, worst, pair_loads)
        results.append(
            ChannelResult(
                worst=worst,
                normalized_load=worst.load / network.bandwidth.fraction(channel),
                uniform_load=pair_loads.weighted_sum(rows, columns),
                multiplicity=int(multiplicity[place]),
                certified=True,
                pair_loads=pair_loads,
            )
        )
    bounds = prove_bounds(network, routing, focus, results[0]) if few else None
    known = WorstCases(focus, results, bounds)
    found = evaluate_as_asked(network, routing, settings, run_serially, known)
    return Rederived(contents(found, settings), len(results))


def _check_form(cell: xr.Dataset) -> None:
    """Check that what certificates are read from are numbers, and positions that exist."""
    for name in _PROOF:
        if name in cell:
            for place, entry in enumerate(cell[name].values.ravel().tolist()):
                if not _NUMBER.fullmatch(entry):
                    raise CertificateError(f"{name}: entry {place} is '{entry}', not a number")
    for name, dim in (("flow_source", "source"), ("flow_destination", "destination")):
        limit = cell.sizes[dim]
        if name in cell and not all(0 <= entry < limit for entry in cell[name].values.tolist()):
            raise CertificateError(f"{name}: an entry is not between 0 and {limit - 1}")
    if not all(int(entry) > 0 for entry in cell["potential_denominator"].values.tolist()):
        raise CertificateError("potential_denominator: an entry is not positive")


def _solved_channel(cell: xr.Dataset, network: Network) -> IntArray:
    """Return the one channel that was solved, where the others are bounded."""
    found = cell["focus_channel"].values
    if len(found) != 1 or not 0 <= found[0] < network.channel_count:
        raise CertificateError("focus_channel: not one channel of the network")
    return np.asarray(found, dtype=np.int64)


def _check_focus(
    cell: xr.Dataset,
    network: Network,
    solved: IntArray,
    multiplicity: IntArray,
    labels: IntArray,
) -> None:
    """Check that the certificates are of the channels that they should be of."""
    for name, expected, words in (
        ("focus_channel", solved, "not one channel of every orbit"),
        ("multiplicity", multiplicity, "not the sizes of the channel orbits"),
        ("channel_focus", labels, "not the channel orbits"),
        ("source", network.sources, "not the sources of the network"),
        ("destination", network.destinations, "not the destinations of the network"),
        ("tail", network.tail, "not where the channels of the network begin"),
        ("head", network.head, "not where the channels of the network end"),
    ):
        if name not in cell.variables or not np.array_equal(cell[name].values, expected):
            raise CertificateError(f"{name}: {words}")


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
        if "flow_focus" not in cell:
            raise CertificateError(f"channel {channel}: a destination is missing")
        mine = cell["flow_focus"].values == focus
        sources = cell["flow_source"].values[mine].astype(np.int64)
        destinations = cell["flow_destination"].values[mine].astype(np.int64)
        amounts = RationalArray.from_fractions(
            Fraction(amount) for amount in cell["flow_amount_exact"].values[mine].tolist()
        )
    denominator = int(cell["potential_denominator"].values[focus])
    potentials = [
        _potentials(cell[name].values[focus].tolist(), denominator)
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


def _potentials(given: list[str], denominator: int) -> RationalArray:
    """Read potentials: multiples of 1 / denominator, or fractions with their own."""
    if any("/" in text for text in given):
        return Quotients.from_fractions(Fraction(text) / denominator for text in given)
    return RationalArray(np.array([int(text) for text in given], dtype=object), denominator)


def _check_definition(
    network: Network, routing: Routing, channel: int, pair_loads: SparseRationalMatrix
) -> None:
    """Derive a seeded sample of non-zero pair loads path by path."""
    rows, columns = pair_loads.some_places(PAIRS_FROM_DEFINITION, np.random.default_rng(channel))
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        source, destination = int(network.sources[row]), int(network.destinations[column])
        paths, hops = [], 0
        for probability, path in routing.paths(network, source, destination):
            paths.append((probability, path))
            hops += len(path)
            if len(paths) > MOST_PATHS_A_PAIR or hops > MOST_HOPS_A_PAIR:
                break
        if len(paths) > MOST_PATHS_A_PAIR or hops > MOST_HOPS_A_PAIR:
            continue
        load = sum((p * path.count(channel) for p, path in paths), Fraction(0))
        if load != pair_loads.entry(row, column):
            raise CertificateError(
                f"channel {channel}: the paths from node {source} to node {destination} load it "
                f"with {load}, not {pair_loads.entry(row, column)}"
            )
