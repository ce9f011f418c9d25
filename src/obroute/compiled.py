"""The one way to compile a function: by numba, kept on disk where that is possible."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

F = TypeVar("F", bound=Callable[..., Any])
_said = Event()


class _Kept(FunctionCache):
    """Numba's cache of one function, which is an aid: without it the function is compiled anew."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            # What its method of this name does but for loading the parts that compile: half the
            # time of a process that finds its code here. Who compiles loads them then.
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)
        except Exception:  # whatever reading half a pickle raises
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _say_once(getattr(error, "strerror", None) or f"{error}")


def compiled(function: F) -> F:
    """Compile a function when it is called; it runs without Python's lock.

    The compiled code is kept beside the function's module, below the user's home, or in the folder
    that ``NUMBA_CACHE_DIR`` names. Where none of them can be written, it is compiled anew in each
    process, which says so once.

    >>> @compiled
    ... def doubled(number):
    ...     return 2 * number
    >>> doubled(21)
    42
    """
    made: Any = njit(nogil=True)(function)
    try:
        made._cache = _Kept(function)
    except RuntimeError:  # numba found no folder
        _say_once("no folder for it can be written")
    return cast("F", made)


def _say_once(reason: str) -> None:
    if _said.is_set():
        return
    _said.set()
    logging.getLogger("obroute").warning(
        "note: compiled code cannot be kept (%s), so every process spends some seconds on "
        "compiling it; name a folder that can be written in NUMBA_CACHE_DIR",
        reason,
    )
