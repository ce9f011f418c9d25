"""Which topology guarantees what: structure, guarantees, the table and the section."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.cases import FABRIC, FIRST, network_of
from tests.support.datasets import design_dataset, gathered_dataset

import obroute
from obroute.report.topologies import topologies_section
from obroute.trends.structure import structure_of
from obroute.trends.topologies import topologies
from obroute.views import Coverage, StudyData, Table, tables

F = Fraction
NAMES = ["complete:4", "mesh:3x3", "ring:5"]


@pytest.fixture(scope="module")
def data() -> StudyData:
    """Give a study of three families with two routings, and the best of two of them."""
    found = {
        f"{name.replace(':', '-')}/optimal.zarr": design_dataset(obroute.design(name))
        for name in NAMES[:2]
    }
    designs = gathered_dataset(found, "small")
    return StudyData(
        {"evaluations": obroute.compare(NAMES, ["ecmp", "optimal"]), "designs": designs}
    )


@pytest.mark.parametrize("name", [*sorted(FIRST), FABRIC])
def test_structure_is_what_one_counts(name: str) -> None:
    """Node by node, in plain Python."""
    network = network_of(name)
    found = structure_of(network)
    after: dict[int, list[int]] = {node: [] for node in range(network.node_count)}
    before: dict[int, list[int]] = {node: [] for node in range(network.node_count)}
    for tail, head in zip(network.tail.tolist(), network.head.tolist(), strict=True):
        after[tail].append(head)
        before[head].append(tail)
    terminals = {*network.sources.tolist(), *network.destinations.tolist()}
    hosts = {n for n in terminals if len(after[n]) == 1 and after[n] == before[n]}
    if len(hosts) == network.node_count:
        hosts = set()
    switches = set(after) - hosts
    assert found.switches == len(switches)
    assert found.hosts == sum(network.injection.fractions(), F(0))
    assert found.degree == max(sum(one not in hosts for one in after[n]) for n in switches)
    own = sum(
        (
            amount
            for node, amount in zip(
                network.sources.tolist(), network.injection.fractions(), strict=True
            )
            if node in switches
        ),
        F(0),
    )
    assert found.ports == sum(len(after[n]) for n in switches) + own // 1
    entered = {after[n][0] if n in hosts else n for n in network.sources.tolist()}
    left = {before[n][0] if n in hosts else n for n in network.destinations.tolist()}
    assert found.diameter == max(hops(after, n)[m] for n in entered for m in left)


def hops(after: dict[int, list[int]], start: int) -> dict[int, int]:
    """Count the hops from a node to each that it reaches."""
    found, edge = {start: 0}, [start]
    for node in edge:
        for one in after[node]:
            if one not in found:
                found[one] = found[node] + 1
                edge.append(one)
    return found


def test_guarantees_are_those_of_the_evaluations_the_best_first(data: StudyData) -> None:
    """Beside what the designs prove that any routing can."""
    complete, mesh, ring = topologies(data)
    assert [one.network for one in (complete, mesh, ring)] == NAMES
    assert complete.best_load == F(1, 2)
    assert ring.best_load is None
    assert [one.load for one in complete.guarantees] == [F(1, 2), 1]
    assert mesh.best_load == F(7, 6)
    assert mesh.capacity_load == F(2, 3)
    judged = {guarantee.routing: guarantee.virtual_channels for guarantee in mesh.guarantees}
    assert judged == {"ecmp": 3, "optimal": None}


def test_the_table_has_a_line_a_network_and_routing(data: StudyData) -> None:
    """With nothing where nothing was proved."""
    rows = list(tables.find("topologies").of(data).rows)
    assert [(row["network"], row["routing"]) for row in rows][:2] == [
        ("complete:4", "optimal"),
        ("complete:4", "ecmp"),
    ]
    assert {row["best_load_exact"] for row in rows} == {"1/2", "7/6", ""}


def test_a_study_of_several_families_has_the_section(data: StudyData) -> None:
    """One of two families has neither section nor table."""
    section = topologies_section(data)
    assert section is not None
    structure, guarantees = (block for block in section.blocks if isinstance(block, Table))
    assert structure.rows[0][0] == "complete:4"
    assert len(guarantees.rows) == 6
    assert (
        topologies_section(StudyData({"evaluations": obroute.compare(NAMES[:2], ["ecmp"])}))
        is None
    )
    applies = tables.find("topologies").applies
    assert applies(Coverage({}, frozenset(NAMES)))
    assert not applies(Coverage({}, frozenset([*NAMES[:2], "mesh:4x4"])))


def test_networks_of_files_have_no_structure_to_compare(tmp_path: Path) -> None:
    """They are nobody's family."""
    (tmp_path / "net.csv").write_text("a,b\nb,a\n", encoding="utf-8")
    study = obroute.compare([*NAMES, str(tmp_path / "net.csv")], ["ecmp"])
    assert [one.network for one in topologies(StudyData({"evaluations": study}))] == NAMES
