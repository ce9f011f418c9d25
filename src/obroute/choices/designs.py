"""Designs: what is optimised, over which routings, and how."""

from typing import Literal

Objective = Literal["capacity", "worst_case", "average_case"]
OBJECTIVE: Objective = "worst_case"

PATHS = "all"

SAMPLES = 100
"""Traffic matrices in the sample of an average case."""

Symmetry = Literal["auto", "declared", "found", "translations", "translations+reversal", "none"]
"""The group that a problem is reduced by: see :class:`~obroute.design.DesignProblem`."""
SYMMETRY: Symmetry = "auto"

Method = Literal["auto", "simplex", "crossover", "interior_point", "first_order"]
"""How a linear program is solved: see :func:`~obroute.design.design`."""
METHOD: Method = "auto"

GAP = 1e-3
"""Relative width of the bracket at which ``first_order`` stops."""
