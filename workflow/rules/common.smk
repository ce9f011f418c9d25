# Shared by all rules: the checked study, its paths, and the source files of each stage.
import os
import sys
from pathlib import Path

import obroute
from obroute.config import read_study
from obroute.papers import SPAA_NETWORK, TABLE1_NETWORK
from obroute.stages import stage_files
from snakemake.exceptions import WorkflowError

try:
    STUDY = read_study(config)
    CELLS = STUDY.cells
    DESIGN_CELLS = STUDY.design_cells
    TRADE_OFF_CELLS = STUDY.trade_off_cells
    PACKET_CELLS = {
        "simulations": STUDY.simulation_cells,
        "stability": STUDY.stability_cells,
    }
except obroute.InputError as error:
    raise WorkflowError(f"the study's configuration: {error}") from None

FOLDER = str(STUDY.folder)
CELL_FOLDER = f"{FOLDER}/cells"
CELL_STORES = [f"{CELL_FOLDER}/{name}.zarr" for name in CELLS]
STUDY_STORE = f"{FOLDER}/study.zarr"
DESIGN_FOLDER = f"{FOLDER}/designs"
DESIGN_STORES = [f"{DESIGN_FOLDER}/{name}.zarr" for name in DESIGN_CELLS]
DESIGNS_STORE = [f"{FOLDER}/designs.zarr"] * bool(DESIGN_CELLS)
TRADE_OFF_STORES = [f"{FOLDER}/trade_offs/{name}.zarr" for name in TRADE_OFF_CELLS]
PACKET_STORES = {
    experiment: [f"{FOLDER}/{experiment}/{name}.zarr" for name in cells]
    for experiment, cells in PACKET_CELLS.items()
}
GATHERED_PACKETS = [f"{FOLDER}/{name}.zarr" for name, cells in PACKET_CELLS.items() if cells]
# Table 1 and the Pareto figure are of one network, and left out where the study has it not.
TABLES = expand(
    f"{FOLDER}/tables/{{table}}.csv",
    table=["table1"] * STUDY.has_network(STUDY.report.table1_network)
    + ["trends", "summary"]
    + ["designs"] * bool(DESIGN_CELLS)
    + ["papers"] * any(map(STUDY.has_network, (SPAA_NETWORK, TABLE1_NETWORK))),
)
FIGURES = expand(
    f"{FOLDER}/figures/{{figure}}.svg",
    figure=["trends"]
    + ["pareto"] * STUDY.has_network(STUDY.report.pareto_network)
    + ["steps", "queues"] * bool(PACKET_CELLS["simulations"])
    + ["stability"] * bool(PACKET_CELLS["stability"])
    + ["locality"] * bool(DESIGN_CELLS)
    + [f"trade_offs/{name}" for name in TRADE_OFF_CELLS],
)
REPORT = f"{FOLDER}/report.html"


def sources(*stages):
    """Return the stages' source files, relative to this folder where they are below it."""
    here = Path.cwd()
    files = dict.fromkeys(file for stage in stages for file in stage_files(stage))
    return [str(file.relative_to(here) if file.is_relative_to(here) else file) for file in files]


def design_cell(wildcards):
    """Return the design that a job works out."""
    return DESIGN_CELLS[f"{wildcards.network}/{wildcards.routing}"]


def trade_off_cell(wildcards):
    """Return the trade-off curve that a job works out."""
    return TRADE_OFF_CELLS[f"{wildcards.network}/{wildcards.routing}"]


def packet_cell(wildcards):
    """Return the cell that a simulation job works out."""
    return PACKET_CELLS[wildcards.experiment][f"{wildcards.network}/{wildcards.routing}"]


def figure_store(wildcards):
    """Return the store that a figure is drawn from."""
    drawn_from = {"steps": "simulations", "queues": "simulations", "stability": "stability"}
    return f"{FOLDER}/{drawn_from.get(wildcards.figure, 'study')}.zarr"


def designed(wildcards, input):
    """Return the options that name the designs and trade-off curves of a job's input."""
    named = [("--designs", store) for store in input.designs]
    named += [("--trade-off", store) for store in input.trade_offs]
    return [part for option in named for part in option]


def cell(wildcards):
    """Return the cell that a job evaluates."""
    return CELLS[f"{wildcards.network}/{wildcards.routing}"]
