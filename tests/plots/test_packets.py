"""Figures of packets that queue: what they hold, beside which references, not how they look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tests.support.datasets import gathered_dataset, simulation_dataset, stability_dataset

import obroute
from obroute import plots
from obroute.packets.experiments import run_permutations, run_stability
from obroute.packets.phase_bounds import law_tail
from obroute.papers.packets import disjoint_rows, phase_rows, witness_rows
from obroute.report.packets import packets_section
from obroute.specs import InputError
from obroute.trends.packets import (
    greedy_rows,
    offline_rows,
    seeds_of,
    sizes_of,
    stable_rates,
    valiant_rows,
)
from obroute.views import Heading, StudyData, Table

CUBES = [3, 4, 5, 6]


def simulated(network: str, routing: str, traffic: list[str], seeds: int = 3) -> xr.Dataset:
    """Route permutations into a cell."""
    found = run_permutations(
        obroute.make_network(network), obroute.make_routing(routing), traffic, seeds=seeds, seed=5
    )
    return simulation_dataset(found, {"seed": 5})


def measured(network: str, routing: str, rates: list[float]) -> xr.Dataset:
    """Find stable rates into a cell, roughly."""
    found = run_stability(
        obroute.make_network(network),
        obroute.make_routing(routing),
        ["tornado", "uniform"],
        steps=1500,
        tolerance=0.1,
        rates=rates,
        curve_steps=600,
        seed=2,
    )
    return stability_dataset(found, {"seed": 2})


def gathered(cells: list[xr.Dataset]) -> xr.Dataset:
    """Gather cells under any names."""
    return gathered_dataset({str(place): cell for place, cell in enumerate(cells)})


@pytest.fixture(scope="module")
def simulations() -> xr.Dataset:
    """Give hypercubes of both parities and two butterflies, greedy and Valiant's."""
    cells = []
    for n in CUBES:
        traffic = ["transpose"] * (n % 2 == 0) + ["bit_reverse", "random_permutation"]
        cells += [simulated(f"hypercube:{n}", routing, traffic) for routing in ("dor", "valiant")]
    for n in (4, 2):
        cells += [
            simulated(f"butterfly:{n}", routing, ["transpose", "random_permutation"])
            for routing in ("bit_fixing", "two_phase")
        ]
    return gathered(cells)


@pytest.fixture(scope="module")
def stability() -> xr.Dataset:
    """Give two routings on a ring, with curves."""
    return gathered([measured("ring:8", routing, [0.1, 0.3, 0.6]) for routing in ("dor", "romm")])


def texts(figure: Figure) -> Iterator[str]:
    """Give every text of a figure that is not empty."""
    for artist in figure.findobj(mpl.text.Text):
        if artist.get_text():
            yield artist.get_text()


def panel(figure: Figure, title: str) -> Axes:
    """Return the panel of a title."""
    return next(axes for axes in figure.axes if " ".join(axes.get_title().split()) == title)


def curves(axes: Axes) -> list[dict[float, float]]:
    """Return the lines of a panel as what they say."""
    return [
        dict(zip(line.get_xdata().tolist(), np.asarray(line.get_ydata()).tolist(), strict=True))
        for line in axes.lines
    ]


def test_steps_have_a_panel_a_family_and_traffic(simulations: xr.Dataset) -> None:
    """Hypercubes first, then butterflies; every traffic that the family has."""
    figure = plots.steps_figure(simulations)
    titles = [axes.get_title() for axes in figure.axes if axes.get_visible()]
    assert titles == [
        f"{family}: {traffic}"
        for family in ("Hypercube", "Butterfly")
        for traffic in ("bit reversal", "random permutations", "transpose")
        if (family, traffic) != ("Butterfly", "bit reversal")
    ]


def test_steps_hold_every_series_and_its_references(simulations: xr.Dataset) -> None:
    """Medians of greedy, Valiant and the schedule; √N/2, √N/n and 2n - 1 beside them."""
    figure = plots.steps_figure(simulations)
    found = curves(panel(figure, "Hypercube: transpose"))
    at = simulations.sel(network="hypercube:6", traffic="transpose")
    greedy, valiant, offline = found[:3]
    assert greedy == {
        n: float(
            simulations.steps.sel(
                network=f"hypercube:{n}", routing="dor", traffic="transpose"
            ).median()
        )
        for n in (4, 6)
    }
    assert valiant[6] == np.median(at.steps.sel(routing="valiant"))
    assert offline[6] == np.median(at.offline_steps.sel(routing="dor"))
    half, average, schedule = found[3:]
    assert half == {4: 2, 6: 4}
    assert average == {4: 1, 6: 2}
    assert schedule == {4: 7, 6: 11}
    everywhere = " | ".join(texts(figure))
    for label in ("greedy", "Valiant", "off-line schedule", "√N/2", "√N/n", "2n − 1"):
        assert label in everywhere


def test_odd_dimensions_have_their_bound_on_bit_reversal(simulations: xr.Dataset) -> None:
    """Where n is odd, 2^⌊n/2⌋ stands for √N: the exact load of the heaviest channel is half."""
    found = curves(panel(plots.steps_figure(simulations), "Hypercube: bit reversal"))
    assert found[3] == {3: 1, 4: 2, 5: 2, 6: 4}
    for n, half in found[3].items():
        exact = simulations.exact_load.sel(
            network=f"hypercube:{int(n)}", routing="dor", traffic="bit_reverse"
        )
        assert exact == half


def test_random_permutations_have_no_bound_for_greedy(simulations: xr.Dataset) -> None:
    """Only the schedule's 2n - 1 is drawn there, and nothing of it on butterflies."""
    figure = plots.steps_figure(simulations)
    assert len(curves(panel(figure, "Hypercube: random permutations"))) == 3 + 1
    assert len(curves(panel(figure, "Butterfly: random permutations"))) == 2
    assert curves(panel(figure, "Butterfly: transpose"))[2:] == [{2: 1, 4: 2}]


def test_bands_reach_from_the_least_to_the_most_seed(simulations: xr.Dataset) -> None:
    """The band of Valiant's steps at the largest n."""
    axes = panel(plots.steps_figure(simulations), "Hypercube: random permutations")
    band = axes.collections[1].get_paths()[0].vertices
    steps = seeds_of(simulations, "steps", "hypercube:6", "valiant", "random_permutation")
    heights = band[band[:, 0] == 6][:, 1]
    assert (heights.min(), heights.max()) == (steps.min(), steps.max())


def test_queues_leave_out_the_schedule(simulations: xr.Dataset) -> None:
    """Two series, and the packets on greedy's heaviest channel, which its queue never exceeds."""
    figure = plots.queues_figure(simulations)
    greedy, _, half = curves(panel(figure, "Hypercube: transpose"))
    assert half == {4: 2, 6: 4}
    assert all(greedy[n] <= half[n] for n in half)
    assert not any("off-line" in text for text in texts(figure))


def test_other_routings_are_drawn_under_their_own_names() -> None:
    """A routing that is neither greedy nor Valiant's has a curve of its own."""
    found = gathered([simulated("hypercube:4", "romm", ["transpose"])])
    assert "ROMM" in list(texts(plots.steps_figure(found)))


def test_bandwidth_keeps_networks_apart_and_has_no_references() -> None:
    """The bounds are of one packet a step, so none is drawn for wider channels."""
    found = gathered(
        [
            simulated(name, "dor", ["bit_reverse"])
            for name in ("hypercube:4", "hypercube:4,bandwidth=2")
        ]
    )
    figure = plots.queues_figure(found)
    wide = panel(figure, "Hypercube (bandwidth=2): bit reversal")
    assert len(curves(panel(figure, "Hypercube: bit reversal"))) == 2
    assert len(curves(wide)) == 1
    assert [row.n for row in greedy_rows(found, obroute.compare(["ring:3"], ["dor"]))] == [4]


def test_networks_without_a_dimension_give_a_figure_that_says_so(tmp_path: Path) -> None:
    """The rule that draws it still has its file."""
    found = gathered([simulated("torus:3x3", "dor", ["tornado"])])
    assert any("no hypercube" in text for text in texts(plots.steps_figure(found)))
    plots.save(plots.queues_figure(found), tmp_path / "queues.svg")
    assert (tmp_path / "queues.svg").read_bytes().startswith(b"<?xml")


def test_stability_shows_the_interval_and_how_far_it_is_from_the_ideal(
    stability: xr.Dataset,
) -> None:
    """Left above the rates over the ideal, left below the distance in per cent."""
    figure = plots.stability_figure(stability)
    rates = stable_rates(stability)
    assert len(rates) == 4
    ideal, residual = figure.axes[:2]
    segments = [c.get_segments()[0] for c in ideal.collections]
    assert sorted(tuple(s[:, 1]) for s in segments) == sorted(
        (rate.stable, rate.unstable) for rate in rates
    )
    shown = [c.get_segments()[0][:, 0] for c in residual.collections]
    assert np.allclose(shown, [rate.percents for rate in rates])
    labels = [text.get_text() for text in residual.get_yticklabels()]
    assert labels == ["DOR, tornado", "ROMM, tornado", "DOR, uniform", "ROMM, uniform"]


def test_stability_curves_mark_the_ideal_and_what_is_beyond(stability: xr.Dataset) -> None:
    """A vertical line at the exact ideal; markers are open at rates above it."""
    axes = panel(plots.stability_figure(stability), "Accepted: tornado on ring:8")
    verticals = [line.get_xdata()[0] for line in axes.lines if list(line.get_ydata()) == [0, 1]]
    assert verticals.count(pytest.approx(1 / 3)) == 2
    open_at = [
        x for line in axes.lines if line.get_markerfacecolor() == "white" for x in line.get_xdata()
    ]
    assert open_at
    assert min(open_at) > 0.5


def test_stability_without_rates_has_no_curves() -> None:
    """Only the left side is drawn; a cell without rates is a dataset like any other."""
    cell = measured("ring:8", "dor", [])
    names = {"network": "ring:8", "routing": "dor"}
    study = cell.expand_dims({dim: np.array([name], object) for dim, name in names.items()})
    study.attrs["kind"] = "stabilities"
    assert len(plots.stability_figure(study).axes) == 2


def test_a_store_of_another_kind_is_an_input_error(
    simulations: xr.Dataset, stability: xr.Dataset
) -> None:
    """The error names what was given and what is expected."""
    with pytest.raises(InputError, match="'stabilities'; expected simulations"):
        plots.steps_figure(stability)
    with pytest.raises(InputError, match="'simulations'; expected stabilities"):
        plots.stability_figure(simulations)


@pytest.mark.parametrize(
    "kind", ["svg", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("png", "pdf"))]
)
@pytest.mark.slow
def test_figures_come_out_the_same_twice(
    simulations: xr.Dataset, stability: xr.Dataset, tmp_path: Path, kind: str
) -> None:
    """Each is written, and to the same bytes."""
    for name in ("one", "two"):
        plots.save(plots.steps_figure(simulations), tmp_path / f"steps-{name}.{kind}")
        plots.save(plots.queues_figure(simulations), tmp_path / f"queues-{name}.{kind}")
        plots.save(plots.stability_figure(stability), tmp_path / f"stability-{name}.{kind}")
    for figure in ("steps", "queues", "stability"):
        one, two = (tmp_path / f"{figure}-{name}.{kind}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_sizes_go_by_family_and_rise(simulations: xr.Dataset) -> None:
    """Whatever the order of the cells."""
    assert [(sizes.family, list(sizes.networks)) for sizes in sizes_of(simulations)] == [
        ("hypercube", CUBES),
        ("butterfly", [2, 4]),
    ]


def test_rows_of_greedy_hold_the_bounds_and_the_worst_case(simulations: xr.Dataset) -> None:
    """The worst case is the study's where it has the cell, else the formula; both agree."""
    study = obroute.compare([f"hypercube:{n}" for n in (4, 5)], ["dor"])
    rows = {(row.traffic, row.n): row for row in greedy_rows(simulations, study)}
    assert set(rows) == {("transpose", 4), ("transpose", 6)} | {("bit_reverse", n) for n in CUBES}
    row = rows["transpose", 4]
    assert (row.averaging, row.half, row.load_exact, row.worst_exact) == (1, 2, "2", "2")
    assert {n for (_, n), row in rows.items() if row.certified} == {4, 5}
    worst = {n: row.worst_exact for (traffic, n), row in rows.items() if traffic != "transpose"}
    assert worst == {3: "2", 4: "2", 5: "4", 6: "4"}
    assert all(row.steps.min() >= row.load >= row.averaging for row in rows.values())


def test_rows_of_valiant_and_of_the_schedule(simulations: xr.Dataset) -> None:
    """A row a traffic and hypercube; schedules keep to 2n - 1."""
    valiant, offline = valiant_rows(simulations), offline_rows(simulations)
    assert [(row.traffic, row.n) for row in valiant] == [(row.traffic, row.n) for row in offline]
    assert len(valiant) == 2 * len(CUBES) + 2
    assert all(len(row.steps) == 3 for row in valiant)
    assert all(row.steps.max() <= 2 * row.n - 1 for row in offline)


@pytest.fixture(scope="module")
def beside_theorems(simulations: xr.Dataset) -> xr.Dataset:
    """Give phases, a bad permutation and a Beneš network, with other simulations."""
    cube, dor = obroute.make_network("hypercube:5"), obroute.make_routing("dor")
    phased = run_permutations(cube, dor, ["bit_reverse"], seeds=40, phases=True)
    return gathered(
        [
            simulated("hypercube:5", "dor", ["bit_reverse"]),
            simulation_dataset(phased, {"seed": 0, "phases": True}),
            simulated("hypercube:6", "bit_fixing", ["borodin_hopcroft"], seeds=1),
            simulated("benes:3", "two_phase", ["bit_reverse", "random_permutation"]),
        ]
    )


def test_phases_stand_beside_what_is_proved_of_them(beside_theorems: xr.Dataset) -> None:
    """Under a name of their own; the chance of the longer of two is at most twice that of one."""
    assert "dor in phases" in beside_theorems.routing.values.tolist()
    (row,) = phase_rows(beside_theorems)
    assert (row.traffic, row.n, len(row.longest)) == ("bit_reverse", 5, 40)
    assert row.most_met.min() >= 1
    for steps, proved, share in row.tails:
        assert share == (row.longest > steps).mean()
        assert len(proved) == 3
        assert float(proved[2]) >= min(1.0, 2 * float(law_tail(5, steps)))
    assert row.longest.max() in [steps for steps, _, _ in row.tails]


def test_bad_permutations_and_disjoint_paths_have_rows(beside_theorems: xr.Dataset) -> None:
    """What the proof promises beside what is found; 2n steps along disjoint paths."""
    (witness,) = witness_rows(beside_theorems)
    assert (witness.n, witness.promised, witness.load_exact, witness.worst) == (6, 2, "4", 4)
    assert witness.steps.min() >= 4
    rows = disjoint_rows(beside_theorems)
    assert [row.traffic for row in rows] == ["bit_reverse", "random_permutation"]
    assert all(row.disjoint.tolist() == [6, 6, 6] for row in rows)
    assert all(row.steps.min() >= 6 for row in rows)


def test_figures_leave_out_phases_and_made_permutations(beside_theorems: xr.Dataset) -> None:
    """They are in tables; the curves are of routings on patterns."""
    words = " ".join(texts(plots.steps_figure(beside_theorems)))
    assert "in phases" not in words
    assert "hopcroft" not in words


def test_networks_that_only_tables_show_have_no_row_of_panels() -> None:
    """A network with nothing but a made permutation is left out, alone or beside others."""
    made = simulated("hypercube:4", "bit_fixing", ["borodin_hopcroft"], seeds=1)
    assert any("no hypercube" in text for text in texts(plots.steps_figure(gathered([made]))))
    other = simulated("butterfly:2", "bit_fixing", ["transpose"])
    figure = plots.queues_figure(gathered([made, other]))
    assert [axes.get_title() for axes in figure.axes] == ["Butterfly: transpose"]


@pytest.mark.slow
def test_the_section_has_each_theorem_only_where_the_study_does(
    beside_theorems: xr.Dataset, simulations: xr.Dataset
) -> None:
    """Phases, witnesses and disjoint paths, or none of them."""
    heads = (
        "Valiant's phases: proved and measured",
        "Bad permutations by Borodin and Hopcroft",
        "Looping on Beneš networks",
    )
    found = packets_section(StudyData({"simulations": beside_theorems}))
    assert found is not None
    blocks = list(found.blocks)
    tables = {head: blocks[blocks.index(Heading(head)) :] for head in heads}
    rows = [
        next(len(block.rows) for block in tables[head] if isinstance(block, Table))
        for head in heads[1:]
    ]
    assert rows == [1, 2]
    assert any("both phases of 40 seeds" in getattr(block, "text", "") for block in blocks)
    plain = packets_section(StudyData({"simulations": simulations}))
    assert plain is not None
    assert not set(map(Heading, heads)) & {b for b in plain.blocks if isinstance(b, Heading)}
