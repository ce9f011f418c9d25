"""The registry of kinds of experiments, and the kind of a store."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from obroute.registry import Registry
from obroute.specs import InputError, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from obroute.kinds.contract import Experiment
    from obroute.results.arrays import Specs

experiments: Registry[Any] = Registry("kind of experiment", ("obroute.experiments",))
"""Kinds of experiments by name (``evaluation``, ``simulation``, …)."""


@cache
def kinds() -> dict[str, Experiment[Any, Any]]:
    """Return every kind by its name.

    >>> {"design", "evaluation", "trade_off"} <= set(kinds())
    True
    """
    return {entry.name: entry.make() for entry in experiments}


def kind_of_section(section: str) -> Experiment[Any, Any]:
    """Return the kind that a section of a study lists.

    Raises
    ------
    InputError
        If no kind has the section.

    Examples
    --------
    >>> kind_of_section("trade_offs").name
    'trade_off'
    """
    found = {kind.section: kind for kind in kinds().values()}
    if section not in found:
        raise InputError(f"unknown kind of experiment '{section}'" + suggestion(section, [*found]))
    return found[section]


def specs_of(kind: str) -> Specs:
    """Return the specifications of the arrays of a kind of store, gathered or not.

    Raises
    ------
    InputError
        If there is no such kind.
    """
    from obroute.results.gathering import gathered_specs

    for one in kinds().values():
        if kind == one.name:
            return one.arrays()
        if kind == one.gathered:
            return gathered_specs(one.summary())
    stores = [name for one in kinds().values() for name in (one.name, one.gathered)]
    raise InputError(f"a store of kind '{kind}'; expected one of {', '.join(stores)}")


def attributes_of(kind: str) -> Mapping[str, type]:
    """Return the attributes that a kind of store has, gathered or not, each with its type.

    Raises
    ------
    InputError
        If there is no such kind.

    Examples
    --------
    >>> [*attributes_of("trade_off")][-5:]
    ['objective', 'paths', 'scope', 'claims', 'solver']
    """
    specs_of(kind)
    return attributes_of_cells(kinds()[kind]) if kind in kinds() else attributes_of_gathered()


def attributes_of_cells(kind: Experiment[Any, Any]) -> Mapping[str, type]:
    """Return the attributes that the stores of a kind have, each with its type."""
    from obroute.results.provenance import OF_CELLS, RECORD

    return {**RECORD, **OF_CELLS, **dict.fromkeys(kind.attributes(), str)}


def attributes_of_gathered() -> Mapping[str, type]:
    """Return the attributes that every gathered store has, each with its type."""
    from obroute.results.provenance import RECORD

    return {**RECORD, "cells": str}
