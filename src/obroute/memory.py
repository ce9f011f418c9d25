"""How much memory an evaluation needs, said before it starts.

What takes memory are the pair loads: those of the channel that a task works on, and those that are
kept until the end for every channel solved. How many of them are not zero is estimated from a few
pairs, whose loads of all channels are quick to find. The measured constants are such that the
statement is never below the peak and at most a few times above it;
``tests/unit/test_memory.py`` measures again.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from obroute.network import Network
from obroute.routing import Routing
from obroute.specs import InputError
from obroute.symmetry import focus_channels

BASE_MEGABYTES = 320
"""The interpreter with its libraries, and the compilation of the kernels."""
BYTES_AN_ENTRY = 600
"""For each non-zero pair load of the channel that a task works on,"""
BYTES_A_CHANNEL = 1000
"""for each channel of the network,"""
BYTES_A_KEPT_ENTRY = 24
"""for each non-zero pair load of each channel solved,"""
BYTES_A_KEPT_TERMINAL = 300
"""and for each terminal of each channel solved: its potentials are integers of Python."""
BYTES_A_PACKET = 300
BYTES_A_HOP = 8
BYTES_A_QUEUE = 150
"""Of a simulation: for each packet, each hop of its path, and each channel."""
PAIRS_SAMPLED = 64
LOADS_SAMPLED = 2_000_000
MOST_OVERSTATED = 3
"""The statement is at most this many times the peak."""
MEGABYTE = 2**20


def evaluation_megabytes(
    network: Network, routing: Routing, *, all_channels: bool = False, threads: int = 1
) -> int:
    """Return the megabytes of memory that an evaluation needs at the most.

    Parameters
    ----------
    network, routing, all_channels
        What is evaluated.
    threads
        How many channels are worked on at the same time.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus = make_network("torus:32x32")
    >>> [evaluation_megabytes(torus, make_routing(name)) for name in ("dor", "valiant")]
    [327, 653]
    """
    terminals = len(network.sources) + len(network.destinations)
    pairs = len(network.sources) * len(network.destinations)
    entries = pairs * _density(network, routing)
    symmetries = {} if all_channels else routing.symmetries(network)
    channels = len(focus_channels(network, symmetries).channels)
    working = entries * BYTES_AN_ENTRY * min(threads, channels)
    working += network.channel_count * BYTES_A_CHANNEL
    kept = channels * (entries * BYTES_A_KEPT_ENTRY + terminals * BYTES_A_KEPT_TERMINAL / 2)
    return BASE_MEGABYTES + int((working + kept) / MEGABYTE)


def _density(network: Network, routing: Routing) -> float:
    """Return the share of pairs that load a channel, in the mean over channels."""
    drawn = np.random.default_rng(0)
    count = max(1, min(PAIRS_SAMPLED, LOADS_SAMPLED // network.channel_count))
    sources = drawn.choice(network.sources, count)
    destinations = drawn.choice(network.destinations, count)
    loads = routing.channel_loads(network, sources, destinations)
    return loads.nonzeros / (count * network.channel_count)


def simulation_megabytes(network: Network, packets: int) -> int:
    """Return the megabytes of memory that routing a number of packets needs.

    >>> from obroute import make_network
    >>> simulation_megabytes(make_network("hypercube:10"), packets=1024)
    321
    """
    hops = 2 * float(network.mean_shortest_path_length()) + 1
    needed = packets * (BYTES_A_PACKET + BYTES_A_HOP * hops)
    needed += network.channel_count * BYTES_A_QUEUE
    return BASE_MEGABYTES + int(needed / MEGABYTE)


def available_megabytes() -> int | None:
    """Return the megabytes that programs can still have on this machine; None if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kilobytes = {
            name: int(rest.split()[0]) for name, _, rest in (x.partition(":") for x in lines)
        }
        return (kilobytes["MemAvailable"] + kilobytes["SwapFree"]) // 1024
    except (OSError, ValueError, KeyError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // MEGABYTE
    except (OSError, ValueError):
        return None


def check_memory(needed: int, what: str) -> None:
    """Refuse what cannot fit in this machine's memory, even if ``needed`` is overstated.

    Raises
    ------
    InputError
        Names the megabytes needed and available.
    """
    available = available_megabytes()
    if available is not None and needed > MOST_OVERSTATED * available:
        raise InputError(
            f"{what} needs about {needed} MB of memory, and {available} MB are available here; "
            "take a machine with more, or try nevertheless with --no-memory-check"
        )
