"""The documentation does what it shows: its examples run, its links lead somewhere."""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import typer
import yaml
from tests.support.effort import few

import obroute
from obroute import cli, traffic
from obroute.importers import importers
from obroute.kinds.registry import experiments, kinds
from obroute.routing import routings
from obroute.topologies import networks
from obroute.views import figures, sections, tables

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]*)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    text = page.read_text()
    return [
        Block(
            language=found["language"],
            title=found["title"] or "",
            text=found["text"],
            line=text.count("\n", 0, found.start()),
        )
        for found in FENCE.finditer(text)
    ]


def name(page: Path) -> str:
    """Return what a person calls a page."""
    return str(page.relative_to(ROOT))


def is_run(page: Path) -> bool:
    """Say whether a page shows anything that can be run here."""
    return any(">>> " in b.text or b.text.startswith("$ obroute") for b in blocks(page))


@pytest.fixture(scope="session")
def default_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The part of the default study that pages show."""
    store = tmp_path_factory.mktemp("docs") / "evaluations.zarr"
    study = obroute.compare(
        ["torus:8x8", "torus:9x9"], ["dor", "romm", "valiant"], ["uniform", "tornado"]
    )
    obroute.write_store(study, store)
    return store


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a page register what it adds, and forget it afterwards."""
    for registry in (networks, routings, importers, traffic.patterns, experiments):
        monkeypatch.setattr(registry, "_entries", dict(registry.entries))
        monkeypatch.setattr(registry, "_names", dict(registry._names))
    for views in (tables, figures, sections):
        list(views)  # found before it is changed
        monkeypatch.setattr(views, "_views", dict(views._views))
    monkeypatch.setattr(cli.app, "registered_commands", list(cli.app.registered_commands))
    yield
    kinds.cache_clear()
    cli.command.cache_clear()


@pytest.mark.parametrize(
    "page",
    few(
        [page for page in PAGES if is_run(page)], [ROOT / "README.md", ROOT / "docs/quickstart.md"]
    ),
    ids=name,
)
@pytest.mark.usefixtures("registries")
def test_examples_print_what_the_page_shows(page, default_study, tmp_path, monkeypatch):
    """Every `>>>` and every `$ obroute …` runs in the order of the page, on the files it shows."""
    monkeypatch.chdir(tmp_path)
    if "results/default" in page.read_text():
        shutil.copytree(default_study, "results/default/evaluations.zarr")
    if "examples/" in page.read_text():
        shutil.copytree(ROOT / "examples", "examples")
    if page.name == "README.md":
        write_files_of(DOCS / "how-to/own-network.md")
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.title.startswith("src/obroute/"):
            add_source(block, monkeypatch)
        elif block.title:
            write(block)
        elif ">>> " in block.text:
            run_doctest(block, page, names)
        elif block.language == "console":
            run_commands(block, page, monkeypatch)


def write_files_of(page: Path) -> None:
    """Write the files that another page shows."""
    for block in blocks(page):
        if block.title:
            write(block)


def write(block: Block) -> None:
    """Write a file that the page shows."""
    Path(block.title).parent.mkdir(parents=True, exist_ok=True)
    Path(block.title).write_text(block.text)


def add_source(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import a module that the page adds, and let the command line know what kinds it brings."""
    file = Path(f"added_{Path(block.title).name}").absolute()
    file.write_text(block.text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    monkeypatch.syspath_prepend(file.parent)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, file.stem, module)
    known = set(experiments.entries)
    spec.loader.exec_module(module)
    if set(experiments.entries) != known:
        kinds.cache_clear()
        cli.experiments.add_to(cli.app)
        cli.command.cache_clear()


def run_doctest(block: Block, page: Path, names: dict[str, object]) -> None:
    """Run a block's examples; later blocks of the page see its names."""
    test = doctest.DocTestParser().get_doctest(
        block.text, names, name(page), str(page), block.line + 1
    )
    printed = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failed = runner.run(test, out=printed.write, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, printed.getvalue()


def run_commands(block: Block, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a block's commands and compare what they print, but for the seconds they took."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "obroute", f"{name(page)}: only obroute is run in a console block"
        monkeypatch.setattr(sys, "argv", [program, *arguments])
        printed = io.StringIO()
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            contextlib.suppress(SystemExit),
        ):
            cli.main()
        shown, got = (without_seconds(text) for text in (expected, printed.getvalue()))
        as_shown = not shown.strip() or doctest.OutputChecker().check_output(shown, got, FLAGS)
        assert as_shown, f"{name(page)}: {command}\n{got}"
        assert expected.startswith("error: ") or not got.startswith("error: "), got


def without_seconds(text: str) -> str:
    """Return an output without the time that it took, which no two runs share."""
    return re.sub(r"^(  seconds +)[\d.]+$", r"\1-", text, flags=re.MULTILINE)


def test_commands_that_are_not_run_exist():
    """Each `make` target and configuration file that a page names is there."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        text = FENCE.sub("", page.read_text())
        shown = "\n".join([*(b.text for b in blocks(page)), *re.findall(r"`([^`]+)`", text)])
        made = set(re.findall(r"\bmake (?:[A-Z]+=\S+ )*([a-z][a-z-]*)", shown))
        assert made <= targets, f"{name(page)}: {made - targets}"
        for file in re.findall(r"`((?:config|src|tests|workflow|profiles)/[\w./-]+)`", text):
            assert (ROOT / file).exists() or any(b.title == file for b in blocks(page)), (
                f"{name(page)}: {file}"
            )


def commands() -> Iterator[tuple[str, click.Command]]:
    """Give every command of the command line by its full name."""
    pending: list[tuple[str, object]] = [("obroute", typer.main.get_command(cli.app))]
    while pending:
        full_name, command = pending.pop()
        words = command.list_commands(None) if hasattr(command, "list_commands") else []
        subcommands = {word: command.get_command(None, word) for word in words}
        pending += [(f"{full_name} {word}", sub) for word, sub in subcommands.items()]
        if not subcommands:
            yield full_name, command


def test_command_line_page_is_as_the_commands_say():
    """It has every command, with exactly the arguments and options that the command has."""
    spec = importlib.util.spec_from_file_location("page_of_commands", DOCS / "commands.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    text = (DOCS / "reference/cli.md").read_text()
    assert text == made.page(text), "write it anew: make schema"
    headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    groups = {"obroute table", "obroute figure", "obroute cluster"}
    assert set(headings) - groups == {full_name for full_name, _ in commands()}


def test_links_lead_somewhere():
    """A relative link names a file, and its anchor a heading of that file."""
    for page in (*PAGES, ROOT / "CHANGELOG.md"):
        for link in LINK.findall(FENCE.sub("", page.read_text())):
            if re.match(r"\w+:", link):
                continue
            place, _, anchor = link.partition("#")
            target = (page.parent / place).resolve() if place else page
            assert target.exists(), f"{name(page)}: {link}"
            assert not anchor or anchor in anchors(target), f"{name(page)}: {link}"


def anchors(page: Path) -> list[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings]


def test_every_page_is_in_the_navigation():
    """And every entry of the navigation is a page."""
    pending = [yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]]
    listed = set()
    while pending:
        entry = pending.pop()
        if isinstance(entry, str):
            listed.add(entry)
        else:
            pending += entry.values() if isinstance(entry, dict) else entry
    notebooks = [page.with_suffix(".md") for page in DOCS.rglob("*.ipynb")]
    pages = (page for page in (*DOCS.rglob("*.md"), *notebooks) if ".ipynb_" not in str(page))
    assert listed == {str(page.relative_to(DOCS)) for page in pages}


def test_promises_stand_on_tests_that_there_are() -> None:
    """The page names what it counts, and counts what it names."""
    rows = [line for line in (DOCS / "promises.md").read_text().splitlines() if "{cases" in line]
    for row in rows[1:]:
        *_, named, mark, _ = row.split("|")
        places = mark.strip(" {}").removeprefix("cases: ").split()
        assert re.findall(r"`([^`]+)`", named) == [place for place in places if place != "rest"]
        for place in (ROOT / place for place in places if place != "rest"):
            assert place.is_file() or any(place.rglob("*.py"))


def test_reference_pages_name_modules():
    """What mkdocstrings is asked to show can be imported."""
    for page in (DOCS / "reference").glob("*.md"):
        for target in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE):
            assert importlib.util.find_spec(target) is not None, f"{name(page)}: {target}"


def shown_modules() -> set[str]:
    """Return the modules that the reference shows."""
    pages = (DOCS / "reference").glob("*.md")
    return {name for page in pages for name in re.findall(r"^::: (\S+)$", page.read_text(), re.M)}


def test_reference_has_every_public_name():
    """Each has its place in the reference, and each function its line on the first page."""
    lines = re.findall(r"^\| (`.+?) \|", (DOCS / "reference/obroute.md").read_text(), re.MULTILINE)
    listed = set(re.findall(r"`(\w+)`", " ".join(lines)))
    for public in set(obroute.__all__) - {"__version__"}:
        thing = getattr(obroute, public)
        assert thing.__module__ in shown_modules(), public
        assert isinstance(thing, type) or public in listed, public


def test_reference_has_what_pages_import():
    """A module that a reader is told to import has its place in the reference."""
    program = "obroute.proofs.check_proof"  # proof-format.md says what it takes
    for page in PAGES:
        imported = re.findall(
            r"^(?:>>> |\.\.\. )?from (obroute\.[\w.]+) import", page.read_text(), re.M
        )
        assert set(imported) - {program} <= shown_modules(), name(page)


def test_examples_are_what_pages_show():
    """Each file that a page shows is in `examples/`, and so is each that a page names there."""
    spec = importlib.util.spec_from_file_location("examples", ROOT / ".ci/examples.py")
    assert spec is not None
    assert spec.loader is not None
    examples = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(examples)
    for place, text in examples.shown().items():
        assert place.is_file(), f"{place} is missing; run `make examples`"
        assert place.read_text() == text, f"{place} is another; run `make examples`"
    for page in PAGES:
        for file in re.findall(r"\bexamples/([\w./-]*\w)", page.read_text()):
            assert (ROOT / "examples" / file).exists(), f"{name(page)}: {file}"


def test_examples_are_listed():
    """With what they are, but for folders that have the files of a page."""
    text = (ROOT / "examples/README.md").read_text()
    pages = {page.stem for page in PAGES}
    there = {
        file.name + "/" * file.is_dir()
        for file in (ROOT / "examples").iterdir()
        if file.name not in pages - {"README", "infiniband"}
    }
    assert set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)) == there - {"README.md"}


def test_decisions_have_one_form():
    """Number and title, a status if there is one, context, decision, consequence; and a row."""
    index = (DOCS / "decisions/index.md").read_text()
    rows = re.findall(r"^\| \[(\d{4})\]\((\S+)\) \| (.+) \|$", index, re.MULTILINE)
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    assert [row[1] for row in rows] == [page.name for page in pages]
    for (number, _, title), page in zip(rows, pages, strict=True):
        text = page.read_text()
        assert page.name.startswith(f"{number}-")
        assert text.startswith(f"# {number}: {title.partition(' (replaced by ')[0]}\n"), page.name
        leads = re.findall(r"^\*\*([A-Z]\w+)\.\*\*", text, re.MULTILINE)
        assert leads[leads[0] == "Status" :] == ["Context", "Decision", "Consequence"], page.name
        replaced = re.search(r"^\*\*Status\.\*\* Replaced by \[(\d{4})\]", text, re.MULTILINE)
        assert ("(replaced by" in title) == bool(replaced), page.name
        assert not re.search("^#{2,}", text, re.MULTILINE), page.name


def test_lines_of_the_examples_are_counted():
    """The table that says what each example takes has the lines that the page shows."""
    page = DOCS / "how-to/extend.md"
    shown = [len(b.text.splitlines()) for b in blocks(page) if b.title.startswith("src/obroute/")]
    counted = re.findall(
        r"^\| an? .+ \| 1 \| (\d+) \| nothing \|$", page.read_text(), re.MULTILINE
    )
    assert [int(count) for count in counted] == shown


def test_kind_of_experiment_shown_is_the_one_that_is_tested():
    """The page shows the file that a test installs as a plugin and takes all the way."""
    shown = {block.title: block.text for block in blocks(DOCS / "how-to/extend.md")}
    tested = (ROOT / "tests/support/toy_kind.py").read_text()
    assert shown["src/obroute/experiments/longest.py"] == tested


def test_the_house_is_built_as_its_plan_says():
    """The picture has every module, on floors in the order of the import contract."""
    drawing = next(b.text for b in blocks(DOCS / "house.md") if b.text.startswith(" roof"))
    drawn = [
        set(re.findall(r"[a-z_]+", floor)) for floor in re.split(r"^ ─+$", drawing, flags=re.M)
    ]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["id"] == "layers")
    floors = []
    for module in re.findall(r"\((\w+)\)", " ".join(layers)):
        places = [number for number, names in enumerate(drawn) if module in names]
        assert places, f"{module} is not in the picture"
        floors.append(places[0])
    assert floors == sorted(floors)
