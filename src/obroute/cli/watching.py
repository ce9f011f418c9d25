"""A sweep that runs, followed on the terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from obroute.cli.output import out
from obroute.names import printable
from obroute.progress import duration

if TYPE_CHECKING:
    from obroute.status import Section
    from obroute.study import StudyBase

EVERY = 1.0
"""Seconds between two looks."""
MOST_ROWS = 12
"""Running or failed jobs that are named; the others are counted."""


def follow(study: StudyBase) -> None:
    """Show how far a sweep is until it ends; in a pipe, a line at each change."""
    if not out.is_terminal:
        before = ""
        for found in _looks(study):
            now = f"study {study.study}: {_sum(found)}"
            if now != before:
                out.print(now)
            before = now
        return
    with Live(console=out, auto_refresh=False) as live:
        for found in _looks(study):
            live.update(Group(*_shown(study.study, found)), refresh=True)


def _looks(study: StudyBase) -> Iterator[Sequence[Section]]:
    """Yield how far it is, again and again while Snakemake runs here, and once more."""
    from obroute.status import how_far
    from obroute.workflow import is_running

    runs = True
    while runs:
        runs = is_running()
        yield how_far(study)
        if runs:
            time.sleep(EVERY)


def _sum(found: Sequence[Section]) -> str:
    counts = {
        "made": sum(one.made for one in found),
        "running": sum(len(one.running) for one in found),
        "failed": sum(len(one.failed) for one in found),
        "waiting": sum(one.waiting for one in found),
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _shown(name: str, found: Sequence[Section]) -> Iterator[Table | Text]:
    table = Table("section", box=None, pad_edge=False)
    for heading in ("made", "running", "failed", "waiting"):
        table.add_column(heading, justify="right")
    for one in found:
        counts = one.made, len(one.running), len(one.failed), one.waiting
        table.add_row(one.section, *map(str, counts))
    yield table
    now = time.time()
    lines = [
        Text(printable(f"failed: {one.section}: {label}: {reason}"), "red")
        for one in found
        for label, reason in one.failed.items()
    ] + [
        Text(printable(f"running: {one.section}: {label}, {duration(now - since)}"))
        for one in found
        for label, since in one.running.items()
    ]
    yield from lines[:MOST_ROWS]
    if len(lines) > MOST_ROWS:
        yield Text(f"and {len(lines) - MOST_ROWS} more")
    yield Text(printable(f"study {name}: {_sum(found)}"))
