"""Defaults stand once, whoever has them: settings, functions that they lead to, commands."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import obroute

SOURCE = Path(obroute.__file__).parent
FAMILIES = {"collectives", "exporters", "importers", "routing", "topologies", "traffic_sets"}
"""Where each registered thing has parameters of its own."""


def defaults(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the defaults of functions' parameters and of classes' fields, by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            placed, given = [*node.args.posonlyargs, *node.args.args], node.args.defaults
            yield from zip([a.arg for a in placed[len(placed) - len(given) :]], given, strict=True)
            for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                if default is not None:
                    yield argument.arg, default
        elif isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and field.value is not None:
                    yield ast.unparse(field.target), default_of(field.value)


def constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the constants of a module by name, as a parameter would be called."""
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            yield ast.unparse(node.target).lower(), node.value
        elif isinstance(node, ast.Assign):
            yield from ((ast.unparse(target).lower(), node.value) for target in node.targets)


def default_of(value: ast.expr) -> ast.expr:
    """Return what a field is where it is not given, of a ``Field`` what that says."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "Field":
        return next((word.value for word in value.keywords if word.arg == "default"), value)
    return value


def choice(value: ast.expr) -> str:
    """Return a default as text if it is a choice: a word, or a number other than 0 and 1."""
    try:
        literal = ast.literal_eval(value)
    except ValueError:
        return ""
    return repr(literal) if literal and literal not in (True, 1) else ""


def test_each_default_stands_once() -> None:
    """No two modules say the same of what has one name, be it a constant of one of them."""
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    named: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE)
        if module.parts[0] in FAMILIES:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for found, kept in ((defaults(tree), places), (constants(tree), named)):
            for name, value in found:
                if said := choice(value):
                    kept[name, said].add(str(module))
    assert ("samples", "100") in named
    both = {key: modules | named[key] for key, modules in places.items()}
    assert {key: modules for key, modules in both.items() if len(modules) > 1} == {}
