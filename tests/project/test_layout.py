"""Tests stand where a reader looks for them, and lean on nothing but :mod:`tests.support`."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src/obroute"
OF_NO_PACKAGE = {"differential", "fuzz", "project", "support", "workflow"}
"""Folders that are not those of a package: of all, of nothing, of the repository, of sweeps."""


def test_no_test_module_imports_another() -> None:
    """What several need stands in the folder of support, or in a conftest."""
    for file in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [
                alias.name for alias in getattr(node, "names", []) if isinstance(alias, ast.alias)
            ]
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{name}" for name in names]
            elif not isinstance(node, ast.Import):
                continue
            found = [name for name in names if name.startswith("tests.") and ".test_" in name]
            assert not found, f"{file.relative_to(TESTS)} imports {found}"


def test_folders_of_tests_are_those_of_the_package() -> None:
    """A folder for a package, a module of tests for a module beside them."""
    for folder in {file.parent for file in TESTS.rglob("test_*.py")} - {TESTS}:
        name = folder.relative_to(TESTS).parts[0]
        places = (SOURCE / name, SOURCE / f"{name}.py")
        assert name in OF_NO_PACKAGE or any(place.exists() for place in places), folder


def test_long_tests_that_are_listed_exist() -> None:
    """A line names a function of a module of tests, or the examples of a module."""
    functions: dict[str, set[str]] = {}
    for line in (TESTS / "support/long_tests.txt").read_text(encoding="utf-8").splitlines():
        file, _, name = line.partition("::")
        path = TESTS.parent / file
        assert path.is_file(), line
        if file.startswith("src/"):
            continue
        if file not in functions:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            functions[file] = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        assert name.partition("[")[0] in functions[file], line
