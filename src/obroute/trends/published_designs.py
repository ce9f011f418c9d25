"""What the SPAA paper prints of designed routings and of curves, as data.

A ``why`` has no full stop: :mod:`obroute.trends.spaa` adds what our own number rests on.
"""

from __future__ import annotations

from obroute.trends.published import SPAA, SPAA_NETWORK, Published, Quantity

_MATRICES = (
    "The paper says neither of what kind its 100 random matrices are nor by which symmetry it "
    "reduced the program"
)
_SHORTFALL = (
    _MATRICES + "; its best is that of the sample it was fitted to. Ours compares both on the "
    "study's sample"
)
_TWO_TURN_MIX = (
    "At one worst case the mixes with IVAL and with 2TURN hold the same share of DOR, so the "
    "lengths of 1.61 and 1.48 put the two savings about 2 points (RLB) and 1 point (RLBth) "
    "apart, not 5 and 3; this saving does not follow from the lengths that the paper prints"
)
_EXACT_MAXIMUM = (
    "Ours is the exact maximum over the whole curve; the paper does not say at which points it "
    "compared"
)


def _spaa(
    where: str,
    label: str,
    printed: str,
    quantity: Quantity,
    routing: str,
    reference: str = "",
    why: str = "",
    network: str = SPAA_NETWORK,
) -> Published:
    return Published(SPAA, where, label, printed, quantity, network, routing, reference, why=why)


SPAA_DESIGNS: tuple[Published, ...] = (
    _spaa("section 5.2", "Best worst case of any routing", "50%", "best_worst_case", "optimal"),
    _spaa(
        "section 5.2",
        "Least path length at the best worst case, over the minimal",
        "1.48",
        "path_length",
        "optimal",
    ),
    _spaa("section 5.2", "2TURN's path length over the minimal", "1.48", "path_length", "2turn"),
    _spaa(
        "section 1",
        "2TURN's paths shorter than VAL's by",
        "25.8%",
        "path_saving",
        "2turn",
        "valiant",
    ),
    _spaa(
        "section 5.2",
        "2TURN's paths longer than the optimum by",
        "0.36%",
        "length_excess",
        "2turn",
        "optimal",
    ),
    _spaa(
        "section 5.2",
        "IVAL's paths longer than the optimum by",
        "9.1%",
        "length_excess",
        "ival",
        "optimal",
    ),
    *(
        _spaa(
            "Figure 4",
            f"2TURN's paths longer than the optimum at k = {radix} by",
            "0%",
            "length_excess",
            "2turn",
            "optimal",
            network=f"torus:{radix}x{radix}",
        )
        for radix in (4, 6)
    ),
    _spaa(
        "section 5.3",
        "DOR–IVAL interpolation above the optimal curve by at most",
        "17%",
        "interpolation_excess",
        "ival",
        why=_EXACT_MAXIMUM + " (the largest distance: about 65% of the way from DOR to IVAL)",
    ),
    _spaa(
        "section 5.3",
        "DOR–2TURN interpolation above the optimal curve by at most",
        "10%",
        "interpolation_excess",
        "2turn",
        why=_EXACT_MAXIMUM,
    ),
    _spaa(
        "section 5.3",
        "DOR–2TURN interpolation shorter than RLB at RLB's worst case by",
        "19%",
        "interpolation_saving",
        "rlb",
        "2turn",
        why=_TWO_TURN_MIX,
    ),
    _spaa(
        "section 5.3",
        "DOR–2TURN interpolation shorter than RLBth at RLBth's worst case by",
        "15%",
        "interpolation_saving",
        "rlbth",
        "2turn",
        why=_TWO_TURN_MIX,
    ),
    _spaa(
        "section 5.4",
        "Best average case of any routing, on the sample that it was designed for",
        "62.8%",
        "best_average_in_sample",
        "optimal:objective=average_case",
        why=_MATRICES
        + ", and an optimum fits its sample the closer the less symmetry it is held to",
    ),
    _spaa(
        "section 5.4",
        "Best average case of any routing, on the study's sample",
        "62.8%",
        "average_case",
        "optimal:objective=average_case",
        why=_MATRICES + ". A design does worse on traffic that it was not fitted to",
    ),
    *(
        _spaa(
            "section 5.4",
            f"{name}'s average case below the best by",
            printed,
            "average_shortfall",
            routing,
            "optimal:objective=average_case",
            why=_SHORTFALL,
        )
        for name, routing, printed in (
            ("IVAL", "ival", "8.4%"),
            ("2TURN", "2turn", "6.4%"),
            ("2TURNA", "2turna", "4.6%"),
        )
    ),
    _spaa(
        "section 5.4",
        "2TURNA's paths longer than the optimal curve of the average case by",
        "16%",
        "curve_excess",
        "2turna",
        why=_MATRICES + ", and both decide how steep the curve is there",
    ),
    _spaa(
        "section 3.3",
        "Error of 1 over the mean load as the average case, over all routings at most",
        "5%",
        "approximation_error",
        "",
        why="It moves with the matrices and the routings; the paper's routings were within 5%",
    ),
)
"""What the SPAA paper prints of designed routings and of curves, on the 8-ary 2-cube."""

OPTIMUM_SETTLES = Published(
    SPAA,
    "Figure 4",
    "Least path length at the best worst case oscillates, as k grows, around",
    "1.52",
    "path_length",
    "",
    "optimal",
    why="1.52 is what the paper's radices show; at larger ones the optimum is still rising",
)
"""Printed of no one network, as :data:`~obroute.trends.published.IVAL_SETTLES`."""

SETTLED_AT = (13, 16)
"""The radices at which IVAL's path length rounds to 1.64; the paper does not say how far it went.

The optimum at k = 16 is 1.5277.
"""
