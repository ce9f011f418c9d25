"""Files of any name in a sweep: each cell is read from its own, and runs again for no other."""

from __future__ import annotations

from pathlib import Path

import pytest
import xarray as xr

from obroute.names import file_name

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

NETWORKS = ["x{a}.csv", "x<b>.csv", "-x.csv", "my edges.csv", "edges.csv", "m$\\frac{$.csv"]
FOUND = ["漢.csv", "字.csv", "q'uo\"te.csv", "star*[1].csv"]
ROUTES = "my {r}outes.csv"


def test_a_sweep_of_files_of_any_name(fresh_sweep) -> None:
    """Every cell is worked out and reported; a file that changed re-runs its own cells alone."""
    names = [*NETWORKS, *FOUND]
    for number, name in enumerate(names, start=1):
        (fresh_sweep.folder / name).write_text(f"a,b,{number}\nb,a,{number}\n")
    routes = "source,destination,probability,path\na,b,1,a b\nb,a,1,b a\n"
    (fresh_sweep.folder / ROUTES).write_text(routes)
    fresh_sweep.write(
        networks=names,
        radices=[],
        routings=["ecmp", ROUTES],
        patterns=["uniform"],
        report={"table1_network": names[0], "pareto_network": names[0]},
    )
    cells = {
        (name, routing): f"evaluations/{file_name(name)}/{file_name(routing)}.zarr"
        for name in names
        for routing in ("ecmp", f"table:{ROUTES}")
    }
    fresh_sweep.run("--until", "gather")
    study = xr.open_zarr(fresh_sweep.results / "evaluations.zarr")
    found = study.worst_case_load_exact.sel(routing="ecmp").to_series().to_dict()
    assert found == {name: f"1/{n}" if n > 1 else "1" for n, name in enumerate(names, start=1)}
    assert "m$\\frac{$.csv" in report_of(fresh_sweep)
    assert fresh_sweep.planned() == set()
    for name in ("x{a}.csv", "x<b>.csv", "my edges.csv", "-x.csv"):
        (fresh_sweep.folder / name).write_text("a,b,100\nb,a,100\n")
        planned = {path for path in fresh_sweep.planned() if path.startswith("evaluations/")}
        assert planned == {cells[name, "ecmp"], cells[name, f"table:{ROUTES}"]}, name
        fresh_sweep.run("--until", "cell")
    (fresh_sweep.folder / ROUTES).write_text(routes + "\n")
    planned = {path for path in fresh_sweep.planned() if path.startswith("evaluations/")}
    assert planned == {store for (_, routing), store in cells.items() if routing != "ecmp"}


def report_of(sweep) -> str:
    """Return the report, once the rest of the sweep has run."""
    sweep.run()
    return Path(sweep.results / "report.html").read_text()
