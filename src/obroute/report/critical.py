"""What the page holds of each cell for its dialog: who collides on its critical channel."""

from __future__ import annotations

from obroute.plots.notes import CellName
from obroute.rational import brief
from obroute.trends.critical import CriticalChannel

MOST_PAIRS = 40
"""Colliding pairs that are listed; the heaviest."""
MOST_SOURCES = 1024
"""The largest network whose whole permutations stand in the page."""


def shown_cell(critical: CriticalChannel) -> dict[str, object]:
    """Return what the page holds of a cell, for its dialog: plain values, nodes by number."""
    cell = critical.cell
    small = cell.sizes["source"] <= MOST_SOURCES
    network, routing = str(cell.attrs["network"]), str(cell.attrs["routing"])
    return {
        "key": CellName(network, routing).key,
        "network": network,
        "title": str(CellName(network, routing)),
        "load": brief(critical.load),
        "channel": critical.name(critical.channel),
        "pairs": [
            [one.source, one.destination, brief(one.load)]
            for one in critical.collisions[:MOST_PAIRS]
        ],
        "others": [
            [critical.name(channel), load, how] for channel, load, how in critical.most_loaded()
        ],
        "sources": cell["source"].values.tolist() if small else [],
        "permutation": critical.permutation if small else [],
    }
