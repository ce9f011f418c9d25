"""The page of families: every number of its table is worked out again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from tests.support.effort import few

import obroute
from obroute.deadlock import virtual_channels_needed
from obroute.trends.structure import structure_of

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `([^`]+)` \| (.+) \|$", re.MULTILINE)
GUARANTEE = re.compile(r"`([^`]+)` ([\d/]+) \(([\d.]+) hops(?:, (\d+) vc)?\)")


@dataclass(frozen=True)
class Line:
    """A row of the table."""

    network: str
    counts: tuple[str, ...]
    capacity: Fraction
    best: Fraction
    guarantees: tuple[tuple[str, Fraction, float, int | None], ...]

    def __str__(self) -> str:
        return self.network


def lines() -> list[Line]:
    """Read the table."""
    found = []
    for network, rest in ROW.findall((ROOT / "docs/methods/families.md").read_text("utf-8")):
        *counts, capacity, best, guarantees = rest.split(" | ")
        found.append(
            Line(
                network,
                tuple(counts),
                Fraction(capacity),
                Fraction(best),
                tuple(
                    (routing, Fraction(share), float(hops), int(vc) if vc else None)
                    for routing, share, hops, vc in GUARANTEE.findall(guarantees)
                ),
            )
        )
    return found


LINES = lines()
QUICK = [line for line in LINES if line.network.startswith(("leafspine", "complete", "dragonfly"))]


def test_the_table_has_the_networks_of_the_study() -> None:
    """Each once, with every routing that the study evaluates there."""
    config = yaml.safe_load((ROOT / "config/families.yaml").read_text("utf-8"))
    wanted: dict[str, set[str]] = {}
    for part in (config, *config["also"]):
        for network in part["networks"]:
            name = obroute.make_network(network).name
            made = {obroute.make_routing(routing).name for routing in part["routings"]}
            wanted.setdefault(name, set()).update(made)
    assert {line.network: {one[0] for one in line.guarantees} for line in LINES} == wanted
    assert len(LINES) == len(wanted)


@pytest.mark.parametrize("line", LINES, ids=str)
def test_structure_is_as_the_table_says(line: Line) -> None:
    """Hosts, switches, ports per host, degree, diameter."""
    found = structure_of(obroute.make_network(line.network))
    assert line.counts == (
        str(found.hosts),
        str(found.switches),
        f"{float(found.ports_per_host):.3g}",
        str(found.degree),
        str(found.diameter),
    )


@pytest.mark.parametrize("line", few(LINES, QUICK), ids=str)
def test_guarantees_are_as_the_table_says(line: Line) -> None:
    """Exactly, with the path length in four digits; the best of the table stands first."""
    shares = [share for _, share, _, _ in line.guarantees]
    assert shares == sorted(shares, reverse=True)
    for routing, share, hops, _ in line.guarantees:
        found = obroute.evaluate(line.network, routing)
        assert found.certified
        assert 1 / found.worst_case_load == share
        assert float(f"{float(found.mean_path_length):.4g}") == hops


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_virtual_channels_are_as_the_table_says(line: Line) -> None:
    """With a numbering that proves them."""
    network = obroute.make_network(line.network)
    for routing, _, _, needed in line.guarantees:
        assert virtual_channels_needed(network, obroute.make_routing(routing)) == needed


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_the_best_possible_and_the_capacity_are_as_the_table_says(line: Line) -> None:
    """Proved exactly, by a design that knows neither the table nor the closed forms."""
    for objective, share in (("worst_case", line.best), ("capacity", line.capacity)):
        found = obroute.design(line.network, objective=objective)
        assert found.load.exact
        assert found.scope.of_load.startswith("no routing has")
        assert 1 / found.load.upper == share
