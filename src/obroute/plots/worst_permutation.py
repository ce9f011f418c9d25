"""The worst permutation of a two-dimensional torus or mesh, drawn as the technical report does.

Its Figure 8 shows how pairs load the channel, its Figure 9 the permutation as a matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from obroute.breakdown import LoadGroup, describe_groups, load_groups
from obroute.experiments.evaluation.store import critical_focus
from obroute.plots.canvas import canvas, width_of
from obroute.plots.collisions import collisions_figure
from obroute.plots.notes import CellName, Place, note
from obroute.plots.placement import Plane, critical_channel, in_planes, plane_of
from obroute.plots.style import ALERT, INK, LOAD_MAP, fitted, routing_label, style
from obroute.rational import (
    FloatArray,
    IntArray,
    RationalArray,
    SparseRationalMatrix,
    brief,
)
from obroute.results.stores import finding_files
from obroute.routing import routings
from obroute.trends.critical import network_of
from obroute.views import StudyData, figures, on_request

LARGEST_RADIX_WITH_TEXT = 12
WIDTH, SIDE_BY_SIDE = 11, 9.5
"""Inches of the figure, and from which on its two panels have room side by side."""


@dataclass(frozen=True)
class DrawnPermutation:
    """What the figure shows: the plane, the channel, the permutation and each pair's load.

    ``added`` is the load that each source's pair puts on the channel (packets per cycle);
    ``groups`` count the pairs that add alike.
    """

    plane: Plane
    cell: CellName
    tail: int
    head: int
    destination: IntArray
    added: RationalArray
    groups: list[LoadGroup]

    @cached_property
    def contribution(self) -> FloatArray:
        """The same in floating point."""
        return self.added.to_float()

    def note(self, axes: Axes, source: int, *places: Place) -> None:
        """Say in a panel what the pair of a source adds, exactly."""
        ends = (self.plane.network.describe(end) for end in (source, self.destination[source]))
        said = f"{' → '.join(ends)} adds {brief(self.added.fraction(source))}"
        note(axes, said, *places, cell=self.cell)

    @property
    def loading(self) -> IntArray:
        """The sources whose pairs load the channel."""
        return np.flatnonzero(self.contribution > 0)


def worst_permutation_figure(cell: xr.Dataset) -> Figure:
    """Draw the worst traffic of a cell: who loads the critical channel, and how much.

    A torus or mesh of two dimensions is drawn as the technical report does; any other network,
    and traffic that is split, by :func:`obroute.plots.collisions.collisions_figure`.

    Left, the pairs that load the channel as arrows in the colour of their contribution, those in
    the channel's own row or column (the tornado) apart. Right, the permutation as a matrix: each
    cell is a source and names its destination, shaded by what the pair contributes. Below, what
    adds up to the load, as in the technical report's Figure 8. A torus is turned so that the
    channel is in the middle; the ticks are the true coordinates.

    Raises
    ------
    InputError
        If the pair loads are neither stored nor to be derived anew.
    """
    if not _is_permutation_of_a_plane(cell):
        return collisions_figure(cell)
    drawn = _drawn_permutation(cell)
    with style():
        stacked = width_of(WIDTH) < SIDE_BY_SIDE
        figure = canvas(WIDTH, 1.5 * width_of(WIDTH) + 1 if stacked else 6.4, least=5.5)
        width = figure.get_figwidth()
        left, right = figure.subplots(2, 1) if stacked else figure.subplots(1, 2)
        norm = Normalize(0, float(drawn.contribution.max()))
        _pairs_panel(left, drawn, norm)
        _matrix_panel(right, drawn, norm)
        figure.colorbar(
            ScalarMappable(norm, LOAD_MAP),
            ax=[left, right],
            label="load that the pair puts on the channel (packets per cycle)",
            shrink=0.85,
            aspect=35,
        )
        figure.suptitle(fitted(_title(cell, drawn), width - 0.4, 11))
        made_up = f"The load is made up of {describe_groups(drawn.groups)}."
        figure.supxlabel(fitted(made_up, width - 0.4, 10), fontsize=10)
        return figure


def _is_permutation_of_a_plane(cell: xr.Dataset) -> bool:
    network = in_planes(network_of(cell))
    if network is None or network.dimensions != 2 or 1 in network.radices:
        return False
    whole = network.node_count == cell.sizes["source"]
    return whole and not (cell["worst_permutation"].values[critical_focus(cell)] < 0).any()


def _drawn_permutation(cell: xr.Dataset) -> DrawnPermutation:
    plane = plane_of(cell)
    focus = critical_focus(cell)
    destination = cell["worst_permutation"].values[focus].astype(np.int64)
    channel = critical_channel(cell)
    added = _contributions(cell, plane, focus, destination)
    return DrawnPermutation(
        plane,
        CellName(cell.attrs["network"], cell.attrs["routing"]),
        int(cell["tail"].values[channel]),
        int(cell["head"].values[channel]),
        destination,
        added,
        load_groups(added),
    )


def _contributions(
    cell: xr.Dataset, plane: Plane, focus: int, destination: IntArray
) -> RationalArray:
    """Return the pair load of each source and its destination: stored ones, or derived anew."""
    count = len(destination)
    if "pair_load_numerator" in cell:
        mine = cell["pair_load_focus"].values == focus
        denominator = int(cell["pair_load_denominator"].values[focus])
        matrix = SparseRationalMatrix.from_triplets(
            cell["pair_load_source"].values[mine],
            cell["pair_load_destination"].values[mine],
            RationalArray(cell["pair_load_numerator"].values[mine], denominator),
            (count, count),
        )
    else:
        channel = int(cell["focus_channel"].values[focus])
        with finding_files(cell):
            matrix = routings.create(cell.attrs["routing"]).pair_loads(plane.network, channel)
    return matrix.entries(np.arange(count), destination)


def _title(cell: xr.Dataset, drawn: DrawnPermutation) -> str:
    load = Fraction(cell["worst_case_load_exact"].values[critical_focus(cell)])
    ends = " → ".join(
        "({}, {})".format(*drawn.plane.coordinates[node]) for node in (drawn.tail, drawn.head)
    )
    what = (
        f"{routing_label(cell.attrs['routing'])} on {cell.attrs['network']}: the worst "
        f"permutation puts {_number(load)} packets per cycle on channel {ends}"
    )
    capacity = cell["capacity_load_exact"].item()
    return f"{what},\n{_number(Fraction(capacity) / load)} of capacity" if capacity else what


def _number(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{number} = {float(number):.5g}".strip()


def _pairs_panel(axes: Axes, drawn: DrawnPermutation, norm: Normalize) -> None:
    plane = drawn.plane
    places = plane.places
    _, own_line = plane.channel_line(drawn.tail, drawn.head)
    _shade_line(axes, drawn, own_line)
    axes.plot(places[:, 1], places[:, 0], "o", ms=3, color="#c4c4c4", mec="none", zorder=1)
    order = drawn.loading[np.argsort(drawn.contribution[drawn.loading], kind="stable")]
    for source in order.tolist():
        in_line = bool(own_line[source] and own_line[drawn.destination[source]])
        _pair_arrow(axes, drawn, source, in_line, LOAD_MAP(norm(drawn.contribution[source])))
    axes.scatter(
        places[order, 1],
        places[order, 0],
        c=drawn.contribution[order],
        cmap=LOAD_MAP,
        norm=norm,
        s=34,
        edgecolors=INK,
        linewidths=0.6,
        zorder=4,
    )
    _channel_arrow(axes, drawn)
    _frame(axes, plane)
    along, _ = plane.channel_line(drawn.tail, drawn.head)
    inside = int(np.sum(own_line[order] & own_line[drawn.destination[order]]))
    others = "other" if len(order) - inside == 1 else "others"
    axes.set_title(
        f"{len(order)} pairs load the channel (orange):\n{inside} in its own "
        f"{('column', 'row')[along]} (shaded), {len(order) - inside} {others}"
    )


def _shade_line(axes: Axes, drawn: DrawnPermutation, own_line: np.ndarray) -> None:
    line = drawn.plane.places[own_line]
    (top, first), (bottom, last) = line.min(axis=0), line.max(axis=0)
    axes.add_patch(
        Rectangle(
            (first - 0.5, top - 0.5),
            last - first + 1,
            bottom - top + 1,
            fc="#f3e6dc",
            ec="none",
            zorder=0,
        )
    )


def _pair_arrow(
    axes: Axes,
    drawn: DrawnPermutation,
    source: int,
    in_line: bool,
    colour: tuple[float, float, float, float],
) -> None:
    """Draw a pair in the minimal direction; curved along the channel's line, where all overlap."""
    plane = drawn.plane
    start = plane.places[source]
    step = plane.places[drawn.destination[source]] - start
    for dimension, (size, wrap) in enumerate(zip(plane.shape, plane.wraps, strict=True)):
        if wrap and abs(step[dimension]) > size / 2:
            step[dimension] -= np.sign(step[dimension]) * size
    end = start + step
    drawn.note(axes, source, (start[1], start[0]), (end[1], end[0]))
    axes.add_patch(
        FancyArrowPatch(
            (start[1], start[0]),
            (end[1], end[0]),
            arrowstyle="-|>",
            mutation_scale=9,
            shrinkA=3,
            shrinkB=2,
            lw=1.5 if in_line else 0.9,
            color=colour,
            alpha=1 if in_line else 0.9,
            connectionstyle=f"arc3,rad={_bend(end - start) if in_line else 0.05}",
            zorder=3 if in_line else 2,
        )
    )


def _bend(step: IntArray) -> float:
    """Return how much an arrow is bent: as the long ones stay within half a step of their line."""
    return min(0.35, 0.9 / float(np.hypot(*step)))


def _channel_arrow(axes: Axes, drawn: DrawnPermutation) -> None:
    start = drawn.plane.places[drawn.tail]
    along, _ = drawn.plane.channel_line(drawn.tail, drawn.head)
    size = drawn.plane.shape[along]
    step = (drawn.plane.places[drawn.head] - start)[along]
    end = start.copy()
    end[along] += step if abs(step) < size - 1 or size == 2 else -np.sign(step)
    axes.add_patch(
        FancyArrowPatch(
            (start[1], start[0]),
            (end[1], end[0]),
            arrowstyle="-|>",
            mutation_scale=min(22, 200 / size),
            shrinkA=0,
            shrinkB=0,
            lw=min(5, 45 / size),
            color=ALERT,
            zorder=6,
        )
    )


def _matrix_panel(axes: Axes, drawn: DrawnPermutation, norm: Normalize) -> None:
    plane = drawn.plane
    places = plane.places
    shade = np.zeros(plane.shape)
    shade[places[:, 0], places[:, 1]] = drawn.contribution
    axes.imshow(
        np.ma.masked_equal(shade, 0), cmap=LOAD_MAP, norm=norm, interpolation="nearest", zorder=0
    )
    if max(plane.shape) <= LARGEST_RADIX_WITH_TEXT:
        size = 8.0 if max(plane.shape) <= 9 else 6.5
        for node, (row, column) in enumerate(places.tolist()):
            red, green, blue, _ = LOAD_MAP(norm(drawn.contribution[node]))
            dark = drawn.contribution[node] > 0 and 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
            axes.text(
                column,
                row,
                "{},{}".format(*plane.coordinates[drawn.destination[node]]),
                ha="center",
                va="center",
                fontsize=size,
                color="white" if dark else INK,
            )
    for node in drawn.loading.tolist():
        row, column = places[node].tolist()
        drawn.note(axes, node, (column, row))
    _channel_arrow_beside(axes, drawn)
    _frame(axes, plane)
    axes.set_xticks(np.arange(plane.shape[1] + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(plane.shape[0] + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="#e2e2e2", lw=0.6)
    axes.tick_params(which="minor", length=0)
    axes.set_title(
        fitted(
            "Destination (row, column) of the source in each place, shaded by what it adds", 3.9
        )
    )


def _channel_arrow_beside(axes: Axes, drawn: DrawnPermutation) -> None:
    """Frame the two ends of the channel in the matrix."""
    for node in (drawn.tail, drawn.head):
        row, column = drawn.plane.places[node]
        axes.add_patch(
            Rectangle((column - 0.5, row - 0.5), 1, 1, fc="none", ec=ALERT, lw=2, zorder=5)
        )


def _frame(axes: Axes, plane: Plane) -> None:
    rows, columns = plane.shape
    axes.set(
        xlim=(-0.6, columns - 0.4),
        ylim=(rows - 0.4, -0.6),
        aspect="equal",
        xlabel="column",
        ylabel="row",
    )
    every = max(1, max(plane.shape) // 16)
    axes.set_xticks(range(0, columns, every), [str(n) for n in plane.labels(1)[::every]])
    axes.set_yticks(range(0, rows, every), [str(n) for n in plane.labels(0)[::every]])
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    for spine in axes.spines.values():
        spine.set_visible(False)


@figures.register(
    "worst_permutation",
    "The worst traffic of a cell: which pairs load its critical channel, and how much each adds.",
    each_cell=True,
    applies=on_request,
)
def _worst_permutation(data: StudyData, cell: str = "") -> Figure:
    return worst_permutation_figure(data.cell("evaluations", cell))
