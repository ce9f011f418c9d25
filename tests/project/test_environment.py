"""pyproject.toml, environment.yml and requirements.lock say the same about dependencies."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from obroute.extras import GROUP_OF

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CONDA: dict[str, Any] = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
LOCK = (ROOT / "requirements.lock").read_text("utf-8")

POST_DEPLOY = (ROOT / "environment.post-deploy.sh").read_text("utf-8")

MEND_CONDA = "edit environment.yml to match pyproject.toml's dependencies and its group `all`"
MEND_LOCK = "run `make lock`"
SUPPORTED_PYTHONS = ("3.11", "3.12", "3.13")


def by_name(requirements: list[str]) -> dict[str, Requirement]:
    """Map each requirement's canonical name to it."""
    parsed = map(Requirement, requirements)
    return {canonicalize_name(requirement.name): requirement for requirement in parsed}


def declared() -> Iterator[tuple[str, Requirement]]:
    """Yield every requirement that pyproject.toml declares, with the list that it stands in.

    A group that stands for others names this package, whose own groups they are.
    """
    lists: dict[str, list[str]] = {
        "build-system": PYPROJECT["build-system"]["requires"],
        "dependencies": PYPROJECT["project"]["dependencies"],
        **PYPROJECT["project"]["optional-dependencies"],
        **PYPROJECT["dependency-groups"],
    }
    for title, requirements in lists.items():
        for requirement in map(Requirement, requirements):
            if requirement.name != PYPROJECT["project"]["name"]:
                yield title, requirement


def brought_by(group: str) -> dict[str, Requirement]:
    """Map the names of the requirements of a group, with the groups that it stands for."""
    brought: dict[str, Requirement] = {}
    for name, requirement in by_name(PYPROJECT["project"]["optional-dependencies"][group]).items():
        if name == PYPROJECT["project"]["name"]:
            for other in requirement.extras:
                brought |= brought_by(other)
        else:
            brought[name] = requirement
    return brought


def pins() -> dict[str, list[Requirement]]:
    """Map each locked package's canonical name to its pins, one for each marker."""
    found: dict[str, list[Requirement]] = {}
    for line in LOCK.splitlines():
        if line and line[0] not in " #":
            pin = Requirement(line.rstrip("\\ "))
            found.setdefault(canonicalize_name(pin.name), []).append(pin)
    return found


RUNTIME = by_name(PYPROJECT["project"]["dependencies"])
FOR_EYES = "snakemake-logger-plugin-rich"
"""Bars on a terminal, which the jobs that Snakemake makes environments for never see."""
SWEEP = {name: one for name, one in (RUNTIME | brought_by("all")).items() if name != FOR_EYES}
CONDA_SPECS = by_name([spec for spec in CONDA["dependencies"] if isinstance(spec, str)])
PINS = pins()


def test_conda_environment_has_what_a_sweep_needs_with_the_same_bounds() -> None:
    """It is in environment.yml, with the bound that pyproject.toml gives."""
    for name, requirement in SWEEP.items():
        assert name in CONDA_SPECS, f"environment.yml lacks {requirement}: {MEND_CONDA}"
        ours, theirs = requirement.specifier, CONDA_SPECS[name].specifier
        assert theirs == ours, f"{name}: environment.yml says {theirs}, not {ours}: {MEND_CONDA}"


def test_conda_environment_has_nothing_else_but_python_and_pip() -> None:
    """A dependency that pyproject.toml drops leaves environment.yml too."""
    extra = set(CONDA_SPECS) - set(SWEEP) - {"python", "pip"}
    assert not extra, f"environment.yml alone has {', '.join(sorted(extra))}: {MEND_CONDA}"


def test_conda_environment_asks_for_the_same_python() -> None:
    """The bound on Python is that of `requires-python`."""
    ours, theirs = PYPROJECT["project"]["requires-python"], str(CONDA_SPECS["python"].specifier)
    assert theirs == ours, f"python: environment.yml says {theirs}, not {ours}: {MEND_CONDA}"


def test_conda_environment_names_no_path() -> None:
    """Snakemake makes it from a copy elsewhere, where a path from here would lead nowhere."""
    assert all(isinstance(spec, str) for spec in CONDA["dependencies"]), "it has a pip section"


def test_post_deploy_script_installs_the_current_version() -> None:
    """The release that Snakemake's environments get is that of the workflow."""
    (version,) = re.findall(r"^version=(.+)$", POST_DEPLOY, re.MULTILINE)
    ours = PYPROJECT["project"]["version"]
    assert version == ours, f"environment.post-deploy.sh has {version}, not {ours}: edit it"


def test_library_stands_in_the_group_that_its_absence_names() -> None:
    """Whoever installs what the message says has the library then."""
    for library, group in GROUP_OF.items():
        assert canonicalize_name(library) in brought_by(group), f"add {library} to {group}"
        assert canonicalize_name(library) not in RUNTIME, f"{library} is always there"


def test_lock_pins_every_declared_requirement() -> None:
    """Each requirement of each list has pins in the lock, and each of them satisfies it."""
    for title, requirement in declared():
        locked = PINS.get(canonicalize_name(requirement.name))
        assert locked, f"requirements.lock lacks {requirement.name} ({title}): {MEND_LOCK}"
        for pin in locked:
            (exact,) = pin.specifier
            assert exact.operator == "==", f"{pin} is no pin: {MEND_LOCK}"
            assert requirement.specifier.contains(exact.version, prereleases=True), (
                f"requirements.lock has {pin}, but {title} asks for {requirement}: {MEND_LOCK}"
            )


@pytest.mark.parametrize("python", SUPPORTED_PYTHONS)
def test_lock_pins_runtime_dependencies_once_for_each_python(python: str) -> None:
    """On each supported Python exactly one pin of what a sweep needs applies."""
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    for name in SWEEP:
        applicable = [
            pin for pin in PINS[name] if pin.marker is None or pin.marker.evaluate(environment)
        ]
        assert len(applicable) == 1, f"Python {python}: {applicable} for {name}: {MEND_LOCK}"


def test_lock_holds_a_hash_for_every_pin() -> None:
    """No pin goes without a hash, so pip checks everything that it downloads."""
    blocks = re.split(r"\n(?=[^ #])", LOCK)
    bare = [block.split()[0] for block in blocks if "==" in block and "--hash=" not in block]
    assert not bare, f"requirements.lock has no hash for {', '.join(bare)}: {MEND_LOCK}"


def test_lock_names_no_host() -> None:
    """The lock serves behind any index or mirror: it holds no address and no index option."""
    pattern = re.compile(r"://|\bfile:|--(?:extra-)?index-url|--find-links|--trusted-host")
    named = [line for line in LOCK.splitlines() if pattern.search(line)]
    assert not named, f"requirements.lock names a host: {named[0]!r}: {MEND_LOCK}"


def test_citation_names_the_current_version() -> None:
    """CITATION.cff cites the version that pyproject.toml declares."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"]
    ours = PYPROJECT["project"]["version"]
    assert Version(cited) == Version(ours), (
        f"CITATION.cff cites {cited}, not {ours}: edit CITATION.cff"
    )
