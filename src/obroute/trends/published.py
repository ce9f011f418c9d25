"""Numbers that the source papers print, as data: what, where, for which network and routing.

``printed`` is the text as printed, so that its number of decimals says how it was rounded or cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

REPORT = (
    "B. Towles, Finding Worst-case Permutations for Oblivious Routing Algorithms, technical "
    "report, Stanford University"
)
SPAA = "B. Towles, W. J. Dally and S. Boyd, Throughput-Centric Routing Algorithm Design, SPAA 2003"
SHORT_NAMES = {REPORT: "technical report", SPAA: "SPAA 2003"}

TABLE1_NETWORK = "torus:9x9"
SPAA_NETWORK = "torus:8x8"

Quantity = Literal[
    "pattern",
    "random_permutations",
    "worst_case",
    "path_length",
    "average_case",
    "worst_case_ratio",
    "overestimate",
    "path_saving",
    "interpolation_saving",
    "length_excess",
    "best_worst_case",
    "interpolation_excess",
    "best_average_in_sample",
    "average_shortfall",
    "curve_excess",
    "approximation_error",
]
"""What a published number measures; :mod:`obroute.trends.measures` reads those of a study alone,
:mod:`obroute.trends.spaa` those that take designs and curves too."""


@dataclass(frozen=True)
class Published:
    """One printed number.

    ``reference`` is the other routing of a ratio, a saving or a mix with DOR, ``pattern`` the
    traffic of a pattern's throughput; ``why`` explains a difference that is known.
    """

    source: str
    where: str
    label: str
    printed: str
    quantity: Quantity
    network: str
    routing: str
    reference: str = ""
    pattern: str = ""
    why: str = ""


TABLE1_ROWS: tuple[tuple[str, Quantity, str], ...] = (
    ("Uniform", "pattern", "uniform"),
    ("Bit-complement", "pattern", "bit_complement"),
    ("Transpose", "pattern", "transpose"),
    ("Tornado", "pattern", "tornado"),
    ("Worst of random permutations", "random_permutations", ""),
    ("Worst case", "worst_case", ""),
)
"""Label, quantity and pattern of each row of the technical report's Table 1."""

_TABLE1_PRINTED = {
    "dor": ("1", "0.556", "0.278", "0.278", "0.278", "0.278"),
    "romm": ("1", "0.362", "0.556", "0.278", "0.255", "0.173"),
}

_SAMPLE = (
    "A random sample has no value to reproduce: other permutations give another worst, and none "
    "bounds the worst case."
)

TABLE1: tuple[Published, ...] = tuple(
    Published(
        REPORT,
        "Table 1",
        label,
        printed,
        quantity,
        TABLE1_NETWORK,
        routing,
        pattern=pattern,
        why=_SAMPLE if quantity == "random_permutations" else "",
    )
    for routing, column in _TABLE1_PRINTED.items()
    for (label, quantity, pattern), printed in zip(TABLE1_ROWS, column, strict=True)
)

_READ_OFF = (
    "The paper says “about” and prints no load of its RLB or RLBth; ours follows from the exact "
    "worst-case loads."
)

AT_ONE_RADIX: tuple[Published, ...] = (
    Published(
        REPORT,
        "section 5",
        "ROMM's worst case over DOR's",
        "62.3%",
        "worst_case_ratio",
        TABLE1_NETWORK,
        "romm",
        "dor",
        why="The paper divides figures that were cut (.173 by .2778); the exact ratio is "
        "(25/144)/(5/18) = 5/8.",
    ),
    Published(
        REPORT,
        "abstract and section 6",
        "Overestimate of ROMM's worst case by the random sample",
        "47%",
        "overestimate",
        TABLE1_NETWORK,
        "romm",
        why="It compares the worst of 10⁴ random permutations with the exact worst case, so it "
        "moves with the sample; the paper's own .255 over the exact 25/144 gives 46.9%.",
    ),
    Published(
        SPAA,
        "section 5.1",
        "DOR's path length over the minimal",
        "1",
        "path_length",
        SPAA_NETWORK,
        "dor",
    ),
    Published(
        SPAA,
        "section 5.1",
        "ROMM's path length over the minimal",
        "1",
        "path_length",
        SPAA_NETWORK,
        "romm",
    ),
    Published(
        SPAA,
        "section 5.1",
        "VAL's worst case, the best of any routing",
        "50%",
        "worst_case",
        SPAA_NETWORK,
        "valiant",
    ),
    Published(
        SPAA,
        "section 5.1",
        "VAL's path length over the minimal",
        "2.0",
        "path_length",
        SPAA_NETWORK,
        "valiant",
    ),
    Published(
        SPAA,
        "section 5.2",
        "IVAL's worst case, the best of any routing",
        "50%",
        "worst_case",
        SPAA_NETWORK,
        "ival",
    ),
    Published(
        SPAA,
        "section 5.2",
        "IVAL's path length over the minimal",
        "1.61",
        "path_length",
        SPAA_NETWORK,
        "ival",
    ),
    Published(
        SPAA,
        "section 1",
        "IVAL's paths shorter than VAL's by",
        "19.3%",
        "path_saving",
        SPAA_NETWORK,
        "ival",
        "valiant",
    ),
    Published(
        SPAA,
        "section 5.3",
        "DOR–IVAL interpolation shorter than RLB at RLB's worst case by",
        "14%",
        "interpolation_saving",
        SPAA_NETWORK,
        "rlb",
        why=_READ_OFF,
    ),
    Published(
        SPAA,
        "section 5.3",
        "DOR–IVAL interpolation shorter than RLBth at RLBth's worst case by",
        "12%",
        "interpolation_saving",
        SPAA_NETWORK,
        "rlbth",
        why=_READ_OFF,
    ),
    Published(
        SPAA,
        "section 5.4",
        "VAL's average case",
        "50%",
        "average_case",
        SPAA_NETWORK,
        "valiant",
        why="A mean over sampled traffic; VAL has the same throughput under all traffic.",
    ),
    Published(
        SPAA,
        "section 5.4",
        "IVAL's average case (8.4% below 62.8%)",
        "57.5%",
        "average_case",
        SPAA_NETWORK,
        "ival",
        why="A mean over sampled traffic matrices; it depends on their distribution, which the "
        "paper does not give.",
    ),
)

IVAL_SETTLES = Published(
    SPAA,
    "Figure 4",
    "IVAL's path length over the minimal settles, as k grows, near",
    "1.64",
    "path_length",
    "",
    "ival",
    why="1.64 is what k = 15 and k = 16 show; the lengths of odd radices follow (5k-1)/(3k), "
    "which goes on rising towards 5/3.",
)
"""Printed of no one network: the largest radix of a study is held against it."""

APPROACHES: dict[str, str] = {"dor": "0.26", "romm": "0.14"}
"""“As k increases, DOR approaches approximately 0.26 of capacity, while ROMM approaches 0.14”."""

APPROACHED_AT = (17, 19)
"""The radices whose values those are: only there does ROMM's fraction round to 0.14."""
