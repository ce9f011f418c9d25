"""What a study says: series over the radix, Table 1, and our numbers beside the published ones.

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
from obroute.trends.comparison import Comparison, differences, table1
from obroute.trends.series import Series, TrendRow, series_of, trend_table
from obroute.trends.spaa import SpaaRow, spaa_table
from obroute.trends.tables import (
    design_rows,
    write_designs,
    write_spaa,
    write_summary,
    write_table1,
    write_trends,
    write_whole,
)
from obroute.trends.trade_offs import Curve, curve_of

__all__ = [
    "ClosedForm",
    "Comparison",
    "Curve",
    "Limit",
    "Series",
    "SpaaRow",
    "TrendRow",
    "closed_forms",
    "curve_of",
    "design_rows",
    "differences",
    "limits",
    "series_of",
    "spaa_table",
    "table1",
    "torus_uniform_load",
    "trend_table",
    "write_designs",
    "write_spaa",
    "write_summary",
    "write_table1",
    "write_trends",
    "write_whole",
]
