"""The source files that the workflow watches are those that its commands use."""

from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest

import obroute
from obroute.stages import STAGE_SOURCES, stage_files

PACKAGE = Path(obroute.__file__).parent
ROOT = Path(__file__).parents[2]

# The stages in order, and the modules that their commands call (see cli.py).
ENTRIES = {
    "evaluate": [
        "obroute.importers",
        "obroute.results",
        "obroute.routing",
        "obroute.throughput",
        "obroute.traffic",
    ],
    "simulate": [
        "obroute.importers",
        "obroute.packets.experiments",
        "obroute.results",
        "obroute.routing",
    ],
    "design": [
        "obroute.design",
        "obroute.importers",
        "obroute.results",
        "obroute.traffic",
    ],
    "gather": ["obroute.results"],
    "tables": ["obroute.trends"],
    "papers": ["obroute.papers.tables"],
    "figures": ["obroute.plots"],
    "report": ["obroute.report"],
}
UPSTREAM = {"evaluate": [], "simulate": [], "design": []}
UPSTREAM |= {"gather": [*UPSTREAM]}
UPSTREAM |= {stage: [*UPSTREAM] for stage in ("tables", "papers", "figures", "report")}


@pytest.mark.parametrize("stage", ENTRIES)
def test_stage_watches_every_module_that_it_uses(stage):
    """Each imported module is a source of the stage or of a stage before it.

    Where this fails, list the module under STAGE_SOURCES in src/obroute/stages.py.
    """
    watched = {file for name in [stage, *UPSTREAM[stage]] for file in stage_files(name)}
    graph = grimp.build_graph("obroute", exclude_type_checking_imports=True)
    used = set(ENTRIES[stage])
    for module in ENTRIES[stage]:
        used |= graph.find_upstream_modules(module, as_package=True)
        used |= graph.find_descendants(module)
    places = [
        PACKAGE.joinpath(*name.split(".")[1:]) for name in used if name.startswith("obroute.")
    ]
    files = [place.with_suffix(".py") for place in places]
    files += [place / "__init__.py" for place in places]
    needed = {file for file in files if file.exists()}
    assert needed <= watched, sorted(str(f.relative_to(PACKAGE)) for f in needed - watched)


def test_every_stage_is_held_against_its_imports():
    """None is forgotten above, and every rule that runs a command watches one of them."""
    assert set(ENTRIES) == set(UPSTREAM) == set(STAGE_SOURCES)
    rules = "".join(file.read_text() for file in (ROOT / "workflow/rules").glob("*.smk"))
    commands = rules.count('"obroute ')
    assert commands == rules.count("sources=") > 0
    named = re.findall(r"sources\(\"(\w+)\"", rules)
    assert len(named) == commands
    assert set(named) == set(STAGE_SOURCES)


def test_every_pattern_names_a_file():
    """No stage watches a file that does not exist."""
    for stage, patterns in STAGE_SOURCES.items():
        for pattern in patterns:
            assert list(PACKAGE.glob(pattern)), f"{stage}: {pattern}"
