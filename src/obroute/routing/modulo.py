"""D-mod-k and S-mod-k: the port up by the digits of the destination's, or the source's, number."""

from __future__ import annotations

import numpy as np

from obroute.routing.registry import routings
from obroute.routing.tree import TREES, Blocks, TreeRouting, residues_of_ports
from obroute.topologies.tree import Tree


class _ModuloRouting(TreeRouting):
    """The ports up are digits of a host's number: ``x div W_l mod (w_{l+1} p_{l+1})``."""

    by_destination: bool

    def port(self, tree: Tree, level: int, source: int, destination: int) -> int:
        """Return the digit of that level."""
        number = destination if self.by_destination else source
        return number // int(tree.above[level]) % int(tree.ports_up[level])

    def blocks(self, tree: Tree) -> Blocks:
        """Return the hosts of a residue, and all others, or the other way round."""
        modulus, residue = residues_of_ports(tree)
        every = np.ones_like(modulus), np.zeros_like(modulus)
        chosen = modulus, residue
        by = (every, chosen) if self.by_destination else (chosen, every)
        return Blocks(tree, np.stack([by[0][0], by[1][0]]), np.stack([by[0][1], by[1][1]]))


@routings.register(
    "d_mod_k",
    "fat trees: the port up at each level by the destination's number",
    defined_for=TREES,
    small=("d_mod_k",),
)
class DestinationModulo(_ModuloRouting):
    """D-mod-k (Lin, Chung and Huang 2004; Zahavi 2012).

    At level l a packet to host d goes up by the port ``d div W_l mod (w_{l+1} p_{l+1})``: to
    parent ``port mod w_{l+1}`` by the parallel link ``port div w_{l+1}``. The next hop depends on
    the destination alone.

    >>> from obroute import evaluate, make_network, make_routing
    >>> str(evaluate(make_network("kary_ntree:k=3,n=2"), make_routing("d_mod_k")).worst_case_load)
    '2'
    """

    by_destination = True


@routings.register(
    "s_mod_k",
    "fat trees: the port up at each level by the source's number",
    defined_for=TREES,
    small=("s_mod_k",),
)
class SourceModulo(_ModuloRouting):
    """S-mod-k: as D-mod-k by the source's number, so the packets of a host part late.

    It is D-mod-k backwards: the load of a channel by (s, d) is that of D-mod-k by (d, s) on the
    channel the other way.
    """

    by_destination = False
