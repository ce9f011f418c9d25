"""Sets of traffic that an adversary may choose from: few pairs, jobs, racks, limits of pairs."""

from obroute.traffic_sets.contract import TrafficSet, make_traffic_set, traffic_sets
from obroute.traffic_sets.limits import Limits, PairLimits

__all__ = ["Limits", "PairLimits", "TrafficSet", "make_traffic_set", "traffic_sets"]
