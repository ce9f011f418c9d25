"""Extended generalized fat trees."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from obroute.specs import InputError, Parameter
from obroute.topologies.registry import networks
from obroute.topologies.sizes import Size
from obroute.topologies.tree import (
    LinkBandwidth,
    Shape,
    Tree,
    numbers_text,
    parse_numbers,
    tree_size,
)


def _size(m: Shape, w: Shape, links: Shape) -> Size:
    if len(m) != len(w):
        raise InputError(f"{len(m)} numbers of children and {len(w)} of parents; give one a level")
    return tree_size(m, w, _links_of(m, links))


def _links_of(m: Shape, links: Shape) -> Shape:
    each = links * len(m) if len(links) == 1 else links
    if len(each) != len(m):
        raise InputError(
            f"{len(links)} numbers of links and {len(m)} levels; give one a level, or one for all"
        )
    return each


@networks.register(
    "xgft",
    "extended generalized fat tree: hosts below levels of switches",
    size=_size,
    examples=("xgft:m=3x3x3,w=1x3x3",),
    small=("xgft:m=2x1x2,w=1x2x1,links=1x2x1",),
)
def xgft(
    *,
    m: Annotated[
        Shape,
        Parameter(
            "children of a switch of each level, from the lowest on", parse_numbers, numbers_text
        ),
    ],
    w: Annotated[
        Shape,
        Parameter(
            "parents of a node of each level, from hosts on; 1 first if a host has one port",
            parse_numbers,
            numbers_text,
        ),
    ],
    links: Annotated[
        Shape,
        Parameter(
            "parallel links from child to parent, for each level or one for all",
            parse_numbers,
            numbers_text,
        ),
    ] = (1,),
    bandwidth: LinkBandwidth = Fraction(1),
) -> Tree:
    """Return ``XGFT(h; m_1 … m_h; w_1 … w_h)`` (Öhring, Ibel, Das and Kumar 1995).

    With ``links`` it is Zahavi's parallel-ports generalized fat tree. Hosts are ``host0`` and so
    on, switches ``switch1.0`` and so on, by level.

    >>> tree = xgft(m=(3, 3, 3), w=(1, 3, 3))
    >>> tree.node_count, tree.channel_count, tree.describe(30)
    (54, 162, 'switch1.3')
    """
    switches = tuple(f"switch{level}." for level in range(1, len(m) + 1))
    return Tree.build(m, w, _links_of(m, links), bandwidth, switches)
