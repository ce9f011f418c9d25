"""Designing the best oblivious routing: linear programs, their symmetry, rigorous values.

:func:`design` finds the routing with the best capacity, worst case or average case, under a bound
on path length and over a set of paths; :func:`trade_off` finds the whole curve of throughput
against path length. Values are proved in exact arithmetic, whatever the solver returned.
"""

from obroute.design.assessment import SampleAssessment, assess
from obroute.design.designs import Design, capacity, design
from obroute.design.hard_traffic import HardPermutation, hard_permutations
from obroute.design.named import NAMED_DESIGNS, NamedDesign
from obroute.design.problem import OBJECTIVES, SYMMETRIES, DesignProblem, design_problem
from obroute.design.proofs import Bounds, Proof, RoutingCheck
from obroute.design.scope import Scope
from obroute.design.trade_off import TradeOff, TradeOffPoint, trade_off

__all__ = [
    "NAMED_DESIGNS",
    "OBJECTIVES",
    "SYMMETRIES",
    "Bounds",
    "Design",
    "DesignProblem",
    "HardPermutation",
    "NamedDesign",
    "Proof",
    "RoutingCheck",
    "SampleAssessment",
    "Scope",
    "TradeOff",
    "TradeOffPoint",
    "assess",
    "capacity",
    "design",
    "design_problem",
    "hard_permutations",
    "trade_off",
]
