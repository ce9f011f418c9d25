"""The page of a report: what comes first and last, and its sections, as one HTML file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import xarray as xr

from obroute.plots import routing_label
from obroute.report.deadlock import deadlock_section
from obroute.report.designs import design_digests, designs_section
from obroute.report.evaluations import (
    loads_drawing,
    pareto_drawing,
    permutation_drawing,
    trends_section,
    worst_case_drawing,
)
from obroute.report.packets import packet_digests, packets_section
from obroute.report.papers import comparison_section, table1_section
from obroute.report.pieces import StoredCells, counted, decimal
from obroute.trends import write_whole
from obroute.trends.readings import holds, network_names, routing_names, value


def write_report(
    study: xr.Dataset,
    cells: Mapping[str, xr.Dataset] | Path,
    output: Path,
    title: str = "Worst-case throughput of oblivious routing",
    packets: Sequence[xr.Dataset] = (),
    designs: xr.Dataset | None = None,
    trade_offs: Sequence[xr.Dataset] = (),
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
    designs, trade_offs
        Gathered designs (:func:`obroute.results.gather_designs`) and trade-off curves, which get
        a section of their own; none if there are neither.

    Raises
    ------
    InputError
        If a cell is missing, or a dataset is of another kind.
    """
    page = render_report(study, cells, title, packets, designs, trade_offs)
    write_whole(output, page.encode())


def render_report(
    study: xr.Dataset,
    cells: Mapping[str, xr.Dataset] | Path,
    title: str,
    packets: Sequence[xr.Dataset] = (),
    designs: xr.Dataset | None = None,
    trade_offs: Sequence[xr.Dataset] = (),
) -> str:
    """Return the report as HTML; see :func:`write_report`."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("obroute.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    known = StoredCells(study, cells) if isinstance(cells, Path) else cells
    return environment.get_template("report.html.j2").render(
        title=title,
        overview=_overview(study),
        table1=table1_section(study, known),
        comparison=comparison_section(study, known, designs, trade_offs),
        trends=trends_section(study),
        permutation=permutation_drawing(study, known),
        loads=loads_drawing(study, known),
        worst_cases=worst_case_drawing(study, known),
        pareto=pareto_drawing(study),
        designs=designs_section(study, designs, trade_offs),
        deadlock=deadlock_section(study),
        packets=packets_section(study, packets),
        summary=list(_summary(study)),
        provenance=[
            *_provenance(study),
            *packet_digests(packets),
            *design_digests(designs, trade_offs),
        ],
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
            f"{counted(count, 'evaluation')}: {counted(len(networks), 'network')} "
            f"({_abridged(networks)}) with {counted(len(routings), 'routing')} "
            f"({', '.join(map(routing_label, routings))})"
            + ("." if math.isnan(seconds) else f", {seconds:.0f} seconds of computation in all.")
        ),
        "certificates": certificates,
    }


def _abridged(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{names[0]}, {names[1]}, …, {names[-1]}"


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
                    "fraction": decimal(value(study, "fraction_of_capacity", **place)),
                    "path_length": decimal(value(study, "normalized_path_length", **place)),
                    "certified": bool(value(study, "certified", **place)),
                }


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
