"""Studies in the shape of a configuration: its networks, routings and names, values in a moment.

The values are closed forms where there is one, else plausible numbers: what matters is how many
series, points and labels there are, and how long their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from obroute.importers import make_network
from obroute.kinds.registry import specs_of
from obroute.network import Network
from obroute.papers.closed_forms import closed_forms
from obroute.results.arrays import BLANK, DTYPE, texts
from obroute.results.datasets import make_dataset
from obroute.results.provenance import network_attributes, provenance
from obroute.study import Cell, StudyBase, read_study
from obroute.theorems import torus_uniform_load
from obroute.topologies.grid import Grid

CONFIG = Path(__file__).parents[2] / "config"
# Worst case (fraction of capacity), path length (1 = minimal) and average case (fraction) on the
# 8-ary 2-cube, by what a routing's name begins with; the longest beginning counts.
_VALUES: dict[str, tuple[str, str, str]] = {
    "dor": ("2/7", "1", "0.585"),
    "o1turn": ("2/7", "1", "0.609"),
    "romm": ("0.187", "1", "0.593"),
    "romm:order=fixed": ("0.203", "1", "0.594"),
    "rlb": ("0.318", "1.34", "0.551"),
    "rlb:order=fixed": ("0.32", "1.34", "0.553"),
    "rlbth": ("0.31", "1.25", "0.579"),
    "rlbth:order=fixed": ("0.302", "1.25", "0.581"),
    "valiant": ("1/2", "2", "0.5"),
    "ival": ("1/2", "413/256", "0.576"),
    "ival:order=random": ("1/2", "1.59", "0.577"),
    "2turn": ("1/2", "95/64", "0.591"),
    "2turna": ("1/2", "1.51", "0.604"),
    "optimal": ("1/2", "11359/7680", "0.562"),
    "optimal:objective=average_case": ("0.39", "1.18", "0.616"),
    "optimal:paths=minimal": ("2/7", "1", "0.607"),
}
_OTHER = ("0.25", "1.4", "0.5")


def read_config(name: str) -> StudyBase:
    """Read a configuration that the repository has."""
    file = CONFIG / ("config.yaml" if name == "default" else f"{name}.yaml")
    return read_study(file)


def _values(routing: str) -> tuple[Fraction, Fraction, Fraction]:
    beginnings = [name for name in _VALUES if routing.startswith(name)]
    found = _VALUES[max(beginnings, key=len)] if beginnings else _OTHER
    worst, length, average = map(Fraction, found)
    return worst, length, average


def _cases(cells: Mapping[str, Cell]) -> dict[tuple[str, str], str]:
    """Return the names of the stores by network and routing, a design by its own name."""
    return {(c.network, c.called): name for name, c in cells.items()}


def _worst_fraction(network: Network, routing: str) -> Fraction:
    """Return a guaranteed fraction of capacity; the closed form's where there is one."""
    worst = _values(routing)[0]
    if not isinstance(network, Grid) or not network.name.startswith("torus"):
        return worst
    radix, base = network.radices[0], routing.partition(":")[0]
    if len(network.radices) != 2 or radix < 3 or radix != network.radices[1]:
        return worst
    form = closed_forms.get({"o1turn": "dor"}.get(base, base))
    if base in ("2turn", "optimal") and worst == Fraction(1, 2):
        form = closed_forms["ival"]
    if form is None or base not in (routing, "ival"):
        return worst * Fraction(radix + 8, 2 * radix)
    below = radix if form.holds_for(radix) else radix - 1
    return torus_uniform_load(below) / form.load(below)


@cache
def _network(name: str) -> Network:
    return make_network(name)


def _described(names: list[str]) -> dict[str, Any]:
    attributes = [network_attributes(_network(name)) for name in names]
    return {
        name: np.array(
            [found[name] for found in attributes], dtype=DTYPE[specs_of("evaluations")[name].kind]
        )
        for name in ("family", "radix", "dimensions", "nodes")
    }


def _blank(kind: str, sizes: Mapping[str, int]) -> dict[str, Any]:
    return {
        name: np.full(
            tuple(sizes.get(dim, 0) for dim in spec.dims), BLANK[spec.kind], DTYPE[spec.kind]
        )
        for name, spec in specs_of(kind).items()
    }


def study_like(config: StudyBase) -> xr.Dataset:
    """Return the study store of a configuration, in shape."""
    cases = _cases(config.cells("evaluations"))
    networks = list(dict.fromkeys(network for network, _ in cases))
    names = list(dict.fromkeys(routing for _, routing in cases))
    sizes = {"network": len(networks), "routing": len(names), "pattern": len(config.patterns)}
    arrays = _blank("evaluations", sizes) | _described(networks)
    averaged = set(config.average_case.networks)
    for (network_name, routing), store in cases.items():
        place = (networks.index(network_name), names.index(routing))
        _fill(arrays, place, _network(network_name), routing, store, network_name in averaged)
    coordinates = {
        "network": texts(networks),
        "routing": texts(names),
        "pattern": texts(config.patterns),
    }
    attributes = {"kind": "evaluations", "cells": "{}", **provenance({}, 1.0, ())}
    return make_dataset(specs_of("evaluations"), arrays, coordinates, attributes)


def _capacity(network: Network) -> Fraction:
    if isinstance(network, Grid) and network.name.startswith("torus"):
        return torus_uniform_load(max(network.radices))
    return Fraction(1, 2)


def _fill(
    arrays: dict[str, Any],
    place: tuple[int, int],
    network: Network,
    routing: str,
    store: str,
    averaged: bool,
) -> None:
    fraction, capacity = _worst_fraction(network, routing), _capacity(network)
    _, length, average = _values(routing)
    load = capacity / fraction
    for name, exact in (("capacity_load", capacity),):
        arrays[name][place[0]], arrays[f"{name}_exact"][place[0]] = float(exact), str(exact)
    shortest = len(network.radices) * 2 * capacity if isinstance(network, Grid) else Fraction(4)
    for name, exact in (("worst_case_load", load), ("mean_path_length", length * shortest)):
        arrays[name][place], arrays[f"{name}_exact"][place] = float(exact), str(exact)
    given = {
        "worst_case_throughput": float(1 / load),
        "fraction_of_capacity": float(fraction),
        "normalized_path_length": float(length),
        "certified": True,
        "present": True,
        "critical_tail": 0,
        "critical_head": 1,
        "focus_channels": 1,
        "seconds": 1.0,
        "cell": f"{store}.zarr",
    }
    if averaged:
        given |= {
            "average_case_throughput": float(average / capacity),
            "average_case_standard_error": 0.004,
            "average_case_fraction_of_capacity": float(average),
            "average_case_load_fraction_of_capacity": float(average),
            "average_case_kind": "permutation",
            "average_case_samples": 100,
        }
    for name, entry in given.items():
        if name in arrays:
            arrays[name][place] = entry


def curves_like(config: StudyBase) -> list[xr.Dataset]:
    """Return the trade-off stores of a configuration, in shape: convex, with many breakpoints."""
    return [_curve(cell) for cell in config.cells("trade_offs").values()]


def _curve(cell: Cell) -> xr.Dataset:
    network = _network(cell.network)
    average = "average_case" in cell.routing
    best, length, last = (Fraction(*x) for x in ((1000, 631), (59, 50), (1000, 610)))
    if not average:
        best, length, last = Fraction(2), Fraction(148, 100), Fraction(7, 2)
    count = 30
    shares = [Fraction(i, count) for i in range(count + 1)]
    capacity = _capacity(network)
    loads = [capacity * (best + share * (last - best)) for share in shares]
    lengths = [1 + (length - 1) * (1 - share) ** 2 for share in shares]
    shortest = network.mean_shortest_path_length()
    arrays = _blank("trade_off", {"vertex": len(loads)})
    columns = {
        "routing_load": loads,
        "mean_path_length": [length * shortest for length in lengths],
        "slope": [Fraction(-1)] * len(loads),
    }
    for name, values in columns.items():
        arrays[name] = np.array([float(entry) for entry in values])
        arrays[f"{name}_exact"] = texts(values)
    arrays["fraction_of_capacity"] = np.array([float(capacity / load) for load in loads])
    arrays["normalized_path_length"] = np.array([float(length) for length in lengths])
    for name, exact in (("capacity_load", capacity), ("mean_shortest_path_length", shortest)):
        arrays[name], arrays[f"{name}_exact"] = np.float64(exact), str(exact)
    arrays |= {"complete": np.bool_(not average), "gap": np.float64(0.001 * average)}
    attributes = {
        "kind": "trade_off",
        **network_attributes(network),
        "routing": cell.routing,
        "objective": "average_case" if average else "worst_case",
        "paths": "minimal" if "paths=minimal" in cell.routing else "all",
        "solver": "none",
        **provenance({}, 1.0, ()),
    }
    return make_dataset(specs_of("trade_off"), arrays, {}, attributes)


def _gathered(
    kind: str, config_cells: Mapping[str, Cell], dims: Mapping[str, Any], fill: Any
) -> xr.Dataset:
    cases = _cases(config_cells)
    networks = list(dict.fromkeys(network for network, _ in cases))
    names = list(dict.fromkeys(routing for _, routing in cases))
    sizes = {"network": len(networks), "routing": len(names)}
    sizes |= {dim: len(values) for dim, values in dims.items()}
    arrays = _blank(kind, sizes) | _described(networks)
    for cell in config_cells.values():
        place = (networks.index(cell.network), names.index(cell.called))
        for traffic in cell.settings.traffic:
            fill(arrays, (*place, list(dims["traffic"]).index(traffic)), cell, traffic)
    coordinates = {"network": texts(networks), "routing": texts(names), **dims}
    attributes = {"kind": kind, "cells": "{}", **provenance({}, 1.0, ())}
    return make_dataset(specs_of(kind), arrays, coordinates, attributes)


def simulations_like(config: StudyBase) -> xr.Dataset:
    """Return the gathered simulations of a configuration, in shape."""
    traffic = list(dict.fromkeys(t for sweep in config.simulations for t in sweep.traffic))
    dims = {"traffic": texts(traffic), "seed": np.arange(3)}

    def fill(arrays: dict[str, Any], place: tuple[int, ...], cell: Cell, traffic: str) -> None:
        n = int(cell.network.partition(":")[2].partition(",")[0])
        hard = traffic != "random_permutation" and cell.routing in ("dor", "bit_fixing")
        steps = 2 ** (n // 2) if hard else 2 * n
        arrays["steps"][place] = [steps, steps + 1, steps + 3]
        arrays["largest_queue"][place] = [max(1, steps // 2)] * 3
        arrays["offline_steps"][place] = 2 * n - 2 if "hypercube" in cell.network else -1
        for name in ("mean_delay",):
            arrays[name][place] = float(n)
        for name in ("heaviest_channel", "longest_path"):
            arrays[name][place] = n

    return _gathered("simulations", config.cells("simulations"), dims, fill)


def stability_like(config: StudyBase) -> xr.Dataset:
    """Return the gathered stability of a configuration, in shape."""
    traffic = list(dict.fromkeys(t for sweep in config.stability for t in sweep.traffic))
    rates = sorted({rate for sweep in config.stability for rate in sweep.rates})
    dims = {"traffic": texts(traffic), "rate": np.array(rates)}

    def fill(arrays: dict[str, Any], place: tuple[int, ...], cell: Cell, traffic: str) -> None:
        fraction = 1 if traffic == "uniform" else _values(cell.routing)[0]
        ideal = float(fraction)
        arrays["stable_rate"][place] = 0.985 * ideal
        arrays["unstable_rate"][place] = 0.995 * ideal
        arrays["ideal_rate"][place], arrays["ideal_rate_exact"][place] = ideal, str(fraction)
        offered = np.array(rates)
        arrays["offered"][place] = offered
        arrays["accepted"][place] = np.minimum(
            offered, ideal + 0.3 * np.maximum(0, offered - ideal)
        )
        arrays["mean_delay"][place] = np.where(offered < ideal, 8 / (1.05 - offered / 1.05), 900)
        arrays["largest_queue"][place] = 10

    return _gathered("stabilities", config.cells("stability"), dims, fill)
