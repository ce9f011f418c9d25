"""Standard output that is full, closed or not read on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from obroute import cli

OBROUTE = Path(sys.executable).parent / "obroute"
FULL = "error: cannot write standard output (No space left on device); it is incomplete\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["list", "networks"],
        ["list", "networks", "--json"],
        ["schema"],
        ["schema", "--stores"],
        ["evaluate", "--help"],
        ["evaluate", "ring:3", "dor"],
        ["evaluate", "ring:3", "dor", "--json"],
        ["prove", "dor", "--radix", "8"],
    ],
)
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_behind_standard_output_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words, buffered: bool
) -> None:
    """Whatever the command prints, and whether it fails at once or at the end."""
    with open("/dev/full", "w", buffering=-1 if buffered else 1) as full:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr(sys, "argv", ["obroute", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert ended.value.code == 2
    assert capfd.readouterr().err == FULL


@pytest.mark.parametrize(
    ("output", "status", "said"), [("> /dev/full", 2, FULL), (">&-", 0, ""), ("| true", 1, "")]
)
def test_the_program_ends_as_it_says(output: str, status: int, said: str) -> None:
    """Python adds no word of its own when it ends."""
    line = f"set -o pipefail; {OBROUTE} schema {output}"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stderr) == (status, said)
