"""Readers of networks from files, one format a file; each registers itself.

Adding a format is adding a file here.
"""

from obroute.importers.registry import importers, make_network

__all__ = ["importers", "make_network"]
