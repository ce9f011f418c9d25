"""The audit tells sound from unasked, and the page of licences is that of the lock."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

CI = Path(__file__).parents[2] / ".ci"


def script(name: str) -> ModuleType:
    """Load a script of the continuous integration."""
    spec = importlib.util.spec_from_file_location(name, CI / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOUND: dict[str, Any] = {"name": "a", "version": "1", "vulns": []}
UNASKED = {"name": "b", "skip_reason": "Dependency not found"}
FOUND = {
    "name": "c",
    "version": "2",
    "vulns": [
        {"id": "PYSEC-1", "fix_versions": ["2.1", "3"]},
        {"id": "PYSEC-2", "fix_versions": []},
    ],
}


@pytest.mark.parametrize(
    ("packages", "status", "said"),
    [
        ([SOUND], 0, ["1 packages audited, 0 advisories"]),
        ([SOUND, UNASKED], 0, ["1 packages audited, 0 advisories", "not audited: 1 packages (b)"]),
        ([UNASKED], 0, ["not audited, all 1 packages: no advisory service answers here"]),
        (
            [FOUND, SOUND],
            1,
            ["c 2: PYSEC-1, mended in 2.1, 3", "c 2: PYSEC-2", "2 packages audited, 2 advisories"],
        ),
    ],
)
def test_findings_fail_and_what_was_not_asked_is_said(
    packages: list[dict[str, Any]], status: int, said: list[str]
) -> None:
    """Nothing that was not asked counts as sound."""
    lines, ended = script("audit").judged(json.dumps({"dependencies": packages}))
    assert ended == status
    assert [line[: len(start)] for line, start in zip(lines, said, strict=True)] == said


@pytest.mark.parametrize("report", ["", "{}", "[]", "Traceback"])
def test_an_audit_that_could_not_run_says_so(report: str) -> None:
    """Without a network, or without pip-audit."""
    (line,), status = script("audit").judged(report)
    assert line.startswith("not audited: no advisory service answers here")
    assert status == 0


def test_the_page_of_licences_is_that_of_the_lock() -> None:
    """Every locked package, with its version and what it says; `make licences` writes it."""
    licences = script("licences")
    assert licences.PAGE.read_text(encoding="utf-8") == licences.page(), "run `make licences`"
