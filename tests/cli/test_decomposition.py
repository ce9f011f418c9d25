"""The command that decomposes traffic: what it prints and writes adds up to the traffic."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from obroute import make_network

CASE = Path(__file__).parents[1] / "inputs" / "demand_matrix"
NETWORK = f"{CASE}/net.csv:terminals={CASE}/hosts.csv"


def test_demands_are_a_weighted_list_of_partial_permutations(
    answer: Callable[..., Any], tmp_path: Path
) -> None:
    """In JSON and in the table the terms sum to the demands, names of nodes and all."""
    table = tmp_path / "terms.csv"
    found = answer("decompose", NETWORK, f"{CASE}/demands.csv", "--save", table)
    assert (found["terms"], found["most_terms"], found["weight_exact"]) == (2, 2, "3")
    network = make_network(NETWORK)
    h000, h001, h100 = (network.node_named(name) for name in ("h000", "h001", "h100"))
    total: Counter[tuple[int, int]] = Counter()
    for term in found["permutations"]:
        for source, destination in zip(network.sources, term["destinations"], strict=True):
            if destination is not None:
                total[int(source), destination] += Fraction(term["weight_exact"])
                assert term["weight"] == float(Fraction(term["weight_exact"]))
    assert total == {(h000, h100): 1, (h001, h100): 2}
    with table.open() as lines:
        assert list(csv.DictReader(lines)) == [
            {"term": "0", "weight": "2", "source": "h001", "destination": "h100"},
            {"term": "1", "weight": "1", "source": "h000", "destination": "h100"},
        ]


def test_uniform_traffic_is_a_latin_square(answer: Callable[..., Any]) -> None:
    """N permutations of weight 1/N that never pair the same terminals."""
    found = answer("decompose", "torus:3x3", "uniform")
    assert (found["weight"], found["weight_exact"]) == (1.0, "1")
    assert [term["weight_exact"] for term in found["permutations"]] == ["1/9"] * 9
    columns = zip(*(term["destinations"] for term in found["permutations"]), strict=True)
    assert all(sorted(column) == list(range(9)) for column in columns)


def test_the_heaviest_terms_are_printed(obroute: Callable[..., Any]) -> None:
    """As many as asked for, and how many there are."""
    status, printed, _ = obroute("decompose", "ring:4", "uniform", "--terms", "1")
    assert status == 0
    assert "4, proved to be at most 10" in printed
    assert "1/4: (0) → " in printed
    assert "and 3 more" in printed
    _, printed, _ = obroute("decompose", "ring:4", "tornado")
    assert "1: (0) → (1), (1) → (2), (2) → (3), (3) → (0)" in printed
    assert "more" not in printed


def test_what_cannot_be_decomposed_is_refused(obroute: Callable[..., Any], tmp_path: Path) -> None:
    """Too many entries, and a table that is none."""
    status, _, printed = obroute("decompose", "torus:24x24", "uniform")
    assert (status, "331776 entries; expected at most 300000" in printed) == (2, True)
    status, _, printed = obroute("decompose", "ring:4", "tornado", "--save", tmp_path / "t.json")
    assert (status, "expected a name that ends in .csv" in printed) == (2, True)
