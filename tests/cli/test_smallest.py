"""The smallest networks, in every command: right answers worked out by hand, or one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from obroute import InputError, Network

PAIRS = {"ring:2": "dor", "hypercube:1": "bit_fixing", "complete:2": "ecmp", "two.csv": "ecmp"}
COMMANDS = [
    "evaluate NET ecmp",
    "evaluate NET ecmp --all-channels --average-case 3",
    "evaluate NET ecmp --sampled-paths 3",
    "design NET",
    "design NET --objective average_case --samples 3",
    "design NET --objective capacity",
    "design NET --objective capacity --traffic self.csv",
    "pareto NET",
    "deploy NET --restriction single_path --moves 8",
    "deploy NET --restriction wcmp --moves 8",
    "simulate NET ecmp",
    "simulate NET ecmp --traffic uniform --rate 0.5 --steps 100",
    "simulate NET ecmp --traffic uniform --saturation --steps 200",
    "deadlock NET ecmp",
    "decompose NET uniform",
    "convergence NET ecmp",
    "adversary NET ecmp",
]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.csv").write_text("a,b\nb,a\n")
    Path("islands.csv").write_text("a,b\nb,a\nc,d\nd,c\n")
    Path("one_way.csv").write_text("a,b\n")
    Path("self.csv").write_text("source,destination,amount\na,a,1\nb,b,1\n")
    Path("first.csv").write_text("a\n")
    Path("here.csv").write_text("a\nb\n")
    Path("there.csv").write_text("node,injection,ejection\na,1,0\nb,0,1\n")


@pytest.mark.parametrize(("network", "routing"), PAIRS.items())
def test_two_nodes_that_send_to_each_other(answer, network: str, routing: str) -> None:
    """Each sends one packet a cycle over the one channel to the other: load 1; uniform, half."""
    found = answer("evaluate", network, routing, "--average-case", "9")
    assert found["worst_case_load_exact"] == found["worst_case_throughput_exact"] == "1"
    assert found["uniform_load_exact"] == found["capacity_load_exact"] == "1/2"
    assert found["mean_path_length_exact"] == found["fraction_of_capacity_exact"] == "1/2"
    assert found["average_case"]["throughput"] is None  # infinite: some send to themselves


@pytest.mark.parametrize("network", ["two.csv", "one_way.csv", "islands.csv"])
def test_one_node_that_sends_to_another(answer, network: str) -> None:
    """The only path is the worst case, and uniform traffic, and what is designed."""
    spec = f"{network}:terminals=there.csv"
    found = answer("evaluate", spec, "ecmp")
    assert found["worst_case_load_exact"] == found["uniform_load_exact"] == "1"
    assert found["fraction_of_capacity_exact"] == found["mean_path_length_exact"] == "1"
    assert answer("design", spec)["routing_load_exact"] == "1"


def test_terminals_of_one_island_are_a_network(answer) -> None:
    """Channels that lead to no terminal carry nothing."""
    found = answer("evaluate", "islands.csv:terminals=here.csv", "ecmp", "--all-channels")
    assert found["worst_case_load_exact"] == "1"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers_for_two_nodes(obroute, command: str) -> None:
    """With what is defined for them; the average of two permutations too."""
    status, _, line = obroute(*command.replace("NET", "two.csv").split())
    assert (status, line) == (0, "")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("network", "why"),
    [
        ("two.csv:terminals=first.csv", "node a is the only terminal, and nothing that it sends"),
        ("islands.csv", "islands.csv is disconnected: no path leads from node a to node c"),
        ("one_way.csv", "one_way.csv is disconnected: no path leads from node b to node a"),
    ],
)
def test_what_has_no_answer_is_one_line(obroute, command: str, network: str, why: str) -> None:
    """One terminal loads no channel; of two that no path joins nothing can be said."""
    status, printed, line = obroute(*command.replace("NET", network).split(), "--json")
    assert (status, printed, line.count("\n")) == (2, "", 1)
    assert why in line


def test_a_network_of_one_node_is_none() -> None:
    """It has one terminal at the most."""
    with pytest.raises(InputError, match="node 0 is the only terminal"):
        Network("point", 1, [], [])
    with pytest.raises(InputError, match="no terminal injects or ejects"):
        Network("nothing", 0, [], [])
