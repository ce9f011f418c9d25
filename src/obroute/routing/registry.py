"""The registry of routings, which also reads combinations of them and files."""

from __future__ import annotations

from obroute.names import stripped
from obroute.registry import Registry
from obroute.routing.combination import parse_combination
from obroute.routing.contract import Routing
from obroute.routing.lft_text import is_forwarding_dump
from obroute.specs import is_file

PLACES = (
    "obroute.routing",
    "obroute.design.named",
    "obroute.ratios.named",
    "obroute.deployment.named",
    "obroute.opensm.named",
    "obroute.experiments.design.stored",
)
"""Where routings register themselves: a design and the store of one are routings, too."""
TABLES, STORE = (".csv", ".json"), ".zarr"


class RoutingRegistry(Registry[Routing]):
    """The registry of routings, which also reads convex combinations and files of paths."""

    def create(self, spec: str) -> Routing:
        """Make a routing from its name.

        ``1/3*dor+2/3*ival`` is the interpolation of two (or more) routings; the name of a file
        of paths (``routes.csv``), of forwarding tables (``opensm-lfts.dump``) or of a design
        (``best.zarr``) is the routing in it.
        """
        name = stripped(spec)
        word = name.partition(":")[0]
        if word in self:
            return super().create(name)
        if is_file(name):
            # Whatever it is called.
            kind = "lft" if is_forwarding_dump(name) else "table"
            return super().create(f"{kind}:{name}")
        if "*" in name or ("+" in word and not name.endswith((*TABLES, STORE))):
            return parse_combination(spec, self.create)
        if word.endswith(TABLES):
            return super().create(f"table:{name}")
        if word.endswith(STORE):
            return super().create(f"designed:{name}")
        return super().create(spec)


routings = RoutingRegistry("routing", PLACES)
"""Oblivious routings by name (``dor``, ``romm``, …)."""
