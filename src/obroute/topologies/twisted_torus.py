"""Twisted tori of two and three dimensions in which no axis is longer than another."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from obroute.specs import InputError, Parameter, parse_integer
from obroute.topologies.lattice import Lattice, TwistedTorus
from obroute.topologies.registry import Bandwidth, Hosts, networks
from obroute.topologies.sizes import Size


def _lattice(rtt: int | None, fcc: int | None, bcc: int | None) -> tuple[Lattice, int]:
    given = {"rtt": rtt, "fcc": fcc, "bcc": bcc}
    named = [(name, side) for name, side in given.items() if side is not None]
    if len(named) != 1:
        raise InputError("a twisted torus has one shape; expected one of rtt, fcc and bcc")
    name, a = named[0]
    shapes = {
        "rtt": ((a, 2 * a), ((0, a),)),
        "fcc": ((a, a, 2 * a), ((0, 0, a), (0, 0, a))),
        "bcc": ((a, 2 * a, 2 * a), ((0, a, a),)),
    }
    return Lattice(*shapes[name]), a


def _size(rtt: int | None, fcc: int | None, bcc: int | None) -> Size:
    return _lattice(rtt, fcc, bcc)[0].size()


Side = parse_integer(2)


@networks.register(
    "twisted_torus",
    "torus with wraps that move along the longer dimensions: rtt a x 2a, fcc a x a x 2a, bcc",
    size=_size,
    examples=("twisted_torus:rtt=4", "twisted_torus:fcc=4", "twisted_torus:bcc=4"),
    small=("twisted_torus:rtt=2", "twisted_torus:fcc=2", "twisted_torus:bcc=2"),
)
def twisted_torus(
    *,
    rtt: Annotated[
        int | None,
        Parameter("a of a x 2a, where the wrap of dimension 0 adds a along dimension 1", Side),
    ] = None,
    fcc: Annotated[
        int | None,
        Parameter("a of a x a x 2a, where the wraps of 0 and 1 add a along dimension 2", Side),
    ] = None,
    bcc: Annotated[
        int | None,
        Parameter("a of a x 2a x 2a, where the wrap of dimension 0 adds a along 1 and 2", Side),
    ] = None,
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> TwistedTorus:
    """Return a rectangular, face-centred or body-centred twisted torus.

    (Cámara, Moretó, Vallejo, Beivide, Miguel-Alonso, Martínez and Navaridas, *Twisted torus
    topologies for enhanced interconnection networks*, TPDS 2010; the shapes of twisted slices of
    TPU v4.) Any other twist is one of ``torus``.

    Raises
    ------
    InputError
        Unless exactly one shape is given.

    Examples
    --------
    >>> torus = twisted_torus(fcc=4)
    >>> torus.node_count, torus.channel_count, torus.mean_shortest_path_length()
    (128, 768, Fraction(55, 16))
    """
    lattice, side = _lattice(rtt, fcc, bcc)
    return TwistedTorus.build(lattice, hosts, bandwidth, side)
