"""A kind of experiment that a plugin brings in one file goes all the way of the others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.workflow.conftest import Sweep

TOY = Path(__file__).parents[1] / "support/toy_kind.py"
STUDY = {
    "networks": ["ring:4"],
    "routings": ["dor"],
    "longest_paths": [
        {"networks": ["ring:{k}"], "radices": "4-5", "routings": ["dor", "valiant"]},
        {"networks": ["mesh:2x3"], "routings": ["dor"], "sources": 2},
    ],
}


class WithToy(Sweep):
    """A sweep on whose path a plugin is installed."""

    @property
    def environment(self) -> dict[str, str]:
        """The folder of the plugin comes first."""
        known = super().environment
        return known | {"PYTHONPATH": f"{self.folder / 'site'}:{known['PYTHONPATH']}"}

    def obroute(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command line."""
        program = Path(sys.executable).parent / "obroute"
        return subprocess.run(
            [program, *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )


def install(site: Path) -> None:
    """Put the toy where an installed distribution would be, with its entry point."""
    about = site / "obroute_toy-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy2(TOY, site / "obroute_toy.py")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: obroute-toy\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[obroute.plugins]\ntoy = obroute_toy\n")


@pytest.mark.slow
@pytest.mark.workflow
def test_a_kind_in_one_file_goes_through_everything(fresh_sweep: Sweep) -> None:
    """Configuration, sweep, status, re-runs, verification, gathering, table and report."""
    toy = WithToy(fresh_sweep.folder)
    install(toy.folder / "site")
    toy.study = {"study": "small", **STUDY}
    (toy.folder / "config/config.yaml").write_text(yaml.safe_dump(toy.study))
    toy.run()
    cells = {
        f"longest_paths/{network}/{routing}.zarr"
        for network, routing in [
            *[(f"ring-{k}", routing) for k in (4, 5) for routing in ("dor", "valiant")],
            ("mesh-2x3", "dor"),
        ]
    }
    own = cells | {"longest_paths.zarr"}
    assert own | {"evaluations/ring-4/dor.zarr", "evaluations.zarr"} == set(toy.digests())
    assert {state for state, _ in toy.status().values()} == {"done"}
    table = (toy.results / "tables/longest.csv").read_text().splitlines()
    assert table[0] == "network,routing,longest_path"
    assert "ring:5,valiant,4" in table
    assert "Longest paths" in (toy.results / "report.html").read_text()

    verified = toy.obroute("verify", str(toy.results), "--json")
    found = {one["kind"] for one in json.loads(verified.stdout)["stores"]}
    assert {"longest", "longest_paths"} <= found

    shown = toy.obroute("longest", "mesh:2x3", "dor", "--sources", "2", "--json")
    assert json.loads(shown.stdout)["longest_path"] == [3, 2]
    assert toy.obroute("longest", "ring:4", "dor", "--sources=-1").returncode == 2
    assert "longest_paths" in toy.obroute("schema").stdout
    assert "`longest_path`" in toy.obroute("schema", "--stores").stdout
    checked = toy.obroute("check", "config/config.yaml", "--commands").stdout
    assert "obroute longest mesh:2x3 dor --sources 2 --save" in checked

    assert toy.planned() == set()
    plugin = toy.folder / "site/obroute_toy.py"
    plugin.write_text(plugin.read_text().replace("return max(", "return 0 + max("))
    assert cells <= toy.planned()
    assert "evaluations/ring-4/dor.zarr" not in toy.planned()
    assert {state for name, (state, _) in toy.status().items() if name in own} == {"stale"}
