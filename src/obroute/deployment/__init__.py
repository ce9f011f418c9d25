"""What can be deployed: the best routings under what switches can do.

:func:`deploy` finds one path for each pair, forwarding tables, weighted next hops or lists of
segments, each within so many virtual channels if need be, with a worst case in a proved interval.
"""

from obroute.deployment.bounds import Bound
from obroute.deployment.deployments import Deployment, deploy
from obroute.deployment.finding import find_routing
from obroute.deployment.restrictions import KINDS, Restriction

__all__ = ["KINDS", "Bound", "Deployment", "Restriction", "deploy", "find_routing"]
