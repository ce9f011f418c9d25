"""A small study with designs and curves, as the sweep makes them, for the tests that read them."""

from __future__ import annotations

from functools import cache

import xarray as xr
from tests.support.datasets import (
    cell_dataset,
    design_dataset,
    gathered_dataset,
    trade_off_dataset,
)

import obroute
from obroute.design import design, trade_off
from obroute.design.named import NAMED_DESIGNS

NETWORKS = ("torus:3x3", "torus:4x4", "torus:8x8")
ROUTINGS = ("dor", "valiant", "ival", "rlb", "rlb:order=fixed", "rlbth")
DESIGNS = ("2turn", "optimal")


@cache
def cells() -> dict[str, xr.Dataset]:
    """Evaluate the routings and designs; the averages are over the same few permutations."""
    found = {}
    for network in NETWORKS:
        for routing in (*ROUTINGS, *DESIGNS):
            settings = {"average_case_samples": 10 if network == "torus:8x8" else 0, "seed": 5}
            done = obroute.evaluate(network, routing, (), **settings)
            name = f"{network}/{routing}.zarr".replace(":", "-")
            found[name] = cell_dataset(done, settings)
    return found


@cache
def study() -> xr.Dataset:
    """Gather them."""
    return gathered_dataset(cells())


@cache
def designs() -> xr.Dataset:
    """Gather the designs themselves."""
    found = {}
    for network in NETWORKS:
        for name in DESIGNS:
            settings = NAMED_DESIGNS[name]
            made = design(obroute.make_network(network), **settings)
            found[f"{network}/{name}"] = design_dataset(made, settings).assign_attrs(
                routing=name, label=name
            )
    return gathered_dataset(found, "small")


@cache
def curve(network: str = "torus:4x4") -> xr.Dataset:
    """Find the whole curve of the worst case."""
    return trade_off_dataset(trade_off(obroute.make_network(network)))
