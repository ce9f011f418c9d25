"""What a command runs is in the source of what it was asked for: the reading misses nothing.

Commands are run with every function that is called noted; the files of these are held against the
closure that is read from imports. An import by name (of a registry, say) would show here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import what_ran

from obroute import InputError, make_network, make_pattern, make_routing
from obroute.dependencies import Dependencies, sources
from obroute.importers.registry import importers
from obroute.kinds.registry import kinds
from obroute.routing import routings
from obroute.topologies import networks
from obroute.traffic import patterns

EXAMPLES = Path(__file__).parents[1] / "examples"
INFINIBAND = Path(__file__).parent / "inputs" / "infiniband"
NETWORKS = ("torus:3x3", "butterfly:2", "hypercube:2", "complete:4")
KINDS = [kind.name for kind in kinds().values()]
SAID = ("__init__", "shown", "tables")
GLUE = (
    "cli/",  # reads the command and prints
    "dependencies.py",  # finds what this test is about
    "execution/",  # says where tasks run
    "memory.py",  # estimates memory
    "breakdown.py",  # says in words what adds up to a load
    "importers/registry.py",  # finds a family by its name
    "kinds/",  # finds a kind, writes its stores and shows its answers
    "results/datasets.py",  # makes and checks a dataset
    "results/provenance.py",  # says what made it
    "results/stores.py",  # writes it
    "writing.py",  # where a link leads
    "experiments/packets.py",  # says on which networks traffic is defined
    "progress.py",  # says how far it is
    *(f"experiments/{kind}/{file}.py" for kind in KINDS for file in SAID),
)
"""What runs and computes no number that is kept."""

Case = tuple[list[str], str, str, list[str], tuple[str, ...]]
"""A command, its network, routing and patterns, and the modules that work out its numbers."""


def code(kind: str) -> tuple[str, ...]:
    """Return the modules that work out and store the numbers of a kind of experiment."""
    found = kinds()[kind]
    return found.code or (type(found).__module__,)


def defined_on(name: str) -> str:
    """Return the first small network that a routing is defined on."""
    for network in (*NETWORKS, *(spec for entry in networks for spec in entry.small)):
        try:
            make_routing(name).check(make_network(network))
        except InputError:
            continue
        return network
    raise AssertionError(f"{name} is defined on no small network")


def evaluations(folder: Path) -> Iterator[Case]:
    """Yield an evaluation by every registered routing, and some of everything else."""
    files = {
        "edges.dat": "tail,head\na,b\nb,c\nc,a\n",
        "hosts.txt": "a\nb\n",
        "ring.json": json.dumps([1, 2, 0]),
        "routes": "source,destination,probability,path\n"
        + "".join(f"{s},{d},1,{s} {d}\n" for s in "0123" for d in "0123" if s != d),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    store, table, edges = folder / "best.zarr", folder / "routes", folder / "edges.dat"
    given = {
        "designed": ("torus:3x3", f"{store}"),
        "table": ("complete:4", f"{table}"),
        "garnet": (f"{EXAMPLES / 'mesh.ini'}", "garnet"),
        "lft": (f"{INFINIBAND / 'fabric.ibnetdiscover'}", f"{INFINIBAND / 'minhop.lfts'}"),
    }
    work = code("evaluation")
    design = ["design", "torus:3x3", "--save", str(store)]
    yield design, "torus:3x3", "", [], code("design")
    for entry in routings:
        if entry.name not in given:
            given[entry.name] = (defined_on(entry.small[0]), entry.small[0])
        network, routing = given[entry.name]
        yield ["evaluate", network, routing], network, routing, [], work
    on_grids = [entry.name for entry in patterns if not any(p.required for p in entry.parameters)]
    options = [part for name in on_grids for part in ("--pattern", name)]
    yield ["evaluate", "torus:4x4", "dor", *options], "torus:4x4", "dor", on_grids, work
    drawn = ["--random-permutations", "2", "--average-case", "2", "--matrix-kind", "sinkhorn"]
    yield ["evaluate", "mesh:3x3", "dor", *drawn], "mesh:3x3", "dor", [], work
    network, traffic = f"{edges}:terminals={folder / 'hosts.txt'}", f"permutation:{folder}/r.csv"
    (folder / "r.csv").write_text("source,destination\na,b\n")
    options = ["--pattern", traffic, "--all-channels"]
    yield ["evaluate", network, "ecmp", *options], network, "ecmp", [traffic], work
    combined = f"1/2*table:{table}+1/4*ecmp+1/4*optimal"
    yield ["evaluate", "complete:4", combined], "complete:4", combined, [], work
    packets = code("simulation")
    simulated = ["simulate", "torus:3x3", "romm", "--traffic", "tornado", "--seeds", "2"]
    yield simulated, "torus:3x3", "romm", ["tornado"], packets


@pytest.mark.slow
def test_what_a_command_runs_is_in_the_source_that_it_depends_on(tmp_path: Path) -> None:
    """By every routing, on networks and traffic of every kind, in evaluation and simulation."""
    cases = list(evaluations(tmp_path))
    ran = subprocess.run(
        [sys.executable, what_ran.__file__],
        input=json.dumps([command for command, *_ in cases]),
        env=os.environ,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    readers = {entry.make.__module__ for entry in importers} | {"obroute.importers.description"}
    missed = {}
    for line, (command, network, routing, traffic, work) in zip(
        ran.stdout.splitlines(), cases, strict=True
    ):
        things = [make_network(network), *map(make_pattern, traffic)]
        if routing:
            things.append(make_routing(routing))
        parts = Dependencies.union(thing.depends_on() for thing in things)
        found = sources((*work, *parts.modules))
        # Every reader is asked whether a file is its own; the one whose it is stands in the parts.
        asked = [f"{module.removeprefix('obroute.').replace('.', '/')}.py" for module in readers]
        glue = (*GLUE, *(file for file in asked if file not in found))
        assert readers.isdisjoint(parts.modules) == (not Path(network.partition(":")[0]).is_file())
        files = [file for file in json.loads(line) if not file.startswith(glue)]
        missed[" ".join(command)] = [file for file in files if file not in found]
    unread = {command: files for command, files in missed.items() if files}
    assert unread == {}, unread
