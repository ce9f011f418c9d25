"""How objects are shown at a prompt and in a notebook (:mod:`obroute.presented`).

What is said of an answer is what its kind of experiment says on a terminal; the figure is the one
that is registered for its section.
"""

from __future__ import annotations

import base64
import html as markup
import math
from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from obroute.breakdown import channel_rows, contributions
from obroute.functions.arguments import asked
from obroute.functions.evaluating import evaluate
from obroute.functions.stores import gather, kind_of, to_dataset
from obroute.kinds.answers import Shown
from obroute.kinds.requirements import EXACT
from obroute.names import shortened
from obroute.presented import Presented, WorstCaseAnswer
from obroute.specs import InputError
from obroute.throughput import Evaluation
from obroute.views import StudyData, figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = [
    "channel_loads",
    "html",
    "line",
    "plot",
    "plot_loads",
    "plot_worst_permutation",
    "summary",
    "to_dataset",
    "worst_pairs",
]

LONGEST_LINE = 240
MOST_LINES = 12
"""Lines of text of one part that a page shows; a summary has them all."""
MOST_NODES_PICTURED = 256
"""The largest network whose figure is drawn whenever its answer is shown."""
UNTOLD = ("seconds",)
"""What a command says of its run, and an object does not know."""
TABLE = "border-collapse:collapse;color:inherit"
RULE = "border-bottom:1px solid rgba(128,128,128,.35)"
CELL = f"text-align:left;padding:.25em .8em .25em 0;vertical-align:top;{RULE}"
NAME = f"{CELL};font-weight:normal;opacity:.75;white-space:nowrap"


def parts(thing: Presented) -> list[Shown]:
    """Return what is said of an object: titles, named values and lines."""
    kind = kind_of(thing)
    if kind is None:
        described: Any = thing
        return [Shown(described.name, described.in_words())]
    settings = asked.get(id(thing)) or kind.settings_behind(thing)
    return [
        Shown(part.title, [row for row in part.rows if row[0] not in UNTOLD], part.lines)
        for part in kind.shown(thing, settings, math.nan)
    ]


def line(thing: Presented) -> str:
    """Return an object in a line, at any cost: a debugger shows what is not finished, too."""
    name = type(thing).__name__
    try:
        first = parts(thing)[0]
    except Exception:
        return f"<{name}>"
    values = [f"{label} {value}" for label, value in first.rows]
    return f"<{name} {_cut('; '.join([first.title, *values[:3]]))}>"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"


def summary(thing: Presented) -> str:
    """Return an object in words, as its command prints it."""
    lines: list[str] = []
    for part in parts(thing):
        lines += [part.title] * bool(part.title)
        width = max((len(label) for label, _ in part.rows), default=0)
        lines += [f"  {label:<{width}}  {value}" for label, value in part.rows]
        lines += part.lines
    return "\n".join(lines)


def html(thing: Presented) -> str:
    """Return an object as a piece of a page: a table, and a picture where there is one.

    Colours are those of the page around it.
    """
    found = [_part_html(part) for part in parts(thing) if part.title]
    return f'<div style="color:inherit">{"".join(found)}{_picture(thing)}</div>'


def _part_html(part: Shown) -> str:
    title, text = markup.escape(part.title), ""
    head = f'<div style="font-weight:bold;margin:.4em 0">{title}</div>' if title else ""
    rows = "".join(
        f'<tr style="background:none"><th scope="row" style="{NAME}">{markup.escape(label)}</th>'
        f'<td style="{CELL}">{markup.escape(value)}</td></tr>'
        for label, value in part.rows
    )
    if rows:
        rows = f'<table style="{TABLE}"><tbody>{rows}</tbody></table>'
    if part.lines:
        shown = [markup.escape(shortened(one)) for one in part.lines[:MOST_LINES]]
        left = len(part.lines) - len(shown)
        shown += [f"… and {left} more"] * bool(left)
        text = f'<pre style="color:inherit;background:none">{chr(10).join(shown)}</pre>'
    return head + rows + text


def _picture(thing: Presented) -> str:
    """Return the figure of an answer as an image; nothing where there is none."""
    kind = kind_of(thing)
    if kind is None or kind.makes_routing:
        return ""
    network = getattr(thing, "network", None)
    if network is not None and network.node_count > MOST_NODES_PICTURED:
        return ""
    try:
        from obroute.plots import image_bytes

        drawn = plot(thing)
        if not drawn.axes:  # it only says why there is nothing to draw
            return ""
        image = base64.b64encode(image_bytes(drawn, "svg")).decode()
    except InputError:
        return ""
    return (
        f'<img alt="{markup.escape(parts(thing)[0].title)}, drawn" style="max-width:100%;'
        f'background:white;margin-top:.6em" src="data:image/svg+xml;base64,{image}"/>'
    )


def plot(thing: Presented) -> Figure:
    """Return the figure that shows an answer best.

    Of a worst case the picture of its permutation, or else a map of the loads; of a design that of
    its routing's worst case; of anything else the figure that is registered for its section.

    Raises
    ------
    InputError
        If there is none.
    """
    kind = kind_of(thing)
    assert kind is not None
    if isinstance(thing, WorstCaseAnswer):
        try:
            return plot_worst_permutation(thing)
        except InputError:
            return plot_loads(thing)
    if kind.makes_routing:
        design: Any = getattr(thing, "design", thing)  # one that was judged holds it
        return plot(evaluate(design.problem.network, design.routing))
    view = next((one for one in figures if one.needs == (kind.section,)), None)
    if view is None:
        raise InputError(f"{type(thing).__name__}: there is no figure of {kind.section}")
    dataset = to_dataset(thing)
    data = StudyData({kind.section: gather([dataset])}, {kind.section: {"it": dataset}})
    options = {"cell": "it"} if view.each_cell else {}
    drawn: Figure = view.of(data, **options)
    return drawn


def plot_loads(thing: Any) -> Figure:
    """Return a map of the load of every channel of an evaluation under each traffic."""
    from obroute.plots import channel_load_map

    return channel_load_map(to_dataset(thing))


def plot_worst_permutation(thing: Any) -> Figure:
    """Return the picture of the worst case of an evaluation."""
    from obroute.plots import worst_permutation_figure

    return worst_permutation_figure(to_dataset(thing))


def worst_pairs(found: Evaluation) -> pd.DataFrame:
    """Return the pairs of the worst case that load the critical channel, the heaviest first."""
    import pandas as pd

    network, critical = found.network, found.critical
    worst = critical.worst
    bandwidth = network.bandwidth.fraction(worst.channel)
    loads = contributions(worst, critical.pair_loads).fractions()
    rows = [
        {
            "source": network.describe(source),
            "destination": network.describe(destination),
            "amount": float(amount),
            "load": float(load / bandwidth),
            "amount_exact": amount,
            "load_exact": load / bandwidth,
        }
        for source, destination, amount, load in zip(
            network.sources[worst.sources].tolist(),
            network.destinations[worst.destinations].tolist(),
            worst.amounts.fractions(),
            loads,
            strict=True,
        )
        if load
    ]
    rows.sort(key=itemgetter("load"), reverse=True)
    names = ["source", "destination", "amount", "load", "amount_exact", "load_exact"]
    return pd.DataFrame(rows, columns=names)


def channel_loads(found: Evaluation) -> pd.DataFrame:
    """Return every channel with its worst case and its load under each traffic."""
    import pandas as pd

    table = pd.DataFrame(channel_rows(found)).set_index("channel")
    for name in table.columns:
        if name.endswith(EXACT):
            table[name] = [Fraction(text) if text else None for text in table[name]]
    return table
