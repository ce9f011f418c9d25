"""The page of limits says what the constants are."""

from pathlib import Path

from obroute import reading, specs
from obroute.kinds import sweep
from obroute.reading.files import BYTES_A_LINE, MEGABYTE
from obroute.study import configuration

PAGE = Path(__file__).parents[2] / "docs/reference/inputs.md"


def test_the_page_has_every_limit() -> None:
    """Each as its constant is, in its row."""
    lines = PAGE.read_text().splitlines()
    rows = dict(line.strip("|\n ").split(" | ") for line in lines if " | " in line)
    power = len(str(specs.LARGEST)) - 1
    expected = {
        "edge lists": f"{reading.LARGEST_INPUT} MB each",
        "lines of a file": f"{reading.LARGEST_INPUT * MEGABYTE // BYTES_A_LINE:,} "
        f"(a line counts as {BYTES_A_LINE} bytes at least)",
        "configurations": f"{reading.LARGEST_CONFIGURATION} MB",
        "numbers": f"{specs.MOST_DIGITS:,} digits above and below the line; from 1e-{power} to "
        f"1e{power}, or zero",
        "the numbers of one file": f"{reading.MOST_COMMON_DIGITS:,} digits",
        "YAML": f"{reading.MOST_LEVELS} levels; {reading.MOST_VALUES:,} values",
        "radices": f"{sweep.MOST_RADICES:,}",
        "cells": f"{configuration.MOST_CELLS:,}",
        "permutations": f"{specs.MOST_DRAWN:,}",
        "traffic matrices": f"{specs.MOST_SAMPLES:,}",
        "seeds": f"{specs.LARGEST_SEED:,}",
    }
    for begins, limit in expected.items():
        (row,) = (text for name, text in rows.items() if name.startswith(begins))
        assert limit in row, begins
    assert reading.SIZE_VARIABLE in PAGE.read_text()
