"""Packets that queue."""

from typing import Literal

Queue = Literal["fifo", "lifo", "random", "farthest", "nearest"]
"""Which packet of a queue goes first: the oldest, the newest, any, the one with the most or the
fewest hops to go (the oldest of those)."""
QUEUE: Queue = "fifo"

TRAFFIC = ("random_permutation",)
