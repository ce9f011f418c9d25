"""Readers of networks from files, one format a file; each registers itself.

Adding a format is adding a file here: importing the package imports every module in it.
"""

from __future__ import annotations

import importlib
import pkgutil

from obroute.importers.registry import importers, make_network

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["importers", "make_network"]
