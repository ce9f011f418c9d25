"""Network families, one a file; each registers itself in :data:`networks`.

Adding a family is adding a file here: importing the package imports every module in it.
"""

from __future__ import annotations

import importlib
import pkgutil

from obroute.topologies.registry import networks

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["networks"]
