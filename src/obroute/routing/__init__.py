"""Oblivious routings, one family a file; each registers itself in :data:`routings`.

Adding an algorithm is adding a file here.
"""

from obroute.routing.contract import PathBatch, Routing, path_distribution
from obroute.routing.registry import routings

__all__ = ["PathBatch", "Routing", "path_distribution", "routings"]
