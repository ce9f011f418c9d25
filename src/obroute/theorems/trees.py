"""Worst cases on trees of switches, in closed form (``docs/methods/fabrics.md``)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from obroute.network import Network
from obroute.rational import IntArray
from obroute.routing import Routing
from obroute.theorems.statement import Bounds
from obroute.topologies.tree import Tree

_SPLITS = ("", ":split=hops", ":split=bandwidth")
_SPREAD = (
    "random_nca",
    "up_down",
    *(name + split for name in ("ecmp", "minimal") for split in _SPLITS),
)
_BY_ONE_END = ("d_mod_k", "s_mod_k")
TREE_ROUTINGS = (*_SPREAD, *_BY_ONE_END, "sqrt")
"""The routings whose worst case on every tree without failed links is proved."""


def least_tree_load(tree: Tree) -> Fraction:
    """Return what no routing's worst case is below, and what ECMP reaches.

    In packets per cycle over channel bandwidth. A permutation sends ``min(M_l, N - M_l)`` packets
    out of a subtree of height l, over its ``W_{l+1} p_{l+1}`` channels up; the largest of that
    over the levels.

    >>> from obroute import make_network
    >>> str(least_tree_load(make_network("leafspine:leaves=6,hosts=4,spines=2")))
    '2'
    """
    hosts = tree.host_count
    loads = [
        Fraction(min(inside, hosts - inside)) / tree.width_of_subtree(level)
        for level, inside in enumerate(tree.below[:-1].tolist())
    ]
    return max(loads)


def single_path_bound(leaves: int, hosts: int, spines: int) -> int:
    """Return what no routing of one path a pair has its worst case below on leaves and spines.

    The whole number from ``min(n √(1 - 1/r) / √m, n (r - 1) / 2m)`` on, for r leaves of n hosts
    and m spines of single links: √n where n = m is a square and r ≥ 2√n.

    >>> single_path_bound(6, 9, 9), single_path_bound(4, 9, 9)
    (3, 2)
    """
    squared = Fraction(hosts * hosts * (leaves - 1), spines * leaves)
    by_blocks = math.isqrt(math.ceil(squared) - 1) + 1
    by_stars = math.ceil(Fraction(hosts * (leaves - 1), 2 * spines))
    return min(by_blocks, by_stars)


def bounds_on_tree(network: Network, routing: Routing) -> Bounds | None:
    """Return what is proved of a worst-case load over bandwidth, None where nothing is.

    >>> from obroute import make_network, make_routing
    >>> tree = make_network("kary_ntree:k=4,n=3")
    >>> [str(bounds_on_tree(tree, make_routing(name))) for name in ("ecmp", "d_mod_k")]
    ['1', '4']
    """
    if not isinstance(network, Tree) or not network.intact or routing.name not in TREE_ROUTINGS:
        return None
    if routing.name in _SPREAD:
        load = least_tree_load(network)
    elif routing.name in _BY_ONE_END:
        load = max(_most_of_a_residue(network, level) for level in range(network.height))
    else:
        load = _most_of_two_residues(network)
    return Bounds(load, load)


def _most_of_a_residue(tree: Tree, level: int) -> Fraction:
    """Return the largest load of the channels from a level to the next, either way.

    Up, from a subtree of M hosts, go packets to those hosts elsewhere that are of one residue
    modulo the subtree's channels up; down, into it, packets to those of one residue in it.
    """
    hosts, inside = tree.host_count, int(tree.below[level])
    channels = int(tree.above[level]) * int(tree.ports_up[level])
    within = _counts_by_residue(hosts, inside, channels)
    elsewhere = within.sum(axis=0) - within
    most = max(min(inside, int(elsewhere.max())), min(hosts - inside, int(within.max())))
    return most * channels / tree.width_of_subtree(level)


def _most_of_two_residues(tree: Tree) -> Fraction:
    """Return the largest load of sqrt: a channel has every q-th source and destination."""
    q, inside = math.isqrt(tree.parents[-1]), int(tree.below[1])
    within = _counts_by_residue(tree.host_count, inside, q)
    elsewhere = within.sum(axis=0) - within
    most = np.minimum(within[:, :, None], elsewhere[:, None, :]).max()
    uplinks = tree.parents[-1] / tree.width_of_subtree(1)
    return max(Fraction(1), int(most) * uplinks)


def _counts_by_residue(hosts: int, inside: int, modulus: int) -> IntArray:
    """Array subtrees × residues: how many hosts of each subtree are of each residue."""
    first = np.arange(0, hosts, inside)[:, None]
    residue = np.arange(modulus)
    found = (first + inside - 1 - residue) // modulus - (first - 1 - residue) // modulus
    return np.asarray(found, dtype=np.int64)
