"""Leaves and spines: two levels of switches, whole or with failed links."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import numpy as np

from obroute.specs import InputError, Parameter, parse_integer, shown
from obroute.topologies.registry import networks
from obroute.topologies.sizes import Size
from obroute.topologies.tree import LinkBandwidth, Tree, tree_size

Failed = tuple[tuple[int, int], ...]


def _parse_failed(text: str) -> Failed:
    failed = []
    for pair in filter(None, text.split("+")):
        leaf, dash, spine = pair.partition("-")
        if not dash:
            raise InputError(
                f"{shown(pair)} is no pair of a leaf and a spine; expected numbers such as "
                "0-3, joined by + where there are several"
            )
        failed.append((parse_integer(0)(leaf), parse_integer(0)(spine)))
    return tuple(sorted(set(failed)))


def _failed_text(failed: Failed) -> str:
    return "+".join(f"{leaf}-{spine}" for leaf, spine in failed)


def _size(leaves: int, hosts: int, spines: int, links: int, failed: Failed) -> Size:
    for leaf, spine in failed:
        if leaf >= leaves or spine >= spines:
            raise InputError(
                f"failed: there is no link {leaf}-{spine}; leaves are 0 to {leaves - 1} and "
                f"spines 0 to {spines - 1}"
            )
    whole = tree_size((hosts, leaves), (1, spines), (1, links))
    return Size(whole.nodes, whole.channels - 2 * links * len(failed))


@networks.register(
    "leafspine",
    "leaf and spine switches, a link from every leaf to every spine",
    size=_size,
    examples=("leafspine:leaves=4,hosts=4,spines=4",),
    small=(
        "leafspine:leaves=2,hosts=2,spines=4",
        "leafspine:leaves=3,hosts=1,spines=2,links=2,failed=0-1,bandwidth=1/2",
    ),
)
def leafspine(
    *,
    leaves: Annotated[int, Parameter("number of leaf switches", parse_integer(2))],
    hosts: Annotated[int, Parameter("hosts at each leaf", parse_integer(1))],
    spines: Annotated[int, Parameter("number of spine switches", parse_integer(1))],
    links: Annotated[int, Parameter("links from each leaf to each spine", parse_integer(1))] = 1,
    failed: Annotated[
        Failed,
        Parameter(
            "leaves and spines whose links have failed, such as 0-3+1-2",
            _parse_failed,
            _failed_text,
        ),
    ] = (),
    bandwidth: LinkBandwidth = Fraction(1),
) -> Tree:
    """Return a leaf-spine fabric, a folded Clos network of two levels.

    Host i is at leaf ``i div hosts``. It is ``XGFT(2; hosts, leaves; 1, spines)``, without the
    links that have failed, in both directions.

    >>> fabric = leafspine(leaves=4, hosts=4, spines=2, failed=((0, 1),))
    >>> fabric.node_count, fabric.channel_count, fabric.name
    (22, 46, 'leafspine:leaves=4,hosts=4,spines=2,failed=0-1')
    >>> fabric.describe(5), fabric.describe(17), fabric.describe(20)
    ('host5', 'leaf1', 'spine0')
    """
    broken = None
    if failed:
        leaf, spine = np.array(failed).T[:, :, None]
        first = leaves * hosts + leaf * spines * links
        broken = (first + np.arange(links) * spines + spine).ravel()
    return Tree.build(
        (hosts, leaves), (1, spines), (1, links), bandwidth, ("leaf", "spine"), broken
    )
