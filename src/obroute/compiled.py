"""The one way to compile a function, when it is called: loading what compiles takes its time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property, update_wrapper
from threading import RLock
from types import FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

FEW = 1000
"""Elements in all arrays of a call that is interpreted, where the function may be."""
MOST = 5000
"""Elements in all calls that a process interprets, before it loads what compiles."""
_MAKING = RLock()
_INTERPRETED: list[int] = []
"""Elements in each call that this process has interpreted."""


class Compiled:
    """A function that numba compiles at its first call; compiled ones may call it, too.

    Parameters
    ----------
    function
        What is compiled; it runs without Python's lock.
    may_be_interpreted
        Say that it returns the same when Python runs it, and takes a time that its arguments'
        sizes bound. It is then interpreted while a process has only had small calls: below some
        hundreds of elements that takes a tenth of the time that loading takes.
    """

    def __init__(self, function: Callable[..., Any], may_be_interpreted: bool) -> None:
        self.function = function
        self.may_be_interpreted = may_be_interpreted
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Return what the function returns."""
        if self.may_be_interpreted and _is_little(arguments):
            return self.interpreted(*arguments)
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of it."""
        from obroute.compilation import dispatcher

        with _MAKING:
            return self.__dict__.get("dispatcher") or dispatcher(self.function, reached)

    @cached_property
    def interpreted(self) -> Callable[..., Any]:
        """The function as Python runs it, and those that it calls."""
        own = self.function
        assert isinstance(own, FunctionType)
        names = own.__globals__ | {
            name: called.interpreted for name, called in _called(own).items() if called is not self
        }
        return FunctionType(own.__code__, names, own.__name__, own.__defaults__, own.__closure__)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes it for, where a compiled function calls it."""
        return self.dispatcher._numba_type_


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
    return cast("F", Compiled(function, may_be_interpreted=False))


def compiled_unless_small(function: F) -> F:
    """Compile a function as :func:`compiled` does, but interpret the first small calls.

    For what returns the same by Python as compiled, in a time that the arguments' sizes bound.
    """
    return cast("F", Compiled(function, may_be_interpreted=True))


def load_compiler() -> None:
    """Load what compiles, so that this process interprets nothing from now on."""
    import obroute.compilation  # noqa: F401


def reached(function: Callable[..., Any]) -> set[Callable[..., Any]]:
    """Return a function with all compiled ones that it calls, and that those call."""
    found, edge = {function}, [function]
    while edge:
        new = {called.function for called in _called(edge.pop()).values()} - found
        found |= new
        edge += new
    return found


def _called(function: Any) -> dict[str, Compiled]:
    """Return the compiled functions that a function calls, by the names that it has for them."""
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {name: made for name, made in named.items() if isinstance(made, Compiled)}


def _is_little(arguments: tuple[Any, ...]) -> bool:
    """Say whether a call is interpreted, and count it if so."""
    if "obroute.compilation" in sys.modules:
        return False
    size = sum(getattr(argument, "size", 1) for argument in arguments)
    if size > FEW or sum(_INTERPRETED) + size > MOST:
        return False
    _INTERPRETED.append(size)
    return True
