"""Small inputs of every kind with their right answers; see tests/inputs/README.md."""

from __future__ import annotations

from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "inputs"
NETWORK = {
    case: f"{CASES}/{case}/net.csv:terminals={CASES}/{case}/hosts.csv"
    for case in ("capacity_cut", "hosts_blank", "json_blank", "parallel", "wcmp")
}


def test_names_with_blanks_are_names(answer) -> None:
    """In edge lists, lists of terminals and tables."""
    routes = CASES / "json_blank/routes.json"
    assert answer("evaluate", NETWORK["hosts_blank"], "ecmp")["worst_case_load_exact"] == "1"
    assert answer("evaluate", NETWORK["json_blank"], "ecmp")["worst_case_load_exact"] == "1"
    assert answer("evaluate", NETWORK["json_blank"], routes)["worst_case_load_exact"] == "1"


def test_a_table_names_the_cables(answer) -> None:
    """Two destinations over each."""
    found = answer("evaluate", NETWORK["parallel"], CASES / "parallel/cables.csv")
    assert (found["worst_case_load_exact"], found["uniform_load_exact"]) == ("1", "3/4")


def test_a_table_that_does_not_name_the_cable_is_refused(obroute) -> None:
    """No cable is taken without a word."""
    status, _, errors = obroute("evaluate", NETWORK["parallel"], CASES / "parallel/routes.csv")
    assert status == 2
    assert "line 3: " in errors
    assert (
        "has 2 parallel channels from node s to node t; say which by its port: t#1, t#2" in errors
    )


@pytest.mark.parametrize("ending", ["edgelist", "edges", "txt", "data"])
def test_lines_with_arrows_are_cables(answer, tmp_path: Path, ending: str) -> None:
    """Each listed once, whatever the file is called."""
    file = tmp_path / f"ring.{ending}"
    file.write_bytes((CASES / "arrow_edges/ring.edgelist").read_bytes())
    found = answer("evaluate", file, "ecmp")
    assert (found["worst_case_load_exact"], found["capacity_load_exact"]) == ("1", "1/3")


def test_a_split_by_bandwidth_fills_channels_of_unequal_width(answer) -> None:
    """Where an even split overfills the narrow ones."""
    assert answer("evaluate", NETWORK["wcmp"], "ecmp")["worst_case_load_exact"] == "9/8"
    assert answer("evaluate", NETWORK["wcmp"], "ecmp:split=hops")["worst_case_load_exact"] == "9/8"
    assert (
        answer("evaluate", NETWORK["wcmp"], "ecmp:split=bandwidth")["worst_case_load_exact"] == "1"
    )


def test_capacity_of_a_tree_is_known_and_says_how(answer, obroute) -> None:
    """There is only one routing."""
    assert answer("evaluate", NETWORK["capacity_cut"], "ecmp")["capacity_load_exact"] == "1"
    assert answer("design", NETWORK["capacity_cut"])["capacity_load_exact"] == "1"
    _, printed, _ = obroute("evaluate", NETWORK["capacity_cut"], "ecmp")
    assert "capacity load         1; proved: ecmp has this load, and no routing less" in printed
