"""What runs again when a file is added or changed: exactly what is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tests.workflow.conftest import Sweep

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PATTERN, TABLE, EDGES = "Verkehr ä b/perm eins.csv", "Verkehr ä b/Wege ü.dat", "netz drei.dat"
FILES = {
    PATTERN: "source,destination\n0,1\n1,0\n",
    TABLE: "source,destination,probability,path\n"
    + "".join(f"{s},{d},1,{s} {d}\n" for s in "012" for d in "012" if s != d),
    EDGES: "tail,head\na,b\nb,c\nc,a\nb,a\n",
}
STUDY = {
    "study": "small",
    "networks": ["ring:4"],
    "routings": ["dor", "romm"],
    "patterns": ["uniform", f"permutation:{PATTERN}"],
    "also": [
        {"networks": ["complete:3"], "routings": [f"table:{TABLE}"]},
        {"networks": [EDGES], "routings": ["ecmp"]},
    ],
}
DOR, ROMM = "evaluations/ring-4/dor.zarr", "evaluations/ring-4/romm.zarr"
BY_TABLE = "evaluations/complete-3/table-Verkehr-b-Wege-.dat--01a964129daf.zarr"
ON_EDGES = "evaluations/netz-drei.dat--6a19b773ac89/ecmp.zarr"

NEW_FILES = {
    "routing/again.py": """
from obroute.routing.registry import routings
from obroute.routing.shortest_paths import EqualCostMultipath


@routings.register("again", "ECMP by another name", small=("again",))
class Again(EqualCostMultipath):
    pass
""",
    "traffic/stay.py": """
import numpy as np
from obroute.traffic.registry import Pattern, patterns


@patterns.register("stay", "to oneself", small=("stay",))
def stay() -> Pattern:
    return Pattern(lambda network: np.arange(len(network.sources)))
""",
    "importers/nothing.py": """
from pathlib import Path
from typing import Annotated
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.specs import Parameter


@importers.register("nothing", "always a triangle", small=("",))
def nothing(file: Annotated[Path, Parameter("any", Path)]) -> Network:
    return Network(str(file), 3, [0, 1, 2], [1, 2, 0])
""",
}


def test_exactly_what_is_made_of_a_file_runs_again(tmp_path: Path) -> None:
    """Files of patterns, routings and networks, with blanks in names, any ending; and code.

    New families, beside them, run nothing.
    """
    folder = tmp_path / "Meine Läufe"
    sweep = Sweep(folder)
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "config/config.yaml").write_text(yaml.safe_dump(STUDY))
    sweep.run()

    def cells() -> set[str]:
        return {path for path in sweep.planned() if path.startswith("evaluations/")}

    for name, text in NEW_FILES.items():
        (folder / "src/obroute" / name).write_text(text)
    assert sweep.planned() == set()
    assert {state for state, _ in sweep.status().values()} == {"done"}

    changes = {
        PATTERN: (FILES[PATTERN].replace("1,0", "1,2\n2,0"), {DOR, ROMM, BY_TABLE}),
        TABLE: (FILES[TABLE].replace("1,0 1", "1,0 2 1"), {BY_TABLE}),
        EDGES: (FILES[EDGES] + "c,b\n", {ON_EDGES}),
    }
    for name, (changed, users) in changes.items():
        (folder / name).write_text(changed)
        assert cells() == users, name
        stale = {path for path, (state, _) in sweep.status().items() if state == "stale"}
        assert {path for path in stale if "/" in path} == users, name
        (folder / name).write_text(FILES[name])
    assert {state for state, _ in sweep.status().values()} == {"done"}
    module = folder / "src/obroute/routing/two_phase.py"
    module.write_text(module.read_text() + "\n# a change\n")
    assert cells() == {ROMM}
