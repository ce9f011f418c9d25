"""Figures of a study: trends, the trade-off plane, worst permutations, channel-load maps.

Every function returns a :class:`matplotlib.figure.Figure`, free of any global state; :func:`save`
writes one as SVG, PNG or PDF, the same bytes every time.
"""

from obroute.plots.channel_maps import channel_load_comparison, channel_load_map
from obroute.plots.curves import (
    pareto_figure,
    trend_figure,
    write_pareto_figure,
    write_trend_figure,
)
from obroute.plots.style import image_bytes, routing_label, save
from obroute.plots.worst_permutation import worst_permutation_figure

__all__ = [
    "channel_load_comparison",
    "channel_load_map",
    "image_bytes",
    "pareto_figure",
    "routing_label",
    "save",
    "trend_figure",
    "worst_permutation_figure",
    "write_pareto_figure",
    "write_trend_figure",
]
