"""What this machine has, and the refusal of what it cannot hold."""

from __future__ import annotations

import os
from pathlib import Path

from obroute.specs import InputError

MOST_OVERSTATED = 3
"""The statement of what an experiment needs is at most this many times the peak."""
MEGABYTE = 2**20


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


def check_memory(needed: int, what: str, remedy: str = "take a machine with more") -> None:
    """Refuse what cannot fit in this machine's memory, even if ``needed`` is overstated.

    Parameters
    ----------
    needed
        Megabytes.
    what, remedy
        For the error: what needs them, and what to do in its place.

    Raises
    ------
    InputError
        Names the megabytes needed and available.
    """
    available = available_megabytes()
    if available is not None and needed > MOST_OVERSTATED * available:
        raise InputError(
            f"{what} needs about {needed} MB of memory, and {available} MB are available here; "
            f"{remedy}, or try nevertheless with --no-memory-check"
        )
