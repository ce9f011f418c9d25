"""Who uses a channel, who shares one with a pair; and what a shell completes."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from obroute import cli, make_network, make_routing
from obroute.cli.arguments import network_names, routing_names
from obroute.cli.completion import VARIABLE, Shell

NETWORK, ROUTING = "torus:3x3", "romm"


@pytest.fixture
def asked(obroute):
    """Rows that `obroute flows` prints."""

    def ask(*words: str) -> list[dict[str, str]]:
        status, printed, errors = obroute("flows", NETWORK, ROUTING, *words)
        assert (status, errors) == (0, "")
        return list(csv.DictReader(io.StringIO(printed)))

    return ask


def test_who_uses_a_channel_adds_up_to_its_pair_loads(asked) -> None:
    """The heaviest first, by whatever name a node has."""
    network = make_network(NETWORK)
    rows = asked("--channel", "(0,0),(1,0)")
    loads = make_routing(ROUTING).pair_loads(network, network.channel(0, 3))
    assert len(rows) == loads.nonzeros
    found = [Fraction(row["load_exact"]) for row in rows]
    assert sum(found) == loads.sum()
    assert found == sorted(found, reverse=True)
    assert asked("--channel", "0,3") == rows
    assert asked("--channel", "0,3", "--top", "2") == rows[:2]


def test_who_shares_a_channel_with_a_pair(asked) -> None:
    """On each channel that it crosses, everyone but itself; what it adds there stands beside."""
    rows = asked("--with", "0,4")
    channels = {(row["tail"], row["head"]): Fraction(row["own_load_exact"]) for row in rows}
    assert sum(channels.values()) == 2  # hops
    assert ("(0,0)", "(1,1)") not in {(row["source"], row["destination"]) for row in rows}
    for tail, head in channels:
        beside = [row["source"] for row in rows if (row["tail"], row["head"]) == (tail, head)]
        assert len(beside) == len(asked("--channel", f"{tail},{head}")) - 1


def test_channels_that_carry_most_come_first(asked) -> None:
    """All of a torus carry the same under ROMM; each is listed once."""
    rows = asked()
    assert len(rows) == make_network(NETWORK).channel_count
    assert len({(row["tail"], row["head"]) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--channel", "0,17"], "expected two nodes of torus:3x3 with a comma between"),
        (["--channel", "0,4"], "has no channel from node (0,0) to node (1,1)"),
        (["--channel", "0,1", "--with", "0,1"], "ask one at a time"),
        (["--with", "0"], "expected two nodes"),
    ],
)
def test_what_names_no_channel_or_pair_is_one_line(obroute, words, message) -> None:
    """With status 2."""
    status, printed, errors = obroute("flows", NETWORK, ROUTING, *words)
    assert (status, printed) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("shell", Shell)
def test_a_shell_gets_its_completion(obroute, shell) -> None:
    """A script that asks this command line."""
    status, printed, _ = obroute("completion", shell)
    assert status == 0
    assert VARIABLE in printed


def test_a_shell_that_asks_is_told_commands_and_options() -> None:
    """By the words so far; nothing that computes is loaded for it."""
    program = Path(sys.executable).parent / "obroute"
    for words, completed in (
        ("obroute verify --e", {"--each"}),
        ("obroute evaluate torus:9x9 o1", {"o1turn"}),
    ):
        place = str(len(words.split()) - 1)
        asking = {VARIABLE: "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
        done = subprocess.run(
            [program], env=os.environ | asking, capture_output=True, text=True, check=True
        )
        assert set(done.stdout.split()) == completed


def test_names_are_completed_from_what_is_registered() -> None:
    """Networks with the sizes of their examples, routings with parameters; nothing else."""
    assert all(name.startswith("torus") for name in network_names("TORUS"))
    assert network_names("torus")
    assert {"romm", "romm:order=fixed"} <= set(routing_names("romm"))
    assert network_names("edges.c") == routing_names("edges.c") == []


def test_flags_stand_in_the_help_as_flags(obroute) -> None:
    """They take no word; and `-h` is help everywhere."""
    status, printed, _ = obroute("verify", "-h")
    assert status == 0
    (line,) = [line for line in printed.splitlines() if "--each" in line]
    assert "bool" not in line


def test_every_command_that_takes_a_network_or_a_routing_completes_its_name() -> None:
    """But the shapes that one method alone is for."""
    beginnings = {"network": "tor", "routing": "dor"}
    silent = set()
    for name, command in cli.command().commands.items():
        context = command.make_context(name, [], resilient_parsing=True)
        for argument in command.params:
            beginning = beginnings.get(argument.name)
            if argument.param_type_name != "argument" or not beginning:
                continue
            if not argument.shell_complete(context, beginning):
                silent.add((name, argument.name))
    assert silent == {("correspond", "network"), ("prove", "routing")}
