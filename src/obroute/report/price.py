"""The price of Valiant in the report."""

from __future__ import annotations

from fractions import Fraction

from obroute.plots.price import price_figure
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
            f" It costs most on {dearest.network}: {float(dearest.price):.4g} times the least "
            "worst-case load."
        )
    chart = drawing(
        lambda: price_figure(found),
        alt="Chart of worst-case loads over the least, a row a network; the numbers are in the "
        "table.",
        caption="Worst-case loads over the least of any oblivious routing; none is below 1.",
    )
    table = Table(
        "Worst-case loads (packets per cycle over channel bandwidth) and mean path lengths "
        "(hops). The price is VAL's load over the best, which a design proved; its length is the "
        "least of all routings with the best load, a dash where that was not proved exactly.",
        ["Network", "Minimal", "VAL", "Best", "Price", "Hops, minimal", "VAL", "Best"],
        [_cells(one) for one in found],
        exact=(1, 2, 3, 4),
        numbers=(5, 6, 7),
        tall=True,
    )
    return Section(
        "Price of Valiant", "price", [Paragraph(sentence), chart, table], "The price of Valiant"
    )


def _cells(one: Price) -> list[object]:
    return [
        one.network,
        "–" if one.minimal is None else str(one.minimal.load),
        str(one.valiant.load),
        str(one.best),
        str(one.price),
        _hops(None if one.minimal is None else one.minimal.length),
        _hops(one.valiant.length),
        _hops(one.best_length),
    ]


def _hops(length: Fraction | None) -> str:
    return "–" if length is None else f"{float(length):.3f}"
