"""The wheel, installed beside nothing but the libraries that it declares."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
STUDY = """
study: tiny
networks: [torus:3x3]
routings: [dor]
report: {table1_network: torus:3x3, pareto_network: torus:3x3}
"""


def closure(requirements: Iterable[str], extras: Iterable[str] = ()) -> set[str]:
    """Return the names of the distributions that these requirements bring."""
    brought: set[str] = set()
    pending = [(Requirement(text), tuple(extras)) for text in requirements]
    while pending:
        requirement, asked = pending.pop()
        name = canonicalize_name(requirement.name)
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in (*asked, "")):
            continue
        if name == PROJECT["name"]:
            groups = PROJECT["optional-dependencies"]
            pending += [
                (Requirement(t), ()) for extra in requirement.extras for t in groups[extra]
            ]
        elif name not in brought or requirement.extras:
            brought.add(name)
            needed = distribution(name).requires or []
            pending += [(Requirement(text), tuple(requirement.extras)) for text in needed]
    return brought


class Installation:
    """A virtual environment with the wheel, whose libraries are those that run the tests."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        venv.create(folder, with_pip=False)
        self.programs = folder / "bin"
        (self.packages,) = folder.glob("lib/python*/site-packages")
        self.link(PROJECT["dependencies"])
        install = ("install", "--quiet", "--no-deps", "--no-index", wheel)
        run([sys.executable, "-m", "pip", "--python", self.programs / "python", *install])

    def link(self, requirements: Iterable[str]) -> None:
        """Add what these requirements bring, without a download."""
        for name in closure(requirements):
            found = distribution(name)
            for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
                if not (self.packages / top).exists():
                    (self.packages / top).symlink_to(Path(found.locate_file(top)))

    def obroute(self, line: str, folder: Path) -> tuple[int, str, str]:
        """Run a command line; return its exit status, output and errors."""
        done = run([self.programs / "obroute", *line.split()], folder, check=False)
        return done.returncode, done.stdout, done.stderr


def run(command, folder: Path = ROOT, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a program that sees nothing of the tests' own search path."""
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        list(map(str, command)), cwd=folder, env=clean, capture_output=True, text=True, check=check
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder])
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def plain(tmp_path_factory, wheel) -> Installation:
    """As by `pip install obroute`."""
    return Installation(tmp_path_factory.mktemp("plain") / "venv", wheel)


def test_plain_install_works_out_stores_and_verifies_results(plain, tmp_path):
    """Its declared dependencies suffice; what needs more says so in a line."""
    for line in (
        "evaluate torus:3x3 romm --pattern tornado --threads 2 --save cell.zarr --quiet",
        "design torus:3x3 --save design.zarr",
        "simulate hypercube:3 dor --save packets.zarr --quiet",
        "verify .",
    ):
        status, _, errors = plain.obroute(line, tmp_path)
        assert (status, errors) == (0, ""), line
    for line, told in (
        ("figure trends x.zarr --output x.svg", "this needs matplotlib; install obroute[plots]"),
        ("sweep", "this needs snakemake; install obroute[sweep]"),
        ("cluster local --workers 1", "this needs distributed; install obroute[cluster]"),
    ):
        assert plain.obroute(line, tmp_path) == (2, "", f"error: {told}\n")


@pytest.mark.workflow
@pytest.mark.parametrize("rules", ["", " --rules"], ids=["rules of the package", "own rules"])
def test_installed_package_lays_down_a_sweep_and_runs_it(tmp_path, wheel, rules):
    """With the group `sweep`; nothing is left to do then, and the last line names the report."""
    installed = Installation(tmp_path / "venv", wheel)
    installed.link(["obroute[sweep]"])
    place = tmp_path / "mine"
    status, printed, errors = installed.obroute(f"init mine{rules}", tmp_path)
    assert (status, errors) == (0, "")
    assert (place / "workflow/rules").exists() == bool(rules)
    (place / "config/config.yaml").write_text(STUDY)
    # A blank, which the line of a command could not say.
    place = place.rename(tmp_path / "meine Studie, ü")
    status, printed, errors = installed.obroute("sweep --cores 2", place)
    assert status == 0, errors
    assert errors.splitlines()[-1].endswith("results/tiny/report.html")
    assert (place / "results/tiny/report.html").exists()
    status, printed, errors = installed.obroute("sweep --cores 2 --dry-run", place)
    assert "Nothing to be done" in printed + errors
