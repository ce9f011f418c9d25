"""Whatever goes wrong in a command is one line, and a status that says whose it is."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from obroute import errors
from obroute.errors import DEBUG, described
from obroute.importers import registry as importers
from obroute.names import printable
from obroute.specs import CertificateError, InputError, TaskError

DEFECTS = [
    RecursionError("maximum recursion depth exceeded"),
    OverflowError("int too large to convert to float"),
    ZeroDivisionError("division by zero"),
    AssertionError(),
    IndexError("list index out of range"),
    UnicodeEncodeError("ascii", "é", 0, 1, "ordinal not in range"),
    ValueError("of two\nlines and \x1b[31m red"),
    ExceptionGroup("several", [ValueError("one"), ValueError("two")]),
]
MENDED = [
    (InputError("radix 1"), 2, "error: radix 1\n"),
    (CertificateError("load 2"), 1, "wrong: load 2\n"),
    (TaskError("worker lost"), 1, "error: worker lost\n"),
    (
        MemoryError(),
        2,
        "error: out of memory; take a smaller network, or a machine with more\n",
    ),
    (OSError(errno.EMFILE, "Too many open files"), 2, "error: Too many open files\n"),
    (PermissionError(13, "Permission denied", "a"), 2, "error: a: Permission denied\n"),
]


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let whatever makes a network fail."""

    def fail(spec: str) -> None:
        raise error

    monkeypatch.setattr("obroute.importers.make_network", fail)
    assert importers.make_network is not fail


@pytest.mark.parametrize("error", DEFECTS, ids=lambda error: type(error).__name__)
def test_a_defect_is_one_line_that_says_so(monkeypatch, obroute, error: Exception) -> None:
    """With its kind, where it is, how to see all of it and where to report it."""
    failing(monkeypatch, error)
    status, printed, line = obroute("evaluate", "ring:3", "dor")
    assert (status, printed) == (70, "")
    assert line.count("\n") == 1
    assert line.isprintable() or line.rstrip("\n").isprintable()
    assert line.startswith(
        f"error: a defect of obroute, not of what it was given: {type(error).__name__}"
    )
    assert "(cli/experiments.py:" in line
    assert "`obroute --debug`" in line
    assert line.endswith("; please report that to whom you have obroute from\n")


def test_a_defect_is_reported_where_the_distribution_says(monkeypatch) -> None:
    """Under the label that most give it."""
    urls = ["Home, https://example.org", "Issues, https://example.org/issues"]
    said = type("Metadata", (), {"get_all": lambda self, key: urls})()
    monkeypatch.setattr(errors, "metadata", lambda name: said)
    line, status = described(TypeError("x"))
    assert line.endswith("please report that at https://example.org/issues")
    assert status == 70


@pytest.mark.parametrize(("error", "status", "line"), MENDED, ids=lambda one: type(one).__name__)
def test_what_is_no_defect_says_what_it_is(monkeypatch, obroute, error, status, line) -> None:
    """An input, a proof, a task, the machine."""
    failing(monkeypatch, error)
    assert obroute("evaluate", "ring:3", "dor") == (status, "", line)


@pytest.mark.parametrize("words", [["--debug"], []])
def test_tracebacks_are_shown_to_who_asks(monkeypatch, obroute, words: list[str]) -> None:
    """By the option, or by the environment, which jobs inherit; the last line is the same."""
    monkeypatch.setenv(DEBUG, "" if words else "1")
    failing(monkeypatch, OverflowError("too large"))
    status, _, shown = obroute(*words, "evaluate", "ring:3", "dor")
    assert status == 70
    assert shown.startswith("Traceback (most recent call last):")
    assert shown.splitlines()[-1].startswith("error: a defect of obroute")


def test_a_terminal_of_few_characters_gets_escapes(obroute, monkeypatch) -> None:
    """Where standard output takes ASCII alone."""
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", ascii_only)
    assert obroute("list", "networks")[0] == 0
    assert rb"Bene\u0161" in ascii_only.buffer.getvalue()


def test_ctrl_c_is_no_failure(monkeypatch, obroute) -> None:
    """The command answers it."""
    failing(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        obroute("evaluate", "ring:3", "dor")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["nosuch"], "No such command 'nosuch'; see `obroute --help`"),
        (["evaluate", "ring:3"], "Missing argument 'routing'; see `obroute evaluate --help`"),
        (
            ["evaluate", "ring:3", "dor", "a\x1b[31m"],
            r"Got unexpected extra argument(s) (a\x1b[31m); see `obroute evaluate --help`",
        ),
        (["table", "nosuch"], "No such command 'nosuch'; see `obroute table --help`"),
    ],
)
def test_words_that_are_no_command_are_one_line(obroute, words: list[str], line: str) -> None:
    """With where to read on."""
    assert obroute(*words) == (2, "", f"error: {line}\n")


def test_a_file_that_begins_with_a_dash_is_no_option(obroute, monkeypatch, tmp_path) -> None:
    """How it is given is said; so given it has the name that it has."""
    monkeypatch.chdir(tmp_path)
    Path("-x.csv").write_text("a,b\nb,a\n")
    said = "No such option: -x; a name that begins with a dash is given as ./-x.csv"
    assert obroute("evaluate", "-x.csv", "ecmp") == (2, "", f"error: {said}\n")
    for words in (["./-x.csv", "ecmp"], ["--", "-x.csv", "ecmp"]):
        status, printed, _ = obroute("evaluate", *words)
        assert status == 0
        assert "ecmp on -x.csv\n" in printed


@pytest.mark.parametrize("words", [[], ["table"], ["figure"], ["cluster"]])
def test_a_command_without_words_shows_its_help(obroute, words: list[str]) -> None:
    """And nothing else."""
    status, printed, line = obroute(*words)
    assert (status, line) == (2, "")
    assert "Usage: obroute" in printed


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(
        st.one_of(
            st.sampled_from(["evaluate", "design", "list", "--json", "--", "-", "ring:3"]),
            st.text(max_size=12),
            st.text(st.characters(categories=["Cc", "Cs", "Cf", "Zl"]), max_size=4),
        ),
        max_size=4,
    )
)
def test_any_words_are_answered_or_refused_in_one_line(obroute, words: list[str]) -> None:
    """Never a defect, and nothing that drives a terminal."""
    status, printed, line = obroute(*words)
    assert status in (0, 2)
    assert line.count("\n") == (1 if line else 0)
    assert printable(line.rstrip("\n")) == line.rstrip("\n")
    assert all(printable(shown) == shown for shown in printed.split("\n"))


def test_what_fails_before_the_command_line_is_there_is_one_line(tmp_path: Path) -> None:
    """A plugin that does not import, for one."""
    (tmp_path / "broken.py").write_text("1 / 0\n")
    described_as = tmp_path / "broken-1.0.dist-info"
    described_as.mkdir()
    (described_as / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (described_as / "entry_points.txt").write_text("[obroute.plugins]\nbroken = broken\n")
    path = [str(tmp_path), *sys.path]
    code = f"import sys; sys.path[:] = {path!r}; import obroute_command as c; c.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "list", "networks"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: the plugin 'broken' of broken does not import")
    assert done.stderr.count("\n") == 1
