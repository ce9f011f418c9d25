"""What once went wrong goes right: see tests/fuzz/known.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fuzz.known import Known, known
from tests.support.hostile import lay
from tests.support.rule import run


@pytest.mark.parametrize("case", tuple(known()), ids=str)
def test_what_once_went_wrong_goes_right(case: Known, tmp_path: Path) -> None:
    """By the rule, with the right status and the right answer."""
    lay(tmp_path, case.files)
    found = run(tmp_path, *case.words)
    assert found.status in case.status, found
    if found.status == 0 and case.says:
        assert json.loads(found.printed).items() >= case.says.items()
