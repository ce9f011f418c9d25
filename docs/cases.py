"""MkDocs hook: how many cases of the test suite stand behind a promise, as the suite is now.

A page says ``{cases: tests/design tests/test_matching.py}`` where the number is wanted. Cases are
counted by collecting the suite once a build, so that no number is written down anywhere. ``rest``
stands for what the page names nowhere else.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ALL = ("tests", "src")
MARK = re.compile(r"\{cases: ([^}]*)\}")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put numbers in place of the marks of a page."""
    named = {place for mark in MARK.findall(markdown) for place in mark.split()} - {*ALL, "rest"}
    return MARK.sub(lambda found: f"{counted(found[1].split(), named):,}", markdown)


def counted(places: list[str], named: set[str]) -> int:
    """Return how many cases the files and folders hold, each counted once."""
    return sum(
        count
        for file, count in cases().items()
        if _is_in(file, places) or ("rest" in places and not _is_in(file, named))
    )


def _is_in(file: str, places: Iterable[str]) -> bool:
    return any(file == place or file.startswith(f"{place}/") for place in places)


@cache
def cases() -> dict[str, int]:
    """Collect the whole suite; return how many cases each of its files has."""
    listed = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-qq",
            "-m",
            "",
            "-p",
            "no:cacheprovider",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (line.rpartition(": ") for line in listed.stdout.splitlines())
    return {file: int(count) for file, _, count in lines if file and count.isdigit()}
