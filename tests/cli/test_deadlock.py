"""The command deadlock."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from itertools import pairwise

import pytest

from obroute import make_network, make_routing
from obroute.deadlock import PathSet, channel_dependency_graph
from obroute.routing import path_distribution

KEYS = {
    "network",
    "routing",
    "paths",
    "path_count",
    "vcs",
    "scheme",
    "deadlock_free",
    "virtual_channels_needed",
    "dependencies",
    "cycle",
    "saved",
    "seconds",
}


@pytest.mark.parametrize(
    ("network", "routing", "vcs", "scheme", "needed"),
    [
        ("mesh:4x4", "dor", 1, "single", 1),
        ("torus:4x4", "dor", 2, "dateline", 2),
        ("torus:4x4", "dor", 9, "dateline", 2),
        ("torus:4x4", "ival", 4, "phases", 4),
        ("torus:4x4", "ival", 3, "found", 3),
    ],
)
def test_the_first_scheme_that_proves_it_is_reported(
    answer, network, routing, vcs, scheme, needed
):
    """In the order single, dateline, phases, found; with exit status 0."""
    said = answer("deadlock", network, routing, "--vcs", vcs)
    assert set(said) == KEYS
    assert (said["network"], said["routing"], said["paths"]) == (network, routing, None)
    assert (said["vcs"], said["scheme"], said["deadlock_free"]) == (vcs, scheme, True)
    assert said["virtual_channels_needed"] == needed
    assert said["cycle"] is None
    made = make_network(network)
    graph = channel_dependency_graph(made, make_routing(routing), scheme)
    assert said["dependencies"] == len(graph)
    assert said["path_count"] == len(PathSet.of_routing(made, make_routing(routing)))


def test_a_cycle_is_shown_with_exit_status_1(obroute):
    """As JSON, each channel by its ends; as text, a line each."""
    arguments = ("deadlock", "torus:5x4", "dor", "--vcs", 2, "--scheme", "single")
    status, printed, errors = obroute(*arguments, "--json")
    said = json.loads(printed)
    assert (status, errors) == (1, "")
    assert (said["deadlock_free"], said["virtual_channels_needed"]) == (False, None)
    heads = [entry["head"] for entry in said["cycle"]]
    assert [entry["tail"] for entry in said["cycle"]] == [heads[-1], *heads[:-1]]
    assert len(heads) == 4
    assert {entry["virtual_channel"] for entry in said["cycle"]} == {0}
    status, printed, _ = obroute(*arguments)
    assert status == 1
    assert "not by this scheme: a cycle of 4 virtual channels" in printed
    assert "none suffice by this scheme; 2 given" in printed
    assert "  (0,0) → (0,1), 0\n" in printed


def test_two_turn_paths_are_judged_without_a_routing(answer):
    """All of them, as the paper claims."""
    said = answer("deadlock", "torus:4x4", "--paths", "two_turn", "--vcs", 4)
    assert (said["routing"], said["paths"], said["path_count"]) == (None, "two_turn", 8256)
    assert (said["scheme"], said["deadlock_free"]) == ("phases", True)


def test_the_assignment_is_saved_beside_a_proof(obroute, answer, tmp_path):
    """A row for each path with its exact probability; virtual channels within those given."""
    file = tmp_path / "ival.csv"
    said = answer("deadlock", "torus:3x4", "ival", "--vcs", 3, "--save", file)
    assert said["saved"] == str(file)
    torus, ival = make_network("torus:3x4"), make_routing("ival")
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == said["path_count"]
    found: dict[tuple[int, int], dict[tuple[int, ...], Fraction]] = {}
    used: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for row in rows:
        path = torus.path_from_nodes([int(node) for node in row["path"].split()])
        pair = int(row["source"]), int(row["destination"])
        found.setdefault(pair, {})[path] = Fraction(row["probability"])
        virtual = [int(number) for number in row["virtual_channels"].split()]
        assert len(virtual) == len(path)
        assert set(virtual) <= {0, 1, 2}
        hops = list(zip(path, virtual, strict=True))
        for before, after in pairwise(hops):
            used.setdefault(before, set()).add(after)
    for pair, distribution in found.items():
        assert distribution == path_distribution(ival, torus, *pair)
    assert len(found) == 12 * 11
    assert sum(map(len, used.values())) == said["dependencies"]


def test_nothing_is_saved_without_a_proof(obroute, tmp_path):
    """And it says so."""
    file = tmp_path / "dor.csv"
    status, printed, _ = obroute("deadlock", "torus:4x4", "dor", "--save", file)
    assert status == 1
    assert f"nothing is proved, so {file} is not written" in printed
    assert not file.exists()


def test_paths_without_probabilities_are_saved_without(obroute, tmp_path):
    """The nodes have their labels."""
    file = tmp_path / "mesh.csv"
    arguments = ("mesh:2x2", "--paths", "two_turn", "--vcs", 2, "--save", file)
    assert obroute("deadlock", *arguments)[0] == 0
    assert file.read_text().splitlines()[:2] == [
        "source,destination,probability,path,virtual_channels",
        "0,1,,0 1,0",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["torus:4x4"], "neither is given"),
        (["torus:4x4", "dor", "--paths", "two_turn"], "both are given, leave out 'dor'"),
        (["torus:4x4", "dor", "--scheme", "phase"], "did you mean 'phases'"),
        (["complete:4", "--paths", "two_turn"], "take a torus, mesh, ring or hypercube"),
        (["complete:4", "ecmp", "--scheme", "dateline"], "is not defined on complete:4"),
        (["complete:4", "dor"], "routing dor is not defined on complete:4"),
        (["torus:4x4", "dor", "--vcs", "2", "--save", "/"], "cannot write /"),
    ],
)
def test_bad_input_is_one_line(obroute, arguments, message):
    """With exit status 2."""
    status, printed, errors = obroute("deadlock", *arguments)
    assert (status, printed) == (2, "")
    assert message in errors
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
