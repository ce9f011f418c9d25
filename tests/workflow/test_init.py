"""A sweep in a folder of its own: laid down by `obroute init`, run by `obroute sweep`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from obroute import workflow
from obroute.study import read_study
from obroute.writing import write_whole

OWN_SNAKEFILE = (workflow.workflow_folder() / "workflow/init/Snakefile").read_text()
LAID_DOWN = {
    "Snakefile",
    "config/config.yaml",
    "profiles/default/config.yaml",
    "profiles/slurm/config.yaml",
}


def files(folder: Path) -> set[str]:
    """Return the files below a folder, by their path in it."""
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def started(monkeypatch):
    """What would be run, and where, in place of running it."""
    runs: list[tuple[list[str], Path]] = []

    def start(command, folder):
        runs.append((command, folder))
        return 0

    monkeypatch.setattr(workflow, "_run", start)
    return runs


def test_init_lays_down_a_study_that_can_be_read(tmp_path):
    """Snakefile, profiles and study; what the folder holds besides stays."""
    (tmp_path / "notes.txt").write_text("mine")
    laid = workflow.lay_down(tmp_path)
    assert {str(file.relative_to(tmp_path)) for file in laid} == LAID_DOWN
    assert files(tmp_path) == LAID_DOWN | {"notes.txt"}
    study = read_study(tmp_path / "config/config.yaml")
    assert len(study.cells("evaluations")) > 1


def test_init_copies_the_rules_if_asked(tmp_path):
    """With them come the captions of the report and the environment that the rules name."""
    workflow.lay_down(tmp_path, with_rules=True)
    for kind in ("rules", "report"):
        ours = files(workflow.workflow_folder() / "workflow" / kind)
        assert files(tmp_path / "workflow" / kind) == ours
    assert not (tmp_path / "workflow/init").exists()
    assert {"environment.yml", "environment.post-deploy.sh"} <= files(tmp_path)
    ours = workflow.snakefile().read_text()
    assert (tmp_path / "Snakefile").read_text() == ours


@pytest.mark.parametrize("with_rules", [False, True])
def test_init_overwrites_nothing(obroute, tmp_path, with_rules):
    """It names all that is in the way, writes nothing, and says what to do."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("study: mine\n")
    (tmp_path / "Snakefile").write_text("rule mine:\n")
    before = files(tmp_path)
    status, printed, errors = obroute("init", tmp_path, *["--rules"] * with_rules)
    assert (status, printed) == (2, "")
    assert f"{tmp_path} has Snakefile, config/config.yaml already" in errors
    assert files(tmp_path) == before


def test_init_in_what_is_a_file_is_one_line(obroute, tmp_path):
    """Like any other place that cannot be written."""
    (tmp_path / "file").write_text("")
    status, _, errors = obroute("init", tmp_path / "file")
    assert status == 2
    assert len(errors.splitlines()) == 1
    assert "cannot write" in errors


@pytest.mark.parametrize(
    ("words", "place", "command"),
    [
        ([], ".", ["--cores", "all"]),
        (["mine"], "mine", ["--cores", "all"]),
        (["mine", "--cores", "2"], "mine", ["--cores", "2"]),
        (["--cores", "2", "mine", "-n"], "mine", ["--cores", "2", "-n"]),
        (["-np"], ".", ["--cores", "all", "-np"]),
        (["--", "--forceall"], ".", ["--cores", "all", "--forceall"]),
        (["mine", "--config", "seed=2"], "mine", ["--cores", "all", "--config", "seed=2"]),
        (["-j2", "--until", "gather"], ".", ["-j2", "--until", "gather"]),
        (["mine", "--workflow-profile", "p"], "mine", ["--workflow-profile", "p"]),
    ],
)
def test_sweep_hands_its_words_to_snakemake(
    obroute, started, monkeypatch, tmp_path, words, place, command
):
    """The folder first, if any; every core unless something says how much may run."""
    monkeypatch.chdir(tmp_path)
    for folder in (".", "mine"):
        workflow.lay_down(tmp_path / folder)
    assert obroute("sweep", *words) == (0, "", "")
    assert started == [([sys.executable, "-m", "snakemake", *command], Path(place))]


def test_sweep_of_a_file_runs_it_by_our_own_rules(obroute, started, monkeypatch, tmp_path):
    """In the working directory, whatever Snakefile stands there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").write_text("rule another:\n")
    (tmp_path / "study.yaml").write_text("study: mine\n")
    assert obroute("sweep", "study.yaml", "-n") == (0, "", "")
    ((command, folder),) = started
    assert folder == Path()
    ours = ["--snakefile", str(workflow.snakefile()), "--configfile", "study.yaml", "-n"]
    assert command[-5:] == ours


def test_a_run_ends_with_what_was_done_and_the_report(tmp_path, monkeypatch):
    """The last line has the sum and the report; above it stands each failed job with its log."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path.parent))
    study = read_study(
        {"study": "tiny", "results": "out", "networks": "ring:3", "routings": "dor"}
    )
    end = partial(workflow.last_lines, study, seconds=213)
    assert list(end(0, 0, [])) == [
        "nothing to do, 0 worst cases certified, 0 failed, 3 min 33 s; no report"
    ]
    write_whole(study.folder / "report.html", b"")
    write_whole(tmp_path / "cell.log", b"reading\nerror: ring:3 is too small\n")
    report = f"{tmp_path.name}/out/tiny/report.html"
    assert list(end(1, 1, [])) == [
        f"1 job, 0 worst cases certified, 0 failed, 3 min 33 s; report: {report}"
    ]
    failed = SimpleNamespace(log=["cell.log"], message="evaluations: dor on ring-3")
    silent = SimpleNamespace(log=[], message=None, rule=SimpleNamespace(name="mine"))
    assert list(end(5, 2, [failed, silent])) == [
        "failed: evaluations: dor on ring-3: ring:3 is too small; log: cell.log",
        "failed: mine",
        "5 jobs, 0 worst cases certified, 2 failed, 1 not run, 3 min 33 s; "
        f"report of an earlier run: {report}",
    ]


def test_sweep_says_where_there_is_none(obroute, tmp_path):
    """A folder without a Snakefile, and a place that is not there."""
    status, _, errors = obroute("sweep", tmp_path)
    assert status == 2
    assert f"{tmp_path} has no Snakefile; `obroute init {tmp_path}` lays one down" in errors
    status, _, errors = obroute("sweep", tmp_path / "none")
    assert status == 2
    assert "none does not exist" in errors


def test_sweep_ends_as_snakemake_does(obroute, monkeypatch, tmp_path):
    """Its exit status is Snakemake's, and a failed run names no report."""
    workflow.lay_down(tmp_path)
    (tmp_path / "results/small").mkdir(parents=True)
    (tmp_path / "results/small/report.html").write_text("of an earlier run")
    monkeypatch.setattr(workflow, "_run", lambda *_: 1)
    assert obroute("sweep", tmp_path) == (1, "", "")


STANDS_BY = """
import sys
from pathlib import Path
from obroute.workflow import _run
sys.exit(_run([sys.executable, "-c", sys.argv[1]], Path()))
"""
WAITS = """
import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: (time.sleep(1), print("tidied up"), sys.exit(3)))
signal.signal(signal.SIGTERM, lambda *_: (print("told to end"), sys.exit(4)))
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("sent", "answer"),
    [("SIGINT", (3, "tidied up\n")), ("SIGTERM", (4, "told to end\n"))],
)
def test_what_stops_a_sweep_is_left_to_snakemake(sent, answer):
    """Ctrl-C goes to both and is waited for; what comes to us alone is passed on."""
    process = subprocess.Popen(
        [sys.executable, "-c", STANDS_BY, WAITS],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    if sent == "SIGINT":
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.terminate()
    printed, _ = process.communicate(timeout=60)
    assert (process.returncode, printed) == answer


CONDA = """#!/bin/sh
# Stands for conda: keeps what it is told, and makes environments whose pip does the same.
here=$(dirname "$(dirname "$0")")
case "$*" in
    "info --json") echo "{\\"conda_prefix\\": \\"$here\\", \\"platform\\": \\"linux-64\\"}" ;;
    "--version") echo "conda 26.1.0" ;;
    "config --get channel_priority --json") echo '{"get": {"channel_priority": "strict"}}' ;;
    "env create "*)
        cp "$6" "$here/asked.yaml"
        mkdir -p "$8/bin"
        printf '#!/bin/sh\\nprintf "%%s\\\\n" "$@" > "%s/pip.txt"\\n' "$here" > "$8/bin/pip"
        printf '#!/bin/sh\\necho by conda >> "%s/jobs.txt"\\nexec "%s" "$@"\\n' \\
            "$here" "$OBROUTE" > "$8/bin/obroute"
        chmod +x "$8/bin/pip" "$8/bin/obroute" ;;
    "clean "*) ;;
    *) echo "conda $* is not known here" >&2; exit 1 ;;
esac
"""
ACTIVATE = 'PATH="$1/bin:$PATH"\n'


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.parametrize("checkout", [True, False], ids=["checkout", "release"])
def test_snakemake_makes_its_own_environment(fresh_sweep, tmp_path, checkout):
    """By conda, from a copy of environment.yml; then obroute is installed, and jobs run in it."""
    programs = tmp_path / "conda/bin"
    programs.mkdir(parents=True)
    for name, text in (("conda", CONDA), ("activate", ACTIVATE)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    environment = fresh_sweep.environment
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    environment["OBROUTE"] = str(Path(sys.executable).parent / "obroute")
    if not checkout:
        (fresh_sweep.folder / "pyproject.toml").unlink()
    fresh_sweep.write(radices=[3], routings=["dor"])
    options = ("results/small/tables/summary.csv", "--software-deployment-method", "conda")
    command = fresh_sweep.command(*options)
    done = subprocess.run(
        command,
        cwd=fresh_sweep.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    asked = yaml.safe_load((tmp_path / "conda/asked.yaml").read_text())
    assert asked == yaml.safe_load((fresh_sweep.folder / "environment.yml").read_text())
    what = (
        ["--editable", str(fresh_sweep.folder)] if checkout else [f"obroute=={version('obroute')}"]
    )
    installed = (tmp_path / "conda/pip.txt").read_text().splitlines()
    assert installed == ["install", "--no-deps", *what]
    assert set((tmp_path / "conda/jobs.txt").read_text().splitlines()) == {"by conda"}


@pytest.mark.slow
@pytest.mark.workflow
def test_rules_of_the_package_are_changed_and_added_to(finished_sweep):
    """As the laid-down Snakefile says; and a folder that moves there makes nothing anew."""
    folder = finished_sweep.folder
    (folder / "Snakefile").rename(folder / "theirs")
    own = OWN_SNAKEFILE.replace("obroute.workflow.snakefile()", '"theirs"')
    (folder / "Snakefile").write_text(own)
    assert finished_sweep.planned() == set()
    changed = own.replace("# use rule", "use rule").replace("#     ", "    ")
    (folder / "Snakefile").write_text(changed)
    (finished_sweep.results / "report.html").unlink()
    assert "> report.log" in finished_sweep.run("--dry-run", "--printshellcmds")


@pytest.mark.slow
@pytest.mark.workflow
def test_catalogue_finds_the_study(finished_sweep):
    """`workflow/Snakefile`, alone or as a module, makes by default what the top one makes."""
    folder = finished_sweep.folder
    (finished_sweep.results / "report.html").unlink()
    expected = finished_sweep.planned()
    assert expected == {"report.html"}
    assert finished_sweep.planned("--snakefile", "workflow/Snakefile") == expected
    module = OWN_SNAKEFILE.replace("obroute.workflow.snakefile()", '"workflow/Snakefile"')
    (folder / "module.smk").write_text(module)
    assert finished_sweep.planned("--snakefile", "module.smk") == expected
