"""The page of a report: what comes first, and the sections that apply, as one HTML file."""

from __future__ import annotations

import math
from pathlib import Path

import jinja2
from markupsafe import Markup

from obroute.choices.reports import TITLE
from obroute.plots import routing_label
from obroute.plots.style import network_label
from obroute.report.wording import counted
from obroute.trends.values import network_names, routing_names
from obroute.views import Block, StudyData, Written, sections, write_whole

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("tablesort.min.js", "tablesort.number.min.js", "report.js")


def write_report(data: StudyData, output: Path, title: str = TITLE) -> None:
    """Write the report of a study as one self-contained HTML file.

    Parameters
    ----------
    data
        The stores of the study, as :meth:`obroute.views.StudyData.read` gives them. Of the cells
        only the few that figures and comparisons need are read.
    output
        The file; written whole or not at all.
    title
        Its heading.

    Raises
    ------
    InputError
        If a cell is missing, or a dataset is of another kind.
    """
    write_whole(output, render_report(data, title).encode())


def render_report(data: StudyData, title: str = TITLE) -> str:
    """Return the report as HTML: every registered section that applies to the study, in order."""
    known = data.sections
    found = [
        section
        for view in sections
        if all(need in known for need in view.needs) and (section := view.of(data)) is not None
    ]
    page = _Page()
    return page.environment.get_template("page.html.j2").render(
        title=title, overview=_overview(data), sections=found, write=page.write, scripts=_scripts()
    )


def _scripts() -> list[Markup]:
    """Return what the page runs: Tablesort, as it is published, and its own."""
    return [Markup((ASSETS / name).read_text(encoding="utf-8")) for name in SCRIPTS]


class _Page:
    """Writes blocks by the report's own templates, or by that which a section brings."""

    def __init__(self) -> None:
        self.environment = jinja2.Environment(
            loader=jinja2.PackageLoader("obroute.report"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._macros = self.environment.get_template("blocks.html.j2").module

    def write(self, block: Block) -> Markup:
        """Return a block as HTML."""
        if isinstance(block, Written):
            text = block.template.read_text(encoding="utf-8")
            return Markup(self.environment.from_string(text).render(**block.values))
        macro = getattr(self._macros, type(block).__name__.lower())
        return Markup(macro(block, self.write))


def _overview(data: StudyData) -> list[str]:
    if "evaluations" not in data:
        found = ((section, data.cell_names(section)) for section in data.sections)
        return [", ".join(f"{counted(len(names), 'cell')} of {name}" for name, names in found)]
    study = data["evaluations"]
    networks, routings = network_names(study), routing_names(study)
    count = int(study["present"].values.sum())
    proved = int(study["certified"].values[study["present"].values].sum())
    seconds = float(study.attrs.get("seconds", math.nan))
    certificates = (
        f"{proved} of {count} worst cases are certified: a permutation reaches each load, and "
        "dual potentials, checked in exact arithmetic, prove that no traffic exceeds it."
    )
    if proved < count:
        certificates += " The others are estimates from sampled paths and bound nothing."
    sentence = (
        f"{counted(count, 'evaluation')}: {counted(len(networks), 'network')} "
        f"({_abridged([network_label(name) for name in networks])}) with "
        f"{counted(len(routings), 'routing')} "
        f"({_abridged([routing_label(name) for name in routings], 6)})"
        + ("." if math.isnan(seconds) else f", {seconds:.0f} seconds of computation in all.")
    )
    return [sentence, certificates]


def _abridged(names: list[str], most: int = 4) -> str:
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 2])}, …, {names[-1]}"
