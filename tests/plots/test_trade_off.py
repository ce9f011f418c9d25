"""Figures of designed routings: what they hold, not how they look."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from tests.support.designed_study import curve, designs, study

import obroute
from obroute import plots
from obroute.papers.locality import locality_figure
from obroute.plots.style import LOOKS
from obroute.specs import InputError

pytestmark = pytest.mark.designed_study


def texts(figure: Figure) -> Iterator[str]:
    """Give every text of a figure that is not empty."""
    for artist in figure.findobj(mpl.text.Text):
        if artist.get_text():
            yield artist.get_text()


def points_of(figure: Figure) -> dict[tuple[float, float], str]:
    """Give the markers of single points with their colours."""
    return {
        (round(float(line.get_xdata()[0]), 4), round(float(line.get_ydata()[0]), 4)): str(
            line.get_color()
        )
        for line in figure.axes[0].lines
        if len(line.get_xdata()) == 1
    }


def line_named(figure: Figure, name: str) -> np.ndarray:
    """Give the points of the one line of that name."""
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == name]
    return np.asarray(line.get_xydata())


def averaged() -> xr.Dataset:
    """Give a curve of another objective, not complete."""
    found = curve("torus:8x8").copy(deep=True)
    found["complete"] = False
    found["gap"] = 0.0123
    return found.assign_attrs(objective="average_case")


def test_the_curve_is_drawn_with_its_breakpoints_and_the_routings() -> None:
    """Vertices, points of the study, labels; coinciding routings are named together."""
    figure = plots.trade_off_figure(curve(), study())
    found = " | ".join(texts(figure))
    assert "Optimal trade-off on torus:4x4: complete, 6 breakpoints" in found
    vertices = line_named(figure, "its breakpoints")
    assert np.allclose(vertices[0], (1 / 2, 27 / 20))
    assert np.allclose(vertices[-1], (1 / 3, 1))
    assert points_of(figure)[0.5, 1.35] in (LOOKS["2turn"][0], LOOKS["optimal"][0])
    for label in ("VAL", "IVAL", "2TURN = optimal", "DOR"):
        assert label in found


def test_the_curve_is_straight_in_the_load() -> None:
    """Between breakpoints it is the mix of both: harmonic in the throughput."""
    drawn = line_named(plots.trade_off_figure(curve()), "optimal curve")
    first, second = (1 / 2, 27 / 20), (18 / 37, 187 / 144)
    middle = drawn[np.argmin(np.abs(drawn[:, 1] - (first[1] + second[1]) / 2))]
    share = (middle[1] - first[1]) / (second[1] - first[1])
    assert 1 / middle[0] == pytest.approx((1 - share) / first[0] + share / second[0])


@pytest.mark.slow
def test_mixes_go_from_dor_by_the_harmonic_bound() -> None:
    """Half of DOR, half of IVAL: the mean length at the harmonic mean of the worst cases."""
    figure = plots.trade_off_figure(curve("torus:8x8"), study())
    for name, end in (("IVAL", 413 / 256), ("2TURN", 95 / 64)):
        drawn = line_named(figure, f"DOR–{name} interpolation")
        assert np.allclose(drawn[[0, -1]], [(2 / 7, 1), (1 / 2, end)])
        half = np.interp((1 + end) / 2, drawn[:, 1], drawn[:, 0])
        assert half == pytest.approx(2 / (7 / 2 + 2), abs=1e-4)


def test_labels_do_not_cover_each_other() -> None:
    """2TURN and the optimum are almost one point on the 8-ary 2-cube; both can be read."""
    figure = plots.trade_off_figure(curve("torus:8x8"), study())
    figure.draw_without_rendering()
    boxes = [
        text.get_window_extent() for text in figure.axes[0].texts if isinstance(text, Annotation)
    ]
    assert len(boxes) == len(study()["routing"])
    pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]]
    assert not any(a.overlaps(b) for a, b in pairs)


def test_the_average_case_has_the_averages_as_points_and_no_mixes() -> None:
    """Only routings with an average are points; what the samples are is said."""
    figure = plots.trade_off_figure(averaged(), study())
    found = " | ".join(texts(figure))
    assert "not complete, 8" not in found
    assert "within 1.3 % of the optimum" in found
    assert "study's own sample" in found
    assert "interpolation" not in found
    means = study().average_case_load_fraction_of_capacity.sel(network="torus:8x8").values
    assert sorted({x for x, _ in points_of(figure)}) == sorted(set(np.round(means, 4)))
    assert not points_of(plots.trade_off_figure(averaged(), obroute.compare(["ring:5"], ["dor"])))


def test_points_on_the_sample_of_the_curve_are_said_to_be() -> None:
    """With the symmetry that the curve counts images under; another seed is another sample."""
    sample = {"matrices": 10, "seed": 5, "kind": "permutation", "symmetry": "translations"}
    for seed, same in ((5, True), (6, False)):
        scope = json.dumps({"sample": sample | {"seed": seed}})
        figure = plots.trade_off_figure(averaged().assign_attrs(scope=scope), study())
        found = " ".join(texts(figure)).replace("\n", " ")
        assert ("same 10 permutation matrices (seed 5)" in found) == same
        assert ("translations symmetry" in found) == same
        assert ("study's own sample" in found) != same


def test_a_curve_of_unknown_capacity_is_a_sentence() -> None:
    """There is no fraction to draw."""
    unknown = curve().copy(deep=True)
    unknown["capacity_load_exact"] = ((), np.array("", dtype=object))
    assert any(
        "capacity of torus:4x4 is unknown" in t for t in texts(plots.trade_off_figure(unknown))
    )
    with pytest.raises(InputError, match="is no curve"):
        plots.trade_off_figure(designs())


def test_locality_is_drawn_over_the_radix() -> None:
    """The study's lengths, IVAL's closed form and limit, and the numbers printed."""
    figure = locality_figure(study())
    assert np.allclose(
        line_named(figure, "optimal"), [(3, 14 / 9), (4, 27 / 20), (8, 11359 / 7680)]
    )
    assert np.allclose(line_named(figure, "VAL")[:, 1], 2)
    form = line_named(figure, "(5k − 1)/(3k), IVAL for odd k")
    assert np.allclose(form[0], (3, 14 / 9))
    found = " | ".join(texts(figure))
    for expected in ("“≈ 1.64”", "“≈ 1.52”", "5/3"):
        assert expected in found
    assert "still rising" not in found  # no two radices of one parity next to each other


def test_an_optimum_that_rises_is_said_to_rise() -> None:
    """By the last two radices of one parity."""
    part = study().sel(network=["torus:4x4", "torus:8x8"])
    moved = part.assign_coords(network=["torus:4x4", "torus:6x6"]).copy(deep=True)
    moved["radix"].values[1] = 6
    found = " | ".join(texts(locality_figure(moved)))
    assert "the optimum is still rising: 1.3500 at k = 4" in found


def test_without_two_cubes_there_is_a_sentence(tmp_path: Path) -> None:
    """The rule that draws it still has its file."""
    bare = obroute.compare(["hypercube:3"], ["dor"])
    assert any("no series of k-ary 2-cubes" in text for text in texts(locality_figure(bare)))
    plots.save(locality_figure(bare), tmp_path / "locality.svg")
    plots.save(plots.trade_off_figure(curve()), tmp_path / "one.svg")
    plots.save(plots.trade_off_figure(curve()), tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize(
    ("routing", "label"),
    [
        ("2turn", "2TURN"),
        ("2turna:seed=3", "2TURNA (seed=3)"),
        ("optimal", "optimal"),
        ("optimal:objective=average_case", "optimal (average case)"),
        ("optimal:objective=average_case,paths=minimal", "optimal (average case, minimal paths)"),
    ],
)
def test_designs_have_names_to_read(routing: str, label: str) -> None:
    """As the paper has them, the parameters in words."""
    assert plots.routing_label(routing) == label
