"""The registry of network families, and the parameter that they share."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from obroute.network import Network
from obroute.registry import Registry
from obroute.specs import Parameter, parse_positive_fraction

networks: Registry[Network] = Registry("network", ["obroute.topologies"])
"""Families of networks by name (``torus``, ``mesh``, …)."""

Bandwidth = Annotated[
    Fraction,
    Parameter("bandwidth of every channel (packets per cycle)", parse_positive_fraction),
]
