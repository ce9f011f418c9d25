"""What changes from one routing to another, against a slow twin that lists every path."""

from __future__ import annotations

import csv
import itertools
import json
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.effort import few

from obroute import InputError, difference, differences, evaluate, make_network, make_routing
from obroute.cli import main
from obroute.experiments.difference import shown
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.routing import Routing, path_distribution
from obroute.routing.path_table import PathTable

CHANGES = {
    "one for another": ("torus:3x3", "dor", "valiant"),
    "mixtures": ("ring:5", "1/3*dor+2/3*valiant", "dor"),
    "hosts": ("leafspine:leaves=3,hosts=2,spines=2", "d_mod_k", "ecmp"),
    "nothing": ("mesh:2x3", "dor", "dor"),
    "equal loads": ("torus:4x4", "dor", "o1turn"),
}


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Run a command; return its exit status."""
    monkeypatch.setattr("sys.argv", ["obroute", *map(str, words)])
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def loads(network: Network, routing: Routing) -> dict[tuple[str, str], Counter[str]]:
    """List what each pair loads each channel with, by names."""
    found = {}
    for source, destination in itertools.product(network.sources, network.destinations):
        own: Counter[str] = Counter()
        for probability, path in routing.paths(network, int(source), int(destination)):
            for channel in path:
                own[network.describe_channel(channel)] += probability  # type: ignore[assignment]
        names = network.node_name(int(source)), network.node_name(int(destination))
        found[names] = own
    return found


@pytest.mark.parametrize("name", few(CHANGES, ["hosts", "nothing", "mixtures"]))
def test_the_pairs_that_move_are_those_whose_listed_loads_differ(name: str) -> None:
    """And each channel's loads are those of both evaluations."""
    network, old, new = CHANGES[name]
    found = difference(network, old, new)
    made = make_network(network)
    before, after = (loads(made, make_routing(routing)) for routing in (old, new))
    assert set(found.moved) == {pair for pair in before if before[pair] != after[pair]}
    for side, routing in enumerate((old, new)):
        results = evaluate(network, routing, all_channels=True).channels
        expected = [result.normalized_load for result in results]
        assert [change.worst_case_loads[side] for change in found.channels] == expected
    changes = [change.worst_case_loads for change in found.channels]
    assert found.worse == sum(b > a for a, b in changes if a is not None and b is not None)
    assert found.better == sum(b < a for a, b in changes if a is not None and b is not None)
    assert {change.name for change in found.changed} == {
        change.name for change in found.channels if not change.is_same
    }
    if name == "nothing":
        assert not found.changed
        assert not found.moved
        assert found.old_worst_on_new == found.old.worst_case_load


def cut(tmp_path: Path, seed: int) -> tuple[Path, Path]:
    """Write a random network, and it without a cable and with its nodes in another order."""
    drawn = random.Random(seed)
    cables = [(a, (a + 1) % 6) for a in range(6)] + [(0, 3), (1, 4), (2, 5)]
    gone = drawn.choice(cables)
    kept = [cable for cable in cables if cable != gone]
    names = [f"n{number}" for number in drawn.sample(range(6), 6)]
    files = tmp_path / "old.csv", tmp_path / "new.csv"
    drawn.shuffle(kept)
    for file, edges in zip(files, (cables, kept), strict=True):
        rows = [row for a, b in edges for row in ((names[a], names[b]), (names[b], names[a]))]
        file.write_text("tail,head\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return files


@pytest.mark.parametrize("seed", few(range(6), [0]))
def test_networks_that_differ_are_compared_by_names(tmp_path: Path, seed: int) -> None:
    """A cable that is gone is a channel each way without a new load; nodes may be reordered."""
    old, new = cut(tmp_path, seed)
    found = difference(new, "ecmp", "ecmp", old)
    gone = [change for change in found.channels if change.new is None]
    assert {frozenset(change.name.split(" → ")) for change in gone} == {
        frozenset(change.name.split(" → ")) for change in gone[:1]
    }
    assert len(gone) == 2
    before = loads(make_network(str(old)), make_routing("ecmp"))
    after = loads(make_network(str(new)), make_routing("ecmp"))
    assert set(found.moved) == {pair for pair in before if before[pair] != after[pair]}
    back = difference(old, "ecmp", "ecmp", new)
    assert set(back.moved) == set(found.moved)
    assert (back.worse, back.better) == (found.better, found.worse)
    same = difference(old, "ecmp", "ecmp", old)
    assert not same.changed
    assert not same.moved


def test_traffic_that_nobody_may_send_any_more_is_none_of_the_new_network():
    """Terminals of less than before: their old worst traffic is more than the worst case."""
    ends = [0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]
    old, new, fewer = (
        Network(
            name,
            3,
            *ends,
            sources=sources,
            injection=RationalArray.full(len(sources), amount),
            destinations=sources,
            ejection=RationalArray.full(len(sources), amount),
        )
        for name, amount, sources in (
            ("old", 2, [0, 1, 2]),
            ("new", 1, [0, 1, 2]),
            ("f", 2, [0, 1]),
        )
    )
    ecmp = make_routing("ecmp")
    less, more, gone = (
        differences.difference(after, ecmp, ecmp, before)
        for before, after in ((old, new), (new, old), (old, fewer))
    )
    assert less.old_worst_on_new is None
    assert more.old_worst_on_new == 1
    assert len(gone.moved) <= gone.pairs == 9


def test_the_command_says_it_and_its_status_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is required of the new routing is compared with the old one, exactly."""
    table = tmp_path / "changes.csv"
    words = "diff", "torus:5x5", "dor", "romm", "--changes", table
    require = "new_worst_case_throughput >= old_worst_case_throughput"
    assert run(monkeypatch, *words, "--require", require) == 1
    printed = capsys.readouterr()
    assert "2 → 8/3, worse" in printed.out
    assert printed.err == (
        f"required: {require} does not hold: new_worst_case_throughput is 3/8, "
        "old_worst_case_throughput 1/2\n"
    )
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 100
    assert {row["old_worst_case_load"] for row in rows} == {"2"}
    assert {row["new_worst_case_load"] for row in rows} == {"8/3"}
    assert run(monkeypatch, "diff", "torus:5x5", "romm", "dor", "--require", require) == 0


# ----------------------------------------------------------------------------- requirements

MET = ["throughput >= 1/2", "worst_case_load<=2", "worst_case_load == 2", "fraction > 29 %"]
NOT_MET = {
    "throughput > 0.5": "worst_case_throughput is 1/2",
    "worst_case_load < uniform_load": "worst_case_load is 2, uniform_load 3/5",
    "uniform_load = 2": "uniform_load is 3/5",
}
REFUSED = {
    "load <= 2": "load may be capacity_load or uniform_load or worst_case_load; say which",
    "thruput >= 1/2": "there is no value 'thruput' (known: bounded_channels",
    "throughput": "expected a value, a comparison and a number",
    "throughput >= half": "there is no value 'half'",
    "throughput >= 1/0": "'1/0' is not a number",
    "load_behind_hosts <= 1": "load_behind_hosts is not known here",
}


@pytest.mark.parametrize(
    ("condition", "status", "said"),
    [
        *((condition.replace("fraction ", "fraction_of_capacity "), 0, "") for condition in MET),
        *((condition, 1, said) for condition, said in NOT_MET.items()),
        *((condition, 2, said) for condition, said in REFUSED.items()),
    ],
)
def test_a_requirement_decides_the_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    condition: str,
    status: int,
    said: str,
) -> None:
    """In one line, after the answer with its witness; the answer is the same."""
    assert run(monkeypatch, "evaluate", "torus:5x5", "dor", "--json", "--require", condition) == (
        status
    )
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.count("\n") == (status != 0)
    if status < 2:
        assert json.loads(printed.out)["worst_case_load_exact"] == "2"


@pytest.mark.parametrize(
    ("words", "condition", "said"),
    [
        (["evaluate", "ring:4", "dor", "--traffic-set", "pairs:1"], "throughput >= 1", ""),
        (
            ["evaluate", "ring:6", "dor", "--traffic-set", "pairs:1", "--traffic-set", "any"],
            "worst_case_load <= 1",
            "does not hold of any: worst_case_load is 2",
        ),
        (
            ["collective", "ring:4", "dor", "--collective", "ring", "--collective", "doubling"],
            "time <= 3/2",
            "does not hold of doubling: time is 2",
        ),
        (["collective", "ring:4", "dor"], "load <= 1", "no value 'load' (known: time)"),
    ],
)
def test_a_requirement_holds_of_each_set_of_traffic_and_each_collective(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    condition: str,
    said: str,
) -> None:
    """Where the answer has them in a list."""
    status = run(monkeypatch, *words, "--json", "--require", condition)
    assert status == (0 if not said else 1 if "does not hold" in said else 2)
    assert said in capsys.readouterr().err


def test_an_estimate_meets_no_requirement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no proof."""
    words = "evaluate", "torus:5x5", "romm", "--sampled-paths", "3", "--require"
    assert run(monkeypatch, *words, "worst_case_load <= 100") == 2
    assert "is estimated here, not proved" in capsys.readouterr().err


def test_a_wrong_old_routing_is_an_error_in_the_input() -> None:
    """It is named."""
    with pytest.raises(InputError, match="no_such"):
        difference("ring:4", "no_such", "dor")
    with pytest.raises(InputError, match="not defined on torus:3x3"):
        difference("torus:3x3", "dor", "bit_fixing", "ring:4")
    assert difference("ring:4", "dor", "dor").old.worst_case_load == Fraction(1)


def test_routings_and_networks_of_ones_own_are_compared() -> None:
    """As objects, whose names nobody can look up."""
    network = make_network("torus:4x4")
    mine = Network("mine", network.node_count, network.tail, network.head)
    paths = {
        (source, destination): path_distribution(make_routing("ecmp"), mine, source, destination)
        for source, destination in itertools.product(range(16), repeat=2)
    }
    found = difference(mine, PathTable("some", paths), make_routing("ecmp"), mine)
    assert found.old.worst_case_load == found.new.worst_case_load
    assert not found.moved
    assert shown._way(mine, found.old.routing, ("0", "10")) == "24 paths"


def test_paths_that_are_too_many_to_count_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said of how many there are more."""
    monkeypatch.setattr(shown, "MOST_COUNTED", 23)
    torus = make_network("torus:4x4")
    assert shown._way(torus, make_routing("ecmp"), ("0", "10")) == "more than 23 paths"
