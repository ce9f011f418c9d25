"""Uniform traffic."""

from __future__ import annotations

from obroute.traffic.registry import Pattern, patterns


@patterns.register(
    "uniform",
    "every source to every destination alike, itself included",
    examples=("uniform",),
    small=("uniform",),
)
def uniform() -> Pattern:
    """Return uniform traffic: each pair with weight 1/N."""
    return Pattern()
