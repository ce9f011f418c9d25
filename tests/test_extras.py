"""Without the groups of libraries that a plain install leaves out."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from obroute.extras import GROUP_OF, MissingExtraError, needs
from obroute.specs import InputError

# Runs command lines, one after the other, in an interpreter where the libraries are missing.
WITHOUT = """
import contextlib, io, json, sys
sys.modules |= dict.fromkeys(json.loads(sys.argv[1]))
from obroute_command import main

def run(*words):
    sys.argv = ["obroute", *words]
    out, err, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            status = ended.code or 0
    return status, err.getvalue()

print(json.dumps([run(*words) for words in json.loads(sys.argv[2])]))
"""


def run_without_groups(folder, *lines):
    """Run command lines without any group; return their statuses and errors."""
    words = json.dumps([line.split() for line in lines])
    command = [sys.executable, "-c", WITHOUT, json.dumps([*GROUP_OF]), words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return [tuple(found) for found in json.loads(done.stdout.splitlines()[-1])]


def test_results_need_no_group(tmp_path):
    """What a plain install has evaluates, designs, simulates, stores, reads and verifies."""
    lines = (
        "evaluate torus:3x3 romm --pattern tornado --threads 2 --save cell.zarr",
        "design torus:3x3 --save design.zarr",
        "simulate hypercube:3 dor --save packets.zarr",
        "deadlock torus:3x3 dor --vcs 2",
        "verify .",
        "init study",
        "check study/config/config.yaml",
    )
    assert run_without_groups(tmp_path, *lines) == [(0, "")] * len(lines)


def test_missing_group_is_one_line_that_names_it(tmp_path):
    """Exit status 2, like any other thing that the user can mend."""
    needed = {
        "figure trends study.zarr --output trends.svg": "matplotlib",
        "report study.zarr --cells cells --output report.html": "jinja2",
        "sweep": "snakemake",
        "evaluate ring:3 dor --scheduler processes": "distributed",
        "cluster local --workers 1": "distributed",
    }
    assert run_without_groups(tmp_path, *needed) == [
        (2, f"error: this needs {library}; install obroute[{GROUP_OF[library]}]\n")
        for library in needed.values()
    ]


def test_missing_library_is_an_import_error_too(monkeypatch):
    """For Python, which may try and do without."""
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(
        MissingExtraError, match=r"dask_jobqueue; install obroute\[cluster\]"
    ) as told:
        needs("matplotlib", "dask_jobqueue")
    assert isinstance(told.value, ImportError)
    assert isinstance(told.value, InputError)
