"""The source that a thing depends on: all that its code may run, and nothing beside it."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Annotated

import pytest

from obroute import InputError, make_network, make_pattern, make_routing
from obroute.dependencies import PACKAGE, Dependencies, program, sources
from obroute.network import Network
from obroute.registry import Registry
from obroute.routing import routings
from obroute.sampling import SampledRouting
from obroute.specs import Parameter
from obroute.topologies import networks
from obroute.traffic import patterns

Copy = Callable[[], ModuleType]
"""Reads a copy of the package anew: its module ``dependencies``, which has read nothing yet."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Give a copy of the package, whose files a test may change."""
    folder = tmp_path / "käse, und brot" / "obroute"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def copy(package: Path) -> Copy:
    """Return what reads the copy anew."""
    file = package / "dependencies.py"

    def read() -> ModuleType:
        spec = importlib.util.spec_from_file_location("obroute.dependencies", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return read


def modules_of_everything() -> list[str]:
    """Name every module of the package."""
    parts = (file.relative_to(PACKAGE.parent).with_suffix("") for file in PACKAGE.rglob("*.py"))
    return [".".join(part.parts).removesuffix(".__init__") for part in parts]


def registered() -> list[str]:
    """Name every module that has registered a routing, a family or a pattern."""
    entries = (*routings, *networks, *patterns)
    return sorted({entry.module for entry in entries})


# ------------------------------------------------------------------------------------------ union


def test_a_union_keeps_the_order_and_names_each_once() -> None:
    """Of files and of modules."""
    one = Dependencies(("a b.csv", "c,d.csv"), ("obroute.loads",))
    other = Dependencies(("e.csv", "a b.csv"), ("obroute.traffic", "obroute.loads"))
    both = Dependencies(("a b.csv", "c,d.csv", "e.csv"), ("obroute.loads", "obroute.traffic"))
    assert one | other == Dependencies.union([one, other, one]) == both
    assert Dependencies.union([]) == Dependencies()


# ---------------------------------------------------------------------------------------- closure


def test_an_imported_name_leads_to_the_module_that_defines_it() -> None:
    """Not to the package that passes it on, nor to what else that package imports."""
    found = sources(["obroute.loads"])
    assert "routing/contract.py" in found
    assert not {"routing/__init__.py", "routing/ival.py", "__init__.py"} & found.keys()


def test_imports_are_followed_in_functions_but_not_for_type_checkers(
    package: Path, copy: Copy
) -> None:
    """In branches and handlers, too."""
    (package / "mine.py").write_text(
        "from __future__ import annotations\n"
        "import typing\n"
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from obroute.birkhoff import decompose\n"
        "if typing.TYPE_CHECKING:\n    from obroute.design import design\n"
        "else:\n    from obroute.delimited import quoted\n"
        "class Mine:\n"
        "    def work(self):\n"
        "        try:\n            import obroute.quotients as exact\n"
        "        except ImportError:\n            from . import tasks\n"
        "        else:\n            from . import sampling\n"
        "        finally:\n            from . import capacity\n"
        "        match self:\n            case 1:\n                from .specs import read_text\n"
        '    """\n    >>> from obroute.matching import nothing\n    """\n'
    )
    found = copy().sources(["obroute.mine"])
    parts = {"delimited.py", "quotients.py", "tasks.py", "specs.py", "sampling.py", "capacity.py"}
    assert {"mine.py", *parts} <= found.keys()
    assert not {"birkhoff.py", "matching.py", "design/designs.py"} & found.keys()


IMPORTS = {
    "from obroute.kit import made_here": {"kit/__init__.py", "kit/one.py", "kit/two.py"},
    "from obroute.kit import First": {"kit/one.py"},
    "from obroute.kit import Renamed": {"kit/two.py"},
    "from obroute.kit import late": {"kit/late.py"},
    "from obroute.kit import part": {"kit/part.py"},
    "from .kit import part as other": {"kit/part.py"},
    "from obroute.kit.part import anything": {"kit/part.py"},
    "import obroute.kit.part": {"kit/part.py"},
    "import obroute.kit as kit": {"kit/__init__.py", "kit/one.py", "kit/two.py"},
    "from obroute import kit": {"kit/__init__.py", "kit/one.py", "kit/two.py"},
    "from obroute.kit import *": {"kit/__init__.py", "kit/one.py", "kit/two.py"},
    "from obroute.kit import unknown": {"kit/__init__.py", "kit/one.py", "kit/two.py"},
    "from obroute import from_the_top": {"kit/two.py"},
    "import obroute": set(),
    "from obroute import __version__": set(),
    "import numpy": set(),
    "from obroute.kit import nested": {"kit/nested/__init__.py"},
    "from obroute.kit.nested import Deep": {"kit/one.py"},
}


@pytest.mark.parametrize("line", IMPORTS)
def test_every_form_of_an_import_leads_where_python_leads(
    line: str, package: Path, copy: Copy
) -> None:
    """Through the packages that pass a name on, and through obroute's own top."""
    kit = package / "kit"
    (kit / "nested").mkdir(parents=True)
    (kit / "__init__.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "from obroute.kit.one import First\nfrom .two import Second as Renamed\n"
        "if TYPE_CHECKING:\n    from obroute.kit.late import late\n"
        "def made_here(): return First\n"
    )
    (kit / "nested/__init__.py").write_text("from .. import First as Deep\nDeepest = 1\n")
    for name in ("one", "two", "late", "part"):
        (kit / f"{name}.py").write_text("")
    with (package / "__init__.py").open("a") as top:
        top.write("\nfrom obroute.kit import Renamed as from_the_top\n")
    (package / "mine.py").write_text(f"{line}\n")
    expected = {"mine.py", *IMPORTS[line]}
    if "kit/nested/__init__.py" in expected:
        expected |= {"kit/one.py"}
    assert copy().sources(["obroute.mine"]).keys() == expected


LATE = ("registry/__init__.py", "__init__.py", "presented.py", "kinds/modules.py")
"""Where modules are imported by name: registries, the surface, how a thing is shown, and what
stands beside a kind, which every cell of it names among its modules.
"""
MAKERS = ("create", "make_network", "make_pattern", "make_routing")


def test_code_names_what_it_uses_by_imports() -> None:
    """Not by a registry's name for it, nor a module's: neither would be in the source.

    Import the routing, network or pattern from its module. Names that a user gave are another
    matter: settings say what these depend on. The top of obroute imports late what it names for
    type checkers too.
    """
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        if name.startswith("cli/"):
            continue
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            called = getattr(call.func, "attr", getattr(call.func, "id", ""))
            given = call.args[0] if call.args else None
            by_name = called in MAKERS and isinstance(given, ast.Constant)
            assert not by_name, f"{name}:{call.lineno} makes what it does not import"
            late = called in ("import_module", "__import__")
            assert not late or name in LATE, name


def test_an_unknown_module_is_refused() -> None:
    """One that is misspelt would otherwise be watched by nobody."""
    for name in ("obroute.trafic", "no_such_plugin.routing"):
        with pytest.raises(InputError, match=name):
            sources([name])


def test_one_typed_in_has_no_source_to_watch() -> None:
    """A class of a notebook has a module without a file."""
    module = ModuleType("typed_in")
    sys.modules["typed_in"] = module
    try:
        assert sources(["typed_in", "obroute.rational"]) == sources(["obroute.rational"])
    finally:
        del sys.modules["typed_in"]


def test_data_beside_a_module_count_with_it(package: Path, copy: Copy) -> None:
    """Numbers of the papers, templates of the report; not those of a package below, nor caches."""
    assert "papers/published.yaml" in sources(["obroute.papers.published"])
    assert "report/templates/page.html.j2" in sources(["obroute.report.page"])
    assert all(file.endswith(".py") for file in sources(["obroute.packets.experiments"]))
    before = copy().sources(["obroute.routing.ival"])
    (package / "routing/.DS_Store").write_text("of an editor")
    (package / "routing/ival.py~").write_text("of an editor")
    (package / "routing/__pycache__").mkdir()
    (package / "routing/__pycache__/kernel.nbc").write_text("compiled")
    assert copy().sources(["obroute.routing.ival"]) == before
    (package / "routing/costs.csv").write_text("1")
    assert copy().sources(["obroute.routing.ival"]).keys() - before.keys() == {"routing/costs.csv"}


def test_the_top_folder_holds_no_data() -> None:
    """They would count with no module: put them beside the module that reads them."""
    beside = [entry.name for entry in PACKAGE.iterdir() if entry.suffix != ".py"]
    folders = {name for name in beside if (PACKAGE / name / "__init__.py").exists()}
    assert set(beside) - folders - {"__pycache__"} == {"py.typed"}


def test_everything_is_read_in_half_a_second(copy: Copy) -> None:
    """Each file once, whatever is asked for; a generous bound, for it is timed."""
    fresh = copy()
    every = modules_of_everything()
    start = time.process_time()
    assert len(fresh.sources(every)) > 100
    first, start = time.process_time() - start, time.process_time()
    for module in every:
        fresh.sources([module])
    assert time.process_time() - start < first < 2


# ---------------------------------------------------------------------------------------- plugins


def test_a_plugin_is_followed_within_itself_and_into_obroute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package with data and a single module; what else they import is not theirs to watch."""
    plugin = tmp_path / "my_routings"
    plugin.mkdir()
    (plugin / "__init__.py").write_text("raise RuntimeError('this is not imported')\n")
    (plugin / "zigzag.py").write_text(
        "import numpy\nimport my_other\nfrom my_routings.helpers import f\n"
        "from obroute.routing import Routing\n"
    )
    (plugin / "helpers.py").write_text("")
    (plugin / "costs.csv").write_text("1")
    (tmp_path / "my_other.py").write_text("from obroute.loads import pair_loads\n")
    (tmp_path / "beside.csv").write_text("1")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = sources(["my_routings.zigzag"])
    theirs = {"my_routings/zigzag.py", "my_routings/helpers.py", "my_routings/costs.csv"}
    assert {file for file in found if file.startswith("my_")} == theirs
    assert "routing/contract.py" in found
    assert sources(["my_other"]).keys() == {"my_other.py", *sources(["obroute.loads"])}


def test_a_plugin_called_like_a_module_of_obroute_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One name for two files would hide a change of one."""
    (tmp_path / "quotients.py").write_text("from obroute.quotients import Quotients\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match=r"both go by quotients\.py"):
        sources(["quotients"])


# ---------------------------------------------------------------------------------------- program


def test_the_same_source_elsewhere_is_the_same_program(package: Path, copy: Copy) -> None:
    """A checkout, an installed package, in any folder."""
    modules = [*registered(), "obroute.throughput", "obroute.papers.tables"]
    assert copy().program(modules) == program(modules)
    code = f"from obroute import dependencies as d; print(d.PACKAGE, d.program({modules!r}))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(package.parent), "PYTHONUTF8": "1"},
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert ran.stdout.strip() == f"{package} {program(modules)}"


NEW = {
    "routing/zigzag.py": "from obroute.routing.contract import Routing, routings\n",
    "topologies/moebius.py": "from obroute.topologies.registry import networks\n",
    "importers/unheard_of.py": "from obroute.importers.registry import importers\n",
    "traffic/zigzag.py": "from obroute.traffic.registry import patterns\n",
}


def test_a_new_module_changes_the_program_of_nothing(package: Path, copy: Copy) -> None:
    """A routing, a family of networks, a file format and a pattern, each a file of its own."""
    every = [*modules_of_everything()]
    before = {module: copy_of.program([module]) for copy_of in [copy()] for module in every}
    for file, text in NEW.items():
        (package / file).write_text(text)
    fresh = copy()
    assert {module: fresh.program([module]) for module in every} == before
    assert "routing/zigzag.py" in fresh.sources(["obroute.routing.zigzag"])


def test_a_change_of_a_routing_changes_the_program_of_its_users(package: Path, copy: Copy) -> None:
    """Of those that have it in their source, and of no other."""
    fresh = copy()
    before = {module: fresh.program([module]) for module in registered()}
    for file, users in {
        "routing/ival.py": {"obroute.routing.ival"},
        "routing/bit_fixing.py": {"obroute.routing.bit_fixing", "obroute.routing.two_phase_bits"},
        "topologies/complete.py": {"obroute.topologies.complete"},
        "routing/two_turn.py": {"obroute.design.named", "obroute.ratios.named"},
    }.items():
        text = (package / file).read_text()
        (package / file).write_text(f"{text}\n# A change.\n")
        fresh = copy()
        assert {module for module in before if fresh.program([module]) != before[module]} == users
        (package / file).write_text(text)


# ------------------------------------------------------------------------------------- depends_on


NAMES = (
    "plain",
    "with blanks  two",
    "comma,s, more",
    "漢 é",
    "a=b",
    "semi;colon",
    "q'uote",
    "12:30",
)
SUFFIXES = (".csv", ".dat", ".txt", "")
PERMUTATION = "1\n2\n3\n0\n"
EDGES = "tail,head\na,b\nb,c\nc,a\n"


def written(folder: Path, name: str, text: str) -> Path:
    """Write a file and return where it is."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def table_text(network: Network) -> str:
    """Return the table of a shortest path for each pair of a complete network."""
    nodes = range(network.node_count)
    pairs = [(s, d) for s in nodes for d in nodes if s != d]
    return "source,destination,probability,path\n" + "".join(
        f"{s},{d},1,{s} {d}\n" for s, d in pairs
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_among_what_its_reader_depends_on(
    name: str, suffix: str, tmp_path: Path
) -> None:
    """Whatever it is called: traffic, tables at any depth, edge lists and their terminals."""
    traffic = written(tmp_path, f"{name}{suffix}", PERMUTATION)
    for spec in (f"permutation:{traffic}", str(traffic)):
        assert make_pattern(spec).depends_on().files == (str(traffic),)
    routes = written(tmp_path, f"routes {name}{suffix}", table_text(make_network("complete:4")))
    for spec in (f"table:{routes}", str(routes)):
        assert make_routing(spec).depends_on().files == (str(routes),)
    other = written(tmp_path, f"other {name}{suffix}", table_text(make_network("complete:4")))
    combined = make_routing(f"1/2*ecmp+1/4*table:{routes}+1/4*table:{other}")
    assert combined.depends_on().files == (str(routes), str(other))
    edges = written(tmp_path, f"edges {name}{suffix}", EDGES)
    hosts = written(tmp_path, f"hosts {name}{suffix}", "a\nb\n")
    assert make_network(str(edges)).depends_on().files == (str(edges),)
    for spec in (f"{edges}:terminals={hosts}", f"{edges}:lines=cables,terminals={hosts}"):
        network = make_network(spec)
        assert network.depends_on().files == (str(edges), str(hosts))
        assert make_network(network.name).depends_on() == network.depends_on()


@pytest.mark.parametrize("name", ["a+b", "1*2", "1/2*a+b.csv"])
def test_a_table_may_be_called_like_a_combination(name: str, tmp_path: Path) -> None:
    """Where there is such a file, it is meant."""
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    routes = written(file.parent, file.name, table_text(make_network("complete:4")))
    for spec in (f"table:{routes}", str(routes)):
        assert make_routing(spec).depends_on().files == (str(routes),)


@pytest.mark.parametrize("make", [make_network, make_pattern, make_routing])
def test_a_name_too_long_for_a_file_is_unknown(make: Callable[[str], object]) -> None:
    """In one line, as any other name that nothing has."""
    with pytest.raises(InputError, match="unknown"):
        make("x" * 300)


def test_a_sampled_routing_depends_on_what_is_sampled() -> None:
    """Its paths are drawn from that."""
    found = SampledRouting(make_routing("ival"), 1, seed=0).depends_on()
    assert found.modules == ("obroute.sampling", "obroute.routing.ival")


def test_a_combination_depends_on_the_modules_of_its_parts() -> None:
    """And on its own, at any depth; a design among them on what designs it."""
    found = make_routing("1/2*ival+1/4*optimal+1/4*2turn").depends_on()
    assert {"obroute.routing.ival", "obroute.design.named"} < {*found.modules}
    assert {"design/solver.py", "routing/ival.py", "routing/combination.py"} <= sources(
        found.modules
    ).keys()
    assert found.files == ()


def test_a_file_that_a_family_takes_counts_though_nothing_says_so() -> None:
    """A file format of a plugin need not know of this; what is left out is no file."""
    formats: Registry[Network] = Registry("file format")

    @formats.register("two", "two nodes")
    def two(
        file: Annotated[Path, Parameter("a file", Path)],
        hosts: Annotated[Path | None, Parameter("another", Path)] = None,
    ) -> Network:
        return Network(str(file), 2, [0, 1], [1, 0])

    module = two.__module__
    found = formats.create("two:a b.two").depends_on()
    assert found == Dependencies(("a b.two",), ("obroute.network", module))
    assert formats.create("two:a.two,hosts=b, c").depends_on().files == ("a.two", "b, c")


def test_everything_registered_says_what_it_depends_on() -> None:
    """The module that registered it is always in the source."""
    for registry in (routings, networks, patterns):
        for entry in registry:
            if any(parameter.required for parameter in entry.parameters):
                continue
            made = registry.create(entry.small[0] if entry.small else entry.name)
            found = sources(made.depends_on().modules)
            file = Path(sys.modules[entry.module].__file__ or "")
            assert file.relative_to(PACKAGE).as_posix() in found, entry.name
