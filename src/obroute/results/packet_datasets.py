"""Simulations as datasets: one network and routing, and many of them gathered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from obroute.network import Network
from obroute.results.arrays import BLANK, DTYPE, SPECS, floats, make_dataset, texts
from obroute.results.datasets import gathered_cells, network_attributes, provenance
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.packets.experiments import PermutationRuns, StabilityRuns


def simulation_dataset(
    found: PermutationRuns, settings: Mapping[str, Any], seconds: float = 0.0
) -> xr.Dataset:
    """Return runs of permutations as a dataset with dims traffic and seed.

    ``settings`` are recorded; their ``seed`` is that of the first run.
    """
    arrays: dict[str, Any] = {
        name: np.array([[getattr(run, name) for run in runs] for runs in found.runs])
        for name in SPECS["simulation"]
        if not name.startswith("exact_load")
    }
    arrays["exact_load"] = floats(found.exact_loads)
    arrays["exact_load_exact"] = texts(found.exact_loads)
    first = int(settings.get("seed", 0))
    coordinates = {
        "traffic": texts(found.traffic),
        "seed": np.arange(first, first + len(found.runs[0])),
    }
    return make_dataset(
        "simulation",
        arrays,
        coordinates,
        _attributes("simulation", found.network, found.routing.name, settings, seconds),
    )


def stability_dataset(
    found: StabilityRuns, settings: Mapping[str, Any], seconds: float = 0.0
) -> xr.Dataset:
    """Return saturation and load curves as a dataset with dims traffic and rate."""
    ideals = [saturation.ideal for saturation in found.saturations]
    shape = (len(found.traffic), len(found.rates))
    arrays: dict[str, Any] = {
        "stable_rate": np.array([saturation.stable for saturation in found.saturations]),
        "unstable_rate": np.array([saturation.unstable for saturation in found.saturations]),
        "critical_channels": np.array([s.critical_channels for s in found.saturations]),
        "ideal_rate": floats(ideals),
        "ideal_rate_exact": texts(ideals),
    }
    for name in _CURVE_ARRAYS:
        values = [[getattr(point, name) for point in curve] for curve in found.curves]
        dtype = DTYPE[SPECS["stability"][name].kind]
        arrays[name] = np.array(values, dtype=dtype).reshape(shape)
    coordinates = {"traffic": texts(found.traffic), "rate": np.array(found.rates, dtype=float)}
    return make_dataset(
        "stability",
        arrays,
        coordinates,
        _attributes(
            "stability",
            found.network,
            found.routing.name,
            found.settings | dict(settings),
            seconds,
        ),
    )


_CURVE_ARRAYS = tuple(
    name for name, spec in SPECS["stability"].items() if spec.dims == ("traffic", "rate")
)


def _attributes(
    kind: str, network: Network, routing: str, settings: Mapping[str, Any], seconds: float
) -> dict[str, Any]:
    return {
        "kind": kind,
        **network_attributes(network),
        "routing": routing,
        **provenance(settings, seconds),
    }


IN_PHASES = " in phases"
"""What follows the name of a routing whose two phases were run one after the other."""
GATHERED = {"simulation": "simulations", "stability": "stabilities"}


def gather_packets(cells: Mapping[str, xr.Dataset], settings: Mapping[str, Any]) -> xr.Dataset:
    """Gather simulation or stability cells along dims network and routing.

    What a cell does not have is blank: NaN, -1 or empty.

    Raises
    ------
    InputError
        If there is no cell, kinds are mixed, or a network and routing comes twice.
    """
    kinds = {cell.attrs["kind"] for cell in cells.values()}
    if len(kinds) != 1 or not kinds <= set(GATHERED):
        raise InputError(
            f"cells of kinds {', '.join(sorted(kinds)) or 'none'}; expected one kind of "
            + " or ".join(GATHERED)
        )
    for name, cell in cells.items():
        settings_of_it = json.loads(cell.attrs["settings"])
        if settings_of_it.get("half_duplex") or settings_of_it.get("h", 1) > 1:
            raise InputError(
                f"{name} holds runs of h-relations or half-duplex links, which would stand beside "
                "others under one name; gather runs without --h and --half-duplex"
            )
    kind = GATHERED[kinds.pop()]
    coordinates: dict[str, list[Any]] = {}
    for cell in cells.values():
        for dim, names in _own_coordinates(cell).items():
            known = coordinates.setdefault(dim, [])
            known += [name for name in names if name not in known]
    for dim in ("seed", "rate"):
        if dim in coordinates:
            coordinates[dim].sort()
    sizes = {dim: len(names) for dim, names in coordinates.items()}
    arrays = {
        name: np.full(
            tuple(sizes[dim] for dim in spec.dims), BLANK[spec.kind], dtype=DTYPE[spec.kind]
        )
        for name, spec in SPECS[kind].items()
    }
    filled: dict[tuple[str, str], str] = {}
    for name, cell in cells.items():
        case = (cell.attrs["network"], _routing_of(cell))
        if case in filled:
            raise InputError(f"{name} and {filled[case]} both hold {' with '.join(case)}")
        filled[case] = name
        _fill(arrays, cell, kind, coordinates)
    labels = {
        dim: texts(names) if names and isinstance(names[0], str) else np.array(names)
        for dim, names in coordinates.items()
    }
    seconds = sum(float(cell.attrs["seconds"]) for cell in cells.values())
    attributes = {"kind": kind, **gathered_cells(cells), **provenance(settings, seconds)}
    return make_dataset(kind, arrays, labels, attributes)


def _routing_of(cell: xr.Dataset) -> str:
    """Return the routing of a cell; phases by it, one after the other, are not the same."""
    phases = bool(json.loads(cell.attrs["settings"]).get("phases", False))
    return str(cell.attrs["routing"]) + IN_PHASES * phases


def _own_coordinates(cell: xr.Dataset) -> dict[str, list[Any]]:
    own = {"network": [cell.attrs["network"]], "routing": [_routing_of(cell)]}
    return own | {str(dim): cell[dim].values.tolist() for dim in cell.dims}


def _fill(
    arrays: Mapping[str, Any],
    cell: xr.Dataset,
    kind: str,
    coordinates: Mapping[str, list[Any]],
) -> None:
    own = _own_coordinates(cell)
    places = {dim: [coordinates[dim].index(name) for name in names] for dim, names in own.items()}
    for name, spec in SPECS[kind].items():
        if spec.dims == ("network",):
            arrays[name][places["network"][0]] = cell.attrs[name]
        else:
            at = np.ix_(*(places[dim] for dim in spec.dims))
            arrays[name][at] = cell[name].values[None, None]
