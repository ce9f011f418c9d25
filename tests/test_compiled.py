"""Compiled code is kept where that is possible, and made anew where it is not."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from numba.core.caching import CompileResultCacheImpl, IndexDataCacheFile

from obroute import compilation, compiled
from obroute.certificate_kernel import sweep
from obroute.completion_kernel import complete, in_order
from obroute.matching_kernel import transport

SOURCE = Path(__file__).parents[1] / "src"
NOTE = "note: compiled code cannot be kept ("


def twice(number: int) -> int:
    """Return what no kernel does."""
    return 2 * number


@pytest.fixture
def notes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> pytest.LogCaptureFixture:
    """Nothing has been said in this process."""
    monkeypatch.setattr(compilation, "_said", Event())
    caplog.set_level(logging.WARNING, logger="obroute")
    return caplog


def test_without_a_folder_functions_are_compiled_in_each_process(
    monkeypatch: pytest.MonkeyPatch, notes: pytest.LogCaptureFixture
) -> None:
    """Said once, for however many functions."""
    monkeypatch.setattr(CompileResultCacheImpl, "_locator_classes", [])
    assert [compiled.compiled(twice)(number) for number in range(3)] == [0, 2, 4]
    (note,) = notes.messages
    assert note.startswith(NOTE)
    assert "NUMBA_CACHE_DIR" in note


def test_a_folder_that_is_full_changes_no_result(
    monkeypatch: pytest.MonkeyPatch, notes: pytest.LogCaptureFixture
) -> None:
    """Whether it fills at the index or at the code."""

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    for step in ("_save_index", "_save_data"):
        monkeypatch.setattr(IndexDataCacheFile, step, full)
        assert compiled.compiled(twice)(4) == 8
    assert [note[: len(NOTE) + 23] for note in notes.messages] == [
        f"{NOTE}No space left on device"
    ]


def test_code_that_is_kept_is_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not compiled anew: by the names of numba's that we use."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    for loads in (0, 1):
        made: Any = compiled.compiled(twice)
        assert made(7) == 14
        assert sum(made.dispatcher.stats.cache_hits.values()) == loads


def test_a_folder_with_damaged_code_changes_no_result(
    monkeypatch: pytest.MonkeyPatch, notes: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """What is left of a killed write is not believed."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    assert compiled.compiled(twice)(5) == 10
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) == 2
    for file in files:
        whole = file.read_bytes()
        for length in (0, 1, len(whole) // 2, len(whole) - 1):
            file.write_bytes(whole[:length])
            assert compiled.compiled(twice)(6) == 12
        file.write_bytes(whole)


@pytest.fixture
def read_only_copy(tmp_path: Path) -> Iterator[Path]:
    """The package on a disk that nobody may write to."""
    place = tmp_path / "installed"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=50m", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a disk can be mounted by root only")
    try:
        shutil.copytree(
            SOURCE, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
        )
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.faults
@pytest.mark.slow
@pytest.mark.parametrize("workers", [["--threads", "1"], ["--scheduler", "processes"]])
def test_a_read_only_installation_without_a_home_works(
    read_only_copy: Path, tmp_path: Path, workers: list[str]
) -> None:
    """As in a container; one line says why it is slow to start."""
    environment = {name: value for name, value in os.environ.items() if "NUMBA" not in name}
    environment |= {"PYTHONPATH": str(read_only_copy), "HOME": "/proc/none"}
    environment |= {"XDG_CACHE_HOME": "/proc/none"}
    program = [sys.executable, "-c", "from obroute_command import main; main()"]
    words = ["evaluate", "torus:9x9", "romm", "--save", "cell.zarr", *workers]
    done = subprocess.run(
        [*program, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "certified" in done.stdout
    assert done.stderr.startswith(NOTE)
    assert set(done.stderr.splitlines()) == {done.stderr.splitlines()[0]}
    if "--threads" in workers:
        assert done.stderr.count("\n") == 1


def sparse(generator: np.random.Generator, size: int) -> Any:
    """Return starts, columns and weights of a random problem of transport."""
    filled = generator.random((size, size)) < 0.4
    starts = np.concatenate([[0], filled.sum(axis=1).cumsum()])
    columns = np.ascontiguousarray(np.nonzero(filled)[1])
    return starts, columns, generator.integers(1, 9, filled.sum())


@pytest.mark.parametrize("seed", range(5))
def test_what_small_calls_interpret_is_what_is_compiled(seed: int) -> None:
    """Bit for bit, so that no result depends on which of them ran."""
    generator = np.random.default_rng(seed)
    size = int(generator.integers(1, 7))
    supply, demand = generator.integers(0, 4, (2, size))
    both = generator.integers(0, 5, (1, 2, size, 1))
    left, right = generator.integers(0, 3, (1, size, size)), generator.integers(0, 3, (1, 1))
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (transport, (*sparse(generator, size), supply, demand, np.arange(size))),
        (transport, (*sparse(generator, size), supply, demand, np.arange(size)[::-1].copy())),
        (complete, (*np.zeros((3, 0), np.int64), supply, demand)),
        (in_order, (supply, demand)),
        (
            sweep,
            (
                left.astype(float),
                right.astype(float),
                np.array([0, 1]),
                np.array([0]),
                *both[0].astype(float),
                1e-9,
                np.array([1009]),
                left[None],
                right[None],
                both[:, 0],
                both[:, 1],
                np.empty(size**2, dtype=np.int64),
            ),
        ),
    ]
    for kernel, arguments in calls:
        found = [each(*map(copy, arguments)) for each in (kernel.interpreted, kernel.dispatcher)]
        np.testing.assert_equal(*found)


def test_a_process_interprets_small_calls_only_and_not_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What many calls take is more than loading what compiles takes."""
    monkeypatch.delitem(sys.modules, "obroute.compilation")
    monkeypatch.setattr(compiled, "_INTERPRETED", [])
    small, large = np.zeros(400), np.zeros(2000)
    assert not compiled._is_little((large,))
    assert [compiled._is_little((small, 1)) for _ in range(14)] == [True] * 12 + [False] * 2
    monkeypatch.undo()
    compiled.load_compiler()
    assert not compiled._is_little((1,))


CALLER = """from {0}_below import below
from obroute.compiled import compiled


@compiled
def above(n):
    return 10 * below(n)
"""
BELOW = """from obroute.compiled import compiled


@compiled
def below(n):
    return n + {0}
"""


def test_what_is_kept_is_out_of_date_when_a_function_that_it_calls_changes(tmp_path: Path) -> None:
    """In another module, too: compiled code holds that of the functions that it calls."""
    name = "kernels"
    (tmp_path / f"{name}_above.py").write_text(CALLER.format(name), encoding="utf-8")
    program = f"from {name}_above import above; print(above(1))"
    printed = []
    for added in (1, 2, 3):
        below = tmp_path / f"{name}_below.py"
        below.write_text(BELOW.format(added), encoding="utf-8")
        os.utime(below, (added * 1e8, added * 1e8))
        ran = subprocess.run(
            [sys.executable, "-B", "-c", program],
            env=os.environ | {"PYTHONPATH": f"{tmp_path}:{SOURCE}"},
            capture_output=True,
            text=True,
            check=True,
        )
        printed.append(int(ran.stdout))
    assert printed == [20, 30, 40]
