"""Evaluations as datasets: a cell for one of them, a study for many."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import platform
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from obroute.certificates import WorstCase
from obroute.loads import traffic_loads
from obroute.network import Network
from obroute.results.arrays import (
    BLANK,
    DTYPE,
    SCHEMA_VERSION,
    STUDY_ARRAYS,
    floats,
    make_dataset,
    text,
    texts,
)
from obroute.specs import InputError
from obroute.throughput import Evaluation, traffic_nodes
from obroute.topologies.grid import Grid

MOST_CHANNEL_LOAD_ENTRIES = 30_000_000
"""Terminals × channels up to which a cell holds the load of every channel (for load maps)."""


@cache
def source_digests() -> dict[str, str]:
    """Return a digest of every source file of the package, by its path, for provenance.

    One for each, so that ``obroute status`` can say which of them changed since.
    """
    root = Path(__file__).parents[1]
    return {
        file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()[:12]
        for file in sorted(root.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }


def source_digest() -> str:
    """Return one digest of all source files of the package."""
    return hashlib.sha256(json.dumps(source_digests()).encode()).hexdigest()[:16]


def provenance(settings: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return what made a result: versions, source digest, settings, time."""
    return {
        "schema_version": SCHEMA_VERSION,
        "obroute_version": version("obroute"),
        "source_digest": source_digest(),
        "sources": json.dumps(source_digests()),
        "settings": json.dumps(settings, sort_keys=True),
        "seconds": round(seconds, 3),
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "numba", "xarray", "zarr")},
    }


def gathered_cells(cells: Mapping[str, xr.Dataset]) -> dict[str, Any]:
    """Return what a gathered store was made of, for provenance: the digest of each cell's data."""
    digests = {name: cell.attrs.get("data_digest", "")[:16] for name, cell in cells.items()}
    return {"cells": json.dumps(digests)}


def cell_dataset(
    evaluation: Evaluation,
    settings: Mapping[str, Any] | None = None,
    seconds: float = 0.0,
    pair_load_limit: int = 1_000_000,
) -> xr.Dataset:
    """Return an evaluation as a dataset, certificates and (small) pair loads included.

    Parameters
    ----------
    evaluation
        What to hold.
    settings, seconds
        For the provenance.
    pair_load_limit
        Pair loads are left out where they have more non-zero entries, or a numerator does not fit
        63 bits; verification derives them anew in any case.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.evaluate("torus:5x5", "romm", ["tornado"])
    >>> cell_dataset(found).worst_case_load_exact.item()
    '8/3'
    """
    if evaluation.estimate is not None:
        raise InputError(
            "an estimate from sampled paths is not exact and is not stored; evaluate without "
            "sampled paths"
        )
    network = evaluation.network
    channels = evaluation.channels
    loads = [result.normalized_load for result in channels]
    uniform = [r.uniform_load / network.bandwidth.fraction(r.worst.channel) for r in channels]
    shortest = network.mean_shortest_path_length()
    arrays: dict[str, Any] = {
        "worst_case_load": floats(loads),
        "worst_case_load_exact": texts(loads),
        "focus_uniform_load": floats(uniform),
        "focus_uniform_load_exact": texts(uniform),
        "focus_channel": np.array([r.worst.channel for r in channels], dtype=np.int64),
        "multiplicity": np.array([r.multiplicity for r in channels], dtype=np.int64),
        "channel_focus": evaluation.channel_focus,
        "certified": np.array([r.certified for r in channels], dtype=bool),
        **_certificates(network, [r.worst for r in channels]),
        **_pair_loads(evaluation, pair_load_limit),
        "pattern_load": floats([p.load for p in evaluation.patterns]),
        "pattern_load_exact": texts([p.load for p in evaluation.patterns]),
        "pattern_channel": np.array([p.channel for p in evaluation.patterns], dtype=np.int64),
        "capacity_load": floats([evaluation.capacity_load])[0],
        "capacity_load_exact": text(evaluation.capacity_load),
        "mean_path_length": float(evaluation.mean_path_length),
        "mean_path_length_exact": text(evaluation.mean_path_length),
        "mean_shortest_path_length": float(shortest),
        "mean_shortest_path_length_exact": text(shortest),
        "tail": network.tail.astype(np.int32),
        "head": network.head.astype(np.int32),
        "bandwidth_exact": texts(network.bandwidth.fractions()),
    }
    coordinates: dict[str, Any] = {
        "source": network.sources.astype(np.int32),
        "destination": network.destinations.astype(np.int32),
        "pattern": texts([p.pattern for p in evaluation.patterns]),
    }
    arrays |= _channel_loads(evaluation, coordinates)
    if evaluation.random_permutations is not None:
        arrays["random_permutation_load"] = floats(evaluation.random_permutations.loads)
        arrays["random_permutation_worst_exact"] = text(evaluation.random_permutations.worst)
    if evaluation.average_case is not None:
        arrays["average_case_load"] = evaluation.average_case.loads
    attributes = {
        "kind": "cell",
        **network_attributes(network),
        "routing": evaluation.routing.name,
        "label": evaluation.routing.label,
        **provenance(settings or {}, seconds),
    }
    return make_dataset("cell", arrays, coordinates, attributes)


def network_attributes(network: Network) -> dict[str, Any]:
    """Return the attributes that name and describe a network."""
    return {
        "network": network.name,
        "network_digest": network_digest(network),
        "family": network.name.partition(":")[0],
        "radix": _radix(network),
        "dimensions": len(network.radices) if isinstance(network, Grid) else -1,
        "nodes": network.node_count,
    }


def _radix(network: Network) -> int:
    if isinstance(network, Grid) and len(set(network.radices)) == 1:
        return network.radices[0]
    return -1


def network_digest(network: Network) -> str:
    """Return a digest of a network's channels and terminals, to tell a changed file."""
    digest = hashlib.sha256()
    for array in (network.tail, network.head, network.sources, network.destinations):
        digest.update(np.ascontiguousarray(array).tobytes())
    for rationals in (network.bandwidth, network.injection, network.ejection):
        digest.update(str((rationals.numerators.tolist(), rationals.denominator)).encode())
    return digest.hexdigest()[:16]


def _certificates(network: Network, cases: Sequence[WorstCase]) -> dict[str, Any]:
    permutations = np.full((len(cases), len(network.sources)), -1, dtype=np.int32)
    denominators, sources, destinations, flows = [], [], [], []
    for focus, case in enumerate(cases):
        permutation = case.permutation if network.has_unit_terminals else None
        if permutation is not None:
            permutations[focus] = network.destinations[permutation]
        else:
            amounts = case.amounts.fractions()
            flows += [
                (focus, source, destination, text(amount))
                for source, destination, amount in zip(
                    case.sources.tolist(), case.destinations.tolist(), amounts, strict=True
                )
            ]
        common = math.lcm(
            case.source_potentials.denominator, case.destination_potentials.denominator
        )
        denominators.append(str(common))
        sources.append(texts(str(n) for n in case.source_potentials.over(common)))
        destinations.append(texts(str(n) for n in case.destination_potentials.over(common)))
    found: dict[str, Any] = {
        "worst_permutation": permutations,
        "source_potential": np.stack(sources),
        "destination_potential": np.stack(destinations),
        "potential_denominator": texts(denominators),
    }
    if flows:
        columns = list(zip(*flows, strict=True))
        for name, column in zip(("focus", "source", "destination"), columns, strict=False):
            found[f"flow_{name}"] = np.array(column, dtype=np.int32)
        found["flow_amount_exact"] = texts(columns[3])
    return found


def _pair_loads(evaluation: Evaluation, limit: int) -> dict[str, Any]:
    matrices = [result.pair_loads for result in evaluation.channels]
    found: dict[str, Any] = {
        "pair_load_denominator": texts(str(m.values.denominator) for m in matrices)
    }
    if sum(m.nonzeros for m in matrices) > limit or any(
        m.values.numerators.dtype == object for m in matrices
    ):
        return found
    found["pair_load_focus"] = np.repeat(
        np.arange(len(matrices), dtype=np.int32), [m.nonzeros for m in matrices]
    )
    found["pair_load_source"] = np.concatenate([m.rows for m in matrices]).astype(np.int32)
    found["pair_load_destination"] = np.concatenate([m.columns for m in matrices]).astype(np.int32)
    found["pair_load_numerator"] = np.concatenate([m.values.numerators for m in matrices])
    return found


def _channel_loads(evaluation: Evaluation, coordinates: dict[str, Any]) -> dict[str, Any]:
    network = evaluation.network
    if len(network.sources) * network.channel_count > MOST_CHANNEL_LOAD_ENTRIES:
        return {}
    sources, destinations = traffic_nodes(network, evaluation.critical.worst)
    bandwidth = network.bandwidth.to_float()
    amounts = evaluation.critical.worst.amounts
    loads = traffic_loads(network, evaluation.routing, sources, destinations, amounts)
    named = {"worst_case": loads} | {
        result.pattern: result.channel_loads
        for result in evaluation.patterns
        if result.channel_loads is not None
    }
    coordinates["traffic"] = texts(named)
    return {"channel_load": np.stack([found.to_float() / bandwidth for found in named.values()])}


def study_dataset(cells: Mapping[str, xr.Dataset], settings: Mapping[str, Any]) -> xr.Dataset:
    """Gather cells into one dataset with dims network, routing and pattern.

    Networks and routings keep the order in which they come; a pair that no cell holds is NaN,
    empty or -1, and False in ``present``.

    Parameters
    ----------
    cells
        Cell datasets by the names of their stores.
    settings
        For the provenance.
    """
    if not cells:
        raise InputError("no cells to gather; evaluate at least one network and routing")
    networks: dict[str, xr.Dataset] = {}
    for cell in cells.values():
        networks.setdefault(cell.attrs["network"], cell)
    routings = list(dict.fromkeys(_label(cell) for cell in cells.values()))
    names = dict.fromkeys(n for cell in cells.values() for n in cell["pattern"].values.tolist())
    sizes = {"network": len(networks), "routing": len(routings), "pattern": len(names)}
    arrays: dict[str, NDArray[Any]] = {
        name: np.full(
            tuple(sizes[dim] for dim in spec.dims), BLANK[spec.kind], dtype=DTYPE[spec.kind]
        )
        for name, spec in STUDY_ARRAYS.items()
    }
    for row, cell in enumerate(networks.values()):
        for name in ("family", "radix", "dimensions", "nodes"):
            arrays[name][row] = cell.attrs[name]
        for name in ("capacity_load", "capacity_load_exact"):
            arrays[name][row] = cell[name].item()
    rows, columns = list(networks), {name: place for place, name in enumerate(routings)}
    pattern_place = {name: place for place, name in enumerate(names)}
    for name, cell in cells.items():
        place = (rows.index(cell.attrs["network"]), columns[_label(cell)])
        if arrays["present"][place]:
            raise InputError(
                f"{name} and {arrays['cell'][place]} both hold {cell.attrs['network']} with "
                f"{cell.attrs['routing']}; gather one of them"
            )
        for key, value in _cell_summary(name, cell).items():
            arrays[key][place] = value
        for position, pattern in enumerate(cell["pattern"].values.tolist()):
            at = (*place, pattern_place[pattern])
            arrays["pattern_load"][at] = cell["pattern_load"].values[position]
            arrays["pattern_load_exact"][at] = cell["pattern_load_exact"].values[position]
            arrays["pattern_fraction_of_capacity"][at] = ratio(
                cell["capacity_load_exact"].item(), cell["pattern_load_exact"].values[position]
            )
    coordinates = {"network": texts(rows), "routing": texts(routings), "pattern": texts(names)}
    seconds = float(np.nansum(arrays["seconds"]))
    attributes = {"kind": "study", **gathered_cells(cells), **provenance(settings, seconds)}
    return make_dataset("study", arrays, coordinates, attributes)


def _label(cell: xr.Dataset) -> str:
    """Return what a cell's routing is called: a designed one by its design, not its file."""
    return str(cell.attrs.get("label", cell.attrs["routing"]))


def ratio(numerator: str, denominator: str) -> float:
    """Return the quotient of two exact texts; NaN where one is empty or the second zero."""
    if not numerator or not denominator or not Fraction(denominator):
        return math.nan
    return float(Fraction(numerator) / Fraction(denominator))


def critical_focus(cell: xr.Dataset) -> int:
    """Return the position of the first focus channel whose worst case is the worst of all."""
    loads = [Fraction(load) for load in cell["worst_case_load_exact"].values.tolist()]
    return loads.index(max(loads))


def _cell_summary(name: str, cell: xr.Dataset) -> dict[str, Any]:
    focus = critical_focus(cell)
    worst, capacity = (
        cell["worst_case_load_exact"].values[focus],
        cell["capacity_load_exact"].item(),
    )
    channel = int(cell["focus_channel"].values[focus])
    summary = {
        "worst_case_load": cell["worst_case_load"].values[focus],
        "worst_case_load_exact": worst,
        "worst_case_throughput": ratio("1", worst),
        "fraction_of_capacity": ratio(capacity, worst),
        "mean_path_length": cell["mean_path_length"].item(),
        "mean_path_length_exact": cell["mean_path_length_exact"].item(),
        "normalized_path_length": ratio(
            cell["mean_path_length_exact"].item(), cell["mean_shortest_path_length_exact"].item()
        ),
        "certified": bool(cell["certified"].values.all()),
        "present": True,
        "critical_tail": int(cell["tail"].values[channel]),
        "critical_head": int(cell["head"].values[channel]),
        "focus_channels": cell.sizes["focus"],
        "seconds": cell.attrs["seconds"],
        "cell": name,
        "seed": json.loads(cell.attrs["settings"]).get("seed", -1),
    }
    if "random_permutation_load" in cell:
        sampled = cell["random_permutation_worst_exact"].item()
        summary |= {
            "random_permutation_load": float(Fraction(sampled)),
            "random_permutation_load_exact": sampled,
            "random_permutation_fraction_of_capacity": ratio(capacity, sampled),
            "random_permutation_samples": cell.sizes["permutation_sample"],
        }
    if "average_case_load" in cell:
        throughput = 1 / cell["average_case_load"].values
        count = len(throughput)
        mean = float(throughput.mean())
        summary |= {
            "average_case_throughput": mean,
            "average_case_standard_error": (
                float(throughput.std(ddof=1) / math.sqrt(count)) if count > 1 else math.nan
            ),
            "average_case_fraction_of_capacity": mean * float(Fraction(capacity))
            if capacity
            else math.nan,
            "average_case_load_fraction_of_capacity": (
                float(Fraction(capacity)) / float(cell["average_case_load"].values.mean())
                if capacity
                else math.nan
            ),
            "average_case_kind": json.loads(cell.attrs["settings"]).get(
                "matrix_kind", "permutation"
            ),
            "average_case_samples": count,
        }
    return summary
