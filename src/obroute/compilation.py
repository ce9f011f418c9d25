"""Functions compiled by numba, kept on disk where that is possible."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

Reached = Callable[[Callable[..., Any]], set[Callable[..., Any]]]
_said = Event()


class _Kept(FunctionCache):
    """Numba's cache of one function, which is an aid: without it the function is compiled anew.

    Compiled code holds that of the functions that it calls, so what is kept is out of date as soon
    as the source of one of them has changed, in whatever module it is.
    """

    def __init__(self, function: Callable[..., Any], reached: Reached) -> None:
        super().__init__(function)
        self._function, self._reached = function, reached
        self._knows_callees = False

    def _add_callees(self) -> None:
        """Stamp what is kept with the sources of all compiled functions that this one reaches."""
        if not self._knows_callees:
            self._knows_callees = True
            files = {one.__code__.co_filename for one in self._reached(self._function)}
            own = self._cache_file._source_stamp
            self._cache_file._source_stamp = (own, *sorted(map(_stamp_of, files)))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            self._add_callees()
            # What its method of this name does but for loading the parts that compile: half the
            # time of a process that finds its code here. Who compiles loads them then.
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)
        except Exception:  # whatever reading half a pickle raises
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._add_callees()
            super().save_overload(sig, data)
        except Exception as error:
            _say_once(getattr(error, "strerror", None) or f"{error}")


@cache
def _stamp_of(file: str) -> tuple[str, int, int]:
    """Return what changes whenever a source file does."""
    try:
        found = Path(file).stat()
    except OSError:
        return file, 0, 0
    return Path(file).name, found.st_mtime_ns, found.st_size


def dispatcher(function: Callable[..., Any], reached: Reached) -> Any:
    """Return what compiles a function for the types that it is called with, and calls that.

    Parameters
    ----------
    function
        What is compiled.
    reached
        Returns a function with all that are compiled with it, because it calls them.
    """
    made: Any = njit(nogil=True)(function)
    try:
        made._cache = _Kept(function, reached)
    except RuntimeError:  # numba found no folder
        _say_once("no folder for it can be written")
    return made


def _say_once(reason: str) -> None:
    if _said.is_set():
        return
    _said.set()
    logging.getLogger("obroute").warning(
        "note: compiled code cannot be kept (%s), so every process spends some seconds on "
        "compiling it; name a folder that can be written in NUMBA_CACHE_DIR",
        reason,
    )
