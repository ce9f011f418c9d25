"""The page of the price of Valiant: every number of its tables is worked out again."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from tests.support.effort import few

import obroute
from obroute.trends.structure import structure_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/methods/price-of-valiant.md").read_text("utf-8")
LINES = [
    [cell.strip("`") for cell in row.strip("| ").split(" | ")]
    for row in re.findall(r"^\| `.*\|$", PAGE, re.MULTILINE)
]
TABLE = [line for line in LINES if len(line) == 9]
CURVES = [line for line in LINES if len(line) == 2]
ROUTINGS = ("minimal", "valiant")
QUICK = [
    line for line in TABLE if line[0] in ("complete:4", "leafspine:leaves=3,hosts=3,spines=3")
]


def test_the_table_has_the_networks_of_the_study() -> None:
    """Each once; the curves are of networks of the study."""
    config = yaml.safe_load((ROOT / "config/price.yaml").read_text("utf-8"))
    assert sorted(line[0] for line in TABLE) == sorted(config["networks"])
    assert config["designs"][0]["networks"] == config["networks"]
    assert {line[0] for line in CURVES} < set(config["trade_offs"][0]["networks"])


@pytest.mark.parametrize("line", few(TABLE, QUICK), ids=lambda line: line[0])
def test_loads_and_lengths_are_as_the_table_says(line: list[str]) -> None:
    """Of shortest paths and VAL by evaluation, of the best by a design that knows neither."""
    network, switches, *loads, price = *line[:5], line[5]
    hops = line[6:]
    minimal, valiant, best = (Fraction(load) for load in loads)
    assert structure_of(obroute.make_network(network)).switches == int(switches)
    for routing, load, length in (("minimal", minimal, hops[0]), ("valiant", valiant, hops[1])):
        found = obroute.evaluate(network, routing)
        assert found.certified
        assert found.worst_case_load == load
        assert f"{float(found.mean_path_length):.4g}" == length
    design = obroute.design(network, then="locality")
    assert design.load.lower == design.load.upper == best
    assert design.scope.of_load.startswith("no routing has")
    assert design.least_path_length is not None
    assert design.path_length == design.least_path_length.lower
    assert f"{float(design.path_length):.4g}" == hops[2]
    assert Fraction(price) == valiant / best


@pytest.mark.slow
def test_the_large_dragonfly_is_as_the_page_says() -> None:
    """The best load is proved in ``tests/design/test_large_dragonfly.py``."""
    loads = [obroute.evaluate("dragonfly:p=3,a=6,h=3", r).worst_case_load for r in ROUTINGS]
    assert loads == [18, Fraction(37, 19)]
    assert loads[1] / Fraction(439, 228) == Fraction(444, 439)


@pytest.mark.slow
@pytest.mark.parametrize("line", CURVES, ids=lambda line: line[0])
def test_curves_are_as_the_page_says(line: list[str]) -> None:
    """Every corner, and no other."""
    found = obroute.pareto(line[0])
    assert found.complete
    corners = [
        tuple(Fraction(part) for part in corner.split(", ")) for corner in line[1].split("; ")
    ]
    assert [(vertex.load, vertex.path_length) for vertex in found.vertices] == corners
