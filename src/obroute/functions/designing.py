"""Designs, curves of throughput against path length, and routings written out."""

from __future__ import annotations

import typing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from obroute.choices.designs import Method, Objective, Symmetry
from obroute.choices.tables import TABLE, Table
from obroute.choices.traffic import MatrixKind
from obroute.experiments.design import DesignSettings
from obroute.experiments.trade_off import TradeOffSettings
from obroute.functions.arguments import file_at, public, remember, settings_among
from obroute.functions.making import make_network, make_pattern, make_routing
from obroute.network import Network
from obroute.routing import Routing
from obroute.routing.written import routing_rows, write_rows
from obroute.specs import InputError, suggestion
from obroute.traffic import Pattern

if TYPE_CHECKING:
    from obroute.design import Design, HardPermutation, TradeOff

_DESIGN = DesignSettings()
_TRADE_OFF = TradeOffSettings()


@public(DesignSettings)
def design(
    network: str | Path | Network,
    *,
    objective: Objective = _DESIGN.objective,
    named: str | None = _DESIGN.named,
    locality: Fraction | float | str | None = _DESIGN.locality,
    exact_locality: bool = _DESIGN.exact_locality,
    load: Fraction | float | str | None = _DESIGN.load,
    then: Literal["locality"] | None = _DESIGN.then,
    paths: str = _DESIGN.paths,
    traffic: str | Path | Pattern | None = _DESIGN.traffic,
    samples: int = _DESIGN.samples,
    seed: int = _DESIGN.seed,
    matrix_kind: MatrixKind = _DESIGN.matrix_kind,
    symmetry: Symmetry = _DESIGN.symmetry,
    method: Method = _DESIGN.method,
    gap: float = _DESIGN.gap,
    time_limit: float | None = _DESIGN.time_limit,
    name: str | None = _DESIGN.name,
) -> Design:
    """Design the routing with the best throughput, with its value proved.

    Parameters
    ----------
    network
        By name, by file or as an object.
    traffic
        Traffic of the capacity objective: a pattern by name, file or object; uniform if not given.

    Returns
    -------
    Design
        Its ``routing`` is one like any other: :func:`evaluate` takes it.

    Raises
    ------
    InputError
        If the problem is none for the network, or cannot be met; it says what is proved.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.design("torus:4x4", then="locality")
    >>> str(found.routing_load), found.least_proved, str(found.normalized_path_length)
    ('1', True, '27/20')
    >>> obroute.evaluate("torus:4x4", found.routing).worst_case_load
    Fraction(1, 1)
    """
    from obroute.design import design as design_objects
    from obroute.experiments.design.store import asked_for

    pattern = None if traffic is None else make_pattern(traffic)
    settings = settings_among(DesignSettings, design, locals() | {"traffic": None})
    found = design_objects(make_network(network), **(asked_for(settings) | {"traffic": pattern}))
    return remember(found, settings.model_copy(update={"traffic": pattern and pattern.name}))


@public(TradeOffSettings)
def pareto(
    network: str | Path | Network,
    *,
    objective: Objective = _TRADE_OFF.objective,
    paths: str = _TRADE_OFF.paths,
    samples: int = _TRADE_OFF.samples,
    seed: int = _TRADE_OFF.seed,
    matrix_kind: MatrixKind = _TRADE_OFF.matrix_kind,
    symmetry: Symmetry = _TRADE_OFF.symmetry,
    most_solves: int = _TRADE_OFF.most_solves,
    time_limit: float | None = _TRADE_OFF.time_limit,
) -> TradeOff:
    """Find the whole curve of throughput against path length, breakpoint by breakpoint.

    Parameters
    ----------
    network
        By name, by file or as an object.

    Returns
    -------
    TradeOff
        Its ``vertices`` are the breakpoints.

    Raises
    ------
    InputError
        If the problem is none for the network.

    Examples
    --------
    >>> import obroute
    >>> curve = obroute.pareto("torus:4x4")
    >>> curve.complete, [str(fraction) for fraction in curve.fractions_of_capacity()]
    (True, ['1/2', '18/37', '8/17', '3/7', '3/8', '1/3'])
    """
    from obroute.experiments.trade_off.store import run_trade_off

    settings = settings_among(TradeOffSettings, pareto, locals())
    return remember(run_trade_off(make_network(network), settings), settings)


@public()
def routing_table(
    network: str | Path | Network, routing: str | Path | Routing, table: Table = TABLE
) -> list[dict[str, Any]]:
    """List the paths of every pair, its flows, or the next channels at every node.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    table
        ``paths``, ``flows`` or ``next_channels``.

    Returns
    -------
    list of dict
        The rows by the names of the columns; probabilities and flows are exact.

    Raises
    ------
    InputError
        If the routing is not defined on the network, or there is no such table.

    Examples
    --------
    >>> import obroute
    >>> obroute.routing_table("ring:4", "dor")[1]
    {'source': '0', 'destination': '2', 'probability': Fraction(1, 2), 'path': ['0', '1', '2']}
    """
    if table not in typing.get_args(Table):
        raise InputError(f"table: {table!r}" + suggestion(str(table), [*typing.get_args(Table)]))
    return list(routing_rows(make_network(network), make_routing(routing), table))


@public()
def export(
    network: str | Path | Network,
    routing: str | Path | Routing,
    file: str | Path,
    table: Table = TABLE,
) -> None:
    """Write the table of a routing to a file, as ``obroute design --export`` does.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    file
        Its name ends in ``.csv`` or ``.json``.
    table
        ``paths``, ``flows`` or ``next_channels``; the first two can be read again as a routing.

    Returns
    -------
    None
        The file is written whole or not at all.

    Raises
    ------
    InputError
        If the routing is not defined on the network, there is no such table, or the file cannot be
        written.
    """
    target = file_at(file, "file")
    write_rows(routing_table(network, routing, table), target)


@public()
def hard_permutations(design: Design) -> list[HardPermutation]:
    """Take apart the traffic that proves no routing to be better than a design.

    Parameters
    ----------
    design
        What :func:`design` returned, for the worst case.

    Returns
    -------
    list of HardPermutation
        Weighted permutations, each with the channel that it loads; ``obroute design --hard``
        writes them.

    Raises
    ------
    InputError
        If it is no design, or was proved for another objective.

    Examples
    --------
    >>> import obroute
    >>> hard = obroute.hard_permutations(obroute.design("ring:5"))
    >>> sum(one.weight for one in hard)
    Fraction(1, 1)
    """
    from obroute.design import Design, hard_permutations

    if not isinstance(design, Design):
        raise InputError(f"design: {type(design).__name__}; expected what obroute.design returned")
    return hard_permutations(design)
