"""The workflow, really run, re-run, changed and broken."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import xarray as xr

from obroute.verification import verify_stores

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

CELLS = {
    f"evaluations/torus-{k}x{k}/{routing}.zarr" for k in (3, 4) for routing in ("dor", "valiant")
}
GATHERED = {"evaluations.zarr"}
TABLES = {f"tables/{name}.csv" for name in ("table1", "trends", "summary")}
FIGURES = {f"figures/{name}.svg" for name in ("trends", "pareto")}
REPORT = {"report.html"}
AFTER_GATHER = GATHERED | TABLES | FIGURES | REPORT


def edit(file: Path) -> None:
    """Change a source file's content without changing what it does."""
    file.write_text(file.read_text() + "\n# a change\n")


def test_study_makes_certified_cells_and_one_dataset(finished_sweep):
    """The sweep leaves verified cells and a study that xarray opens in one call."""
    assert {v.kind for v in verify_stores(finished_sweep.results)} == {"evaluation", "evaluations"}
    study = xr.open_zarr(finished_sweep.results / "evaluations.zarr")
    assert study.sizes["network"] == 2
    assert study.sizes["routing"] == 2
    worst = study.worst_case_load_exact.sel(network="torus:4x4").values.tolist()
    assert worst == ["3/2", "1"]
    assert study.certified.all()


def test_nothing_to_do_after_a_run(finished_sweep):
    """A second run makes nothing."""
    assert finished_sweep.planned() == set()
    assert "Nothing to be done" in finished_sweep.run()


def test_checkout_and_touch_rerun_nothing(finished_sweep):
    """New times on sources and configuration, with the same content, re-run nothing."""
    folder = finished_sweep.folder
    for file in [*folder.glob("src/obroute/**/*.py"), *folder.glob("config/*")]:
        os.utime(file)
    assert finished_sweep.planned() == set()


def test_git_checkout_reruns_nothing(finished_sweep):
    """To another branch, whose code differs, and back: only what differs there would run there."""

    def git(*words: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        command = ["git", *name, *words]
        subprocess.run(command, cwd=finished_sweep.folder, check=True, capture_output=True)

    git("init", "--initial-branch=main")
    git("add", "Snakefile", "workflow", "profiles", "config", "src")
    git("commit", "--message=as it was")
    git("checkout", "-b", "other")
    edit(finished_sweep.folder / "src/obroute/report/page.py")
    git("commit", "--all", "--message=another report")
    assert finished_sweep.planned() == REPORT
    git("checkout", "main")
    assert finished_sweep.planned() == set()


def test_the_same_program_elsewhere_reruns_nothing(finished_sweep, tmp_path):
    """Content counts, not place: a wheel's files in place of those of a checkout."""
    for name in ("Snakefile", "workflow", "src", "environment.yml", "environment.post-deploy.sh"):
        (finished_sweep.folder / name).rename(tmp_path / name)
    printed = subprocess.run(
        finished_sweep.command("--dry-run", "--snakefile", str(tmp_path / "Snakefile")),
        cwd=finished_sweep.folder,
        env=finished_sweep.environment | {"PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Nothing to be done" in printed.stdout + printed.stderr


def test_scheduler_and_cores_rerun_nothing(finished_sweep):
    """Where tasks run is no part of the result."""
    finished_sweep.write(scheduler="sync")
    assert finished_sweep.planned("--cores", "1") == set()


def test_threads_rerun_nothing(finished_sweep):
    """How many there are is no part of the result, whether the study or the command says it."""
    finished_sweep.write(threads=2)
    assert finished_sweep.planned() == set()
    assert finished_sweep.planned("--set-threads", "cell=3") == set()


def test_new_radix_runs_its_cells_and_the_gather(finished_sweep):
    """Adding a radix evaluates only its cells; the old ones keep their bytes."""
    before = finished_sweep.digests()
    finished_sweep.write(radices="3-5")
    new = {f"evaluations/torus-5x5/{routing}.zarr" for routing in ("dor", "valiant")}
    assert finished_sweep.planned() == new | AFTER_GATHER
    finished_sweep.run()
    after = finished_sweep.digests()
    assert set(after) - set(before) == new
    assert {name: after[name] for name in CELLS} == {name: before[name] for name in CELLS}
    assert xr.open_zarr(finished_sweep.results / "evaluations.zarr").radix.values.tolist() == [
        3,
        4,
        5,
    ]


def test_dropped_radix_gathers_again_without_evaluating(finished_sweep):
    """Dropping a radix leaves its cells where they are and out of the study."""
    finished_sweep.write(radices=[4], report={})
    left = AFTER_GATHER - {"tables/table1.csv", "figures/pareto.svg"}
    assert finished_sweep.planned() == left
    finished_sweep.run()
    assert xr.open_zarr(finished_sweep.results / "evaluations.zarr").radix.values.tolist() == [4]


def test_radices_on_the_command_line(finished_sweep):
    """`--config radices=…` arrives as text or a list and is read."""
    assert finished_sweep.planned("--config", "radices=[3,4]") == set()
    new = {f"evaluations/torus-6x6/{routing}.zarr" for routing in ("dor", "valiant")}
    assert finished_sweep.planned("--config", "radices=3-4,6") == new | AFTER_GATHER


def test_new_routing_runs_its_cells(finished_sweep):
    """Adding a routing evaluates only its cells."""
    finished_sweep.write(routings=["dor", "valiant", "romm:order=fixed"])
    new = {f"evaluations/torus-{k}x{k}/romm-order-fixed.zarr" for k in (3, 4)}
    assert finished_sweep.planned() == new | AFTER_GATHER


def test_new_network_runs_its_cells(finished_sweep):
    """Adding a network with routings of its own evaluates only its cells."""
    finished_sweep.write(also=[{"networks": ["mesh:3x4"], "routings": ["o1turn"]}])
    assert finished_sweep.planned() == {"evaluations/mesh-3x4/o1turn.zarr"} | AFTER_GATHER


def test_packets_rerun_with_their_section_and_their_code(finished_sweep):
    """And with nothing else; the evaluations stay."""
    section = {"networks": ["hypercube:3"], "routings": ["dor"], "seeds": 2}
    finished_sweep.write(simulations=[section])
    cell = {"simulations/hypercube-3/dor.zarr"}
    drawn = {"figures/steps.svg", "figures/queues.svg"}
    follows = {"simulations.zarr"} | drawn | REPORT
    assert finished_sweep.planned() == cell | follows
    finished_sweep.run()
    finished_sweep.write(simulations=[section | {"seeds": 3}])
    assert finished_sweep.planned() == cell | follows
    finished_sweep.write(simulations=[section | {"routings": ["dor", "valiant"]}])
    assert finished_sweep.planned() == {"simulations/hypercube-3/valiant.zarr"} | follows
    finished_sweep.write(simulations=[section])
    assert finished_sweep.planned() == set()
    edit(finished_sweep.folder / "src/obroute/packets/simulation.py")
    assert finished_sweep.planned() == cell | follows


def test_stable_rates_rerun_with_their_section(finished_sweep):
    """And with nothing else."""
    section = {"networks": ["ring:4"], "routings": ["dor"], "steps": 200, "tolerance": 0.5}
    finished_sweep.write(stability=[section])
    cell = {"stability/ring-4/dor.zarr"}
    follows = {"stability.zarr", "figures/stability.svg"} | REPORT
    assert finished_sweep.planned() == cell | follows
    finished_sweep.run()
    for change in ({"steps": 300}, {"rates": [0.1]}, {"tolerance": 0.4}, {"traffic": ["tornado"]}):
        finished_sweep.write(stability=[section | change])
        assert finished_sweep.planned() == cell | follows
    finished_sweep.write(stability=[section])
    assert finished_sweep.planned() == set()


def test_designs_and_curves_have_tables_figures_and_cells(finished_sweep):
    """They are made, evaluated, drawn and reported; a change of the figures designs nothing."""
    section = {"networks": ["torus:4x4"], "routings": ["optimal"]}
    finished_sweep.write(designs=[section], trade_offs=[section])
    made = {
        "designs/torus-4x4/optimal.zarr",
        "designs.zarr",
        "trade_offs/torus-4x4/optimal.zarr",
        "trade_offs.zarr",
        "evaluations/torus-4x4/optimal.zarr",
    }
    drawn = {"figures/locality.svg", "figures/trade_offs/torus-4x4/optimal.svg"}
    drawn |= {"figures/price.svg"}
    tables = {"tables/designs.csv", "tables/price.csv"}
    assert finished_sweep.planned() == made | drawn | tables | AFTER_GATHER
    finished_sweep.run()
    assert "Designed routings" in (finished_sweep.results / "report.html").read_text()
    assert finished_sweep.planned() == set()
    edit(finished_sweep.folder / "src/obroute/plots/trade_off.py")
    assert finished_sweep.planned() == {"figures/trade_offs/torus-4x4/optimal.svg"} | REPORT


def test_designs_rerun_with_their_section_and_their_code(finished_sweep):
    """A design is a job, then a routing like any other; its code touches nothing else."""
    section = {"networks": ["torus:{k}x{k}"], "radices": "3-4", "routings": ["2turn"]}
    curve = {"networks": ["torus:4x4"], "routings": ["optimal"]}
    finished_sweep.write(designs=[section], trade_offs=[curve])
    designs = {f"designs/torus-{k}x{k}/2turn.zarr" for k in (3, 4)}
    cells = {f"evaluations/torus-{k}x{k}/2turn.zarr" for k in (3, 4)}
    curves = {"trade_offs/torus-4x4/optimal.zarr"}
    shown = {
        "designs.zarr",
        "trade_offs.zarr",
        "tables/designs.csv",
        "tables/price.csv",
        "figures/locality.svg",
        "figures/price.svg",
        "figures/trade_offs/torus-4x4/optimal.svg",
    }
    everything = designs | cells | curves | shown | AFTER_GATHER
    assert finished_sweep.planned() == everything
    finished_sweep.run()
    assert finished_sweep.planned() == set()
    kinds = {v.kind for v in verify_stores(finished_sweep.results)}
    assert kinds == {
        *("evaluation", "evaluations", "design", "designs", "trade_off", "trade_offs")
    }
    study = xr.open_zarr(finished_sweep.results / "evaluations.zarr")
    worst = study.worst_case_load_exact.sel(network="torus:4x4", routing="2turn")
    assert worst.values.item() == "1"
    edit(finished_sweep.folder / "src/obroute/design/exact.py")
    assert finished_sweep.planned() == everything
    finished_sweep.write(trade_offs=[curve | {"most_solves": 5}], designs=[])
    assert finished_sweep.planned() & (designs | cells) == set()
    assert curves <= finished_sweep.planned()


def test_routings_designed_by_name_watch_the_code_that_designs(finished_sweep):
    """And the other evaluations do not."""
    finished_sweep.write(routings=["dor", "valiant", "2turn"])
    cells = {f"evaluations/torus-{k}x{k}/2turn.zarr" for k in (3, 4)}
    assert finished_sweep.planned() == cells | AFTER_GATHER
    finished_sweep.run()
    edit(finished_sweep.folder / "src/obroute/design/formulation.py")
    assert finished_sweep.planned() == cells | AFTER_GATHER


def test_changed_parameter_reruns_what_depends_on_it(finished_sweep):
    """A new pattern re-evaluates the cells where it is defined, and what follows."""
    finished_sweep.write(patterns=["uniform", "tornado", "bit_reverse"])
    defined = {name for name in CELLS if "4x4" in name}
    assert finished_sweep.planned() == defined | AFTER_GATHER


def test_changed_report_title_reruns_the_report_alone(finished_sweep):
    """What only the report shows re-runs the report."""
    finished_sweep.write(report={**finished_sweep.study["report"], "title": "Another title"})
    assert finished_sweep.planned() == REPORT


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("matching.py", CELLS | AFTER_GATHER),
        ("routing/grid.py", CELLS | AFTER_GATHER),
        ("trends/series.py", TABLES | FIGURES | REPORT),
        ("plots/curves.py", FIGURES | REPORT),
        ("report/page.py", REPORT),
        ("report/templates/page.html.j2", REPORT),
        ("cli/output.py", set()),
        ("verification.py", set()),
        ("status.py", set()),
        ("memory.py", set()),
    ],
)
def test_changed_code_reruns_its_stage_and_what_follows(finished_sweep, changed, expected):
    """Editing a module re-runs the stages that use it, not the world."""
    edit(finished_sweep.folder / "src/obroute" / changed)
    assert finished_sweep.planned() == expected


def test_folders_may_have_blanks(fresh_sweep, monkeypatch):
    """Blanks, commas and other scripts, in the folders of results and of inputs; by one sweep.

    A change of any file that a cell is read from, whatever it is called, runs the cell again.
    """
    inputs = fresh_sweep.folder / "mes entrées"
    inputs.mkdir()
    (inputs / "net.mine").write_text("a,s\ns,a\nb,s\ns,b\n")
    (inputs / "hosts").write_text("a\nb\n")
    (inputs / "swap.mine").write_text("a,b\nb,a\n")
    (inputs / "routes.mine").write_text(
        "source,destination,probability,path\na,b,1,a s b\nb,a,1,b s a\n"
    )
    own = {
        "networks": ["mes entrées/net.mine:terminals=mes entrées/hosts"],
        "routings": ["1/2*ecmp+1/2*table:mes entrées/routes.mine"],
    }
    torus = {"networks": ["torus:3x3"], "routings": ["2turn"]}
    fresh_sweep.write(
        results="my results, ü",
        networks=["torus:3x3"],
        routings=["dor"],
        patterns=["uniform", "permutation:mes entrées/swap.mine"],
        also=[own],
        simulations=[{**own, "traffic": ["permutation:mes entrées/swap.mine"], "seeds": 2}],
        designs=[torus],
        report={"table1_network": "torus:3x3", "pareto_network": "torus:3x3"},
    )
    fresh_sweep.run()
    monkeypatch.chdir(fresh_sweep.folder)  # where the names of the study's files are from
    results = fresh_sweep.folder / "my results, ü/small"
    kinds = {verified.kind for verified in verify_stores(results)}
    assert kinds >= {"evaluation", "evaluations", "simulation", "design"}
    assert (results / "report.html").exists()
    assert "Nothing to be done" in fresh_sweep.run()
    for name in ("net.mine", "hosts", "swap.mine", "routes.mine"):
        before = (inputs / name).read_text()
        (inputs / name).write_text(f"# changed\n{before}")
        planned = "\n".join(sorted(fresh_sweep.planned()))
        for folder in ("evaluations", "simulations"):
            assert f"my results, ü/small/{folder}/mes-entr-es-net.mine" in planned, name
        assert "my results, ü/small/evaluations/torus-3x3" not in planned, name
        (inputs / name).write_text(before)


def test_deleted_cell_is_noticed(finished_sweep):
    """A cell that was removed is made again, the same to the last bit."""
    before = finished_sweep.digests()
    shutil.rmtree(finished_sweep.results / "evaluations/torus-4x4/dor.zarr")
    assert "evaluations/torus-4x4/dor.zarr" in finished_sweep.planned()
    finished_sweep.run()
    assert finished_sweep.digests() == before


def test_killed_run_leaves_nothing_that_looks_finished(fresh_sweep, places):
    """After SIGKILL whatever has a cell's name is whole, and the next run finishes the study."""
    fresh_sweep.kill_during_run(cells=1)
    left = set(fresh_sweep.digests())
    assert left < CELLS | GATHERED
    for name in left:
        assert len(list(verify_stores(fresh_sweep.results / name))) == 1
    fresh_sweep.run("--unlock")
    fresh_sweep.run()
    undisturbed = Path(places[1])
    assert {k: v for k, v in fresh_sweep.digests().items() if k in CELLS} == {
        k: v for k, v in type(fresh_sweep)(undisturbed).digests().items() if k in CELLS
    }
    # What a kill in mid-write left is hidden, and nothing takes it for a store.
    assert len(list(verify_stores(fresh_sweep.results))) == len(fresh_sweep.digests())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"radixes": [3]}, "unknown key 'radixes'; did you mean 'radices'?"),
        pytest.param(
            {"routings": ["rom"]},
            "unknown routing 'rom'; did you mean 'romm'?",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            {"networks": ["tors:{k}x{k}"]},
            "unknown network 'tors'; did you mean 'torus'?",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            {"patterns": ["tornad"]},
            "unknown pattern 'tornad'; did you mean 'tornado'?",
            marks=pytest.mark.slow,
        ),
        pytest.param({"radices": [1]}, "radix 1 is too small"),
        pytest.param(
            {"networks": ["mesh:{k}x{k}"], "routings": ["rlb"]},
            "rlb is not defined on mesh:3x3",
            marks=pytest.mark.slow,
        ),
        pytest.param({"seed": "one"}, "seed is 'one'"),
        pytest.param({"routings": []}, "the study has no cell"),
    ],
)
def test_wrong_configuration_is_one_clear_line(finished_sweep, changes, message):
    """A wrong key or name stops the run before it starts, says why, and touches nothing."""
    before = finished_sweep.digests()
    finished_sweep.write(**changes)
    printed = finished_sweep.run(ok=False)
    assert message in printed
    assert "Traceback" not in printed
    assert finished_sweep.digests() == before


def test_failing_cell_leaves_the_others(fresh_sweep):
    """One cell that cannot be evaluated does not keep the others from finishing."""
    fresh_sweep.write(routings=["dor"], also=[{"networks": ["ring:3"], "routings": ["dor"]}])
    folder = fresh_sweep.folder / "results/small/evaluations/ring-3"
    folder.mkdir(parents=True)
    (folder / "dor.zarr").write_text("in the way")
    printed = fresh_sweep.run(ok=False)
    assert "ring" in printed
    assert {f"evaluations/torus-{k}x{k}/dor.zarr" for k in (3, 4)} <= set(fresh_sweep.digests())


def test_snakemake_report_works_offline(finished_sweep):
    """Snakemake's own report is one HTML file."""
    finished_sweep.run("--report", "sweep.html")
    assert (finished_sweep.folder / "sweep.html").stat().st_size > 100_000
