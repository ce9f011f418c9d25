"""What a thing depends on: the files that it was read from, and the source that makes it.

A network, a routing or a pattern says which files and modules it depends on
(:class:`Dependencies`). The source of modules is their *closure*: the files of obroute that their
code may run, found by reading imports without importing anything (:func:`sources`). One digest of
it says whether a result would be computed anew by the same program (:func:`program`).

An import of a name leads to the module that defines it, not to the package that passes it on, and
not to the other modules that a package imports: a new routing beside the others is in the closure
of none of them. Modules that a registry imports by their names are in no closure either. They are
named by the object that the registry makes, which knows its module.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from obroute.found_files import placed
from obroute.reading import digest
from obroute.specs import InputError

PACKAGE = Path(__file__).parent
OWN = __name__.partition(".")[0]
STORE_FILE = "zarr.json"
"""The file of a store that says what it is, with the digest of its data."""
COMPUTES_NOTHING = (OWN, __name__)
"""The modules that every other one leads to and that no result depends on."""


@dataclass(frozen=True)
class Dependencies:
    """What a thing depends on, each once, in the order in which it was named.

    Parameters
    ----------
    files
        The files, or stores, that it was read from.
    modules
        The modules whose code makes it and works it out, such as ``obroute.routing.ival``.

    Examples
    --------
    >>> Dependencies(("a.csv",)) | Dependencies(("b.csv", "a.csv"), ("obroute.traffic",))
    Dependencies(files=('a.csv', 'b.csv'), modules=('obroute.traffic',))
    """

    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    def __or__(self, other: Dependencies) -> Dependencies:
        return Dependencies.union((self, other))

    @classmethod
    def union(cls, parts: Iterable[Dependencies]) -> Dependencies:
        """Return all that the parts depend on."""
        listed = list(parts)
        return cls(
            tuple(dict.fromkeys(file for part in listed for file in part.files)),
            tuple(dict.fromkeys(module for part in listed for module in part.modules)),
        )


def program(modules: Iterable[str]) -> str:
    """Return one digest of the source that modules may run; of its content, not of its place.

    >>> program(["obroute.registry"]) == program(["obroute.registry", "obroute.specs"])
    True
    """
    lines = (f"{digest} {file}\n" for file, digest in sorted(sources(modules).items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def file_digests(files: Iterable[str]) -> dict[str, str]:
    """Return a digest of the content of each file, and of what each store says of itself.

    A file that cannot be read has an empty one.
    """
    return {file: file_digest(placed(Path(file))) for file in files}


def file_digest(file: Path) -> str:
    """Return a digest of a file or store; an empty one where it cannot be read."""
    try:
        return digest(file / STORE_FILE if file.is_dir() else file)[:12]
    except InputError:
        return ""


def sources(modules: Iterable[str]) -> dict[str, str]:
    """Return the source files that modules may run, with a digest of the content of each.

    Files are named by their path below obroute, those of a plugin below what holds its package.
    Imports are followed wherever they stand, also in functions, but for those that only a type
    checker sees; within obroute, and within the packages of the given modules. What a name in
    ``obroute/__init__.py`` stands for is followed, the file itself is not: like this module, it
    computes nothing.
    Files that are not Python count with the modules of their folder, or of the folder above where
    they are in one of their own (templates); obroute's own top folder has none that count.

    Raises
    ------
    InputError
        If there is no such module.

    Examples
    --------
    >>> [file for file in sources(["obroute.topologies.complete"]) if "/" in file]
    [..., 'topologies/complete.py', 'topologies/registry.py', 'topologies/sizes.py']
    """
    return dict(_sources(frozenset(modules)))


@cache
def _sources(modules: frozenset[str]) -> dict[str, str]:
    tops = frozenset({OWN, *(module.partition(".")[0] for module in modules)})
    for module in modules:
        if not _is_known(module):
            raise InputError(f"there is no module '{module}'; expected one such as {OWN}.loads")
    reached = set(modules)
    waiting = list(modules)
    while waiting:
        found = _leads_to(waiting.pop(), tops) - reached
        reached |= found
        waiting += found
    named: dict[str, Path] = {}
    for file, top in {file for module in reached for file in _files(module)}:
        name = _name(file, top)
        if name in named:
            raise InputError(
                f"{named[name]} and {file} both go by {name}; call the plugin something that is "
                f"no module of {OWN}"
            )
        named[name] = file
    return {name: _digest(named[name]) for name in sorted(named)}


def _is_known(module: str) -> bool:
    """Say whether there is such a module; one typed in at a prompt has no source to watch."""
    return module in sys.modules or _file(module) is not None


def _name(file: Path, top: str) -> str:
    root = _root(top)
    assert root is not None
    below = file.relative_to(root if top == OWN else root.parent)
    return below.as_posix()


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


# ------------------------------------------------------------------------------- files of modules


@cache
def _root(top: str) -> Path | None:
    """Return the folder of a top-level package, or the file of a top-level module."""
    if top == OWN:
        return PACKAGE
    try:
        spec = importlib.util.find_spec(top)
    except ValueError:  # the program that runs, or a module that was made by hand
        file = getattr(sys.modules[top], "__file__", None)
        return Path(file) if file else None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin) if spec.has_location and spec.origin else None


@cache
def _file(module: str) -> Path | None:
    top, *below = module.split(".")
    root = _root(top)
    if root is None:
        return None
    if root.is_file():
        return None if below else root
    place = root.joinpath(*below)
    files = place / "__init__.py", place.with_name(f"{place.name}.py")
    return next((file for file in files if file.is_file()), None)


def _files(module: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of a module and those beside it that count, and its top-level package."""
    file, top = _file(module), module.partition(".")[0]
    if file is None or module in COMPUTES_NOTHING:
        return
    yield file, top
    if file.parent != PACKAGE and file != _root(top):
        yield from ((other, top) for other in _data(file.parent))


@cache
def _data(folder: Path) -> tuple[Path, ...]:
    """Return the files in a folder that are not Python, and those in folders of such alone."""
    found: list[Path] = []
    for entry in folder.iterdir():
        if entry.name.startswith((".", "__pycache__")) or entry.name.endswith("~"):
            continue
        if entry.is_dir():
            found += () if (entry / "__init__.py").exists() else _data(entry)
        elif entry.suffix not in (".py", ".pyi"):
            found.append(entry)
    return tuple(found)


# ---------------------------------------------------------------------------------------- imports


class _Import(NamedTuple):
    """One imported name: what it is called here, the module, and its name there."""

    bound: str
    module: str
    name: str | None


class _Module(NamedTuple):
    """What is read from a module: all that it imports, and the names of its top level."""

    imports: tuple[_Import, ...]
    passed_on: dict[str, _Import]
    defined: frozenset[str]


@cache
def _leads_to(module: str, tops: frozenset[str]) -> frozenset[str]:
    """Return the modules that the imports of a module lead to, of some top-level packages."""
    file = _file(module)
    if file is None or module in COMPUTES_NOTHING:
        return frozenset()
    found = {
        _home(one.module, one.name)
        for one in _read(module, file).imports
        if one.module.partition(".")[0] in tops
    }
    return frozenset(found)


def _home(module: str, name: str | None, passed: frozenset[str] = frozenset()) -> str:
    """Return the module where a name that another one has comes from."""
    file = _file(module)
    below = f"{module}.{name}"
    if name is None or (file is not None and file.name != "__init__.py"):
        return module
    package = None if file is None else _read(module, file)
    if package is not None:
        if name in package.defined:
            return module
        origin = package.passed_on.get(name)
        if origin is not None and module not in passed:
            same = origin.module.partition(".")[0] == module.partition(".")[0]
            return _home(origin.module, origin.name, passed | {module}) if same else module
    return below if _file(below) is not None else module


@cache
def _read(module: str, file: Path) -> _Module:
    tree = ast.parse(file.read_bytes(), str(file))
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    imports = [one for node in _imports(tree.body) for one in _imported(node, package)]
    passed_on: dict[str, _Import] = {}
    defined: set[str] = set()
    if file.name == "__init__.py":
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                passed_on |= {one.bound: one for one in _imported(node, package)}
            else:
                defined.update(_bound(node))
                # A package that imports a name when it is asked for tells type checkers whence.
                for late in ast.walk(node) if _is_for_checkers(node) else ():
                    if isinstance(late, ast.ImportFrom):
                        passed_on |= {one.bound: one for one in _imported(late, package)}
    return _Module(tuple(imports), passed_on, frozenset(defined))


def _imports(body: Iterable[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports in statements, at any depth, but for those for type checkers."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
            continue
        parts = ("orelse",) if _is_for_checkers(node) else _PARTS
        for part in parts:
            yield from _imports(getattr(node, part, ()))


_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")


def _is_for_checkers(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[_Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield _Import(alias.asname or alias.name, alias.name, None)
        return
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, *filter(None, [base])])
    for alias in node.names:
        name = None if alias.name == "*" else alias.name
        yield _Import(alias.asname or alias.name, base, name)


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of the top level defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))
