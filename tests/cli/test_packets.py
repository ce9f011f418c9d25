"""The commands about packets that queue: what they print and save, and how they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from obroute.kinds.stores import read_store

Answer = Callable[..., Any]
Run = Callable[..., tuple[int, str, str]]


def test_simulate_routes_a_permutation_to_its_end(answer: Answer) -> None:
    """Steps, queues and the exact load of each traffic, and a run a seed."""
    found = answer(
        "simulate", "hypercube:6", "dor", "--traffic", "transpose", "--traffic",
        "random_permutation", "--seeds", 3, "--seed", 4,
    )  # fmt: skip
    assert (found["network"], found["routing"]) == ("hypercube:6", "dor")
    transpose, drawn = found["traffic"]
    assert transpose["traffic"] == "transpose"
    assert transpose["exact_load_exact"] == "4"
    assert [run["steps"] for run in transpose["runs"]] == [7, 7, 7]
    assert [run["heaviest_channel"] for run in transpose["runs"]] == [4, 4, 4]
    assert drawn["exact_load"] is None
    assert all(run["offline_steps"] <= 11 for run in drawn["runs"])


def test_simulate_reads_for_a_person(obroute: Run) -> None:
    """Each traffic with its rows; seeds as a range with their mean."""
    status, printed, _ = obroute(
        "simulate", "hypercube:4", "valiant", "--traffic", "transpose", "--seeds", 5
    )
    assert status == 0
    assert "valiant on hypercube:4, transpose" in printed
    assert "over 5 seeds" in printed
    assert "off-line schedule" in printed
    assert "exact expected load of the heaviest  1" in printed


def test_simulate_reads_a_permutation_file(answer: Answer, tmp_path: Path) -> None:
    """A file of destinations is traffic like any pattern."""
    file = tmp_path / "shift.csv"
    file.write_text("1\n2\n3\n0\n")
    found = answer("simulate", "ring:4", "dor", "--traffic", file)
    assert found["traffic"][0]["runs"][0]["steps"] == 1


def test_phases_run_one_after_the_other(answer: Answer) -> None:
    """Both phases to their end: their steps add, and are no fewer than overlapped."""
    arguments = ("simulate", "hypercube:5", "dor", "--traffic", "bit_reverse", "--seeds", 4)
    plain, phased = answer(*arguments), answer(*arguments, "--phases")
    one, two = (found["traffic"][0]["runs"] for found in (plain, phased))
    assert min(run["steps"] for run in two) > max(run["steps"] for run in one)


@pytest.mark.parametrize("queue", ["fifo", "lifo", "random", "farthest", "nearest"])
def test_every_queue_delivers(answer: Answer, queue: str) -> None:
    """No discipline is faster than the heaviest channel allows."""
    found = answer("simulate", "hypercube:6", "dor", "--traffic", "transpose", "--queue", queue)
    assert 4 <= found["traffic"][0]["runs"][0]["steps"] <= 12


def test_results_do_not_depend_on_where_tasks_run(answer: Answer) -> None:
    """Threads and the command's own thread give the same."""
    arguments = ("simulate", "hypercube:5", "valiant", "--seeds", 4)
    assert answer(*arguments, "--scheduler", "sync") == answer(*arguments, "--threads", 3)


def test_rates_give_the_curves(answer: Answer, obroute: Run) -> None:
    """Accepted over offered and delay at each rate, in JSON and for a person."""
    arguments = ("simulate", "ring:8", "dor", "--traffic", "tornado", "--rate", 0.2, "--rate", 0.6)
    arguments += ("--steps", 2000)
    low, high = answer(*arguments)["traffic"]["tornado"]
    assert (low["rate"], low["verdict"], high["verdict"]) == (0.2, "stable", "unstable")
    assert low["accepted"] == pytest.approx(low["offered"], rel=0.02)
    assert high["accepted"] < 0.4
    assert high["mean_delay"] > low["mean_delay"]
    status, printed, _ = obroute(*arguments)
    assert status == 0
    assert "rate 0.2" in printed
    assert "fills by" in printed


def test_saturation_comes_out_near_the_ideal(answer: Answer) -> None:
    """The enclosing rates beside the exact ideal, with every rate simulated."""
    found = answer(
        "simulate", "ring:8", "dor", "--traffic", "tornado", "--saturation", "--steps", 6000,
        "--tolerance", 0.03, "--rate", 0.1,
    )["traffic"][0]  # fmt: skip
    assert found["ideal_rate_exact"] == "1/3"
    assert found["stable_rate"] <= found["unstable_rate"]
    assert found["stable_rate"] == pytest.approx(1 / 3, rel=0.1)
    rates = [point["rate"] for point in found["points"]]
    assert rates == sorted(rates)
    assert 0.1 in rates


def test_runs_are_saved_read_back_and_verified(obroute: Run, tmp_path: Path) -> None:
    """The store holds what was printed, and `verify` runs it again."""
    store = tmp_path / "dor.zarr"
    arguments = ("simulate", "hypercube:4", "dor", "--traffic", "transpose", "--seeds", 2)
    status, printed, _ = obroute(*arguments, "--seed", 7, "--save", store, "--json")
    assert status == 0
    saved = read_store(store, "simulation")
    assert saved.seed.values.tolist() == [7, 8]
    runs = json.loads(printed)["traffic"][0]["runs"]
    assert saved.steps.values.tolist() == [[run["steps"] for run in runs]]
    assert obroute("verify", store)[:2] == (0, f"{store}: simulation store in order\n")


def test_stability_is_saved_gathered_drawn_and_verified(obroute: Run, tmp_path: Path) -> None:
    """From the cells of two routings to a figure."""
    for routing in ("dor", "romm"):
        status, *_ = obroute(
            "simulate", "ring:5", routing, "--traffic", "worst_case", "--saturation", "--steps",
            1000, "--tolerance", 0.1, "--rate", 0.2, "--save", tmp_path / f"{routing}.zarr",
        )  # fmt: skip
        assert status == 0
    gathered, figure = tmp_path / "stability.zarr", tmp_path / "stability.svg"
    cells = ("dor.zarr", "romm.zarr", "--folder", tmp_path)
    assert obroute("gather", *cells, "--output", gathered)[0] == 0
    assert read_store(gathered, "stabilities").sizes["routing"] == 2
    assert obroute("figure", "stability", gathered, "--output", figure)[0] == 0
    assert figure.read_bytes().startswith(b"<?xml")
    assert obroute("verify", tmp_path)[0] == 0


def test_simulations_are_gathered_drawn_and_reported(obroute: Run, tmp_path: Path) -> None:
    """`figure steps`, `figure queues` and `report --packets` take the gathered store."""
    for n in (2, 4):
        obroute(
            "simulate", f"hypercube:{n}", "dor", "--traffic", "transpose", "--save",
            tmp_path / f"packets/{n}.zarr",
        )  # fmt: skip
    gathered, study = tmp_path / "simulations.zarr", tmp_path / "evaluations.zarr"
    obroute("gather", "2.zarr", "4.zarr", "--folder", tmp_path / "packets", "--output", gathered)
    for figure in ("steps", "queues"):
        output = tmp_path / f"{figure}.svg"
        assert obroute("figure", figure, gathered, "--output", output)[0] == 0
        assert output.exists()
    obroute("evaluate", "ring:3", "dor", "--save", tmp_path / "evaluations/dor.zarr")
    obroute("gather", "dor.zarr", "--folder", tmp_path / "evaluations", "--output", study)
    report = (
        "report",
        study,
        "--cells",
        tmp_path / "evaluations",
        "--output",
        tmp_path / "report.html",
    )
    assert obroute(*report, "--packets", gathered)[0] == 0
    assert "Packets that queue" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert obroute("report", tmp_path, "--output", tmp_path / "whole.html")[0] == 0
    assert (tmp_path / "whole.html").read_bytes() == (tmp_path / "report.html").read_bytes()
    gathered.rename(tmp_path / "elsewhere")
    assert obroute(*report)[0] == 0
    assert "Packets that queue" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_adversaries_and_bounds(answer: Answer, obroute: Run, tmp_path: Path) -> None:
    """The witness is no heavier than the exact worst, and both are traffic for `simulate`."""
    found = answer("adversary", "hypercube:6", "bit_fixing")
    witness, worst = found["borodin_hopcroft"], found["exact_worst"]
    assert worst["load_exact"] == "4"
    assert 1 <= witness["guaranteed_pairs"] <= witness["pairs"] <= witness["load"] <= 4
    assert [bound["pattern"] for bound in found["greedy_bounds"]] == ["transpose", "bit_reverse"]
    assert [bound["averaging"] for bound in found["greedy_bounds"]] == [2, 2]
    assert all(b["load"] == float(Fraction(b["load_exact"])) for b in found["greedy_bounds"])
    for name, bad in (("witness", witness), ("worst", worst)):
        file = tmp_path / f"{name}.csv"
        file.write_text("\n".join(map(str, bad["permutation"])))
        routed = answer("simulate", "hypercube:6", "bit_fixing", "--traffic", file)["traffic"][0]
        assert routed["exact_load"] == bad["load"]
        assert routed["runs"][0]["steps"] >= int(bad["load"])
    status, printed, _ = obroute("adversary", "ring:5", "dor")
    assert status == 0
    assert "Borodin and Hopcroft's permutation" in printed
    assert answer("adversary", "ring:5", "dor")["greedy_bounds"] == []


def test_benes_paths_are_disjoint(answer: Answer, obroute: Run, tmp_path: Path) -> None:
    """Rows level by level, a permutation at each; a pattern or a file."""
    found = answer("benes", 3, "--permutation", "bit_reverse")
    assert (found["inputs"], found["disjoint"]) == (8, True)
    assert found["offline_steps"] <= 5
    assert all(sorted(level) == list(range(8)) for level in zip(*found["rows"], strict=True))
    assert [row[-1] for row in found["rows"]] == [0, 4, 2, 6, 1, 5, 3, 7]
    file = tmp_path / "swap.json"
    file.write_text("[1, 0]")
    status, printed, _ = obroute("benes", 1, "--permutation", file)
    assert status == 0
    assert "[0, 0, 1]" in printed
    assert "rows of each path" not in obroute("benes", 7, "--permutation", "shuffle")[1]


def write(folder: Path, name: str, text: str) -> Path:
    """Write a small file."""
    (folder / name).write_text(text)
    return folder / name


def test_bad_input_is_one_line_and_status_2(obroute: Run, tmp_path: Path) -> None:
    """Each names what is wrong and what would do; nothing is a traceback."""
    twice = write(tmp_path, "twice.csv", "1\n1\n0\n")
    ring = ("simulate", "ring:8", "dor", "--traffic", "uniform")
    cases: dict[tuple[object, ...], list[str]] = {
        ("simulate", "hypercube:4", "dor", "--queue", "fifoo"): ["fifoo", "did you mean 'fifo'"],
        (*ring, "--rate", 1.5): ["rate 1.5", "at most 1"],
        (*ring, "--rate", 0.5, "--rate", 0): ["rate 0 is out of range"],
        ring: ["uniform is no permutation", "give a rate"],
        (*ring, "--rate", 0.1, "--phases"): ["--phases", "leave out --rate"],
        (*ring, "--rate", 0.1, "--save", tmp_path / "x.zarr"): ["add --saturation"],
        (*ring, "--saturation", "--tolerance", 0): [
            "--tolerance is 0.0: expected greater than or equal to 0.000001"
        ],
        ("simulate", "ring:3", "dor", "--traffic", twice): ["no permutation", "comes twice"],
        ("simulate", "ring:4", "dor", "--traffic", tmp_path / "none.csv"): ["none.csv"],
        ("simulate", "ring:4", "dor", "--traffic", "tornad"): ["tornad", "tornado"],
        ("simulate", "hypercube:3", "dor", "--traffic", "transpose"): ["transpose", "even"],
        ("simulate", "ring:8", "bit_fixing"): ["bit_fixing is not defined on ring:8", "benes"],
        ("simulate", "ring:8", "dorr"): ["unknown routing 'dorr'", "dor"],
        ("simulate", "hypercube:40", "dor"): ["1099511627776 nodes", "GB"],
        ("simulate", "butterfly:40", "bit_fixing"): ["45079976738816 nodes", "GB"],
        ("simulate", "hypercube:10", "dor", "--rate", 1, "--steps", 10**7): [
            "needs about",
            "fewer",
        ],
        ("adversary", "hypercube:4", "valiant"): ["not deterministic", "bit_fixing"],
        ("adversary", "torus:4x4", "dor"): ["not deterministic", "dor:ties=positive"],
        ("adversary", "ring:4", "bit_fixing"): ["not defined on ring:4"],
        ("benes", 30, "--permutation", "bit_reverse"): ["1073741824 nodes", "GB"],
        ("benes", 3, "--permutation", "transpose"): ["transpose is not defined"],
        ("benes", 2, "--permutation", "uniform"): ["no permutation"],
        ("benes", 2, "--permutation", twice): ["lists 3 destinations", "4 sources"],
        ("figure", "steps", tmp_path / "none.zarr", "--output", "f.svg"): ["does not exist"],
    }
    for arguments, expected in cases.items():
        status, printed, errors = obroute(*arguments)
        assert status == 2, (arguments, printed, errors)
        assert len(errors.strip().splitlines()) == 1, errors
        assert "Traceback" not in errors
        for words in expected:
            assert words in errors, (arguments, errors)


def test_figures_and_report_refuse_other_stores(obroute: Run, tmp_path: Path) -> None:
    """A cell is not a gathered store, and a study no packets."""
    cell, study = tmp_path / "cells/dor.zarr", tmp_path / "study.zarr"
    obroute("simulate", "hypercube:2", "dor", "--save", tmp_path / "one.zarr")
    obroute("evaluate", "ring:3", "dor", "--save", cell)
    obroute("gather", "dor.zarr", "--folder", cell.parent, "--output", study)
    report = ("report", study, "--cells", cell.parent, "--output", tmp_path / "report.html")
    for arguments, words in (
        (
            ("figure", "worst_cases", tmp_path / "one.zarr", "--output", "f.svg"),
            "has no evaluations",
        ),
        (("figure", "stability", study, "--output", "f.svg"), "is a store of kind evaluations"),
        ((*report, "--packets", study), "'evaluations' are not reported"),
        ((*report, "--packets", tmp_path / "one.zarr"), "expected gathered stores"),
    ):
        status, _, errors = obroute(*arguments)
        assert status == 2
        assert words in errors
    assert not (tmp_path / "report.html").exists()


def test_help_lists_the_commands(obroute: Run) -> None:
    """`obroute --help` and `obroute figure --help` name them."""
    printed = obroute("--help")[1] + obroute("figure", "--help")[1]
    for command in ("simulate", "adversary", "benes", "steps", "queues", "stability"):
        assert command in printed


def test_valiant_s_phases_are_bounded_and_measured(answer: Answer, obroute: Run) -> None:
    """Proved bounds by what they rest on, rounded up, beside what runs show."""
    arguments = ("valiant", 5, "--seeds", 30, "--steps", 7, "--steps", 15)
    found = answer(*arguments)
    assert found["steps_within"] == {
        "Chernoff and Lemma 1": 15,
        "Chernoff and negative binomial": 44,
        "exact law and Lemma 1": 8,
    }
    assert [bound["steps"] for bound in found["bounds"]] == [7, 15]
    assert found["bounds"][1]["proved"]["Chernoff and Lemma 1"] <= 1 / 32
    assert found["bounds"][1]["measured"] == 0
    assert found["measured"]["phases"] == 60
    assert found["measured"]["lemma_1"] is True
    status, printed, _ = obroute(*arguments)
    assert status == 0
    assert "proved, exact law and Lemma 1" in printed
    assert "delay at most the others met (Lemma 1)  in every run" in printed
    assert answer("valiant", 5, "--seeds", 0)["measured"] is None


def test_paths_are_carried_between_networks(answer: Answer, obroute: Run) -> None:
    """From a Beneš network to hypercube and butterfly, and from a hypercube to a butterfly."""
    pair = ("--source", 0, "--destination", 9, "--routing", "two_phase")
    for other in ("hypercube:2", "butterfly:2"):
        found = answer("correspond", "benes:2", other, *pair)
        assert [row["probability_exact"] for row in found["paths"]] == ["1/4"] * 4
        assert [row["probability"] for row in found["paths"]] == [0.25] * 4
        assert all(len(row["path"]) == 5 for row in found["paths"])
        assert found["images"] == (2 if other == "hypercube:2" else 4)
    status, printed, _ = obroute(
        "correspond", "hypercube:3", "butterfly:3", "--source", 0, "--destination", 5
    )
    assert status == 0
    assert printed.split() == [
        "bit_fixing", "on", "hypercube:3,", "carried", "to", "butterfly:3", "1", "(0,0,0)",
        "(1,0,0)", "(1,0,1)", "(0,0)", "(4,1)", "(4,2)", "(5,3)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("networks", "destination", "message"),
    [
        (("butterfly:2", "benes:2"), 2, "no path of butterfly:2 is carried to benes:2"),
        (("hypercube:2", "torus:3x3"), 2, "torus:3x3 is no hypercube"),
        (("hypercube:2", "butterfly:3"), 2, "expected the same number of dimensions"),
        (("hypercube:2", "butterfly:2"), 9, "destination 9 is none of hypercube:2"),
    ],
)
def test_networks_that_do_not_correspond_are_refused(
    obroute: Run, networks: tuple[str, str], destination: int, message: str
) -> None:
    """One line, and status 2."""
    status, _, errors = obroute(
        "correspond", *networks, "--source", 0, "--destination", destination
    )
    assert (status, errors.count("\n")) == (2, 1)
    assert message in errors


def test_relations_and_half_duplex_are_saved_and_verified(obroute: Run, tmp_path: Path) -> None:
    """Their settings are in the store, and gathering refuses what is no plain permutation."""
    store = tmp_path / "relation.zarr"
    simulate = ("simulate", "hypercube:4", "dor", "--traffic", "random_permutation")
    status, *_ = obroute(*simulate, "--h", 3, "--half-duplex", "--save", store)
    assert status == 0
    assert obroute("verify", store)[0] == 0
    status, _, errors = obroute("gather", "relation.zarr", "--folder", tmp_path, "--output", "x")
    assert status == 2
    assert "--half-duplex" in errors
    assert obroute(*simulate[:3], "--rate", 0.1, "--h", 2)[0] == 2
