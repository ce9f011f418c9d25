# Shared by all rules: the checked study, its cells, and where their stores are.
import re
from pathlib import Path

from obroute.dependencies import file_digests, program
from obroute.errors import described
from obroute.names import FILE_NAME
from obroute.reading import read_yaml
from obroute.study import gathering_program, read_study
from obroute.views import report_modules, wanted_figures, wanted_tables
from obroute.workflow import stand_by_for, tell_at_end
from snakemake.exceptions import WorkflowError
from snakemake.rules import Rule

try:
    for file in map(Path, workflow.configfiles):
        if file.exists():
            read_yaml(file)  # a key that comes twice, of which `config` has the last
    STUDY = read_study(config)
    SECTIONS = STUDY.sections
except Exception as error:
    reason = described(error)[0].removeprefix("error: ")
    raise WorkflowError(f"the study's configuration: {reason}") from None

FOLDER = str(STUDY.folder)
CELL_STORES = [str(cell.store) for cells in SECTIONS.values() for cell in cells.values()]
GATHERED_STORES = [f"{FOLDER}/{section}.zarr" for section in SECTIONS]
EVALUATIONS = [str(cell.store) for cell in STUDY.cells("evaluations").values()]
TABLES_WANTED, FIGURES_WANTED = (
    wanted(SECTIONS, STUDY.networks_evaluated, STUDY.report.model_dump())
    for wanted in (wanted_tables, wanted_figures)
)
TABLES = [f"{FOLDER}/tables/{name}.csv" for name in TABLES_WANTED]
FIGURES = [f"{FOLDER}/figures/{name}.svg" for name in FIGURES_WANTED]
REPORT = f"{FOLDER}/report.html"
tell_at_end(workflow, STUDY)
UNTOLD = {"scheduler", "threads"}
"""Keys of the configuration that change no result, so that a change of them re-runs no report."""
PATTERN = re.compile("[{}<>]")
"""What Snakemake takes for a pattern in the name of an input; there is no way to say it is none."""


def one_of(names):
    """Return the pattern of a wildcard that stands for one of some names."""
    return "|".join(map(re.escape, names)) or "none"


def cell_of(wildcards):
    """Return the cell that a job works out."""
    return SECTIONS[wildcards.section][f"{wildcards.network}/{wildcards.routing}"]


def minutes_of(wildcards):
    """Return how long a cell may take, by its kind: long ones are begun first."""
    return cell_of(wildcards).kind.minutes


# Of Snakemake 9, the first releases take numbers alone.
LONGEST_FIRST = minutes_of if hasattr(Rule, "expand_priority") else 0


def inputs_of(cell):
    """Return the files that a cell is read from, but for those that are no inputs."""
    return [file for file in cell.depends.files if not PATTERN.search(file)]


def program_of(cell):
    """Return what re-runs a cell but its inputs: its code, and files that are none."""
    others = [file for file in cell.depends.files if PATTERN.search(file)]
    return [cell.program, *map(str, file_digests(others).items())] if others else cell.program


def stores_of(wildcards):
    """Return the stores that a job gathers."""
    return [str(cell.store) for cell in SECTIONS[wildcards.section].values()]


def sources_of(wanted):
    """Return the stores that a table or figure is made of, gathered ones first."""
    gathered = [f"{FOLDER}/{section}.zarr" for section in wanted.sections]
    return gathered + EVALUATIONS * wanted.cells
