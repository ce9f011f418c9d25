"""Proofs to hand on: each case has one, it is the same each time, and no forged one passes."""

from __future__ import annotations

import ast
import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.cases import FABRIC, LOPSIDED, all_cases, evaluated, network_of, parameters
from tests.support.proof_twin import claims_hold

import obroute
from obroute.kinds.registry import kinds
from obroute.proofs import check_proof, checker_source
from obroute.specs import CertificateError, InputError

Run = Callable[..., tuple[int, str, str]]
CHECKER = Path(check_proof.__file__)

ANSWERS: dict[str, Callable[[], Any]] = {
    "symmetric": lambda: evaluated("ring:3", "valiant"),
    "hosts, units, parallel channels": lambda: evaluated(FABRIC, "ecmp"),
    "no symmetry, bandwidths": lambda: evaluated(LOPSIDED, "ecmp"),
    "design": lambda: obroute.design("ring:3", then="locality"),
    "bounded path length": lambda: obroute.design("ring:3", locality=Fraction(9, 8)),
    "shortest paths": lambda: obroute.design("ring:4", paths="minimal"),
    "listed paths": lambda: obroute.design("ring:3", paths="valiant"),
    "design of hosts": lambda: obroute.design(network_of(FABRIC)),
    "design without symmetry": lambda: obroute.design(network_of(LOPSIDED)),
}


@cache
def text_of(name: str) -> str:
    """Return the proof of one of the answers."""
    return obroute.certificate(ANSWERS[name]())


def proved(text: str) -> list[str]:
    """Return what the checker says of a text."""
    found: list[str] = check_proof.check(json.loads(text))
    return found


# ------------------------------------------------------------------------------ what is proved


@pytest.mark.parametrize("case", parameters(all_cases()))
def test_every_routing_on_every_network_has_a_proof(case):
    """It claims what was evaluated, and passes the checker as it is read from its text."""
    found = evaluated(case.network, case.routing)
    text = obroute.certificate(found)
    proof = json.loads(text)
    assert proof["claims"] == {
        "worst_case_load": str(found.worst_case_load),
        "mean_path_length": str(found.mean_path_length),
    }
    assert f"is {found.worst_case_load}:" in proved(text)[0]
    solved = found.channels if found.bounds is None else found.bounds.channels
    assert len(proof["channels"]) == len(solved)


@pytest.mark.parametrize("name", ANSWERS)
def test_claims_are_what_linear_programs_find(name):
    """Of the table and of all routings, by code that shares nothing with either side."""
    assert claims_hold(json.loads(text_of(name)))


@pytest.mark.parametrize("name", ["symmetric", "design", "bounded path length"])
def test_a_false_claim_is_seen_by_what_claims_are_held_against(name):
    """Each one alone, a little too good to be true."""
    proof = json.loads(text_of(name))
    for at in (*proof["claims"],):
        better = str(Fraction(proof["claims"][at]) * Fraction(99, 100))
        assert not claims_hold(forged(proof, ("claims", at), better))
    for place, bound in enumerate(proof["bounds"]):
        higher = str(Fraction(bound[bound["least"]]) * Fraction(101, 100))
        assert not claims_hold(forged(proof, ("bounds", place, bound["least"]), higher))


@pytest.mark.parametrize("name", ["symmetric", "design", "listed paths"])
def test_it_is_the_same_from_an_answer_a_dataset_and_a_store(name, obroute, tmp_path):
    """Byte for byte, by the function and by the command."""
    import obroute as library

    answer, store = ANSWERS[name](), tmp_path / "store.zarr"
    library.write_store(answer, store)
    expected = text_of(name)
    assert library.certificate(answer) == library.certificate(library.to_dataset(answer))
    assert library.certificate(answer) == library.certificate(store) == expected
    assert obroute("certificate", store) == (0, expected, "")


def test_a_design_says_what_no_routing_does():
    """With the paths and the path length that it is said of."""
    assert proved(text_of("design"))[2:] == [
        "no routing has a worst-case load below 2/3",
        "no routing has a mean path length below 8/9 and a worst-case load of at most 2/3",
    ]
    assert "and a mean path length of at most 3/4" in proved(text_of("bounded path length"))[2]
    assert proved(text_of("shortest paths"))[2].startswith("no routing over shortest paths has")
    assert proved(text_of("listed paths"))[2].startswith("no routing over listed paths has")


def test_all_channels_need_no_symmetry():
    """A proof that uses none has none."""
    found = obroute.evaluate("ring:4", "dor", all_channels=True)
    proof = json.loads(obroute.certificate(found))
    assert proof["symmetries"] == []
    assert len(proof["channels"]) == 8


# ---------------------------------------------------------------------------------- what is not


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: obroute.design("ring:3", objective="capacity"), "for the capacity is not supp"),
        (lambda: obroute.evaluate("ring:3", "dor", sampled_paths=10), "estimate"),
    ],
)
def test_what_has_no_proof_says_so(answer, message):
    """In one line, with what has one."""
    with pytest.raises(InputError, match=message):
        obroute.certificate(answer())


def test_kinds_that_prove_nothing_so_say_so():
    """A kind has no proof to hand on unless it says how."""
    for name in set(kinds()) - {"evaluation", "design"}:
        with pytest.raises(InputError, match=f"kind {name} has no proof to hand on; expected an"):
            kinds()[name].certificate(xr.Dataset(), 1)


def test_a_gathered_store_has_none(tmp_path):
    """It holds none of the proofs of its cells."""
    obroute.write_store(obroute.compare("ring:3", "dor"), tmp_path / "evaluations.zarr")
    with pytest.raises(InputError, match="evaluations is gathered of many and has no proof"):
        obroute.certificate(tmp_path / "evaluations.zarr")


def test_size_is_limited():
    """The message names the option."""
    found = evaluated("ring:3", "valiant")
    with pytest.raises(InputError, match="more than 5; give --limit for a larger file"):
        obroute.certificate(found, limit=5)
    with pytest.raises(InputError, match="limit: 0; expected a whole number"):
        obroute.certificate(found, limit=0)


def test_a_false_store_makes_no_proof():
    """What it records is checked before a proof is written."""
    cell = obroute.to_dataset(evaluated("ring:3", "valiant"))
    cell["source_potential"].values[0, 0] = "0"
    cell["destination_potential"].values[0, :] = "0"
    with pytest.raises(CertificateError, match="the proof does not hold: channel 0"):
        obroute.certificate(cell)


def test_the_command_takes_a_store_or_prints_the_checker(obroute):
    """One of the two."""
    assert obroute("certificate", "--checker") == (0, CHECKER.read_text("utf-8"), "")
    status, _, error = obroute("certificate")
    assert (status, error.count("\n")) == (2, 1)
    assert "expected a store, or --checker" in error


# -------------------------------------------------------------------------------- forged proofs


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the place of every entry of a JSON value, at any depth."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in entries:
        yield (*at, key)
        if isinstance(entry, (dict, list)):
            yield from places(entry, (*at, key))


def forgeries(value: Any) -> Iterator[Any]:
    """Give other values to stand in the place of one."""
    if type(value) is int:
        yield from (value + 1, value - 1, 2 * value + 7, -value - 1, float(value), str(value))
    elif isinstance(value, str):
        yield from (f"{value}1", f"1{value}", "1/3", "0", "shortest", "all", "load", 1)
    elif value is None:
        yield from ("0", "1", 0)
    elif isinstance(value, list) and value:
        yield from (value[:-1], value[1:], [*value, value[0]], value[::-1], [])
    elif isinstance(value, dict):
        yield from ({**value, "more": 1}, {k: value[k] for k in list(value)[1:]}, [*value])
    yield from (True, {}, [[0, 1]], None)


def forged(proof: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return a proof with another value in one place."""
    proof = copy.deepcopy(proof)
    inside = proof
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return proof


def refused_or_true(proof: Any) -> bool:
    """Say whether the checker refuses a proof; where it does not, hold it to be true.

    The checker may end in any error, of which its program makes one line.
    """
    try:
        check_proof.check(proof)
    except Exception:
        return True
    assert claims_hold(proof)
    return False


@pytest.mark.parametrize("name", ANSWERS)
def test_no_forged_entry_makes_a_false_claim(name):
    """Every entry outside `unverified`, up to some hundred spread over the file, each way."""
    proof = json.loads(text_of(name))
    every = [place for place in places(proof) if place[0] != "unverified"]
    by_part = [[place for place in every if place[0] == part] for part in proof]
    chosen = [place for some in by_part for place in some[:: max(1, len(some) // 16)]]
    refused = 0
    for place in chosen:
        inside = proof
        for key in place:
            inside = inside[key]
        for value in forgeries(inside):
            if value != inside or type(value) is not type(inside):
                refused += refused_or_true(forged(proof, place, value))
    assert refused > len(chosen)


@given(data=st.data())
@settings(max_examples=150)
def test_no_two_forged_entries_do_either(data):
    """Any entries, anywhere, with numbers that stand elsewhere in the file among others."""
    proof = json.loads(text_of(data.draw(st.sampled_from([*ANSWERS]))))
    for _ in range(2):
        every = [place for place in places(proof) if place[0] != "unverified"]
        place = data.draw(st.sampled_from(every))
        proof = forged(proof, place, data.draw(st.integers(0, 4) | st.sampled_from(["1", None])))
        if not isinstance(proof, dict):
            break
    refused_or_true(proof)


@pytest.mark.parametrize(
    ("name", "place", "change", "message"),
    [
        ("design", ("flows", "of_pairs", 0, 1), lambda _: [], "no unit of flow"),
        ("design", ("flows", "denominator"), lambda unit: unit + 1, "no unit of flow"),
        ("symmetric", ("channels", 0, "traffic"), lambda t: [*t, t[0]], "cannot send"),
        ("symmetric", ("channels", 0, "destination_potentials"), lambda v: [0] * len(v), "below"),
        ("symmetric", ("channels", 0, "traffic"), lambda t: t[1:], "does not load it"),
        ("symmetric", ("symmetries",), lambda _: [], "neither proved nor the image"),
        ("symmetric", ("symmetries", 0, "channels"), lambda c: c[::-1], "not carried to one"),
        ("symmetric", ("flows", "of_pairs", 0, 1), lambda _: [[0, 3]], "the flow of pair"),
        ("symmetric", ("network", "sources", 0, 1), lambda _: 2, "the flow of pair"),
        ("symmetric", ("network", "channels", 0, 2), lambda _: 2, "not carried to one like it"),
        ("symmetric", ("channels", 0, "traffic", 0, 2), lambda _: -1, "at least 0"),
        ("design", ("bounds", 0, "charges"), lambda c: [0] * len(c), "than its charge allows"),
        ("design", ("bounds", 0, "load"), lambda _: "7/10", "do not prove the bound of load"),
        ("design", ("bounds", 1, "mean_path_length"), lambda _: "1", "do not prove the bound of"),
        ("design", ("claims", "worst_case_load"), lambda _: "1/2", "claims: "),
        ("design", ("path_set",), lambda _: "shortest", "paths that are not shortest"),
        ("listed paths", ("path_set", 0, 1), lambda _: [], "is not the sum of its"),
    ],
)
def test_each_step_of_a_proof_is_checked(name, place, change, message):
    """What is wrong is named by the step that it breaks."""
    proof = json.loads(text_of(name))
    inside = proof
    for key in place:
        inside = inside[key]
    with pytest.raises(check_proof.Wrong, match=message):
        check_proof.check(forged(proof, place, change(inside)))


@pytest.mark.parametrize(
    "part", ["claims", "network", "flows", "channels", "symmetries", "bounds"]
)
def test_a_proof_of_something_else_is_refused(part):
    """Parts of two proofs do not make one."""
    other = json.loads(text_of("design of hosts"))
    mixed = json.loads(text_of("design")) | {part: other[part]}
    with pytest.raises(check_proof.Wrong):
        check_proof.check(mixed)


# ---------------------------------------------------------------------------- the program itself


@pytest.fixture
def check(monkeypatch, capsys) -> Callable[..., tuple[int, list[str]]]:
    """Run the program in this process; return its status and lines."""

    def run(*arguments: object) -> tuple[int, list[str]]:
        monkeypatch.setattr(sys, "argv", ["check_proof.py", *map(str, arguments)])
        status = check_proof.main()
        printed = capsys.readouterr()
        assert printed.err == ""
        return status, printed.out.splitlines()

    return run


def test_it_is_one_file_of_the_standard_library(tmp_path):
    """It runs without the package and without site packages, in the syntax of Python 3.9."""
    tree = ast.parse(checker_source(), feature_version=(3, 9))
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert imported <= sys.stdlib_module_names
    program, file = tmp_path / "check_proof.py", tmp_path / "proof.json"
    program.write_text(checker_source(), "utf-8")
    for text, status, said in (
        (text_of("design"), 0, "proved: the worst-case load of this table of flows is 2/3:"),
        (text_of("design").replace('"2/3"', '"1/3"', 1), 1, "wrong: claims: the worst-case"),
    ):
        file.write_text(text, "utf-8")
        command = [sys.executable, "-I", "-S", program.name, file.name]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, done.stderr) == (status, "")
        assert done.stdout.startswith(said)


def test_it_says_what_it_did_not_check(check, tmp_path):
    """Names come last, on one line, and no escape character reaches the terminal."""
    proof = json.loads(text_of("symmetric"))
    proof["unverified"] = {"network": "\x1b[2Ja\nproved: everything"}
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(proof), "utf-8")
    status, lines = check(file)
    assert status == 0
    assert [line.partition(":")[0] for line in lines] == [
        *["proved"] * 2,
        "not checked, for people only",
    ]
    assert lines[-1].isprintable()


MALFORMED = {
    "empty": b"",
    "cut": b'{"format": "obroute proof 1", ',
    "deep": b"[" * 200_000,
    "long number": b'{"format": ' + b"9" * 200_000 + b"}",
    "exponent": b'{"format": 1e999999999}',
    "not a number": b'{"format": NaN}',
    "no UTF-8": b"\xff\xfe{}",
    "twice": b'{"format": 1, "format": "obroute proof 1"}',
    "another format": b'{"format": "obroute proof 2"}',
    "a list": b"[]",
    "a number": b"5",
    "NUL": b"\0" * 1000,
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_proof_is_refused_in_one_line(name, check, tmp_path):
    """With status 1 and nothing else."""
    file = tmp_path / "proof.json"
    file.write_bytes(MALFORMED[name])
    status, lines = check(file)
    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith("wrong: ")
    assert len(lines[0]) < 1100


def test_what_is_no_file_is_refused(check, tmp_path):
    """Nothing that would be read for ever is opened."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for file in (fifo, "/dev/zero", tmp_path, tmp_path / "none.json"):
        status, lines = check(file)
        assert (status, len(lines)) == (1, 1), file
        assert lines[0].startswith("wrong: ")


def test_nothing_is_proved_twice():
    """A file cannot ask for the same work again and again."""
    for part in ("channels", "bounds"):
        proof = json.loads(text_of("design"))
        proof[part] += proof[part]
        with pytest.raises(check_proof.Wrong, match=f"^{part}: "):
            check_proof.check(proof)


def test_long_work_is_refused_before_it_is_begun(check, tmp_path):
    """Bytes and steps have limits, and the message names the option."""
    file = tmp_path / "proof.json"
    file.write_text(text_of("design"), "utf-8")
    assert "--steps" in check(file, "--steps", 100)[1][0]
    assert "--bytes" in check(file, "--bytes", 100)[1][0]


@given(start=st.integers(0, 10**6), length=st.integers(1, 200), put=st.text(max_size=5))
@settings(max_examples=60)
def test_a_damaged_text_is_refused_or_true(start, length, put):
    """Characters are cut out, and others put in their place."""
    text = text_of("bounded path length")
    start %= len(text)
    try:
        proof = json.loads(text[:start] + put + text[start + length :])
    except ValueError:
        return
    if "unverified" not in text[start : start + length + 400]:
        refused_or_true(proof)
