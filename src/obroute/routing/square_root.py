"""The best single path on leaves and spines: a spine by the digits of both ends."""

from __future__ import annotations

import math

import numpy as np

from obroute.network import Network
from obroute.routing.registry import routings
from obroute.routing.tree import Blocks, TreeRouting
from obroute.specs import InputError
from obroute.topologies.tree import Tree

_DEFINED_FOR = "leaves and spines whose number of spines is a square, one link between any two"


@routings.register(
    "sqrt",
    "leaf-spine: one path, through the spine (s mod q) q + (d mod q) of q² spines",
    defined_for=_DEFINED_FOR,
    small=("sqrt",),
)
class SquareRoot(TreeRouting):
    """One path for each pair, whose worst case is a square root (Yuan and others 2007).

    With q² spines the packets from host s to host d of another leaf take spine
    ``(s mod q) q + (d mod q)``, so that a channel up carries those of every q-th source of its
    leaf, and one down those to every q-th destination.

    >>> from obroute import evaluate, make_network, make_routing
    >>> fabric = make_network("leafspine:leaves=4,hosts=4,spines=4")
    >>> str(evaluate(fabric, make_routing("sqrt")).worst_case_load)
    '2'
    """

    defined_for = _DEFINED_FOR

    def tree(self, network: Network) -> Tree:
        """Return the network, if it is of that kind.

        Raises
        ------
        InputError
            If it is not: no leaf-spine fabric of single links, or no square of spines.
        """
        tree = super().tree(network)
        spines = tree.parents[-1]
        if tree.height != 2 or tree.ports_up.tolist() != [1, spines]:
            why = "it is no leaf-spine fabric of single links"
        elif math.isqrt(spines) ** 2 != spines:
            why = f"{spines} spines are no square"
        else:
            return tree
        raise InputError(
            f"{self.name} is not defined on {network.name}: {why}; it is defined for "
            f"{self.defined_for}"
        )

    def port(self, tree: Tree, level: int, source: int, destination: int) -> int:
        """Return the spine; a host has one port."""
        q = math.isqrt(tree.parents[-1])
        return source % q * q + destination % q if level else 0

    def blocks(self, tree: Tree) -> Blocks:
        """Return every q-th host at both ends of what leads to spines."""
        level, _, _, port = tree.cables.T
        modulus = np.where(level == 0, 1, math.isqrt(tree.parents[-1]))
        return Blocks(tree, np.stack([modulus] * 2), np.stack(np.divmod(port, modulus)))
