"""Settings shared by all tests, and the command line, run in the process of the test.

Random examples are the same in every run and have no deadline.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

Answer = Callable[..., Any]
Run = Callable[..., tuple[int, str, str]]

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,  # the first example compiles
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci")


def pytest_configure() -> None:
    """Name the backend of xarray where obroute was installed before it had one."""
    if not entry_points(group="xarray.backends", name="obroute"):
        from xarray.backends.common import BACKEND_ENTRYPOINTS

        from obroute.kinds.backend import StoreBackend

        BACKEND_ENTRYPOINTS["obroute"] = (None, StoreBackend)


LONG_TESTS = Path(__file__).parent / "support/long_tests.txt"
"""Tests that took longer than :data:`LONG` when they were last measured: ``make long-tests``."""
LONG = 0.5
NOTE_LONG = "OBROUTE_NOTE_LONG"
took: Counter[str] = Counter()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what a test takes, with its fixtures."""
    took[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Add the tests that took long to those that are known, where that is asked for."""
    if os.environ.get(NOTE_LONG) and not hasattr(session.config, "workerinput"):
        known = set(LONG_TESTS.read_text().splitlines())
        known |= {name for name, seconds in took.items() if seconds > LONG}
        LONG_TESTS.write_text("".join(f"{name}\n" for name in sorted(known)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave long tests to the slower suite; those that share the designed study come first.

    A process makes that study once; so few of several processes have to.
    """
    long = set(LONG_TESTS.read_text().splitlines())
    for item in items:
        if item.nodeid in long:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("designed_study") is None)


@pytest.fixture
def obroute(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process; return exit status, output and errors."""
    from obroute import cli

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["obroute", *map(str, arguments)])
        status = 0
        try:
            cli.main()
        except SystemExit as ended:
            status = int(ended.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.fixture
def answer(obroute: Run) -> Answer:
    """Run a command that succeeds with ``--json``; return what it says."""

    def run(*arguments: object) -> Any:
        status, printed, errors = obroute(*arguments, "--json")
        assert status == 0, errors
        return json.loads(printed)

    return run


collect_ignore = ["support/toy_kind.py"]
"""What is not imported for its examples: it would register itself in every test's process."""
