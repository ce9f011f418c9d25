"""The price of Valiant in the report."""

from __future__ import annotations

from fractions import Fraction

from obroute.plots.price import price_figure
from obroute.plots.style import network_label
from obroute.report.drawings import drawing
from obroute.report.wording import counted
from obroute.trends.price import Price, prices
from obroute.views import Paragraph, Section, StudyData, Table, sections


@sections.register("price", needs=("evaluations", "designs"), place=17)
def price_section(data: StudyData) -> Section | None:
    """Return the best beside VAL and shortest paths; None where a study has not both."""
    found = prices(data)
    if not found:
        return None
    free = [one for one in found if one.price == 1]
    dearest = max(found, key=lambda one: one.price)
    sentence = (
        f"On {len(free)} of {counted(len(found), 'network')} no oblivious routing guarantees more "
        "than Valiant's."
    )
    if dearest.price > 1:
        sentence += (
            f" It costs most on {network_label(dearest.network)}: {float(dearest.price):.4g} "
            "times the least worst-case load."
        )
    chart = drawing(
        lambda: price_figure(found),
        alt="Chart of worst-case loads over the least, a row a network; the numbers are in the "
        "table.",
        caption="Worst-case loads over the least of any oblivious routing; none is below 1.",
    )
    with_minimal = any(one.minimal is not None for one in found)
    rows = [_cells(one, with_minimal) for one in found]
    loads = 1 + list(rows[0]).index("Price")
    table = Table(
        "Worst-case loads (packets per cycle over channel bandwidth) and mean path lengths "
        "(hops). The price is VAL's load over the best, which a design proved; its length is the "
        "least of all routings with the best load, a dash where that was not proved exactly.",
        list(rows[0]),
        [list(row.values()) for row in rows],
        exact=tuple(range(1, loads)),
        numbers=tuple(range(loads, len(rows[0]))),
        tall=True,
    )
    told = [chart, table] if dearest.price > 1 or with_minimal else [table]
    return Section(
        "Price of Valiant", "price", [Paragraph(sentence), *told], "The price of Valiant"
    )


def _cells(one: Price, with_minimal: bool) -> dict[str, object]:
    """Return the cells of a row by their heads; those of shortest paths where a row has some."""
    minimal = one.minimal
    load = {"Load, minimal": "–" if minimal is None else str(minimal.load)}
    hops = {"Hops, minimal": _hops(None if minimal is None else minimal.length)}
    return {
        "Network": network_label(one.network),
        **(load if with_minimal else {}),
        "Load, VAL": str(one.valiant.load),
        "Load, best": str(one.best),
        "Price": str(one.price),
        **(hops if with_minimal else {}),
        "Hops, VAL": _hops(one.valiant.length),
        "Hops, best": _hops(one.best_length),
    }


def _hops(length: Fraction | None) -> str:
    return "–" if length is None else f"{float(length):.3f}"
