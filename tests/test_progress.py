"""What is said of work that lasts, and that it is never in the way of an answer."""

from __future__ import annotations

import sys
import time

import pytest

from obroute import progress


def test_nobody_hears_of_a_stage_unless_somebody_listens(capfd) -> None:
    """A library is silent; what lasts is told on standard error, with what is known."""
    with progress.stage("least load") as known:
        known("at most 2")
    with progress.spoken(quiet=True), progress.stage("least load"), progress.aside():
        pass
    assert capfd.readouterr() == ("", "")


def test_a_stage_that_lasts_is_told_where_there_is_no_terminal(monkeypatch, capsys) -> None:
    """While it runs, and at its end; a short one is not."""
    errors = ""
    monkeypatch.setattr(progress, "PATIENCE", 0.02)
    with progress.spoken():
        with progress.stage("least load") as known:
            known("at most 2")
            while "\n" not in errors:
                time.sleep(0.01)
                errors += capsys.readouterr().err
        monkeypatch.setattr(progress, "PATIENCE", 30.0)
        with progress.count("channels", 2) as done:
            done(2)
    out, more = capsys.readouterr()
    errors += more
    assert out == ""
    first, last = errors.splitlines()[0], errors.splitlines()[-1]
    assert first.startswith("least load: at most 2, ")
    assert first.endswith(" s so far")
    assert last.startswith("least load: at most 2, ")
    assert "channels" not in errors
    with progress.spoken(), progress.stage("check"):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_terminal_keeps_the_time_of_a_stage(monkeypatch, capsys) -> None:
    """Bars are for standard error alone, and make way for what is printed."""
    monkeypatch.setattr(progress, "WORTH_A_LINE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.spoken(), progress.stage("least load") as known, progress.aside():
        known("at most 2")
        sys.stdout.write("1/2\n")
    out, errors = capsys.readouterr()
    assert out == "1/2\n"
    assert errors.splitlines()[-1].startswith("least load: at most 2, ")


def test_what_fails_leaves_the_terminal_alone(monkeypatch, capsys) -> None:
    """No line of a stage that did not end, and nobody listens afterwards."""
    with pytest.raises(ValueError, match="wrong"), progress.spoken(), progress.stage("least load"):
        raise ValueError("wrong")
    with progress.stage("least load"):
        pass
    assert capsys.readouterr() == ("", "")
