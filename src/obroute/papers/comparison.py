"""The one comparator: every published number that the stores cover, ours, and one verdict.

A printed number agrees where ours, rounded to as many decimals, is the printed one; of an upper
bound, where ours so rounded is at most it. A number that was measured on a random sample may be
off by what its own and our sampling error explain. That ours would give the printed digits if it
were cut in place of rounded is a remark, and no agreement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import xarray as xr

import obroute.papers.computed  # noqa: F401 (registers how it measures, as the next does)
from obroute.decimals import no_less_than
from obroute.papers.designed import BEST_AVERAGE, equal_at
from obroute.papers.measures import measures
from obroute.papers.published import Published, published, published_number
from obroute.papers.sampling import EXTREMES, MEANS, Spread, spread_of
from obroute.papers.stores import Cells, Stores

Verdict = Literal[
    "agrees",
    "agrees by another reading",
    "agrees within sampling error",
    "one sample",
    "differs",
]
VERDICTS: dict[Verdict, str] = {
    "agrees": "ours, rounded to as many decimals, is the printed number, or within the bound",
    "agrees by another reading": "ours does by another definition than the text gives",
    "agrees within sampling error": "the paper measured it on a random sample, and the difference "
    "is within two standard errors of both samples together, or within the range of repeated "
    "samples",
    "one sample": "an extreme of one random sample, which has no error to compare with",
    "differs": "by no reading that we know, and by more than chance explains",
}
UNEXPECTED = (
    "Not expected: both follow from the same definitions, so look at the study's settings and "
    "check its certificates with `obroute verify`"
)
MOST_DIGITS = 60
"""The longest fraction to write out."""
FLOATS = MEANS - {"best_average_in_sample"} | EXTREMES | {"approximation_error", "curve_excess"}
"""What is no exact value."""


@dataclass(frozen=True)
class Comparison:
    """One printed number beside ours.

    ``ours`` is in the unit of ``printed``, to more digits; ``ours_exact`` is empty for what is
    sampled, and for fractions too long to read; ``difference`` is ours less the printed number, a
    percentage as a fraction of one. ``reading`` names the definition that the verdict rests on
    where the paper leaves it open. ``remark`` says what else there is to know; ``why`` explains a
    difference, and is empty where there is none.
    """

    id: str
    source: str
    where: str
    label: str
    network: str
    routing: str
    printed: str
    ours: str
    ours_exact: str
    value: float
    difference: float
    reading: str
    verdict: Verdict
    remark: str
    why: str


@dataclass(frozen=True)
class _Reading:
    """A printed number by one definition, with our value and what chance allows."""

    item: Published
    ours: Fraction
    spread: Spread | None

    @property
    def verdict(self) -> Verdict:
        """The verdict on this reading alone."""
        if self.spread is None or self.item.bound:
            if rounds_to(self.ours, self.item):
                return "agrees"
            if self.spread is None:
                return "differs"
        if self.spread.holds(self.item.number):
            return "agrees within sampling error"
        return "one sample" if math.isnan(self.spread.low) else "differs"

    @property
    def agrees(self) -> bool:
        """Whether the printed number can be ours."""
        return self.verdict.startswith("agrees")


def rounds_to(ours: Fraction, item: Published) -> bool:
    """Say whether ours, rounded to the printed decimals, is the printed number.

    Of a bound ours, so rounded, is at most it. A number in words must be met exactly.
    """
    if item.value:
        return ours <= item.number if item.bound else ours == item.number
    if item.margin:
        return abs(ours - item.number) <= Fraction(item.margin.rstrip("%")) / 100
    rounded = rounded_to(ours, item.decimals)
    return rounded <= item.number if item.bound else rounded == item.number


def rounded_to(number: Fraction, decimals: int) -> Fraction:
    """Round, halves up.

    >>> rounded_to(Fraction(25, 144), 3), rounded_to(Fraction(1, 8), 2)
    (Fraction(87, 500), Fraction(13, 100))
    """
    unit = 10**decimals
    return Fraction(math.floor(number * unit + Fraction(1, 2)), unit)


def cut_to(number: Fraction, decimals: int) -> Fraction:
    """Drop all further decimals.

    >>> cut_to(Fraction(25, 144), 3)
    Fraction(173, 1000)
    """
    return Fraction(math.floor(number * 10**decimals), 10**decimals)


def compare(
    study: xr.Dataset,
    designs: xr.Dataset | None = None,
    trade_offs: Sequence[xr.Dataset] = (),
    cells: Cells | None = None,
) -> list[Comparison]:
    """Return every published number that the stores cover, in the order of the papers.

    Parameters
    ----------
    study
        A study.
    designs
        Its gathered designs.
    trade_offs
        Trade-off curves; those of other networks and path sets are passed over.
    cells
        Cells by the names that the study holds: for the spread of samples, and for uniform
        traffic where the study lacks it.

    Examples
    --------
    >>> import obroute
    >>> study = obroute.compare(["torus:9x9"], ["dor", "romm", "romm:order=fixed"])
    >>> for row in compare(study):
    ...     if row.where == "Table 1":
    ...         print(row.label, row.printed, row.ours, row.verdict)
    Worst case 0.278 0.27778 agrees
    Worst case 0.173 0.17361 agrees by another reading
    """
    stores = Stores.of(study, designs, trade_offs, cells)
    return [row for item in published() if (row := _compared(stores, item)) is not None]


def _compared(stores: Stores, item: Published) -> Comparison | None:
    readings = [
        _Reading(variant, ours, spread_of(stores, variant, ours))
        for variant in item.variants()
        if (ours := measures[variant.quantity](stores, variant)) is not None
    ]
    if not readings:
        return None
    first = readings[0]
    verdict = first.verdict
    if not first.agrees and any(reading.agrees for reading in readings):
        verdict = "agrees by another reading"
    return Comparison(
        id=item.id,
        source=item.source,
        where=item.where,
        label=item.label,
        network=first.item.network,
        routing=first.item.routing,
        printed=item.printed,
        ours=shown(first.ours, item),
        ours_exact=_exact(first),
        value=float(first.ours),
        difference=float(first.ours - item.number),
        reading=first.item.words,
        verdict=verdict,
        remark=_sentences(_remarks(stores, item, readings)),
        why=_sentences(_reasons(stores, item)) if verdict == "differs" else "",
    )


def shown(ours: Fraction, item: Published) -> str:
    """Return our value in the unit of the printed number, to more digits.

    >>> from obroute.papers import published_number
    >>> shown(Fraction(5, 8), published_number("report-ratio"))
    '62.5%'
    """
    return f"{float(ours) * 100:.5g}%" if item.percent else f"{float(ours):.5g}"


def _exact(reading: _Reading) -> str:
    text = str(reading.ours)
    return "" if reading.item.quantity in FLOATS or len(text) > MOST_DIGITS else text


def _sentences(parts: Iterator[str]) -> str:
    texts = [part.rstrip(".") for part in parts if part]
    return ". ".join(text[0].upper() + text[1:] for text in texts) + "." if texts else ""


def _remarks(stores: Stores, item: Published, readings: Sequence[_Reading]) -> Iterator[str]:
    """Give what there is to know of a number whatever the verdict is."""
    first = readings[0]
    if not first.agrees and cut_agrees(first.ours, first.item):
        rounded = shown(rounded_to(first.ours, item.decimals), item)
        yield f"consistent if cut: rounded it would be {rounded}"
    for reading in readings[1:]:
        ending = {"agrees": "which agrees", "differs": "which does not agree"}
        words = ending.get(reading.verdict, reading.verdict)
        yield f"by another reading, {reading.item.words}: {shown(reading.ours, item)}, {words}"
    decisive = next((reading for reading in readings if reading.agrees), first)
    if decisive.spread is not None:
        yield decisive.spread.words
    yield item.note
    if item.quantity == "above_minimal":
        radices = ", ".join(map(str, equal_at(stores, item)))
        yield f"checked for k = {radices}" if radices else ""


def cut_agrees(ours: Fraction, item: Published) -> bool:
    """Say whether ours, cut in place of rounded, gives the printed digits."""
    if item.value or item.margin:
        return False
    cut = cut_to(ours, item.decimals)
    return cut <= item.number if item.bound else cut == item.number


def _reasons(stores: Stores, item: Published) -> Iterator[str]:
    """Give what may explain a difference, and what our own number rests on."""
    yield item.why or ("" if item.note else UNEXPECTED)
    if item.quantity in ("best_average_in_sample", "curve_excess", "average_shortfall"):
        design = stores.design(item.network, BEST_AVERAGE)
        if design is not None:
            yield f"ours, of random permutations: {claim_of(design)}"
    if item.quantity == "average_shortfall":
        yield _below_others(stores, item)
    curve = stores.curves.get("average_case")
    if item.quantity == "curve_excess" and curve is not None and not curve.complete:
        yield (
            "our curve is not complete: its path lengths are at most "
            f"{no_less_than(100 * curve.gap, 3)} % above the optimum"
        )


def claim_of(design: xr.Dataset) -> str:
    """Say what the stored average case of a design is the best of: by its symmetry."""
    symmetry = str(design["symmetry"].item())
    if symmetry == "none":
        return "the best on its sample"
    return f"the best on its sample together with the images under the {symmetry} symmetry"


def _below_others(stores: Stores, item: Published) -> str:
    """Say how far an average is below the printed best and below ours in sample."""
    best = published_number("spaa-best-average")
    ours = measures["average_case"](stores, item)
    in_sample = measures[best.quantity](stores, best)
    if ours is None:
        return ""
    others = {"the printed best": best.number} | (
        {"ours in sample": in_sample} if in_sample else {}
    )
    return "below " + ", below ".join(
        f"{name}, {float(of):.2%}, it would be {float(1 - ours / of):.1%}"
        for name, of in others.items()
    )
