"""Oblivious ratios: how far a routing is from the best for each traffic, whatever the traffic is.

:func:`oblivious_ratio` finds the ratio of a routing, :func:`least_ratio` the least of any, proved
in rationals (Azar et al. 2003; Applegate and Cohen 2003).
"""

from obroute.ratios.checks import ChannelProof
from obroute.ratios.ratios import LEAST_RATIO, Ratio, checked_ratio, least_ratio, oblivious_ratio

__all__ = [
    "LEAST_RATIO",
    "ChannelProof",
    "Ratio",
    "checked_ratio",
    "least_ratio",
    "oblivious_ratio",
]
