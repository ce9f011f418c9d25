"""What this machine has, and the refusal of what it cannot hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from obroute.progress import stage
from obroute.reading.files import LARGE_FILE, largest
from obroute.specs import InputError

REMEDY = "take a machine with more"
MOST_OVERSTATED = 3
"""The statement of what an experiment needs is at most this many times the peak."""
MEGABYTE = 2**20
READ_OVER_WRITTEN = 60
"""Bytes of memory that the reading of a whole file takes for each byte of it, at most."""
PAIR_LOADS_SAVED = 1_000_000
"""Non-zero pair loads up to which a store holds them, unless another limit is set."""


def available_megabytes() -> int | None:
    """Return the megabytes that this process can still have, beside its own; None if unknown.

    Those that are free on this machine, or fewer where its address space is limited.
    """
    known = [free for free in (_free_megabytes(), _below_the_limit()) if free is not None]
    return min(known, default=None)


def _free_megabytes() -> int | None:
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


def _pages() -> tuple[int, int]:
    """Return the bytes of address space and of memory that this process has."""
    words = Path("/proc/self/statm").read_text(encoding="ascii").split()
    size = os.sysconf("SC_PAGE_SIZE")
    return int(words[0]) * size, int(words[1]) * size


def address_space_left() -> int | None:
    """Return how many megabytes of address space are left; None where nothing limits them.

    The limit is that of ``ulimit -v``.
    """
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        return max(limit - _pages()[0], 0) // MEGABYTE
    except (ImportError, OSError, ValueError):
        return None  # no such limit, or no way to know, on this system


def usage() -> str:
    """Return what this process and those that it waited for took: a heading and one line.

    Seconds of processor time, and megabytes of memory of the largest of them, between tabs.
    """
    import resource

    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in each)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = max(one.ru_maxrss for one in each) * unit // MEGABYTE
    return f"processor_seconds\tpeak_megabytes\n{seconds:.2f}\t{peak}\n"


def _below_the_limit() -> int | None:
    left = address_space_left()
    return None if left is None else left + _pages()[1] // MEGABYTE


def require_address_space(megabytes: int, what: str) -> None:
    """Refuse to load what would not find the address space that it takes.

    The arithmetic libraries behind NumPy, SciPy and HiGHS take theirs while they are loaded, and
    ask again for ever if there is too little. What loads one asks here first.

    Raises
    ------
    InputError
        Names what is needed, and what is left.
    """
    left = address_space_left()
    if left is not None and left < megabytes:
        raise InputError(
            f"{what} needs {megabytes} MB of address space, and the limit of this process leaves "
            f"{left} MB; raise it (ulimit -v)"
        )


@contextmanager
def reading(file: Path, over: int | None = None) -> Iterator[None]:
    """Say that a large file is read as long as the context, and what memory that takes at most.

    Nothing is said of a small one, or of what is no file or is refused for its size.

    Parameters
    ----------
    file
        Its place.
    over
        Bytes of memory for each byte of the file; :data:`READ_OVER_WRITTEN` if not given.

    Raises
    ------
    InputError
        If this machine has far less memory.
    """
    try:
        size = file.stat().st_size / 10**6
    except (OSError, ValueError):
        size = 0.0
    if not LARGE_FILE <= size <= largest() / 10**6:
        yield
        return
    needed = round(size * (over or READ_OVER_WRITTEN))
    check_memory(needed, f"reading {file}", "take a part of it")
    with stage(f"reading {file.name}, {size:.0f} MB, with {needed:,} MB of memory at most"):
        yield


def check_memory(needed: int, what: str, remedy: str = REMEDY) -> None:
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
