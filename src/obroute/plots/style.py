"""How figures look and are saved: one palette, sizes for a report, stable bytes."""

from __future__ import annotations

import hashlib
import io
import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import ListedColormap, to_hex, to_rgb
from matplotlib.figure import Figure

from obroute.specs import InputError
from obroute.views import write_whole

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    # Laid out with the first. The others are what a browser without it writes the text with: as
    # wide, or narrower, so that no text grows into its neighbour.
    "font.sans-serif": ["DejaVu Sans", "Bitstream Vera Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "figure.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "obroute",
    "svg.fonttype": "none",
    # A name may hold any character: no dollar in it begins a formula.
    "text.parse_math": False,
}

INK = "#222222"
FAINT = "#8a8a8a"
ALERT = "#d55e00"
"""The channel or row to look at."""

# Okabe and Ito's palette first, which colour-blind readers can tell apart.
LOOKS = {
    "dor": ("#0072b2", "o"),
    "romm": ("#d55e00", "s"),
    "valiant": ("#009e73", "^"),
    "o1turn": ("#e69f00", "D"),
    "ival": ("#cc79a7", "v"),
    "rlb": ("#56b4e9", "P"),
    "rlbth": ("#000000", "X"),
    "ecmp": ("#7f7f7f", "<"),
    "2turn": ("#5e4fa2", ">"),
    "2turna": ("#8c564b", "h"),
    "optimal": ("#9c2755", "*"),
    "optimal:objective=average_case,symmetry=translations+reversal,then=none": ("#d1478c", "d"),
}
"""Colour and marker of routings that have a name, and of a variant whose own shade is taken."""
_SPARE_COLOURS = (
    "#17607a",
    "#b8860b",
    "#7b4173",
    "#2f4b26",
    "#6b6ecf",
    "#ad494a",
    "#a6761d",
    "#4d4d4d",
    "#1b9e77",
    "#c71585",
)
_SHADES = (-0.45, -0.25, 0.3)
_ATTEMPTS_AT_A_SHADE = 30
_SPARE_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p", "d")
_LABELS = {
    "dor": "DOR",
    "romm": "ROMM",
    "valiant": "VAL",
    "o1turn": "O1TURN",
    "ival": "IVAL",
    "rlb": "RLB",
    "rlbth": "RLBth",
    "ecmp": "ECMP",
    "2turn": "2TURN",
    "2turna": "2TURNA",
}
_DESIGN_WORDS = {
    "objective=average_case": "average case",
    "objective=capacity": "capacity",
    "paths=minimal": "minimal paths",
    "paths=two_turn": "two turns",
    "paths=minimal+two_turn": "minimal paths of two turns",
    "symmetry=translations": "translations",
    "symmetry=translations+reversal": "translations and reversal",
    "symmetry=none": "no symmetry",
    "then=none": "any length",
}
"""Parameters of ``optimal`` in words."""

TRAFFIC_LABELS = {
    "bit_reverse": "bit reversal",
    "borodin_hopcroft": "Borodin and Hopcroft's",
    "random_permutation": "random permutations",
    "worst_case": "worst case",
}

_EM = 0.58
"""Width of a character over the size of the font; more than the average."""

UNLOADED = "#dcdcdc"
"""What carries nothing."""
LOAD_MAP = ListedColormap(mpl.colormaps["YlGnBu"](np.linspace(0.28, 1, 256)), "loads")
"""Sequential in lightness, so that colour-blind readers see it too; darker is more."""

RASTER_DPI = 160
LEAST_DPI, MOST_DPI = 20, 1200
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "obroute"},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": "obroute", "Producer": None},
}


def routing_label(routing: str) -> str:
    """Return the field's abbreviation of a routing, its parameters behind it.

    A routing that is a file goes by the file's own name, a combination by those of its parts.

    >>> routing_label("valiant"), routing_label("romm:order=fixed")
    ('VAL', 'ROMM (order=fixed)')
    >>> routing_label("optimal:objective=average_case,paths=minimal")
    'optimal (average case, minimal paths)'
    >>> routing_label("designed:results/mine/designs/torus-8x8/2turn.zarr")
    'designed (2turn.zarr)'
    >>> routing_label("1/2*dor+1/2*romm:order=fixed")
    '1/2 DOR + 1/2 ROMM (order=fixed)'
    """
    parts = re.split(r"\+(?=[\d./]+\*)", routing)
    if "*" in parts[0]:
        weighted = (part.partition("*") for part in parts)
        return " + ".join(f"{weight} {routing_label(name)}" for weight, _, name in weighted)
    name, _, parameters = routing.partition(":")
    label = _LABELS.get(name, _without_folders(name))
    words = [_DESIGN_WORDS.get(word, _without_folders(word)) for word in parameters.split(",")]
    return f"{label} ({', '.join(words)})" if parameters else label


def _without_folders(words: str) -> str:
    """Return a name with each path in it cut to the file's own name; fractions are no paths."""
    return re.sub(
        r"[^:,=]+",
        lambda piece: (
            piece[0]
            if re.fullmatch(r"[\d.]+/[\d.]+", piece[0])
            else PurePath(piece[0]).name or piece[0]
        ),
        words,
    )


def network_label(network: str) -> str:
    """Return what to call a network: a file by its own name.

    >>> network_label("torus:8x8,bandwidth=1/2"), network_label("our fabrics/site 2.csv")
    ('torus:8x8,bandwidth=1/2', 'site 2.csv')
    """
    return _without_folders(network)


def traffic_label(traffic: str) -> str:
    """Return what a person calls a traffic.

    >>> traffic_label("bit_reverse"), traffic_label("bit_complement")
    ('bit reversal', 'bit complement')
    """
    return TRAFFIC_LABELS.get(traffic, traffic.replace("_", " "))


def fitted(text: str, inches: float, size: float = 10.5) -> str:
    """Break a text into lines that fit a width, at the size of a title (points) or another.

    >>> print(fitted("Locality on a network with a long name", 2))
    Locality on a network
    with a long name
    """
    width = max(8, int(inches * 72 / (_EM * size)))
    return "\n".join(textwrap.fill(line, width) for line in text.split("\n"))


def look_of(routings: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the colour and marker of each routing, which follow from its name alone.

    So a routing looks the same in every figure. One with parameters, or where parts fail (``dor
    without 1 switch``), has a shade of the colour of
    the routing that it is a variant of; one without a name of its own gets a spare colour. Only
    where two of the routings given would look alike does the later one give way.

    >>> look_of(["dor", "romm"])["romm"] == look_of(["romm", "my.csv"])["romm"]
    True
    """
    looks: dict[str, tuple[str, str]] = {}
    for routing in sorted(dict.fromkeys(routings), key=lambda name: name not in LOOKS):
        choices = (_look(routing, attempt) for attempt in itertools.count())
        few = itertools.islice(choices, len(_SPARE_COLOURS) * len(_SPARE_MARKERS))
        first = next(few)
        looks[routing] = next(
            (look for look in (first, *few) if look not in looks.values()), first
        )
    return looks


def _look(routing: str, attempt: int) -> tuple[str, str]:
    """Return what a routing looks like; at another attempt, something else."""
    if routing in LOOKS:
        return LOOKS[routing]
    digest = int.from_bytes(hashlib.sha256(f"{routing} {attempt}".encode()).digest()[:8])
    name = re.split(":| without ", routing)[0]
    if name not in LOOKS or attempt >= _ATTEMPTS_AT_A_SHADE:
        digest, place = divmod(digest, len(_SPARE_COLOURS))
        return _SPARE_COLOURS[place], _SPARE_MARKERS[digest % len(_SPARE_MARKERS)]
    colour, marker = LOOKS[name]
    others = [other for other in _SPARE_MARKERS if other != marker]
    digest, place = divmod(digest, len(others))
    return _shade(colour, _SHADES[digest % len(_SHADES)]), others[place]


def _shade(colour: str, share: float) -> str:
    """Return a colour mixed with black (a share below nought) or with white (above).

    Black itself has only lighter shades.
    """
    parts = to_rgb(colour)
    end = float(share > 0 or max(parts) < 0.2)
    red, green, blue = ((1 - abs(share)) * part + abs(share) * end for part in parts)
    return to_hex((red, green, blue))


@contextmanager
def style() -> Iterator[None]:
    """Use the figures' settings, whatever the user's own are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        yield


class Sentence(Figure):
    """A figure that only says why there is nothing to draw."""

    sentence: str


def sentence_figure(sentence: str) -> Figure:
    """Return a figure that only says why there is nothing to draw."""
    figure = Sentence(figsize=(6.4, 1.2), layout="constrained")
    figure.sentence = sentence
    figure.text(0.5, 0.5, sentence, ha="center", va="center", color=INK)
    return figure


def image_bytes(figure: Figure, kind: str, dpi: float = RASTER_DPI) -> bytes:
    """Return a figure as SVG, PNG or PDF; the same bytes for the same figure.

    ``dpi`` counts the pixels of an inch of a PNG.
    """
    check_kind(kind)
    if not LEAST_DPI <= dpi <= MOST_DPI:
        raise InputError(f"{dpi:g} pixels an inch: expected {LEAST_DPI} to {MOST_DPI}")
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=_METADATA[kind])
    return buffer.getvalue()


def kind_of(path: Path) -> str:
    """Return the kind of figure that a file's name says: svg, png or pdf.

    Raises
    ------
    InputError
        If it says another, or none.

    Examples
    --------
    >>> kind_of(Path("map.SVG"))
    'svg'
    """
    kind = path.suffix.lstrip(".").lower()
    check_kind(kind)
    return kind


def check_kind(kind: str) -> None:
    """Raise if there is no such kind of figure."""
    if kind not in _METADATA:
        raise InputError(f"'{kind}' is no kind of figure; expected {', '.join(sorted(_METADATA))}")


def save(figure: Figure, path: Path, dpi: float = RASTER_DPI) -> None:
    """Write a figure to a file, of the kind that its name says: .svg, .png or .pdf."""
    write_whole(path, image_bytes(figure, kind_of(path), dpi))
