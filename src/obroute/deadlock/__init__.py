"""Deadlock freedom: channel dependencies under virtual-channel schemes, proofs and cycles."""

from __future__ import annotations

from obroute.deadlock.dependencies import (
    DependencyGraph,
    VirtualChannel,
    channel_dependency_graph,
    dependencies,
)
from obroute.deadlock.fewest import virtual_channels_needed
from obroute.deadlock.paths import PathSet
from obroute.deadlock.schemes import Assignment, Scheme, schemes
from obroute.deadlock.search import Found
from obroute.deadlock.verdict import TOLD, TRIED, Verdict, check_deadlock, check_told_lanes

__all__ = [
    "TOLD",
    "TRIED",
    "Assignment",
    "DependencyGraph",
    "Found",
    "PathSet",
    "Scheme",
    "Verdict",
    "VirtualChannel",
    "channel_dependency_graph",
    "check_deadlock",
    "check_told_lanes",
    "dependencies",
    "schemes",
    "virtual_channels_needed",
]
