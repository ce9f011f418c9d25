"""Routings and engines ranked by what they guarantee."""

from __future__ import annotations

import csv
import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.support.effort import few

import obroute
from obroute import InputError, compare_engines, opensm
from obroute.cli import main
from obroute.deadlock import check_deadlock
from obroute.experiments.league import KeptTables, LeagueSettings
from obroute.kinds.registry import kinds
from obroute.kinds.stores import gathered
from obroute.league import League, comparing
from obroute.network import Network
from obroute.opensm import named
from obroute.opensm.simulator import Dumped
from obroute.plots.leagues import leagues_figure
from obroute.report.leagues import leagues_section
from obroute.routing.core import attached_to
from obroute.specs import CertificateError
from obroute.study import read_study
from obroute.trends.league import league_table
from obroute.trends.leagues import leagues_table
from obroute.views import StudyData
from obroute.worst_cases import worst_cases

EXAMPLES = Path(__file__).parents[1] / "examples" / "infiniband"
CASES = {
    "tables": (
        str(EXAMPLES / "leafspine.ibnetdiscover"),
        [str(EXAMPLES / f"leafspine-{engine}.lfts") for engine in ("minhop", "ftree", "dfsssp")],
    ),
    "names": ("mesh:3x3", ["valiant", "dor", "o1turn"]),
    "no unit terminals": ("ring:4,hosts=2", ["ecmp", "dor"]),
}


@pytest.mark.parametrize("name", few(CASES, ["tables", "no unit terminals"]))
def test_places_follow_from_evaluations(name: str) -> None:
    """Each value is that of an evaluation of its own; equal guarantees share a place."""
    network, routings = CASES[name]
    found = compare_engines(network, routings, permutations=20, seed=3)
    made = obroute.make_network(network)
    named = {one.routing.removeprefix("lft:") for one in found.standings}
    assert named == set(routings)
    loads = [one.load for one in found.standings]
    assert loads == sorted(loads)
    for one in found.standings:
        drawn = 20 if made.has_unit_terminals else 0
        alone = obroute.evaluate(network, one.routing, average_case_samples=drawn, seed=3)
        assert one.place == 1 + sum(load < one.load for load in loads)
        assert one.load == alone.worst_case_load
        assert one.uniform_load == alone.uniform.load
        assert one.length == alone.mean_path_length
        average = alone.average_case
        assert one.average == (None if average is None else average.throughput)
        count = one.virtual_channels
        assert count is not None
        routing = obroute.make_routing(one.routing)
        assert check_deadlock(made, routing, count).deadlock_free


def test_the_best_of_all_is_designed_on_request() -> None:
    """VAL has all of it on a torus; what cannot be evaluated is said, and ends nothing."""
    found = compare_engines(
        "torus:4x4", ["dor", "nowhere", "bit_fixing", "valiant"], permutations=0, best=True
    )
    assert found.best == 1
    assert found.best_table is not None
    lower, upper = found.best_table
    assert 1 <= lower <= upper <= 2
    shares = {one.routing: one.of_best for one in found.standings}
    assert found.of_best_table(found.standings[-1]) == (
        lower / found.standings[-1].load,
        upper / found.standings[-1].load,
    )
    assert shares == {"valiant": 1, "dor": Fraction(2, 3)}
    assert {name: "unknown" in why for name, why in found.refused.items()} == {
        "nowhere": True,
        "bit_fixing": False,
    }
    with pytest.raises(InputError, match="nothing to compare on torus:4x4"):
        compare_engines("torus:4x4", ["nowhere"])


def test_the_table_of_a_study_is_the_same_league() -> None:
    """From gathered evaluations and designs."""
    network, routings = CASES["tables"]
    found = compare_engines(network, routings, permutations=20)
    study = obroute.compare(network, routings, ["uniform"], average_case_samples=20)
    rows = league_table(StudyData({"evaluations": study})).rows
    assert [row["routing"] for row in rows] == [one.routing for one in found.standings]
    for row, one in zip(rows, found.standings, strict=True):
        assert row["place"] == one.place
        assert row["worst_case_load_exact"] == one.load
        assert row["uniform_load_exact"] == one.uniform_load
        assert row["random_permutations_throughput"] == one.average
        assert row["virtual_channels"] == one.virtual_channels


def test_the_command_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line a routing, its witness, and the same as CSV and JSON."""
    network, tables = CASES["tables"]
    file = tmp_path / "league.csv"
    words = ["compare-engines", network, *tables, "--permutations", "10"]
    monkeypatch.setattr("sys.argv", ["obroute", *words, "--output", str(file)])
    main()
    lines = capsys.readouterr().out.splitlines()
    said = lines[next(at for at, line in enumerate(lines) if line.startswith("routings on")) :]
    assert "worst case load" in said[1]
    assert said[5].startswith("worst cases, proved")
    assert " pairs of 1: " in said[6]
    rows = list(csv.DictReader(file.read_text().splitlines()))
    monkeypatch.setattr("sys.argv", ["obroute", *words, "--json"])
    main()
    known = json.loads(capsys.readouterr().out)
    assert [row["worst_case_load"] for row in rows] == [
        one["worst_case_load_exact"] for one in known["routings"]
    ]
    for one in known["routings"]:
        assert len({source for source, _ in one["permutation"]}) == len(one["permutation"])


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where OpenSM is not installed, its packages are named."""
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(InputError, match=r"opensm, .* is not installed; expected the programs"):
        compare_engines("ring:5")


FABRICS = {
    "torus:4x4": {"dor": 2, "lash": 2, "torus-2QoS": 2, "minhop": 5},
    "torus:5x5": {"dor": 2, "lash": 2, "torus-2QoS": 2},
    "torus:4x4,hosts=2": {"dor": 4, "lash": 4, "torus-2QoS": 4},
    "torus:8x8": {"dor": 4, "lash": 4, "minhop": 13, "nue": 17},
    "torus:3x3x3": {"dor": 3, "lash": 3, "torus-2QoS": 3},
    "torus:4x4x4": {},
    "mesh:4x4": {"dor": 3, "lash": 3, "torus-2QoS": 3},
    "ring:8": {},
    "hypercube:4": {},
    "complete:6": {},
    "leafspine:leaves=4,hosts=4,spines=2": {},
    "leafspine:leaves=6,hosts=3,spines=3": {},
    "fattree:k=4": {},
    "kary_ntree:k=3,n=2": {},
    "dragonfly:p=1,a=2,h=1": {},
    "dragonfly:p=2,a=4,h=2,groups=5": {},
    "hyperx:3x3,hosts=3": {},
    "hyperx:4x4,hosts=2": {"dor": 2, "lash": 2},
    "jellyfish:n=10,d=3,seed=1": {},
    "jellyfish:n=16,d=4,seed=2": {},
}
"""Fabrics that OpenSM routes, and what was seen of engines whose tables are no matter of order."""


@pytest.mark.slow
@pytest.mark.skipif(bool(opensm.missing()), reason=f"not installed: {opensm.missing()}")
@pytest.mark.parametrize("network", FABRICS)
def test_engines_on_twenty_fabrics(network: str, tmp_path: Path) -> None:
    """Whole, and without a cable of switches: each engine is ranked, or refused with a reason."""
    found = compare_engines(network, permutations=20, folder=tmp_path / "whole")
    every = {f"opensm:{engine}" for engine in opensm.ENGINES}
    engines = {one.routing.removeprefix("opensm:"): one for one in found.standings}
    assert {one.routing for one in found.standings} | set(found.refused) == every
    assert {name: int(engines[name].load) for name in FABRICS[network]} == FABRICS[network]
    for name, one in engines.items():
        assert one.load.denominator == 1
        assert one.load >= 1
        kept = obroute.make_network(tmp_path / "whole" / opensm.FABRIC)
        table = obroute.make_routing(tmp_path / "whole" / f"{name}.lfts")
        assert worst_cases(kept, table).load == one.load  # what was ranked is what is kept
        assert one.average is not None
        assert one.throughput is not None
        assert one.average >= float(one.throughput) - 1e-9
    again = compare_engines(network, without=[switch_cable(found.ranked_on)], permutations=0)
    assert again.standings
    assert every == {*(one.routing for one in again.standings), *again.refused}
    assert all(one.load >= 1 for one in again.standings)


@pytest.mark.slow
@pytest.mark.skipif(bool(opensm.missing()), reason=f"not installed: {opensm.missing()}")
@pytest.mark.parametrize("network", ["dragonfly:p=2,a=2,h=1", "torus:4x4,hosts=2"])
def test_engines_are_ranked_beside_routings_of_routers(network: str) -> None:
    """On the network with a node for each host; a routing keeps what it has on the routers."""
    names = ["minimal", "valiant", "ecmp"]
    found = compare_engines(network, ["opensm:minhop", *names], permutations=20)
    assert found.ranked_on.name == f"hosted:({network})"
    loads = {one.routing: one.load for one in found.standings}
    assert not found.refused
    for name in names:
        assert loads[name] == obroute.evaluate(network, name).worst_case_load
    alone = obroute.evaluate(network, "opensm:minhop")
    assert (alone.network.name, alone.worst_case_load) == (
        found.ranked_on.name,
        loads["opensm:minhop"],
    )


def test_the_tables_that_were_ranked_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSM runs once an engine, and what that run dumped is written."""
    once = [
        Dumped(
            "minhop",
            (EXAMPLES / "ring.ibnetdiscover").read_text(),
            {"lfts": (EXAMPLES / "ring-minhop.lfts").read_text()},
        )
    ]
    monkeypatch.setattr(named, "check_installed", lambda: None)
    monkeypatch.setattr(comparing, "check_installed", lambda: None)
    monkeypatch.setattr(named, "dumped", lambda *_, **__: once.pop())
    league = compare_engines("ring:5", ["opensm:minhop"], permutations=0)
    KeptTables().write(league, LeagueSettings(), tmp_path)
    for kept, made in (
        ("fabric.ibnetdiscover", "ring.ibnetdiscover"),
        ("minhop.lfts", "ring-minhop.lfts"),
    ):
        assert (tmp_path / kept).read_text() == (EXAMPLES / made).read_text()


def switch_cable(fabric: Network) -> tuple[str, str]:
    """Return the ends of the first cable between two switches."""
    hosts = {*np.flatnonzero(attached_to(fabric) != np.arange(fabric.node_count)).tolist()}
    return next(
        (fabric.node_name(tail), fabric.node_name(head))
        for tail, head in zip(fabric.tail.tolist(), fabric.head.tolist(), strict=True)
        if not {tail, head} & hosts
    )


def test_cables_that_failed_are_left_out() -> None:
    """The routings are those of what is left; a cable that is none, or that parts it, is named."""
    found = compare_engines("torus:4x4", ["ecmp", "dor"], without=[("0", "1")], permutations=0)
    assert [(one.routing, one.load) for one in found.standings] == [("ecmp", Fraction(26, 11))]
    assert "without 0 – 1" in found.name
    assert "dor" in found.refused
    with pytest.raises(InputError, match="has no cable between 0 and 5"):
        compare_engines("torus:4x4", ["ecmp"], without=[("0", "5")])
    with pytest.raises(InputError, match="is in parts"):
        compare_engines("ring:4", ["ecmp"], without=[("0", "1"), ("2", "3")])


@pytest.fixture(scope="module")
def league() -> League:
    """Return a league of a tiny network, with all that can be known, and one not ranked."""
    return compare_engines(
        "ring:4", ["dor", "valiant", "bit_fixing"], permutations=5, seed=2, best=True
    )


def test_a_league_is_stored_and_proved_again(league: League) -> None:
    """What a store holds is what was found; a rank that is not so is found."""
    cell = league.to_dataset()
    assert cell["ranked_routing"].values.tolist() == [one.routing for one in league.standings]
    assert cell["refused_routing"].values.tolist() == ["bit_fixing"]
    for rank, one in enumerate(league.standings):
        assert Fraction(str(cell["worst_case_load_exact"].values[rank])) == one.load
        flows = cell["flow_rank"].values == rank
        worst = league.evaluations[one.routing].critical.worst
        assert cell["flow_amount_exact"].values[flows].tolist() == [
            str(amount) for amount in worst.amounts.fractions()
        ]
    kind = kinds()["league"]
    assert kind.verify(cell) == sum(len(one.channels) for one in league.evaluations.values())
    for name in ("place", "worst_case_load", "average_case_throughput", "lanes_told"):
        wrong = cell.copy(deep=True)
        wrong[name].values[0] += 1
        with pytest.raises(CertificateError, match=name):
            kind.verify(wrong)


def test_a_study_has_a_cell_for_all_routings_of_an_entry(league: League) -> None:
    """Which table, figure and section rank; the words of its command say the same settings."""
    study = read_study(
        {
            "leagues": [
                {
                    "networks": ["ring:4", "mesh:3"],
                    "routings": ["valiant", "dor"],
                    "permutations": 5,
                    "without": [],
                }
            ]
        }
    )
    cells = study.cells("leagues")
    assert [cell.label for cell in cells.values()] == [
        "ring:4 valiant, dor",
        "mesh:3 valiant, dor",
    ]
    for cell in cells.values():
        assert cell.words[:4] == ["compare-engines", cell.network, "valiant", "dor"]
        assert type(cell.settings).from_words(cell.words[2:]) == cell.settings
        assert "obroute.routing.valiant" in cell.depends.modules
    with pytest.raises(InputError, match="unknown routing 'nowhere'"):
        _ = read_study({"leagues": [{"networks": ["ring:4"], "routings": ["nowhere"]}]}).sections
    data = StudyData({"leagues": gathered("league", {"a.zarr": league.to_dataset()})})
    rows = leagues_table(data).rows
    assert [row["routing"] for row in rows] == [one.routing for one in league.standings]
    assert [row["place"] for row in rows] == [one.place for one in league.standings]
    assert leagues_section(data) is not None
    (axes,) = leagues_figure(data["leagues"]).axes
    assert [tick.get_text()[0] for tick in axes.get_yticklabels()] == [
        str(one.place) for one in league.standings
    ]
