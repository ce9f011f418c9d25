"""Figures of a study: trends, the trade-off plane, worst permutations, channel loads, packets.

Every function returns a :class:`matplotlib.figure.Figure`, free of any global state; :func:`save`
writes one as SVG, PNG or PDF, the same bytes every time.
"""

# ruff: noqa: E402  # whoever lacks the library is told so before it is imported
from obroute.extras import needs

needs("matplotlib")

from obroute.plots.canvas import drawn_at
from obroute.plots.channel_maps import channel_load_comparison, channel_load_map
from obroute.plots.convergence import convergence_figure
from obroute.plots.curves import trend_figure
from obroute.plots.dark import darken
from obroute.plots.failures import failures_figure
from obroute.plots.leagues import leagues_figure
from obroute.plots.packets import queues_figure, steps_figure
from obroute.plots.pareto import pareto_figure, pareto_points
from obroute.plots.restricted import restricted_figure
from obroute.plots.stability import stability_figure
from obroute.plots.style import image_bytes, routing_label, save, traffic_label
from obroute.plots.topologies import topologies_figure
from obroute.plots.trade_off import trade_off_figure
from obroute.plots.worst_case_map import worst_case_map
from obroute.plots.worst_permutation import worst_permutation_figure

__all__ = [
    "channel_load_comparison",
    "channel_load_map",
    "convergence_figure",
    "darken",
    "drawn_at",
    "failures_figure",
    "image_bytes",
    "leagues_figure",
    "pareto_figure",
    "pareto_points",
    "queues_figure",
    "restricted_figure",
    "routing_label",
    "save",
    "stability_figure",
    "steps_figure",
    "topologies_figure",
    "trade_off_figure",
    "traffic_label",
    "trend_figure",
    "worst_case_map",
    "worst_permutation_figure",
]
