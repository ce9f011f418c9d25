"""Failures: what a link is, and how a routing goes on."""

from typing import Literal

LinkKind = Literal["cables", "channels", "bundles"]
"""A cable both ways, a channel one way, or all cables between two nodes."""
LINK_KIND: LinkKind = "cables"

Repair = Literal["auto", "recomputed", "detoured", "kept"]
"""See :data:`~obroute.failures.SCOPES`; ``auto`` is the one that fits the routing."""
REPAIR: Repair = "auto"
