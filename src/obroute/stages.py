"""The stages of a study, and the source files whose change re-runs each of them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

PACKAGE = Path(__file__).parent

_EVALUATE = [
    "averages.py",
    "capacity.py",
    "certificates.py",
    "delimited.py",
    "demands.py",
    "dependencies.py",
    "estimates.py",
    "extras.py",
    "generators.py",
    "importers/*.py",
    "loads.py",
    "matching.py",
    "matching_kernel.py",
    "network.py",
    "rational.py",
    "results/*.py",
    "routing/*.py",
    "sampling.py",
    "registry.py",
    "specs.py",
    "symmetry/*.py",
    "tasks.py",
    "throughput.py",
    "topologies/*.py",
    "traffic/*.py",
    "worst_cases.py",
]

# Some of the papers' numbers are computed where they are compared, on small networks.
_TABLES = ["deadlock/*.py", "papers/*.yaml", "theorems/*.py", "trends/*.py", "views/*.py"]
_PAPERS = ["design/*.py", "papers/*.py"]
_FIGURES = ["breakdown.py", "convergence.py", "plots/*.py", "report/*.py"]

STAGE_SOURCES: dict[str, list[str]] = {
    "evaluate": _EVALUATE,
    "simulate": [*_EVALUATE, "packets/*.py"],
    "design": [*_EVALUATE, "birkhoff.py", "design/*.py"],
    "gather": ["results/*.py"],
    "tables": [*_TABLES, "papers/closed_forms.py", "papers/published.py"],
    "papers": [*_TABLES, *_PAPERS],
    "figures": [
        *_TABLES,
        *_FIGURES,
        "papers/closed_forms.py",
        "papers/locality.py",
        "papers/published.py",
    ],
    "report": [
        *_TABLES,
        *_PAPERS,
        *_FIGURES,
        "report/templates/*",
        "papers/templates/*",
    ],
}
"""The modules whose change re-runs a stage, as patterns below the package.

They are what the stage's command imports, but for the command line itself, which computes nothing.
``tests/workflow/test_stages.py`` holds this against the imports.
"""


def stage_files(stage: str) -> list[Path]:
    """Return the source files of a stage.

    Examples
    --------
    >>> [file.name for file in stage_files("tables")][-2:]
    ['tables.py', 'trade_offs.py']
    """
    return [file for pattern in STAGE_SOURCES[stage] for file in sorted(PACKAGE.glob(pattern))]


def is_of_stage(file: str, stage: str) -> bool:
    """Say whether a file, by its path below the package, is one of a stage's.

    Examples
    --------
    >>> is_of_stage("routing/grid.py", "evaluate"), is_of_stage("routing/grid.py", "report")
    (True, False)
    """
    return any(
        fnmatchcase(file, pattern) and file.count("/") == pattern.count("/")
        for pattern in STAGE_SOURCES[stage]
    )
