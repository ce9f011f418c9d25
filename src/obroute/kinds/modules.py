"""The modules beside a kind of experiment: found by name, imported when they are needed."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from importlib.util import find_spec
from typing import Any


@cache
def first_beside(package: str, *names: str) -> tuple[str, ...]:
    """Return the full name of the first of modules that a package has; nothing if it has none.

    Parameters
    ----------
    package
        A module that is imported; a module that is no package has no others beside it.
    names
        Those to look for, in this order.

    Examples
    --------
    >>> import obroute.experiments.design
    >>> first_beside("obroute.experiments.design", "gathered", "store")
    ('obroute.experiments.design.gathered',)
    >>> first_beside("obroute.experiments.design", "none")
    ()
    """
    if not hasattr(sys.modules[package], "__path__"):
        return ()
    found = (f"{package}.{name}" for name in names if find_spec(f"{package}.{name}"))
    return tuple(found)[:1]


def module_beside(package: str, *names: str) -> Any:
    """Return the first of modules that a package has.

    Raises
    ------
    NotImplementedError
        If it has none of them.
    """
    found = first_beside(package, *names)
    if not found:
        raise NotImplementedError(
            f"{package} has no module {' or '.join(names)}; expected one, or methods of the kind "
            "in place of it"
        )
    return importlib.import_module(*found)
