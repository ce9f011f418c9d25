"""The command that says where a study stands."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from obroute.cli.output import Json, out, print_json

DEFAULT_STUDY = Path("config/config.yaml")
STYLES = {"done": "green", "missing": "yellow", "failed": "red", "damaged": "red", "stale": "cyan"}
WIDE = 1000
"""Columns that a table may take where it is not printed on a terminal."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(status)


def status(
    config: Annotated[Path, typer.Argument(help="The study's YAML file.")] = DEFAULT_STUDY,
    as_json: Json = False,
) -> None:
    """Say what of a study is done, missing, failed, damaged or stale, and why."""
    from obroute.config import read_study
    from obroute.status import STATES, study_status

    study = read_study(config)
    found = list(study_status(study))
    counted = Counter(one.state for one in found)
    counts = {state: counted[state] for state in STATES}
    if as_json:
        print_json(
            {
                "study": study.study,
                "folder": str(study.folder),
                "counts": counts,
                "stores": [{**vars(one), "store": str(one.store)} for one in found],
            }
        )
        return
    table = Table("part", "cell", "state", "why", box=None, pad_edge=False)
    for one in found:
        state = Text(one.state, STYLES[one.state])
        table.add_row(Text(one.experiment), Text(one.name), state, Text(one.reason))
    # One line a store where nobody watches, so that `grep` finds a cell with its reason.
    (out if out.is_terminal else Console(width=WIDE)).print(table, soft_wrap=False)
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    out.print(f"study {study.study}: {told}", markup=False)
