"""Who collides on the critical channel of any network: the pairs on it, and what each adds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from obroute.breakdown import describe_groups, load_groups
from obroute.plots.canvas import canvas, width_of
from obroute.plots.channel_maps import draw_loads
from obroute.plots.load_matrix import matrix_of
from obroute.plots.notes import CellName, Place, note
from obroute.plots.placement import channel_arrows
from obroute.plots.style import ALERT, INK, LOAD_MAP, fitted, network_label, routing_label, style
from obroute.rational import RationalArray, brief
from obroute.specs import InputError
from obroute.trends.critical import Collision, CriticalChannel

MOST_BARS = 20
BAR, FRAME = 0.24, 2.1
"""Inches that a pair takes, and all around them."""
LONGEST_NAME = 20
SIDE_BY_SIDE = 8
"""Inches from which on two panels have room side by side."""
LEAST_ROWS = 8
"""Rows that a panel has room for, so that few bars are no blocks."""


def collisions_figure(cell: xr.Dataset) -> Figure:
    """Draw the worst traffic of a cell on any network: who loads the critical channel.

    Left, the network with an arrow for each pair that loads the channel, in the colour of what it
    adds, and the channel itself; a network without a place on paper is left out. Right, a bar for
    each pair, the heaviest first, with the exact load; together they are the worst case.

    Raises
    ------
    InputError
        If the store holds no pair loads and they cannot be derived anew.
    """
    critical = CriticalChannel(cell)
    pairs = critical.derived_collisions
    if not pairs:
        raise InputError(
            f"{cell.attrs['network']} under {cell.attrs['routing']}: the cell holds no pair loads "
            "to draw; evaluate it with a larger --pair-load-limit"
        )
    with style():
        drawable = _has_a_place(cell)
        bars = min(len(pairs), MOST_BARS) + (len(pairs) > MOST_BARS)
        natural = 11 if drawable else 6.5
        stacked = drawable and width_of(natural) < SIDE_BY_SIDE
        height = max(5.0 if drawable else 3.6, FRAME + BAR * bars)
        height += stacked * width_of(natural) * 0.7
        figure = canvas(natural, height, least=5)
        width = figure.get_figwidth()
        norm = Normalize(0, max(float(pair.load) for pair in pairs))
        if drawable:
            left, right = (
                figure.subplots(2, 1) if stacked else figure.subplots(1, 2, width_ratios=[1.25, 1])
            )
            _network_panel(left, critical, pairs, norm)
        else:
            right = figure.subplots()
        _bars_panel(right, critical, pairs, norm)
        figure.suptitle(fitted(_title(critical), width - 0.4, 11))
        added = load_groups(RationalArray.from_fractions([pair.load for pair in pairs]))
        made_up = f"The load is made up of {describe_groups(added)}{_over(critical)}."
        figure.supxlabel(fitted(made_up, width - 0.4, 10), fontsize=10)
        return figure


def _has_a_place(cell: xr.Dataset) -> bool:
    """Say whether a network is drawn, and not as a matrix of its channels."""
    try:
        if matrix_of(cell) is not None:
            return False
        channel_arrows(cell)
    except InputError:
        return False
    return "channel" in cell.sizes


def _over(critical: CriticalChannel) -> str:
    bandwidth = critical.bandwidth
    return "" if bandwidth == 1 else f", over a bandwidth of {bandwidth}"


def _title(critical: CriticalChannel) -> str:
    attributes = critical.cell.attrs
    what = (
        f"{routing_label(attributes['routing'])} on {network_label(attributes['network'])}: the "
        f"worst traffic loads channel {critical.name(critical.channel)} by "
        f"{_number(critical.load)}"
    )
    capacity = critical.cell["capacity_load_exact"].item()
    if not capacity:
        return what
    return f"{what},\n{_number(Fraction(capacity) / critical.load)} of capacity"


def _number(number: Fraction) -> str:
    return brief(number) if number.denominator == 1 else f"{brief(number)} = {float(number):.5g}"


def _network_panel(
    axes: Axes, critical: CriticalChannel, pairs: list[Collision], norm: Normalize
) -> ScalarMappable:
    """Draw the network in grey, the pairs over it, and the channel."""
    cell = critical.cell
    drawn = draw_loads(axes, cell, np.zeros(cell.sizes["channel"]), norm)
    nodes, start, step = channel_arrows(cell)
    for pair in sorted(pairs, key=lambda one: one.load):
        ends = (tuple(nodes[end].tolist()) for end in (pair.source, pair.destination))
        _note_pair(axes, critical, pair, *ends)
        axes.add_patch(
            FancyArrowPatch(
                tuple(nodes[pair.source]),
                tuple(nodes[pair.destination]),
                arrowstyle="-|>",
                mutation_scale=9,
                shrinkA=3,
                shrinkB=3,
                lw=1.1,
                color=LOAD_MAP(norm(float(pair.load))),
                connectionstyle="arc3,rad=-0.25",
                zorder=4,
            )
        )
    first, end = start[critical.channel], start[critical.channel] + step[critical.channel]
    axes.add_patch(
        FancyArrowPatch(
            tuple(first),
            tuple(end),
            arrowstyle="-|>",
            mutation_scale=15,
            shrinkA=0,
            shrinkB=0,
            lw=3.5,
            color=ALERT,
            zorder=6,
        )
    )
    some = "1 pair loads" if len(pairs) == 1 else f"{len(pairs)} pairs load"
    axes.set_title(f"{some} the channel (orange)")
    return drawn


def _bars_panel(
    axes: Axes, critical: CriticalChannel, pairs: list[Collision], norm: Normalize
) -> None:
    shown = pairs[:MOST_BARS]
    names = [
        f"{_short(critical.node(pair.source))} → {_short(critical.node(pair.destination))}"
        for pair in shown
    ]
    loads = [pair.load for pair in shown]
    colours = [LOAD_MAP(norm(float(load))) for load in loads]
    if len(shown) < len(pairs):
        loads.append(sum((pair.load for pair in pairs[MOST_BARS:]), Fraction(0)))
        names.append(f"{len(pairs) - MOST_BARS} further pairs")
        colours.append(LOAD_MAP(0.0))
    drawn = axes.barh(range(len(loads)), [float(load) for load in loads], color=colours)
    for row, pair in enumerate(shown):
        _note_pair(axes, critical, pair, (float(pair.load) / 2, row))
    axes.bar_label(drawn, [brief(load) for load in loads], padding=3, fontsize=8, color=INK)
    axes.set_yticks(range(len(loads)), names)
    axes.set(
        ylim=(max(len(loads), LEAST_ROWS) - 0.4, -0.6),
        xlim=(0, 1.25 * max(map(float, loads))),
        title="What each adds",
        xlabel="packets per cycle",
    )
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_axisbelow(True)


def _note_pair(axes: Axes, critical: CriticalChannel, pair: Collision, *places: Place) -> None:
    attributes = critical.cell.attrs
    ends = f"{critical.node(pair.source)} → {critical.node(pair.destination)}"
    cell = CellName(attributes["network"], attributes["routing"])
    note(axes, f"{ends} adds {brief(pair.load)}", *places, cell=cell)


def _short(name: str) -> str:
    """Return a name of few enough characters; of a long one its beginning and its end."""
    if len(name) <= LONGEST_NAME:
        return name
    half = LONGEST_NAME // 2
    return f"{name[: half - 1]}…{name[-half:]}"
