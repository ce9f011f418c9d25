"""The table of prices in the documentation, worked out again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from obroute import make_network
from obroute.deployment import Deployment, Restriction, deploy

PAGE = Path(__file__).parents[2] / "docs/methods/deployment.md"
STEPS = 50_000
"""As the page says."""
COLUMNS = {
    "single path": Restriction("single_path"),
    "destination": Restriction("destination"),
    "ECMP": Restriction("ecmp"),
    "WCMP": Restriction("wcmp"),
    "one segment": Restriction("segments", segments=1),
    "two segments": Restriction("segments", segments=2),
}


def table() -> dict[str, dict[str, str]]:
    """Return the cells of the table by network and column."""
    text = PAGE.read_text(encoding="utf-8").partition("## Prices")[2]
    lines = text.partition("\n## ")[0].splitlines()
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|") and "---" not in line
    ]
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}


def interval(text: str) -> tuple[Fraction, Fraction]:
    """Read ``2`` or ``1 to 3/2``.

    >>> interval("1 to 3/2")
    (Fraction(1, 1), Fraction(3, 2))
    """
    ends = [Fraction(part) for part in text.split(" to ")]
    return ends[0], ends[-1]


def written(found: Deployment) -> str:
    """Return a cell of the table."""
    return str(found.load) if found.is_best else f"{found.lower} to {found.load}"


ROWS = {name: [] if name == "complete:6" else [pytest.mark.slow] for name in table()}


@pytest.mark.parametrize("name", [pytest.param(n, marks=marks) for n, marks in ROWS.items()])
def test_prices_are_as_the_table_says(name):
    """Lower ends are; and what is found is no worse."""
    row, network = table()[name], make_network(name)
    for column, restriction in COLUMNS.items():
        lower, upper = interval(row[column])
        found = deploy(network, restriction, steps=STEPS)
        assert found.lower == lower, column
        assert found.load <= upper, column
        assert found.oblivious.upper == Fraction(row["any oblivious"])


def test_the_table_has_the_networks_of_the_question():
    """And every restriction."""
    assert {"torus:4x4", "torus:5x5", "mesh:4x4", "mesh:5x5", "complete:6"} <= set(table())
    assert "dragonfly:p=1,a=2,h=1" in table()
    assert all(set(COLUMNS) <= set(row) for row in table().values())
