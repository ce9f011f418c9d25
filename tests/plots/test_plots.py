"""Figures: what they hold and that they come out the same twice, not how they look."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.quiver import Quiver
from tests.support.datasets import cell_dataset, gathered_dataset

import obroute
from obroute import plots
from obroute.network import Network
from obroute.plots.collisions import MOST_BARS
from obroute.plots.load_matrix import matrix_of
from obroute.plots.placement import channel_arrows, nested_squares, plane_of
from obroute.plots.worst_case_map import channel_worst_cases
from obroute.specs import InputError


@pytest.fixture(scope="module")
def study() -> xr.Dataset:
    """Give a small series in which DOR and O1TURN coincide."""
    return obroute.compare(
        ["torus:4x4", "torus:5x5", "torus:7x7"], ["dor", "o1turn", "romm", "valiant"]
    )


def cell_of(network: str | Network, routing: str, *patterns: str) -> xr.Dataset:
    """Evaluate one cell."""
    return cell_dataset(obroute.evaluate(network, routing, patterns))


def texts(figure: Figure) -> Iterator[str]:
    """Give every text of a figure that is not empty."""
    for artist in figure.findobj(mpl.text.Text):
        if artist.get_text():
            yield artist.get_text()


def test_the_trend_figure_names_coinciding_routings_together(study: xr.Dataset) -> None:
    """One curve for DOR and O1TURN, closed forms to k = 499, and where each goes."""
    found = " | ".join(texts(plots.trend_figure(study)))
    for expected in ("DOR = O1TURN", "→ 1/4", "no positive limit", "499"):
        assert expected in found
    assert "≈" not in found
    longest = max(
        float(np.max(line.get_xdata())) for line in plots.trend_figure(study).axes[1].lines
    )
    assert longest == 499


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_a_dollar_in_a_name_begins_no_formula(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names are shown as they are, in every kind of figure."""
    monkeypatch.chdir(tmp_path)
    name = r"m$\frac{$<&.csv"
    Path(name).write_text("a$_$,b^{\nb^{,a$_$\n")
    network = obroute.make_network(name)
    cell = cell_of(network, "ecmp")
    drawn = [
        plots.worst_case_map([cell]),
        plots.pareto_figure(obroute.compare([network], ["ecmp"]), name),
    ]
    for figure in drawn:
        plots.save(figure, Path(f"figure.{kind}"))
        assert Path(f"figure.{kind}").stat().st_size > 500
    assert r"m$\frac{$<&.csv" in " | ".join(text for figure in drawn for text in texts(figure))


def test_what_a_paper_prints_is_marked_in_a_study_of_its_network() -> None:
    """The two values that the technical report says the series approach."""
    compared = obroute.compare(["torus:4x4", "torus:9x9"], ["dor", "romm"])
    found = " | ".join(texts(plots.trend_figure(compared)))
    for expected in ("≈ 0.26", "≈ 0.14", "printed in the technical report, k from 17 to 19"):
        assert expected in found.replace("\n", " ")


def test_the_trend_figure_of_other_series_has_no_closed_forms() -> None:
    """Meshes have a series but no form: the loads take the second panel."""
    figure = plots.trend_figure(obroute.compare(["mesh:3x3", "mesh:4x4"], ["dor", "romm"]))
    assert figure.axes[1].get_title() == "Worst-case load"


def test_a_study_without_a_series_gives_a_figure_that_says_so(tmp_path: Path) -> None:
    """The rule that draws it still has its file."""
    study = obroute.compare(["hypercube:3"], ["dor"])
    assert any("no series" in text for text in texts(plots.trend_figure(study)))
    plots.save(plots.trend_figure(study), tmp_path / "trend.svg")
    assert (tmp_path / "trend.svg").read_bytes().startswith(b"<?xml")


def test_the_pareto_figure_fills_the_routings_that_none_beats(study: xr.Dataset) -> None:
    """ROMM is beaten by DOR; VAL is not, for lack of IVAL in this study."""
    axes = plots.pareto_figure(study, "torus:5x5").axes[0]
    filled = {
        tuple(np.round(line.get_xydata()[0], 4)): line.get_markerfacecolor() != "white"
        for line in axes.lines
    }
    assert filled == {(0.3, 1.0): True, (0.225, 1.0): False, (0.5, 2.0): True}
    with pytest.raises(InputError, match="no network 'torus:6x6'"):
        plots.pareto_figure(study, "torus:6x6")


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_figures_come_out_the_same_twice(study: xr.Dataset, tmp_path: Path, kind: str) -> None:
    """No date, no random identifiers."""
    for name in ("one", "two"):
        plots.save(plots.pareto_figure(study, "torus:5x5"), tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


def test_a_kind_of_figure_that_does_not_exist_is_an_input_error(
    study: xr.Dataset, tmp_path: Path
) -> None:
    """The kinds that exist are named, and nothing is written."""
    with pytest.raises(InputError, match="expected pdf, png, svg"):
        plots.save(plots.pareto_figure(study, "torus:5x5"), tmp_path / "figure.tiff")
    assert not list(tmp_path.iterdir())


def test_figures_do_not_depend_on_the_users_settings(study: xr.Dataset) -> None:
    """A user's own settings change nothing, and stay."""
    plain = plots.image_bytes(plots.pareto_figure(study, "torus:5x5"), "svg")
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red"}):
        assert plots.image_bytes(plots.pareto_figure(study, "torus:5x5"), "svg") == plain
        assert mpl.rcParams["font.size"] == 20


def test_the_worst_permutation_is_drawn_with_its_exact_load() -> None:
    """The title has the load; 28 pairs load the channel, and an arrow is the channel."""
    figure = plots.worst_permutation_figure(cell_of("torus:9x9", "romm"))
    found = " | ".join(texts(figure))
    assert "32/5 = 6.4" in found
    assert "25/144 = 0.17361" in found
    left, right = figure.axes[:2]
    arrows = [patch for patch in left.patches if isinstance(patch, FancyArrowPatch)]
    assert f"{len(arrows) - 1} pairs load the channel" in left.get_title()
    assert len([text for text in right.texts if "," in text.get_text()]) == 81


def test_pair_loads_that_a_cell_leaves_out_are_derived_anew() -> None:
    """The drawing is the same without them."""
    found = obroute.evaluate("torus:5x5", "romm")
    whole, bare = (cell_dataset(found, pair_load_limit=n) for n in (10**6, 0))
    assert "pair_load_numerator" not in bare
    drawn = [
        plots.image_bytes(plots.worst_permutation_figure(cell), "svg") for cell in (whole, bare)
    ]
    assert drawn[0] == drawn[1]


def test_a_large_torus_has_no_text_in_the_matrix() -> None:
    """Above k = 12 the destinations would not be readable."""
    figure = plots.worst_permutation_figure(cell_of("torus:13x13", "dor"))
    assert not figure.axes[1].texts


@pytest.mark.parametrize(
    ("network", "routing", "panels"),
    [
        ("torus:3x3x3", "dor", 2),
        ("torus:5", "dor", 2),
        ("hypercube:3", "dor", 2),
        ("cmesh:2x2,hosts=2", "dor", 2),
        ("leafspine:leaves=2,hosts=2,spines=2", "ecmp", 2),
        ("kautz:d=2,D=4", "minimal", 1),
        ("ring:5,bandwidth=3", "ecmp", 2),
    ],
)
def test_on_any_network_the_bars_of_who_collides_add_up(
    network: str | Network, routing: str, panels: int
) -> None:
    """Each with its exact load; the network beside them where it has a place on paper."""
    found = obroute.evaluate(network, routing)
    figure = plots.worst_permutation_figure(cell_dataset(found))
    assert len(figure.axes) == panels
    bars = figure.axes[-1]
    added = [Fraction(text.get_text()) for text in bars.texts]
    bandwidth = Fraction(3) if "bandwidth=3" in str(network) else 1
    assert sum(added) == found.worst_case_load * bandwidth
    assert len(added) == len(bars.get_yticklabels())
    assert all("→" in label.get_text() for label in bars.get_yticklabels())


def test_many_colliding_pairs_are_taken_together() -> None:
    """The heaviest have a bar each; the rest is one, and nothing is lost."""
    found = obroute.evaluate("torus:4x4x3", "valiant")
    bars = plots.worst_permutation_figure(cell_dataset(found)).axes[-1]
    assert len(bars.patches) == MOST_BARS + 1
    assert bars.get_yticklabels()[-1].get_text().endswith("further pairs")
    assert sum(Fraction(text.get_text()) for text in bars.texts) == found.worst_case_load


def test_the_nodes_of_a_hypercube_have_places_of_their_own() -> None:
    """Squares of squares: no node lies on a channel between two others."""
    for dimensions in (3, 4, 6):
        network = obroute.make_network(f"hypercube:{dimensions}")
        places = nested_squares(network)
        for tail, head in zip(network.tail.tolist(), network.head.tolist(), strict=True):
            along = places[head] - places[tail]
            share = ((places - places[tail]) @ along) / (along @ along)
            beside = np.hypot(*(places - places[tail] - np.outer(share, along)).T)
            between = (share > 0.02) & (share < 0.98)
            assert beside[between].min(initial=1.0) > 0.15


def test_the_plane_of_a_torus_has_the_critical_channel_in_the_middle() -> None:
    """A torus is turned; a mesh, which cannot be, keeps its coordinates."""
    cell = cell_of("torus:9x9", "romm")
    plane = plane_of(cell)
    channel = int(cell["focus_channel"].values[0])
    assert plane.places[int(cell["tail"].values[channel])].tolist() == [4, 4]
    assert plane_of(cell_of("mesh:3x4", "dor")).origin == (0, 0)


@pytest.mark.parametrize(
    ("network", "routing"),
    [
        ("torus:4x3", "dor"),
        ("mesh:3x3", "romm"),
        ("ring:6", "valiant"),
        ("hypercube:3", "dor"),
        ("torus:2x4", "dor"),
        ("complete:5", "ecmp"),
        (Network("triangle", 3, tail=[0, 1, 2], head=[1, 2, 0]), "ecmp"),
    ],
)
def test_channel_loads_are_drawn_on_any_small_network(
    network: str | Network, routing: str
) -> None:
    """Every channel is an arrow; networks without a plane go on a circle."""
    cell = cell_of(network, routing)
    figure = plots.channel_load_map(cell)
    arrows = sum(q.N for q in figure.axes[0].findobj(Quiver))
    assert arrows == cell.sizes["channel"]
    assert plots.image_bytes(figure, "svg")


def test_a_map_has_a_panel_a_traffic_in_one_scale() -> None:
    """Chosen traffics in their order; an unknown one is an error with a suggestion."""
    cell = cell_of("torus:4x4", "romm", "transpose", "tornado")
    figure = plots.channel_load_map(cell, ["tornado", "worst_case"])
    assert [axes.get_title().split(":")[0] for axes in figure.axes[:2]] == [
        "tornado",
        "worst case",
    ]
    with pytest.raises(InputError, match="did you mean 'tornado'"):
        plots.channel_load_map(cell, ["tornados"])


def test_cells_are_compared_side_by_side() -> None:
    """A panel a routing, each with its own worst case."""
    cells = [cell_of("torus:5x5", routing) for routing in ("dor", "romm", "valiant")]
    titles = [axes.get_title() for axes in plots.channel_load_comparison(cells).axes[:3]]
    assert titles == ["DOR: largest 2", "ROMM: largest 2.667", "VAL: largest 1.2"]


def test_a_large_network_without_a_plane_is_not_drawn() -> None:
    """A matrix of so many rows would show nothing."""
    with pytest.raises(InputError, match=r"512 nodes; a matrix .* up to 256 nodes"):
        plots.channel_load_map(cell_of("hypercube:9", "dor"))


def test_a_routing_with_fewer_radices_joins_the_curve_that_it_follows() -> None:
    """IVAL, evaluated at two radices of three, is named with VAL."""
    cells = {}
    for network, routing in [
        (f"torus:{k}x{k}", r) for k in (3, 4, 5) for r in ("valiant", "ival")
    ]:
        if (network, routing) != ("torus:5x5", "ival"):
            cells[f"{network} {routing}"] = cell_of(network, routing)
    found = list(texts(plots.trend_figure(gathered_dataset(cells))))
    assert "VAL = IVAL" in found


# ---------------------------------------------------------------- the worst case of each channel


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Return the texts of a figure that lie on each other."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    switched_off = [
        label
        for axes in figure.axes
        if not axes.axison
        for label in (*axes.get_xticklabels(), *axes.get_yticklabels())
    ]
    boxes = [
        (text.get_text(), text.get_window_extent(canvas.get_renderer()))
        for text in figure.findobj(mpl.text.Text)
        if text.get_text().strip() and text.get_visible() and text not in switched_off
    ]
    return [
        (text, other)
        for (text, box), (other, box_of_other) in itertools.combinations(boxes, 2)
        if box.padded(-1).overlaps(box_of_other.padded(-1))
    ]


@pytest.mark.parametrize(
    ("network", "routing"), [("mesh:4x4", "dor"), ("mesh:3x4", "romm"), ("torus:4x3", "dor")]
)
def test_every_channel_is_drawn_with_its_own_worst_case(network: str, routing: str) -> None:
    """That which solving every channel gives, though by symmetry few are solved."""
    cell = cell_of(network, routing)
    solved = obroute.evaluate(network, routing, all_channels=True).channels
    expected = [float(result.normalized_load) for result in solved]
    assert channel_worst_cases(cell).tolist() == expected
    *_, arrows = plots.worst_case_map([cell]).axes[0].collections
    assert isinstance(arrows, Quiver)
    assert sorted(arrows.get_array().tolist()) == sorted(expected)


def test_a_mesh_has_a_profile_and_a_torus_is_flat() -> None:
    """DOR loads a channel of a mesh by the fewer of the nodes before and beyond it."""
    mesh = channel_worst_cases(cell_of("mesh:7", "dor"))
    assert sorted(mesh.tolist()) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    assert set(channel_worst_cases(cell_of("torus:5x5", "romm")).tolist()) == {8 / 3}


def test_the_map_of_worst_cases_names_its_panels_and_nothing_overlaps() -> None:
    """A panel a routing in one scale, with the least and the largest."""
    cells = [cell_of("mesh:4x4", routing) for routing in ("dor", "romm", "valiant", "o1turn")]
    figure = plots.worst_case_map(cells)
    assert figure.axes[0].get_title() == "DOR\n1 to 3"
    norms = {axes.collections[-1].norm.vmax for axes in figure.axes[:4]}
    assert len(norms) == 1
    assert overlaps(figure) == []


def test_a_map_of_worst_cases_needs_cells_of_one_network() -> None:
    """None, or two networks, are refused."""
    with pytest.raises(InputError, match="no cells to draw"):
        plots.worst_case_map([])
    cells = [cell_of("mesh:3x3", "dor"), cell_of("mesh:4x4", "dor")]
    with pytest.raises(InputError, match="cells of mesh:3x3, mesh:4x4; give those of one"):
        plots.worst_case_map(cells)


# -------------------------------------------------------------------------- what adds up to a load


@pytest.mark.parametrize(
    ("network", "routing", "split"),
    [
        ("torus:9x9", "romm", "4 pairs of 1, 24 of 1/10: 32/5"),  # the report's Figure 8
        ("torus:5x5", "dor", "2 pairs of 1: 2"),
        ("mesh:4x4", "romm", None),
    ],
)
def test_the_picture_says_what_adds_up_to_the_load(
    network: str, routing: str, split: str | None
) -> None:
    """Below the panels; no text lies on another."""
    figure = plots.worst_permutation_figure(cell_of(network, routing))
    below = figure.get_supxlabel()
    load = obroute.evaluate(network, routing).worst_case_load
    assert below.startswith("The load is made up of ")
    assert below.endswith(f": {load}.")
    assert split is None or split in below
    assert overlaps(figure) == []


STRUCTURED = [
    "leafspine:leaves=2,hosts=2,spines=2",
    "fattree:k=4",
    "dragonfly:p=1,a=2,h=1",
    "megafly:leaves=2,spines=1,hosts=2,global=2",
    "slimfly:q=3",
    "hyperx:3x3",
    "hexamesh:radius=2",
]


@pytest.mark.parametrize("name", STRUCTURED)
def test_networks_of_a_structure_are_drawn_in_places_that_show_it(name: str) -> None:
    """No two nodes nearer than the arrows between them need, and every arrow short of its end."""
    cell = cell_dataset(obroute.evaluate(name, "ecmp"))
    nodes, start, step = channel_arrows(cell)
    apart = np.hypot(*(nodes[:, np.newaxis] - nodes).transpose(2, 0, 1))
    assert apart[~np.eye(len(nodes), dtype=bool)].min() > 0.8
    tail, head = cell["tail"].values, cell["head"].values
    assert np.all(np.hypot(*(start - nodes[tail]).T) < 0.3)
    assert np.all(np.hypot(*(start + step - nodes[head]).T) < 0.3)
    assert matrix_of(cell) is None


def test_hosts_stand_below_their_switches_level_by_level() -> None:
    """As many rows up as a switch is hops from a host, whatever the network was made from."""
    network = obroute.make_network("fattree:k=4")
    nodes, _, _ = channel_arrows(cell_dataset(obroute.evaluate(network, "ecmp")))
    heights = dict.fromkeys(("host", "edge", "aggregation", "core"))
    for kind in heights:
        rows = {
            round(-nodes[node, 1], 6)
            for node in range(network.node_count)
            if network.describe(node).startswith(kind)
        }
        assert len(rows) == 1
        heights[kind] = rows.pop()
    assert list(heights.values()) == sorted(heights.values())
    assert len(set(heights.values())) == 4


def test_a_large_network_of_a_structure_is_a_matrix() -> None:
    """Its arrows would be a tangle."""
    assert (
        matrix_of(cell_dataset(obroute.evaluate("dragonfly:p=2,a=6,h=2", "minimal"))) is not None
    )
