"""The command line: what it prints, and how it answers bad input."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import obroute as package
from obroute import cli, extras
from obroute.cli.later import command_line

FABRIC = "h0,s0\ns0,h0\nh1,s0\ns0,h1\ns0,s1,2\ns1,s0,2\nh2,s1\ns1,h2\nh3,s1\ns1,h3\n"


def test_evaluate_prints_the_documented_keys(answer):
    """The JSON of an evaluation has every documented key, exact values as text."""
    found = answer("evaluate", "torus:9x9", "romm", "--pattern", "tornado")
    assert found["network"] == "torus:9x9"
    assert found["routing"] == "romm"
    assert found["worst_case_load_exact"] == "32/5"
    assert found["worst_case_load"] == 6.4
    assert found["worst_case_throughput"] == 0.15625
    assert found["capacity_load_exact"] == "10/9"
    assert found["fraction_of_capacity"] == pytest.approx(25 / 144)
    assert {found["channel"]["tail"], found["channel"]["head"]} <= set(range(81))
    assert sorted(found["permutation"]) == list(range(81))
    assert found["mean_path_length_exact"] == "40/9"
    assert found["certified"] is True
    assert found["patterns"][0]["pattern_load_exact"] == "4"


def test_evaluate_reads_for_a_person(obroute):
    """Without ``--json`` the exact value and the decimal stand on one line."""
    status, printed, _ = obroute("evaluate", "torus:5x5", "romm")
    assert status == 0
    assert "8/3 = 2.66667" in printed
    assert "certified" in printed


def test_file_of_edges_with_terminals(answer, tmp_path):
    """A fabric of switches and hosts: the worst case is over its terminals."""
    edges, hosts = tmp_path / "edges.csv", tmp_path / "hosts.csv"
    edges.write_text(FABRIC)
    hosts.write_text("h0,2\nh1\nh2,2,1\nh3,1,2\n")
    found = answer("evaluate", f"{edges}:terminals={hosts}", "ecmp")
    assert found["worst_case_load_exact"] == "2"
    assert found["permutation"] is None
    assert sum(int(flow["amount_exact"]) for flow in found["traffic"]) == 6
    assert found["channel"]["tail_name"] == "h0"


def test_routing_table_and_interpolation(answer, tmp_path):
    """A table of paths and a combination of routings are routings like any other."""
    table = tmp_path / "routes.csv"
    rows = ["source,destination,probability,path"]
    for s in range(3):
        for d in range(3):
            if s != d:
                rows.append(f"{s},{d},1,{s} {d}")
    table.write_text("\n".join(rows))
    assert answer("evaluate", "complete:3", table)["worst_case_load_exact"] == "1"
    mixed = answer("evaluate", "torus:4x4", "1/3*dor+2/3*valiant")
    assert mixed["routing"] == "1/3*dor+2/3*valiant"
    assert mixed["worst_case_load_exact"] == "7/6"


def test_estimate_is_never_called_certified(answer):
    """Sampled paths give an interval; a standard error too where there is more than one path."""
    command = ["evaluate", "torus:4x4", "romm", "--seed", 3, "--sampled-paths"]
    found = answer(*command, 20)
    assert found["certified"] is False
    estimate = found["estimate"]
    assert estimate["standard_error"] > 0
    assert estimate["lower"] < 4 / 3 < estimate["upper"]
    assert (estimate["confidence"], estimate["pairs"], estimate["drawn_paths"]) == (
        0.95,
        "canonical",
        320,
    )
    every = answer(*command, 1, "--sampled-pairs", "all")["estimate"]
    assert every["standard_error"] is None
    assert (every["pairs"], every["drawn_paths"]) == ("all", 256)


def test_one_path_a_pair_is_never_printed_with_an_error(obroute):
    """It has no spread; ± 0 would claim the opposite. Bounds take the place of values."""
    status, printed, _ = obroute("evaluate", "torus:4x4", "romm", "--sampled-paths", 1)
    assert status == 0
    assert "±" not in printed
    assert "no standard error: one path a pair has no spread" in printed
    assert "from 0.5 to 16, with at least 95% confidence" in printed


def test_all_channels_agree_with_focus_channels(answer):
    """Symmetry changes the work, not the result."""
    focus = answer("evaluate", "torus:4x3", "romm")
    every = answer("evaluate", "torus:4x3", "romm", "--all-channels")
    assert every["worst_case_load_exact"] == focus["worst_case_load_exact"] == "17/12"
    assert every["focus_channels"] == 48


def test_threads_and_sync_agree(answer):
    """Where tasks run does not show in the result."""
    runs = [
        answer("evaluate", "mesh:4x4", "romm", "--threads", threads, "--scheduler", scheduler)
        for threads, scheduler in ((2, "threads"), (1, "threads"), (1, "sync"))
    ]
    for found in runs:
        del found["seconds"]
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("kind", ["networks", "routings", "patterns"])
def test_list_names_everything_registered(answer, obroute, kind):
    """`list` shows each family with its parameters, for people and in JSON."""
    entries = answer("list", kind)
    assert all(entry["name"] and entry["summary"] for entry in entries)
    _, printed, _ = obroute("list", kind)
    for entry in entries:
        assert entry["usage"] in printed
        assert all(example in printed for example in entry["examples"])


def test_save_verify_and_tamper(answer, obroute, tmp_path):
    """A saved store verifies; a changed certificate is found and named, with exit status 1."""
    import obroute as library

    store = tmp_path / "cell.zarr"
    status, *_ = obroute("evaluate", "torus:4x4", "romm", "--save", store)
    assert status == 0
    assert answer("verify", tmp_path)["stores"][0]["certificates"] == 1
    cell = library.read_store(store)
    permutation = cell["worst_permutation"].values.copy()
    permutation[0, [0, 1]] = permutation[0, [1, 0]]
    cell["worst_permutation"].values[:] = permutation
    library.write_store(cell, store)
    status, _, errors = obroute("verify", store)
    assert status == 1
    assert "cell.zarr" in errors
    assert "channel 0" in errors


def write(folder: Path, name: str, text: str) -> Path:
    """Write a file of a test."""
    file = folder / name
    file.write_text(text)
    return file


def test_bad_input_is_one_line_and_status_2(obroute, tmp_path):
    """Each kind of bad input is named with its remedy, without a traceback."""
    cases = {
        ("evaluate", "tors:4x4", "dor"): ["tors", "did you mean 'torus'"],
        ("evaluate", "torus:4x4", "rom"): ["rom", "did you mean 'romm'"],
        ("evaluate", "torus:4x4", "romm:ordr=fixed"): ["ordr", "did you mean 'order'"],
        ("evaluate", "torus:4x4", "romm:order=fast"): ["fast", "expected fixed, random"],
        ("evaluate", "torus:4x4", "dor:order=0-1-2"): ["3 dimensions"],
        ("evaluate", "torus:1x4", "dor"): ["radix 1", "at least 2"],
        ("evaluate", "torus:4y4", "dor"): ["4y4", "8x8"],
        ("evaluate", "torus:4x4", "dor", "--pattern", "tornad"): ["tornad", "tornado"],
        ("evaluate", "torus:3x3", "dor", "--pattern", "shuffle"): ["shuffle", "power of two"],
        ("evaluate", "complete:5", "dor"): ["dor is not defined on complete:5", "torus"],
        ("evaluate", "mesh:4x4", "rlb"): ["rlb is not defined on mesh:4x4"],
        ("evaluate", "torus:4x4", "1/3*dor+1/3*romm"): ["sum to 2/3"],
        ("evaluate", "torus:4x4", "dor", "--scheduler", "cluster"): ["unknown scheduler"],
        ("evaluate", "torus:4x4", "dor", "--scheduler", tmp_path / "none.json"): ["none.json"],
        ("evaluate", "torus:4x4", "dor", "--average-case", 3, "--matrix-kind", "odd"): ["odd"],
        ("evaluate", tmp_path / "none.csv", "ecmp"): ["cannot read", "none.csv"],
        ("evaluate", write(tmp_path, "split.csv", "a,b\nb,a\nc,d\nd,c\n"), "ecmp"): [
            "disconnected",
            "no path leads from node a to node c",
        ],
        ("evaluate", write(tmp_path, "loop.csv", "a,a\n"), "ecmp"): ["joins node a to itself"],
        ("evaluate", write(tmp_path, "zero.csv", "a,b,0\nb,a,1\n"), "ecmp"): ["not positive"],
        ("evaluate", write(tmp_path, "wide.csv", "a,b,1,9\n"), "ecmp"): ["line 1"],
        (
            "evaluate",
            "ring:3",
            "dor",
            "--pattern",
            write(tmp_path, "twice.csv", "1\n1\n0\n"),
        ): ["no permutation", "comes twice"],
        ("evaluate", "ring:3", "dor", "--pattern", write(tmp_path, "short.csv", "1\n0\n")): [
            "lists 2 destinations",
            "3 sources",
        ],
        (
            "evaluate",
            "complete:2",
            write(
                tmp_path,
                "half.csv",
                "source,destination,probability,path\n0,1,1/2,0 1\n1,0,1,1 0\n",
            ),
        ): ["sum to 1/2", "expected 1"],
        ("verify", tmp_path / "none.zarr"): ["none.zarr", "does not exist"],
        ("check", write(tmp_path, "study.yaml", "networcs: [a]\n")): ["networcs", "networks"],
    }
    for arguments, expected in cases.items():
        status, printed, errors = obroute(*arguments)
        assert status == 2, (arguments, printed, errors)
        assert len(errors.strip().splitlines()) == 1, errors
        assert "Traceback" not in errors
        for words in expected:
            assert words in errors, (arguments, errors)


def test_damaged_stores_are_told_apart(obroute, tmp_path):
    """A truncated store, one of another version and one that is none each say so."""
    store = tmp_path / "cell.zarr"
    obroute("evaluate", "ring:4", "dor", "--save", store)
    for name, damage, words in (
        ("truncated", lambda p: shutil.rmtree(p / "source_potential"), "truncated"),
        ("chunk", lambda p: shutil.rmtree(p / "tail" / "c"), "truncated or was changed"),
        ("empty", lambda p: (p / "zarr.json").write_text(""), "truncated"),
        ("none", lambda p: (p / "zarr.json").unlink(), "holds no zarr.json"),
        (
            "version",
            lambda p: (p / "zarr.json").write_text(
                (p / "zarr.json").read_text().replace('"schema_version": 3', '"schema_version": 9')
            ),
            "schema version 9",
        ),
    ):
        copy = tmp_path / "copies" / f"{name}.zarr"
        shutil.copytree(store, copy)
        damage(copy)
        status, _, errors = obroute(
            "gather", copy.name, "--folder", copy.parent, "--output", tmp_path / "study.zarr"
        )
        assert status == 2, name
        assert words in errors, (name, errors)
        assert not (tmp_path / "study.zarr").exists()


def test_failed_evaluation_leaves_the_old_store(obroute, tmp_path):
    """Bad input does not touch what was saved before."""
    store = tmp_path / "cell.zarr"
    obroute("evaluate", "ring:4", "dor", "--save", store)
    before = sorted(file.read_bytes() for file in store.rglob("*") if file.is_file())
    status, *_ = obroute("evaluate", "ring:4", "dor", "--pattern", "nothing", "--save", store)
    assert status == 2
    assert sorted(f.read_bytes() for f in store.rglob("*") if f.is_file()) == before
    assert [file.name for file in tmp_path.iterdir()] == ["cell.zarr"]


def test_save_refuses_to_replace_what_is_no_store(obroute, tmp_path):
    """A file or folder that is no store is not overwritten."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "data.txt").write_text("mine")
    status, _, errors = obroute("evaluate", "ring:4", "dor", "--save", precious)
    assert status == 2
    assert "is no store" in errors
    assert (precious / "data.txt").read_text() == "mine"


def test_help_lists_the_commands(obroute):
    """`obroute --help` names every command."""
    status, printed, _ = obroute("--help")
    assert status == 0
    for command in ("evaluate", "verify", "list", "gather", "table", "figure", "report", "schema"):
        assert command in printed
    assert "─ Commands ─" not in printed  # every one stands under a heading of its own
    assert printed.count("─ Ask about a network and its routings ─") == 1


def test_commands_made_when_asked_for_are_those_made_at_once():
    """The help of all is the same, and so are the words, the help and the options of each."""
    asked_for, at_once = command_line(cli.app), typer.main.get_command(cli.app)
    context = at_once.make_context("obroute", ["check"])
    assert asked_for.list_commands(context) == at_once.list_commands(context)
    of_all = ("name", "help", "short_help", "hidden", "deprecated", "rich_help_panel")
    of_one = ("name", "opts", "secondary_opts", "help", "default", "required", "nargs", "metavar")
    for name, outline in asked_for.commands.outlines().items():
        made, expected = (one.get_command(context, name) for one in (asked_for, at_once))
        for one in (outline, made):
            assert [getattr(one, said) for said in of_all] == [
                getattr(expected, said) for said in of_all
            ]
        given, wanted = (
            [[getattr(parameter, said, None) for said in of_one] for parameter in one.params]
            for one in (made, expected)
        )
        assert given == wanted
        assert made.context_settings == expected.context_settings


INTERRUPTED = """
import builtins, sys
from obroute_command import main
load, stop_at = builtins.__import__, sys.argv.pop(1)

def interrupted(name, *rest, **named):
    if name == stop_at or name.startswith(stop_at + "."):
        raise KeyboardInterrupt
    return load(name, *rest, **named)

builtins.__import__ = interrupted
main()
"""


@pytest.mark.parametrize(
    "moment", ["numpy", "numba", "scipy.sparse", "typer", "obroute.throughput"]
)
def test_ctrl_c_while_libraries_load_is_one_line(moment):
    """Whatever is being imported; there is no traceback in the log of a job that only starts."""
    command = [sys.executable, "-c", INTERRUPTED, moment, "evaluate", "torus:9x9", "romm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    "where",
    [
        "obroute.experiments.evaluation.store.evaluate",
        "obroute.cli.Commands.parse_args",
        "typer.core.TyperCommand.parse_args",
    ],
)
def test_ctrl_c_in_a_command_is_left_to_the_entry_point(obroute, monkeypatch, where):
    """It passes through Typer, wherever it comes."""

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, stopped)
    with pytest.raises(KeyboardInterrupt):
        obroute("evaluate", "ring:3", "dor")


STARTS = """
import sys, types
package = types.ModuleType("obroute")
package.__path__ = [sys.argv[1]]
sys.modules["obroute"] = package
import obroute.cli
print(*sys.modules)
"""


def test_commands_are_known_before_anything_that_computes_is_loaded():
    """So that help takes a moment; what computes is loaded by the command that needs it."""
    command = [sys.executable, "-c", STARTS, str(Path(extras.__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {module.partition(".")[0] for module in done.stdout.split()}
    assert loaded.isdisjoint({"numpy", "numba", "scipy", "xarray", "zarr", "dask", "highspy"})


def test_the_version_is_that_of_the_package(obroute) -> None:
    """In one line."""
    assert obroute("--version") == (0, f"obroute {package.__version__}\n", "")


def test_a_short_option_asks_for_help_of_every_command(obroute) -> None:
    """As the long one does."""
    assert obroute("-h") == obroute("--help")
    assert obroute("evaluate", "-h") == obroute("evaluate", "--help")


def test_names_are_known_in_capital_letters(obroute) -> None:
    """As reports and papers print them; what is made is called by its own name."""
    status, printed, _ = obroute("evaluate", "Torus:3x3", "1/2*DOR+1/2*VAL")
    assert (status, printed.splitlines()[0]) == (0, "1/2*dor+1/2*valiant on torus:3x3")


def test_a_file_goes_before_a_family_in_capital_letters(obroute, tmp_path, monkeypatch) -> None:
    """The name that is exactly there is meant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "RING").write_text("a,b\nb,a\n", encoding="utf-8")
    status, printed, _ = obroute("evaluate", "RING", "ecmp")
    assert status == 0
    assert "ecmp on RING\n" in printed
