"""Network families, one a file; each registers itself in :data:`networks`.

Adding a family is adding a file here.
"""

from obroute.topologies.registry import networks

__all__ = ["networks"]
