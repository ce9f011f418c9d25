"""The commands design and pareto."""

from __future__ import annotations

import csv
import json
from fractions import Fraction

import pytest

import obroute as library
from obroute import make_network

KEYS = {
    "routing_load_exact",
    "load_lower_exact",
    "load_upper_exact",
    "exact",
    "fraction_of_capacity",
    "mean_path_length",
    "normalized_path_length",
    "rows",
    "columns",
    "nonzeros",
    "symmetry",
    "solver",
    "seconds",
}


def test_design_says_what_is_proved(answer):
    """Exact values are texts of rationals; the bounds meet where the optimum is known."""
    found = answer("design", "torus:4x4", "--then", "locality")
    assert set(found) >= KEYS
    assert (
        found["routing_load_exact"]
        == found["load_lower_exact"]
        == found["load_upper_exact"]
        == "1"
    )
    assert found["exact"]
    assert found["fraction_of_capacity_exact"] == "1/2"
    assert (
        found["normalized_path_length_exact"]
        == found["normalized_path_length_lower_exact"]
        == "27/20"
    )


def test_a_bound_on_locality_or_load_is_kept(answer):
    """The two are the same curve, read along either axis."""
    by_length = answer("design", "torus:4x4", "--locality", "1.25")
    assert by_length["routing_load_exact"] == "17/16"
    assert by_length["normalized_path_length_exact"] == "5/4"
    by_load = answer("design", "torus:4x4", "--load", "17/16")
    assert by_load["routing_load_exact"] == "17/16"
    assert by_load["normalized_path_length_exact"] == "5/4"
    assert by_load["load_lower_exact"] is None


def test_capacity_of_a_network_that_has_no_closed_form(answer, tmp_path):
    """An evaluation leaves it open; the linear program finds it."""
    file = tmp_path / "edges.csv"
    ring = [(node, (node + 1) % 5) for node in range(5)]
    edges = [*ring, *((head, tail) for tail, head in ring), (1, 4), (4, 2)]
    file.write_text("tail,head\n" + "".join(f"{a},{b}\n" for a, b in edges))
    assert answer("evaluate", file, "ecmp")["capacity_load_exact"] is None
    found = answer("design", file, "--objective", "capacity")
    assert (found["routing_load_exact"], found["exact"]) == ("3/5", True)


def test_a_saved_design_is_a_routing(answer, tmp_path):
    """Evaluating its store gives the design's own values."""
    store = tmp_path / "best.zarr"
    found = answer("design", "torus:4x4", "--named", "2turn", "--save", store)
    again = answer("evaluate", "torus:4x4", store)
    assert again["worst_case_load_exact"] == found["routing_load_exact"]
    assert again["mean_path_length_exact"] == found["mean_path_length_exact"]
    assert answer("verify", store)["stores"] == [
        {
            "store": str(store),
            "kind": "design",
            "certificates": 2,
            "theorem": None,
            "gathered_from": None,
            "gathered": None,
            "taken_as_recorded": ["columns", "nonzeros", "solver"],
        }
    ]


def test_a_saved_design_is_for_its_network(obroute, tmp_path):
    """Another network is refused in one line."""
    store = tmp_path / "best.zarr"
    assert obroute("design", "torus:3x3", "--save", store)[0] == 0
    status, _, errors = obroute("evaluate", "torus:4x4", store)
    assert status == 2
    assert errors.count("\n") == 1
    assert "torus:3x3" in errors


@pytest.mark.parametrize("ending", ["csv", "json"])
@pytest.mark.parametrize("table", ["paths", "flows"])
def test_an_exported_table_is_the_same_routing(answer, tmp_path, table, ending):
    """Paths and flows are read again as routings with the same loads."""
    file = tmp_path / f"routes.{ending}"
    options = ("--then", "locality", "--export", file, "--export-as", table)
    found = answer("design", "torus:3x3", *options)
    again = answer("evaluate", "torus:3x3", file)
    assert again["worst_case_load_exact"] == found["routing_load_exact"]
    assert again["mean_path_length_exact"] == found["mean_path_length_exact"]


def test_next_channels_are_distributions(answer, tmp_path):
    """At every node on the way of a pair the probabilities of the next channels sum to one."""
    file = tmp_path / "next.csv"
    answer("design", "torus:3x3", "--export", file, "--export-as", "next_channels")
    sums: dict[tuple[str, str, str], Fraction] = {}
    for row in csv.DictReader(file.read_text().splitlines()):
        place = (row["source"], row["destination"], row["node"])
        sums[place] = sums.get(place, Fraction(0)) + Fraction(row["probability"])
    assert len({(source, destination) for source, destination, _ in sums}) == 72
    assert set(sums.values()) == {1}


def test_an_average_case_is_judged_outside_its_sample(answer):
    """In and out of the sample, with standard errors."""
    options = ("--objective", "average_case", "--samples", "20", "--fresh", "50")
    found = answer("design", "torus:4x4", *options)
    inside, outside = found["sample"]["in_sample"], found["sample"]["out_of_sample"]
    assert (inside["matrices"], outside["matrices"]) == (20, 50)
    assert inside["inverse_of_mean_load"] == pytest.approx(
        1 / float(Fraction(found["routing_load_exact"]))
    )
    assert 0 < outside["standard_error"] < 0.1


def test_pareto_lists_every_breakpoint(answer, tmp_path):
    """The 4-ary 2-cube has six, all proved."""
    store = tmp_path / "curve.zarr"
    found = answer("pareto", "torus:4x4", "--save", store)
    assert found["complete"]
    assert found["gap"] == 0
    points = [
        (v["fraction_of_capacity_exact"], v["normalized_path_length_exact"])
        for v in found["vertices"]
    ]
    assert points == [
        ("1/2", "27/20"),
        ("18/37", "187/144"),
        ("8/17", "5/4"),
        ("3/7", "55/48"),
        ("3/8", "25/24"),
        ("1/3", "1"),
    ]
    assert answer("verify", store)["verified"]


def test_an_unfinished_curve_says_how_far_it_may_be_off(answer):
    """With few linear programs the curve is not complete, and the gap is not zero."""
    found = answer("pareto", "torus:4x4", "--most-solves", "4")
    assert not found["complete"]
    assert 0 < found["gap"] < 0.2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["torus:4x4", "--locality", "0.9"], "normalized path length of 1"),
        (["torus:4x4", "--locality", "x"], "'x'"),
        (["torus:4x4", "--load", "1/2"], "relax"),
        (["torus:4x4", "--objective", "average_case", "--samples", "0"], "--samples is 0"),
        (["torus:4x4", "--paths", "nothing"], "two_turn"),
        (["complete:4", "--paths", "two_turn"], "complete:4"),
        (["torus:4x4", "--named", "dor"], "2turn"),
        (["torus:4x4", "--named", "2turn", "--then", "locality"], "leave out"),
        (["torus:4x4", "--traffic", "tornado"], "capacity"),
        (["torus:4x4", "--symmetry", "much"], "declared"),
        (["torus:4x4", "--method", "magic"], "simplex"),
        (["torus:4x4", "--export", "routes.txt"], ".csv"),
        (["torus:10x10", "--time-limit", "0.05"], "proved so far"),
        (["torus:300x300"], "MB of memory"),
    ],
)
def test_bad_input_is_one_line(obroute, arguments, words):
    """It names what was expected, and ends with status 2."""
    status, printed, errors = obroute("design", *arguments)
    assert status == 2
    assert printed == ""
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    assert words in errors


def test_a_disconnected_network_is_refused(obroute, tmp_path):
    """By the network itself, which names the pair."""
    file = tmp_path / "edges.csv"
    file.write_text("tail,head\na,b\nb,a\nc,a\n")
    status, _, errors = obroute("design", file)
    assert status == 2
    assert "disconnected" in errors


def test_the_names_of_designs_are_routings():
    """They combine with others; the load of a mix is at most the mix of the loads."""
    network = make_network("torus:4x4")
    mixed = library.evaluate(network, "1/2*dor+1/2*2turn")
    assert mixed.worst_case_load == Fraction(5, 4)
    assert library.evaluate(network, "optimal:locality=5/4").worst_case_load == Fraction(17, 16)


def test_stores_keep_exact_values_as_text(answer, tmp_path):
    """A float beside each, and the settings to design again."""
    store = tmp_path / "best.zarr"
    answer("design", "torus:4x4", "--locality", "5/4", "--save", store)
    dataset = library.read_store(store, "design")
    assert dataset.routing_load_exact.item() == "17/16"
    assert dataset.routing_load.item() == 1.0625
    assert json.loads(dataset.attrs["settings"])["locality"] == "5/4"
