"""The registry of network families."""

from __future__ import annotations

from obroute.network import Network
from obroute.specs import Registry

networks: Registry[Network] = Registry("network")
"""Families of networks by name (``torus``, ``mesh``, …)."""
