"""What a study says: series over the radix beside closed forms, trade-off curves, and tables.

Everything here reads a study store (:mod:`obroute.results`) and computes nothing anew; exact
values stay exact, and floats are only their decimals.
"""

from obroute.trends.closed_forms import (
    ClosedForm,
    Limit,
    closed_forms,
    limits,
    torus_uniform_load,
)
from obroute.trends.series import Series, TrendRow, series_of, trend_table
from obroute.trends.tables import (
    design_rows,
    write_designs,
    write_summary,
    write_trends,
    write_whole,
)
from obroute.trends.trade_offs import Curve, curve_of

__all__ = [
    "ClosedForm",
    "Curve",
    "Limit",
    "Series",
    "TrendRow",
    "closed_forms",
    "curve_of",
    "design_rows",
    "limits",
    "series_of",
    "torus_uniform_load",
    "trend_table",
    "write_designs",
    "write_summary",
    "write_trends",
    "write_whole",
]
