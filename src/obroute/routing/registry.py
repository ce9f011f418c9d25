"""The registry of routings, which also reads combinations of them and files."""

from __future__ import annotations

from pathlib import Path as FilePath

from obroute.registry import Registry
from obroute.routing.combination import parse_combination
from obroute.routing.contract import Routing

PLACES = ("obroute.routing", "obroute.design.named", "obroute.results.design_datasets")
"""Where routings register themselves: a design and the store of one are routings, too."""


class RoutingRegistry(Registry[Routing]):
    """The registry of routings, which also reads convex combinations and files of paths."""

    def create(self, spec: str) -> Routing:
        """Make a routing from its name.

        ``1/3*dor+2/3*ival`` is the interpolation of two (or more) routings; the name of a file
        of paths (``routes.csv``) or of a design (``best.zarr``) is the routing in it.
        """
        is_file = spec.strip().endswith((".csv", ".json", ".zarr")) and "*" not in spec
        if ("*" in spec or "+" in spec.partition(":")[0]) and not is_file:
            return parse_combination(spec, self.create)
        word = spec.strip().partition(":")[0]
        if word not in self and word.endswith((".csv", ".json")):
            spec = f"table:{spec.strip()}"
        elif word not in self and word.endswith(".zarr"):
            spec = f"designed:{spec.strip()}"
        elif word not in self and FilePath(spec.strip()).is_file():
            spec = f"table:{spec.strip()}"  # whatever it is called
        return super().create(spec)


routings = RoutingRegistry("routing", PLACES)
"""Oblivious routings by name (``dor``, ``romm``, …)."""
