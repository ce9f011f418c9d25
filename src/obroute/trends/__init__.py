"""What a study says: series over the radix beside closed forms, trade-off curves, and tables.

Everything here reads a study store (:mod:`obroute.results`) and computes nothing anew; exact
values stay exact, and floats are only their decimals.
"""

from obroute.trends.series import Series, TrendRow, series_of, trend_table
from obroute.trends.tables import design_rows
from obroute.trends.theory import ClosedForm, Limit, Theory, theory_of
from obroute.trends.trade_offs import Curve, curve_of

__all__ = [
    "ClosedForm",
    "Curve",
    "Limit",
    "Series",
    "Theory",
    "TrendRow",
    "curve_of",
    "design_rows",
    "series_of",
    "theory_of",
    "trend_table",
]
