"""The hose with terminals of their own: what each sends and gets at most, from a file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import numpy as np

from obroute.importers.terminals import read_terminals
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import Parameter
from obroute.traffic_sets.contract import TrafficSet, traffic_sets
from obroute.traffic_sets.limits import Limits


@traffic_sets.register(
    "hose",
    "each terminal sends and gets at most what a file says, and what it can",
    defined_for="networks with the terminals that the file names",
)
class Hose(TrafficSet):
    """Bounds of terminals, within those of the network; one that is not listed is silent."""

    def __init__(
        self, file: Annotated[Path, Parameter("file of node,injection,ejection", Path)]
    ) -> None:
        self.file = file

    def limits(self, network: Network) -> Limits:
        """Return what the file says, where that is less."""
        numbers = {network.node_name(node): node for node in range(network.node_count)}
        found = read_terminals(self.file, numbers, self.file)
        given = Limits(
            _amounts(network.sources, found["sources"], found["injection"]),
            _amounts(network.destinations, found["destinations"], found["ejection"]),
        )
        return Limits.of_terminals(network).also(given)


def _amounts(terminals: IntArray, listed: IntArray, amounts: RationalArray) -> RationalArray:
    by_node = dict(zip(np.asarray(listed).tolist(), amounts.fractions(), strict=True))
    return RationalArray.from_fractions(
        by_node.get(node, Fraction(0)) for node in terminals.tolist()
    )
