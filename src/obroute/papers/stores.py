"""What the papers' numbers are compared with: a study, its designs and curves, and its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import xarray as xr

from obroute.papers.published import SPAA_NETWORK
from obroute.rational import FloatArray
from obroute.trends.trade_offs import Curve, curve_of
from obroute.trends.values import (
    exact,
    fraction_of_capacity,
    holds,
    network_names,
    routing_names,
    value,
)

Cells = Mapping[str, xr.Dataset]


@dataclass(frozen=True)
class Stores:
    """What our numbers are read from.

    ``curves`` are those of the SPAA paper's network over all paths, by objective; ``cells`` by
    the names that the study holds, for its samples.
    """

    study: xr.Dataset
    designs: xr.Dataset | None
    curves: Mapping[str, Curve]
    cells: Cells

    @classmethod
    def of(
        cls,
        study: xr.Dataset,
        designs: xr.Dataset | None = None,
        trade_offs: Sequence[xr.Dataset] = (),
        cells: Cells | None = None,
    ) -> Stores:
        """Collect what there is; curves of other networks and path sets are passed over."""
        found = [(curve_of(stored), stored.attrs["paths"]) for stored in trade_offs]
        curves = {
            curve.objective: curve
            for curve, paths in found
            if curve.network == SPAA_NETWORK and paths == "all"
        }
        return cls(study, designs, curves, cells or {})

    def holds(self, network: str, routing: str) -> bool:
        """Say whether the study has a cell for this network and routing."""
        return holds(self.study, network, routing)

    def load(self, name: str, network: str, **place: str) -> Fraction | None:
        """Return an exact load of the study, None where it has none."""
        return exact(self.study, name, network=network, **place)

    def fraction(self, name: str, network: str, **place: str) -> Fraction | None:
        """Return the throughput at a load as an exact fraction of capacity."""
        return fraction_of_capacity(self.study, name, network, **place)

    def design(self, network: str, routing: str) -> xr.Dataset | None:
        """Return the entry of a design; None if it is not there."""
        if self.designs is None or network not in network_names(self.designs):
            return None
        if routing not in routing_names(self.designs):
            return None
        found = self.designs.sel(network=network, routing=routing)
        return found if found["routing_load_exact"].item() else None

    def sample(self, name: str, network: str, routing: str) -> FloatArray | None:
        """Return the loads that a cell was sampled on, None where there is no such cell."""
        if not self.holds(network, routing):
            return None
        cell = self.cells.get(str(value(self.study, "cell", network=network, routing=routing)))
        if cell is None or name not in cell:
            return None
        return np.asarray(cell[name].values, dtype=np.float64)
