"""The data of a study and the registries: lazy, by section, and named by nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from tests.support.datasets import cell_dataset, gathered_dataset
from tests.support.effort import few

import obroute
from obroute import views
from obroute.dependencies import sources
from obroute.kinds.stores import write_store
from obroute.report import render_report
from obroute.specs import InputError
from obroute.views import (
    Coverage,
    Facts,
    Heading,
    Paragraph,
    Rows,
    Section,
    StudyData,
    Table,
    Views,
    Written,
    wanted_figures,
    wanted_tables,
)


@pytest.fixture(scope="module")
def cell() -> xr.Dataset:
    """Give a cell."""
    return cell_dataset(obroute.evaluate("ring:5", "dor"))


@pytest.fixture
def folder(cell: xr.Dataset, tmp_path: Path) -> Path:
    """Give the folder of a study of one cell."""
    write_store(cell, tmp_path / "evaluations/ring-5/dor.zarr")
    study = gathered_dataset({"ring-5/dor.zarr": cell})
    write_store(study, tmp_path / "evaluations.zarr")
    return tmp_path


def test_a_study_is_read_from_its_folder_or_from_a_store_in_it(folder: Path) -> None:
    """The same sections and cells; a cell is found with or without its suffix."""
    for place in (folder, folder / "evaluations.zarr"):
        data = StudyData.read(place)
        assert data.sections == ["evaluations"]
        assert data.cell_names("evaluations") == ["ring-5/dor.zarr"]
        assert data["evaluations"].attrs["kind"] == "evaluations"
        assert data.cell("evaluations", "ring-5/dor").attrs["routing"] == "dor"
        assert data.cell("evaluations", "ring-5/dor") is data.cell(
            "evaluations", "ring-5/dor.zarr"
        )


def test_stores_are_read_when_they_are_asked_for(folder: Path) -> None:
    """A damaged one harms only who needs it."""
    (folder / "designs.zarr").mkdir()
    (folder / "designs.zarr" / "zarr.json").write_text("{")
    data = StudyData.read(folder)
    assert data["evaluations"].sizes["network"] == 1
    with pytest.raises(InputError, match=r"designs\.zarr is truncated or damaged"):
        data["designs"]


def test_a_store_by_another_name_stands_alone(folder: Path) -> None:
    """What lies beside it by chance is no part of it."""
    (folder / "evaluations.zarr").rename(folder / "mine.zarr")
    data = StudyData.read(folder / "mine.zarr")
    assert list(data) == ["evaluations"]
    assert data.readable_cells("evaluations") == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "does not exist; give the folder of a study"),
        ("evaluations", "holds no store of a study"),
        ("evaluations/ring-5/dor.zarr", "is a store of kind evaluation, which is one cell"),
    ],
)
def test_what_is_no_study_is_named_in_one_line(folder: Path, name: str, message: str) -> None:
    """With what was expected."""
    with pytest.raises(InputError, match=message) as raised:
        StudyData.read(folder / name)
    assert "\n" not in str(raised.value)


def test_a_missing_cell_is_an_input_error(folder: Path, cell: xr.Dataset) -> None:
    """Of a folder, and of given ones, with a suggestion."""
    with pytest.raises(InputError, match="does not exist"):
        StudyData.read(folder).cell("evaluations", "ring-5/romm")
    data = StudyData({}, {"evaluations": {"ring-5/dor": cell}, "designs": {"one": cell}})
    with pytest.raises(InputError, match="did you mean 'ring-5/dor'"):
        data.cell("evaluations", "ring-5/dar")
    with pytest.raises(InputError, match="is a store of kind evaluation, and none of designs"):
        data.cell("designs", "one")


def test_a_table_that_needs_a_section_says_what_there_is(folder: Path) -> None:
    """The store, its kind, and what is missing."""
    data = StudyData.read(folder / "evaluations.zarr")
    with pytest.raises(
        InputError, match="is a store of kind evaluations, and the study has no designs"
    ):
        views.tables.find("designs").of(data)


# ------------------------------------------------------------------------------------ registries


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test register what it likes, and forget it afterwards."""
    for registry in (views.tables, views.figures, views.sections):
        list(registry)  # found before it is changed
        monkeypatch.setattr(registry, "_views", dict(registry._views))


@pytest.mark.usefixtures("toys")
def test_a_kind_of_experiment_brings_its_table_figure_and_section(cell: xr.Dataset) -> None:
    """They are known by being registered, and only where a study has such a section."""

    @views.tables.register("toy", "Toys.", needs=("toys",))
    def table(data: StudyData) -> Rows:
        return Rows(["toys"], [{"toys": data["toys"].attrs["count"]}])

    @views.figures.register("toy", "A toy each.", needs=("toys",), each_cell=True)
    def figure(data: StudyData, cell: str = "") -> None:
        return None

    @views.sections.register("toy", needs=("toys",))
    def section(data: StudyData) -> Section:
        return Section(
            "Toys",
            "toys",
            [Heading("Some <toys>"), Paragraph("Few & good."), Facts([("how many", "3")])],
            heading="All toys",
        )

    cells = {"evaluations": ["ring-5/dor"], "toys": ["ring-5/car.zarr", "ring-5/ball.zarr"]}
    assert wanted_tables(cells, ["ring:5"])["toy"].words == ("toy",)
    found = wanted_figures(cells, ["ring:5"])
    assert found["toys/ring-5/car"].words == ("toy", "--cell", "ring-5/car")
    assert found["toys/ring-5/ball"].sections == ("toys",)
    assert "toy" not in wanted_tables({"evaluations": ["ring-5/dor"]}, ["ring:5"])
    toys = xr.Dataset(attrs={"kind": "toys", "count": 3})
    study = gathered_dataset({"one": cell})
    with pytest.raises(InputError, match="made of one cell; give one of: "):
        views.figures.find("toy").of(StudyData({"toys": toys}))
    given = StudyData({"evaluations": study, "toys": toys}, {"evaluations": {"one": cell}})
    assert views.tables.find("toy").of(given).csv() == "toys\n3\n"
    page = render_report(given)
    assert '<li><a href="#toys">Toys</a></li>' in page
    assert '<h2 id="toys">All toys</h2>' in page
    assert "<h3>Some &lt;toys&gt;</h3>" in page
    assert "<p>Few &amp; good.</p>" in page
    assert page.index('id="toys"') < page.index('id="summary"')
    without = StudyData({"evaluations": study}, {"evaluations": {"one": cell}})
    assert "toys" not in render_report(without)


@pytest.mark.usefixtures("toys")
def test_a_section_may_bring_its_own_template_and_tables(tmp_path: Path) -> None:
    """Beside its module; columns of numbers and of exact values are set as such."""
    template = tmp_path / "mine.html.j2"
    template.write_text("<p>{{ count }} of {{ what }}</p>", encoding="utf-8")

    @views.sections.register("mine", needs=())
    def section(data: StudyData) -> Section:
        table = Table("Loads", ["Name", "Load", "Exact"], [("<a>", 0.5, "1/2")], (1,), (2,), True)
        return Section("Mine", "mine", [Written(template, {"count": 3, "what": "a < b"}), table])

    page = render_report(StudyData({}))
    assert "<p>3 of a &lt; b</p>" in page
    for part in (
        '<div class="tall" tabindex="0">',
        '<th scope="col">Name</th><th scope="col" class="number">Load</th>',
        '<th scope="row">&lt;a&gt;</th><td class="number">0.5</td><td class="exact">1/2</td>',
    ):
        assert part in page


def test_names_are_taken_once_and_options_are_those_of_the_function() -> None:
    """Another function by a known name is rejected."""
    found: Views[str] = Views("toy", places=())

    @found.register("car", "Drives.", applies=lambda study, network: network in study.networks)
    def car(data: StudyData, network: str = "ring:5") -> str:
        return network

    with pytest.raises(ValueError, match="the toy 'car' is registered twice"):
        found.register("car")(lambda data: "another")
    assert found.find("car").applies(Coverage({}, frozenset({"ring:5"})), network="ring:5")
    with pytest.raises(InputError, match="did you mean 'car'"):
        found.find("cart")


def test_each_view_says_what_it_is_and_what_it_is_made_of() -> None:
    """Every registered table and figure has a summary, and options with help and a default."""
    for registry in (views.tables, views.figures):
        assert len(list(registry)) >= 5
        for view in registry:
            assert view.summary.endswith(".")
            assert view.needs
            assert all(module.startswith("obroute.") for module in view.modules)
            assert all(option.help and option.default is not None for option in view.options)


def test_the_default_words_are_those_of_a_study_of_the_papers_networks() -> None:
    """Table 1 and the plane only where the study has their network; settings choose another."""
    cells = {"evaluations": ["a"], "simulations": ["b"], "stability": ["c"], "designs": ["d"]}
    networks = ["torus:8x8", "torus:9x9"]
    assert set(wanted_tables(cells, networks)) == {
        "designs", "papers", "summary", "table1", "trends",
    }  # fmt: skip
    assert set(wanted_figures(cells, networks)) == {
        "locality", "pareto", "queues", "stability", "steps", "trends",
    }  # fmt: skip
    own = {"evaluations": ["a"]}
    assert set(wanted_tables(own, ["mesh:3x3"])) == {"summary", "trends"}
    assert set(wanted_figures(own, ["mesh:3x3"])) == {"trends"}
    chosen = wanted_figures(own, ["mesh:3x3"], {"pareto_network": "mesh:3x3"})
    assert chosen["pareto"].words == ("pareto", "--network", "mesh:3x3")


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abc"),
            st.one_of(st.integers(-1, 3), st.just(float("nan")), st.text("x,\n\"'", max_size=4)),
        ),
        max_size=4,
    )
)
def test_a_table_keeps_its_columns_whatever_is_in_it(rows: list[dict[str, object]]) -> None:
    """Read again it has a row a row; what is not known is empty."""
    import csv
    import io

    read = list(csv.DictReader(io.StringIO(Rows("abc", rows).csv(), newline="")))
    blanks = [row for row in rows if len(row) == 0]
    assert len(read) == len(rows) or blanks
    for row in read:
        assert set(row) == set("abc")
        assert not {"nan", "-1"} & set(row.values())


def test_what_nobody_imports_counts_as_code_all_the_same() -> None:
    """A change of a closed form is one of the trends, a change of a remark one of the report."""
    closed = "papers/closed_forms.py"
    cells = {"evaluations": ["ring-5/dor"]}
    for wanted in (wanted_tables(cells, ["ring:5"]), wanted_figures(cells, ["ring:5"])):
        assert closed in sources(wanted["trends"].modules)
    report = sources(views.report_modules())
    templates = {"report/templates/page.html.j2", "papers/templates/table1.html.j2"}
    assert {closed, "papers/report.py", "papers/packets.py", "plots/curves.py"} <= set(report)
    assert templates <= set(report)


@pytest.mark.parametrize("registry", few(["tables", "figures", "sections"]))
def test_views_are_found_in_the_modules_of_kinds_too(registry: str) -> None:
    """A kind may bring its own, whether or not somebody has looked for a kind before."""
    program = (
        f"import sys; from obroute.views import {registry}; list({registry}); "
        "print('obroute.experiments.evaluation' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "True"
