"""Oblivious routings, one family a file; each registers itself in :data:`routings`.

Adding an algorithm is adding a file here: importing the package imports every module in it.
"""

from __future__ import annotations

import importlib
import pkgutil

from obroute.routing.contract import PathBatch, Routing, path_distribution, routings

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["PathBatch", "Routing", "path_distribution", "routings"]
