"""Trends in the report: the worst case over the radix, and what is proved of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import xarray as xr

from obroute import plots
from obroute.plots import routing_label
from obroute.report.drawings import drawing
from obroute.trends import ClosedForm, Theory, TrendRow, series_of, trend_table
from obroute.trends.theory import PLACES
from obroute.views import Section, StudyData, Written, sections

TEMPLATE = Path(__file__).parent / "templates" / "trends.html.j2"
LIMIT_RADICES = (17, 99, 499)


@sections.register("trends", place=30, code=PLACES)
def trends_section(data: StudyData) -> Section | None:
    """Return the trends over the radix, closed forms and where they go; None without series."""
    study = data["evaluations"]
    rows = trend_table(study)
    if not rows:
        return None
    proved = _proved(study, rows)
    caption = "Guaranteed throughput over the radix. Left: every computed value"
    if proved is None:
        caption += ". Right: the worst-case load."
    else:
        printed = proved.theory.printed({row.network for row in proved.rows})
        others = {row.series for row in rows} - {row.series for row in proved.rows}
        caption += (
            ", with the closed forms as lines. Right: "
            + (f"of {proved.theory.title} " if others else "")
            + "the closed forms, all of them proved, on to k = 499"
            + (f", with {printed.words}" if printed else "")
            + ("; of the others the worst-case load." if others else ".")
        )
    shown = {
        "rows": [vars(row) | {"routing": routing_label(row.routing)} for row in rows],
        "figure": drawing(
            lambda: plots.trend_figure(study), alt=_trend_alt(study, rows), caption=caption
        ),
        "limits": [] if proved is None else proved.limits(),
        "forms": [] if proved is None else proved.forms(),
        "size": " or ".join(dict.fromkeys(found.size_is[-1] for found in series_of(study))),
        "networks": "" if proved is None else proved.theory.title,
    }
    return Section("Trends over the radix", "trends", [Written(TEMPLATE, {"trends": shown})])


@dataclass(frozen=True)
class _Proved:
    """The rows of the series that closed forms are about, and what is proved of them."""

    theory: Theory
    rows: list[TrendRow]

    def limits(self) -> list[dict[str, str]]:
        """Return where each series goes that has a known limit."""
        found = {row.routing: self.theory.limit(row.routing) for row in self.rows}
        return [
            {"routing": routing_label(name), "text": limit.text, "examples": self._examples(name)}
            for name, limit in found.items()
            if limit is not None and limit.value is not None
        ]

    def _examples(self, routing: str) -> str:
        form = self.theory.closed_form(routing)
        if form is None or len({form.fraction(radix) for radix in LIMIT_RADICES}) == 1:
            return ""
        return (
            "It is "
            + ", ".join(f"{float(form.fraction(k)):.4f} at k = {k}" for k in LIMIT_RADICES)
            + "."
        )

    def forms(self) -> list[dict[str, str]]:
        """Return each closed form that covers a row, and whether it agrees."""
        covered = dict.fromkeys(row.routing for row in self.rows if row.closed_form_exact)
        forms = {name: self.theory.closed_form(name) for name in covered}
        return [self._form(name, form) for name, form in forms.items() if form is not None]

    def _form(self, routing: str, form: ClosedForm) -> dict[str, str]:
        covered = [row for row in self.rows if row.routing == routing and row.closed_form_exact]
        wrong = [row.radix for row in covered if row.agreement == "differs"]
        return {
            "routing": routing_label(routing),
            "formula": form.formula,
            "domain": form.domain,
            "source": form.source,
            "agreement": (
                f"differs at k = {', '.join(map(str, wrong))}"
                if wrong
                else f"equal at all {len(covered)} radices that it covers"
            ),
        }


def _proved(study: xr.Dataset, rows: list[TrendRow]) -> _Proved | None:
    """Return what is proved of the first series that has closed forms, and of those like it."""
    titled = [series for series in series_of(study) if series.theory.title]
    if not titled:
        return None
    theory = titled[0].theory
    alike = {series.title for series in titled if series.theory == theory}
    return _Proved(theory, [row for row in rows if row.series in alike])


def _trend_alt(study: xr.Dataset, rows: list[TrendRow]) -> str:
    letters = {series.title: series.size_is[-1] for series in series_of(study)}
    parts = []
    for routing in dict.fromkeys(row.routing for row in rows):
        mine = [r for r in rows if r.routing == routing and r.fraction_of_capacity_exact]
        if mine:
            first, last = mine[0], mine[-1]
            start, end = (f"{letters[row.series]} = {row.radix}" for row in (first, last))
            parts.append(
                f"{routing_label(routing)} from {first.fraction_of_capacity:.3f} at {start} to "
                f"{last.fraction_of_capacity:.3f} at {end}"
            )
    return "Line chart of the guaranteed fraction of capacity: " + "; ".join(parts) + "."
