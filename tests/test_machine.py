"""Processes whose address space is limited work, or say so at once."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from obroute import InputError, machine

OBROUTE = Path(sys.executable).parent / "obroute"
MEGABYTE = 2**20


def test_the_limit_counts_as_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smaller of the two; the libraries that are loaded have theirs."""
    free = machine.available_megabytes()
    assert free is not None
    monkeypatch.setattr(machine, "address_space_left", lambda: 10)
    limited = machine.available_megabytes()
    assert limited is not None
    assert 10 < limited < 10 + 10_000
    monkeypatch.setattr(machine, "_free_megabytes", lambda: 5)
    assert machine.available_megabytes() == 5


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With both numbers."""
    monkeypatch.setattr(machine, "address_space_left", lambda: 99)
    machine.require_address_space(99, "it")
    with pytest.raises(InputError, match=r"it needs 100 MB .* leaves 99 MB; raise it"):
        machine.require_address_space(100, "it")


def test_without_a_limit_nothing_is_refused() -> None:
    """The usual case."""
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        assert machine.address_space_left() is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "torus:5x5", "dor", "--json", "--threads", "16"],
        ["design", "torus:3x3", "--json"],
    ],
)
@pytest.mark.parametrize("megabytes", [300, 600, 640, 900])
def test_any_limit_is_an_answer_or_one_line(words: list[str], megabytes: int) -> None:
    """And never a wait for ever."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))

    done = subprocess.run(
        [OBROUTE, *words],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if megabytes >= 900 or done.returncode == 0:
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["network"] == words[1]
    else:
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert "MB of address space" in done.stderr
        assert done.stderr.count("\n") == 1
