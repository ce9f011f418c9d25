"""The report of a study: one HTML file that opens offline, figures and styles inside it."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from obroute import plots
from obroute.plots import routing_label
from obroute.plots.packets import traffic_label
from obroute.rational import FloatArray
from obroute.results import read_store
from obroute.specs import InputError
from obroute.trends import (
    Comparison,
    TrendRow,
    closed_forms,
    differences,
    limits,
    table1,
    trend_table,
    write_whole,
)
from obroute.trends.packets import greedy_rows, offline_rows, stable_rates, valiant_rows
from obroute.trends.published import REPORT, SHORT_NAMES, SPAA_NETWORK, TABLE1_NETWORK
from obroute.trends.readings import holds, network_names, routing_names, value

PERMUTATION_ROUTINGS = ("romm", "romm:order=fixed", "rlb", "dor", "o1turn", "valiant", "ival")
"""Whose worst permutation to draw: the first of these that the study has on the network."""
MAP_ROUTINGS = ("dor", "romm", "valiant")
LARGEST_RADIX_TO_DRAW = 12
BEST_RADIX_TO_DRAW = 9
LIMIT_RADICES = (17, 99, 499)
PACKET_KINDS = ("simulations", "stabilities")
MULTIPLES_OF_N = (2, 3, 4)
"""Shares of Valiant's runs are given that take more steps than these multiples of n."""


@dataclass(frozen=True)
class Drawing:
    """A figure as a data URI with its alternative text, or only a sentence in its place."""

    caption: str
    image: str = ""
    alt: str = ""


class StoredCells(Mapping[str, xr.Dataset]):
    """The cells of a study as stores in a folder, each read when it is first asked for."""

    def __init__(self, study: xr.Dataset, folder: Path) -> None:
        self._folder = folder
        self._names = [str(name) for name in study["cell"].values.ravel().tolist() if name]
        self._read: dict[str, xr.Dataset] = {}

    def __getitem__(self, name: str) -> xr.Dataset:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._read:
            self._read[name] = read_store(self._folder / name, "cell")
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


Cells = Mapping[str, xr.Dataset]


def _cell(study: xr.Dataset, cells: Cells, network: str, routing: str) -> xr.Dataset:
    name = str(value(study, "cell", network=network, routing=routing))
    if name not in cells:
        raise InputError(f"no cell '{name}' was given; gather the study again")
    return cells[name]


def write_report(
    study: xr.Dataset,
    cells: Mapping[str, xr.Dataset] | Path,
    output: Path,
    title: str = "Worst-case throughput of oblivious routing",
    packets: Sequence[xr.Dataset] = (),
) -> None:
    """Write the report of a study as one self-contained HTML file.

    Parameters
    ----------
    study
        The study store, as :func:`obroute.results.read_store` gives it.
    cells
        The cells by the names that ``study.cell`` holds, or the folder in which those are stores.
        Only the few that figures need are read.
    output
        The file; written whole or not at all.
    title
        Its heading.
    packets
        Gathered simulations and stability (:func:`obroute.results.gather_packets`), which get a
        section of their own; none if empty.

    Raises
    ------
    InputError
        If a cell is missing, or a dataset of packets is of another kind.
    """
    write_whole(output, render_report(study, cells, title, packets).encode())


def render_report(
    study: xr.Dataset,
    cells: Mapping[str, xr.Dataset] | Path,
    title: str,
    packets: Sequence[xr.Dataset] = (),
) -> str:
    """Return the report as HTML; see :func:`write_report`."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("obroute"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    known = StoredCells(study, cells) if isinstance(cells, Path) else cells
    return environment.get_template("report.html.j2").render(
        title=title,
        overview=_overview(study),
        table1=_table1(study, known),
        comparison=_comparison(study, known),
        trends=_trends(study),
        permutation=_permutation(study, known),
        loads=_loads(study, known),
        pareto=_pareto(study),
        packets=_packets(study, packets),
        summary=list(_summary(study)),
        provenance=[*_provenance(study), *_packet_provenance(packets)],
    )


def _overview(study: xr.Dataset) -> dict[str, str]:
    networks, routings = network_names(study), routing_names(study)
    count = int(study["present"].values.sum())
    proved = int(study["certified"].values[study["present"].values].sum())
    seconds = float(study.attrs.get("seconds", math.nan))
    certificates = (
        f"{proved} of {count} worst cases are certified: a permutation reaches each load, and "
        "dual potentials, checked in exact arithmetic, prove that no traffic exceeds it."
    )
    if proved < count:
        certificates += " The others are estimates from sampled paths and bound nothing."
    return {
        "sentence": (
            f"{_counted(count, 'evaluation')}: {_counted(len(networks), 'network')} "
            f"({_abridged(networks)}) with {_counted(len(routings), 'routing')} "
            f"({', '.join(map(routing_label, routings))})"
            + ("." if math.isnan(seconds) else f", {seconds:.0f} seconds of computation in all.")
        ),
        "certificates": certificates,
    }


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _abridged(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{names[0]}, {names[1]}, …, {names[-1]}"


def _table1(study: xr.Dataset, cells: Cells) -> dict[str, Any]:
    if TABLE1_NETWORK not in network_names(study):
        return {
            "rows": [],
            "sentence": f"This study has no {TABLE1_NETWORK}, the network of Table 1.",
        }
    routings = [r for r in routing_names(study) if holds(study, TABLE1_NETWORK, r)]
    entries = table1(study, TABLE1_NETWORK, cells)
    labels = list(dict.fromkeys(entry.label for entry in entries))
    return {
        "network": TABLE1_NETWORK,
        "source": REPORT,
        "routings": [routing_label(routing) for routing in routings],
        "rows": [
            {"label": label, "entries": [entry for entry in entries if entry.label == label]}
            for label in labels
        ],
    }


def _comparison(study: xr.Dataset, cells: Cells) -> dict[str, Any]:
    found = differences(study, cells)
    lines = [_line(entry) for entry in found]
    equal = sum(entry.verdict == "equal as printed" for entry in found)
    shown = [
        line
        for line in lines
        if line["verdict"] != "equal as printed" or line["note"].startswith("cut")
    ]
    sentence = (
        f"Of {_counted(len(found), 'published number')} that this study covers, {equal} "
        f"{'is' if equal == 1 else 'are'} equal as printed. Those that are not, those that were "
        "cut where rounding gives another digit, and those that are samples:"
        if found
        else "This study covers none of the published numbers that obroute knows."
    )
    return {
        "all": lines,
        "lines": shown,
        "sentence": sentence,
        "sources": list(dict.fromkeys(entry.source for entry in found)),
    }


def _line(entry: Comparison) -> dict[str, Any]:
    percent = entry.printed.endswith("%")
    difference = entry.difference * (100 if percent else 1)
    text = f"{difference:+.2g}" if abs(difference) > 1e-12 else "0"
    return {
        **vars(entry),
        "heading": _heading(entry),
        "where": _where(entry),
        "ours_as_printed": entry.ours_as_printed,
        "routing": routing_label(entry.routing),
        "difference_text": text.replace("-", "−") + (" points" if percent else ""),
    }


def _heading(entry: Comparison) -> str:
    """Return what a number is of and where printed; its routing where the label does not say."""
    routing = routing_label(entry.routing)
    place = entry.network if routing in entry.label else f"{routing} on {entry.network}"
    return f"{entry.label} ({place}; {_where(entry)})"


def _where(entry: Comparison) -> str:
    return f"{SHORT_NAMES[entry.source]}, {entry.where}"


def _trends(study: xr.Dataset) -> dict[str, Any]:
    rows = trend_table(study)
    if not rows:
        return {"rows": []}
    covered = list(dict.fromkeys(row.routing for row in rows if row.closed_form_exact))
    return {
        "rows": [vars(row) | {"routing": routing_label(row.routing)} for row in rows],
        "figure": _drawing(
            lambda: plots.trend_figure(study),
            alt=_trend_alt(rows),
            caption="Guaranteed throughput over the radix. Left: every computed value, with the "
            "closed forms as lines. Right: the closed forms on to k = 499, with the values that "
            "the technical report says the series approach.",
        ),
        "limits": [
            {"routing": routing_label(r), "text": limits(r).text, "examples": _examples(r)}
            for r in covered
        ],
        "forms": [_form(routing, rows) for routing in covered],
    }


def _trend_alt(rows: list[TrendRow]) -> str:
    parts = []
    for routing in dict.fromkeys(row.routing for row in rows):
        mine = [r for r in rows if r.routing == routing and r.fraction_of_capacity_exact]
        if mine:
            first, last = mine[0], mine[-1]
            parts.append(
                f"{routing_label(routing)} from {first.fraction_of_capacity:.3f} at "
                f"k = {first.radix} to {last.fraction_of_capacity:.3f} at k = {last.radix}"
            )
    return "Line chart of the guaranteed fraction of capacity: " + "; ".join(parts) + "."


def _examples(routing: str) -> str:
    form = closed_forms[routing]
    if len({form.fraction(radix) for radix in LIMIT_RADICES}) == 1:
        return ""
    return (
        "It is "
        + ", ".join(f"{float(form.fraction(k)):.4f} at k = {k}" for k in LIMIT_RADICES)
        + "."
    )


def _form(routing: str, rows: list[TrendRow]) -> dict[str, str]:
    form = closed_forms[routing]
    covered = [row for row in rows if row.routing == routing and row.closed_form_exact]
    wrong = [row.radix for row in covered if row.agreement == "differs"]
    return {
        "routing": routing_label(routing),
        "formula": form.formula,
        "domain": form.domain,
        "source": form.source,
        "agreement": (
            f"differs at k = {', '.join(map(str, wrong))}"
            if wrong
            else f"equal at all {len(covered)} radices that it covers"
        ),
    }


def _permutation(study: xr.Dataset, cells: Cells) -> Drawing:
    network = _network_to_draw(study)
    if network is None:
        return Drawing("This study holds no torus of two dimensions small enough to draw.")
    known = [r for r in PERMUTATION_ROUTINGS if holds(study, network, r)]
    known += [r for r in routing_names(study) if holds(study, network, r)]
    label = routing_label(known[0])
    cell = _cell(study, cells, network, known[0])
    return _drawing(
        lambda: plots.worst_permutation_figure(cell),
        alt=f"The worst permutation of {label} on {network}: arrows of the source and "
        "destination pairs that load the critical channel, and the permutation as a matrix.",
        caption=f"The permutation that loads one channel most under {label} on {network}. Pairs "
        "within the channel's own row or column load it as tornado traffic does; the quadrants "
        "of the other pairs overlap the channel, and each adds a little more. The torus is "
        "turned so that the channel is in the middle; the numbers at the edge are the true "
        "coordinates. Right: as in Figure 9 of the technical report, each place names the "
        "destination of the source there.",
    )


def _network_to_draw(study: xr.Dataset) -> str | None:
    """Return the 2-D torus to draw: the largest odd k up to 9, else the nearest small one."""
    radices = {
        int(value(study, "radix", network=name)): name
        for name in reversed(network_names(study))
        if (value(study, "family", network=name), value(study, "dimensions", network=name))
        == ("torus", 2)
    }
    fit = [radix for radix in radices if 2 < radix <= LARGEST_RADIX_TO_DRAW]
    if not fit:
        return None
    return radices[max(fit, key=lambda k: (k <= BEST_RADIX_TO_DRAW and k % 2 == 1, k))]


def _loads(study: xr.Dataset, cells: Cells) -> Drawing:
    network = _network_to_draw(study) or _first_small_network(study)
    if network is None:
        return Drawing("This study holds no network small enough for a channel-load map.")
    chosen = [r for r in MAP_ROUTINGS if holds(study, network, r)]
    chosen = chosen or [r for r in routing_names(study) if holds(study, network, r)][:3]
    labels = ", ".join(map(routing_label, chosen))
    drawn = [_cell(study, cells, network, routing) for routing in chosen]
    return _drawing(
        lambda: plots.channel_load_comparison(drawn),
        alt=f"Maps of {network} with every channel coloured by its load, for {labels}, each "
        "under its own worst-case traffic.",
        caption=f"Load of every channel of {network} under the worst-case traffic of {labels}, "
        "in one scale. Unloaded channels are grey, wrap-around channels are stubs at the edge.",
    )


def _first_small_network(study: xr.Dataset) -> str | None:
    sizes = study["nodes"].values
    small = np.flatnonzero(sizes <= LARGEST_RADIX_TO_DRAW**2)
    return network_names(study)[int(small[np.argmax(sizes[small])])] if len(small) else None


def _pareto(study: xr.Dataset) -> Drawing:
    names = network_names(study)
    network = SPAA_NETWORK if SPAA_NETWORK in names else (_network_to_draw(study) or names[-1])
    return _drawing(
        lambda: plots.pareto_figure(study, network),
        alt=f"Scatter plot of mean path length against guaranteed throughput on {network}, a "
        "point a routing; the numbers are in the table of every worst case.",
        caption=f"Each routing on {network} by what it guarantees and what it costs in path "
        "length; lower and further right is better (compare Figure 1 of the SPAA 2003 paper).",
    )


def _packets(study: xr.Dataset, packets: Sequence[xr.Dataset]) -> dict[str, Any] | None:
    if not packets:
        return None
    kinds = [dataset.attrs.get("kind") for dataset in packets]
    for kind in kinds:
        if kind not in PACKET_KINDS:
            raise InputError(
                f"packets of kind {kind!r} are not reported; expected gathered stores of kind "
                + " or ".join(PACKET_KINDS)
            )
    simulations, stabilities = (
        [dataset for dataset, kind in zip(packets, kinds, strict=True) if kind == chosen]
        for chosen in PACKET_KINDS
    )
    return {
        "figures": [drawn for found in simulations for drawn in _simulation_figures(found)],
        "greedy": _greedy(study, simulations),
        "valiant": _valiant(simulations),
        "offline": _offline(simulations),
        "stability_figures": [_stability_drawing(found) for found in stabilities],
        "stability": _stability(stabilities),
    }


def _simulation_figures(simulations: xr.Dataset) -> list[Drawing]:
    return [
        _drawing(
            lambda: plots.steps_figure(simulations),
            alt="Line charts of the steps to deliver a permutation over the dimension n, a panel "
            "a network and traffic, for greedy routing, Valiant's two phases and the off-line "
            "schedule; the tables below have the numbers.",
            caption="Steps until the last packet has arrived: medians over the seeds, bands from "
            "the least to the most, on a logarithmic scale. On transpose and bit reversal greedy "
            "routing grows with √N; Valiant's two phases go about twice as far, but grow with n. "
            "For odd n, 2^⌊n/2⌋ stands for √N.",
        ),
        _drawing(
            lambda: plots.queues_figure(simulations),
            alt="Line charts of the longest queue over the dimension n, a panel a network and "
            "traffic, for greedy routing and Valiant's two phases.",
            caption="The longest queue of any channel in the same runs. Greedy's are never longer "
            "than the packets that cross its heaviest channel (dashed). Off line no packet waits "
            "in the way of another: a node holds one at a time.",
        ),
    ]


def _stability_drawing(stability: xr.Dataset) -> Drawing:
    return _drawing(
        lambda: plots.stability_figure(stability),
        alt="Scatter plot of measured stable rates against the ideal throughput, their distance "
        "from it in per cent, and curves of accepted traffic and mean delay over the rate; the "
        "table below has the rates.",
        caption="Left: the rates between which the backlog begins to grow, against the exact "
        "ideal throughput. Right: packets accepted, and mean delay of packets delivered, over "
        "packets offered; dotted lines are the ideal rates. Open markers are beyond them, where "
        "delays grow with the length of the run. Beyond saturation the packets that avoid the "
        "full channels still arrive.",
    )


def _greedy(study: xr.Dataset, simulations: Sequence[xr.Dataset]) -> dict[str, Any]:
    rows = [row for found in simulations for row in greedy_rows(found, study)]
    sentence = (
        "Greedy routing sends √N packets of these permutations through node 0…0, and one channel "
        "there carries half of them, so that no queueing delivers them in fewer than √N/2 steps. "
    )
    if all(row.steps.min() >= row.load for row in rows):
        sentence += (
            "Every run took at least as many. For even n no permutation loads a channel more."
        )
    else:
        sentence += "Some runs took fewer, which cannot be: verify their stores."
    return {
        "sentence": sentence,
        "rows": [
            vars(row)
            | {
                "traffic": traffic_label(row.traffic),
                "steps": _spread(row.steps),
                "queues": _spread(row.queues),
            }
            for row in rows
        ],
    }


def _valiant(simulations: Sequence[xr.Dataset]) -> dict[str, Any]:
    rows = [row for found in simulations for row in valiant_rows(found)]
    sentence = ""
    if rows:
        last = max(row.n for row in rows)
        most = max(row.steps.max() / row.n for row in rows)
        at_last = max(row.steps.max() / row.n for row in rows if row.n == last)
        sentence = (
            f"In {_counted(sum(len(row.steps) for row in rows), 'run')} Valiant's two phases "
            f"never took more than {most:.2f}·n steps, and at n = {last} never more than "
            f"{at_last:.2f}·n, whatever the permutation. A packet begins its second phase as "
            "soon as it has ended the first."
        )
    return {
        "sentence": sentence,
        "multiples": MULTIPLES_OF_N,
        "rows": [
            {
                "traffic": traffic_label(row.traffic),
                "n": row.n,
                "seeds": len(row.steps),
                "mean": f"{row.steps.mean() / row.n:.2f}",
                "largest": f"{row.steps.max() / row.n:.2f}",
                "shares": [f"{(row.steps > m * row.n).mean():.1%}" for m in MULTIPLES_OF_N],
            }
            for row in rows
        ],
    }


def _offline(simulations: Sequence[xr.Dataset]) -> dict[str, Any]:
    rows = [row for found in simulations for row in offline_rows(found)]
    kept = all(row.steps.max() <= 2 * row.n - 1 for row in rows)
    return {
        "sentence": "Paths found with the whole permutation in view, by looping on a Beneš "
        "network, deliver it in at most 2n − 1 steps with one packet a channel; "
        + ("every schedule was run and kept to that." if kept else "some took more."),
        "rows": [
            {
                "traffic": traffic_label(row.traffic),
                "n": row.n,
                "bound": 2 * row.n - 1,
                "steps": _spread(row.steps),
            }
            for row in rows
        ],
    }


def _spread(values: FloatArray) -> str:
    """Return the values of all seeds in short: one number, or the median and the range."""
    low, middle, high = values.min(), float(np.median(values)), values.max()
    return f"{middle:g}" if low == high else f"{middle:g} ({low:g}–{high:g})"


def _stability(stabilities: Sequence[xr.Dataset]) -> dict[str, Any]:
    rates = [rate for found in stabilities for rate in stable_rates(found)]
    rows = [
        {
            "network": rate.network,
            "routing": routing_label(rate.routing),
            "traffic": traffic_label(rate.traffic),
            "ideal_exact": rate.ideal_exact,
            "ideal": f"{rate.ideal:.4f}",
            "interval": f"{rate.stable:.4f} to {rate.unstable:.4f}",
            "difference": " to ".join(_signed(percent) for percent in rate.percents),
        }
        for rate in rates
    ]
    sentence = ""
    if rates:
        low = min(rate.percents[0] for rate in rates)
        high = max(rate.percents[1] for rate in rates)
        sentence = (
            "With unbounded queues a network keeps up with every rate below the ideal throughput "
            f"and with none above: the measured rates lie from {_signed(low)} % to "
            f"{_signed(high)} % of it. A rate just above the ideal fills one channel slowly, and "
            "a short run does not tell that from chance; just below it, queues are still filling "
            "when the run ends."
        )
    return {"rows": rows, "sentence": sentence}


def _signed(percent: float) -> str:
    return f"{percent:+.1f}".replace("-", "−").replace("+0.0", "0.0").replace("−0.0", "0.0")


def _packet_provenance(packets: Sequence[xr.Dataset]) -> list[tuple[str, str]]:
    return [
        (f"digest of the {dataset.attrs['kind']}", str(dataset.attrs["data_digest"]))
        for dataset in packets
        if "data_digest" in dataset.attrs
    ]


def _drawing(draw: Callable[[], Figure], alt: str, caption: str) -> Drawing:
    """Draw a figure, or say in its place why it cannot be drawn."""
    try:
        figure = draw()
    except InputError as error:
        return Drawing(f"Not drawn: {error}.")
    encoded = base64.b64encode(plots.image_bytes(figure, "svg")).decode()
    return Drawing(caption, f"data:image/svg+xml;base64,{encoded}", alt)


def _summary(study: xr.Dataset) -> Iterator[dict[str, Any]]:
    for network in network_names(study):
        for routing in routing_names(study):
            if holds(study, network, routing):
                place = {"network": network, "routing": routing}
                yield {
                    "network": network,
                    "routing": routing_label(routing),
                    "load_exact": value(study, "worst_case_load_exact", **place),
                    "load": f"{value(study, 'worst_case_load', **place):.5g}",
                    "fraction": _decimal(value(study, "worst_case_fraction", **place)),
                    "path_length": _decimal(value(study, "normalised_path_length", **place)),
                    "certified": bool(value(study, "certified", **place)),
                }


def _decimal(number: float) -> str:
    return "–" if math.isnan(number) else f"{number:.4f}"


def _provenance(study: xr.Dataset) -> list[tuple[str, str]]:
    names = {
        "obroute_version": "obroute",
        "source_digest": "digest of its source files",
        "created": "study gathered",
        "settings": "settings",
        "data_digest": "digest of the study's data",
        "schema_version": "schema of the stores",
        "python": "Python",
    }
    known = [(text, str(study.attrs[name])) for name, text in names.items() if name in study.attrs]
    libraries = [
        f"{n} {study.attrs[n]}" for n in ("numpy", "numba", "xarray", "zarr") if n in study.attrs
    ]
    return [*known, ("libraries", ", ".join(libraries))]
