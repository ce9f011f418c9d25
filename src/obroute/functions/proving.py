"""Proofs: to hand on, of freedom from deadlock, and for every radix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from obroute.functions.arguments import public
from obroute.functions.making import make_network, make_routing
from obroute.functions.stores import cell_of
from obroute.kinds.registry import kinds
from obroute.network import Network
from obroute.proofs import MOST_FLOWS, proved_text
from obroute.results.stores import finding_files
from obroute.routing import Routing
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.deadlock import Verdict
    from obroute.theorems import Proof


@public()
def certificate(answer: Any, limit: int = MOST_FLOWS) -> str:
    """Return a proof of a worst case to hand on: JSON that a short program checks without obroute.

    The proof is checked by that program (``obroute certificate --checker``) before it is returned.

    Parameters
    ----------
    answer
        What :func:`evaluate` or :func:`design` (for the worst case) returned, its dataset, or the
        folder of its store.
    limit
        The flows that it may have, one for each source, destination and channel between them; as
        many prices for each bound of a design.

    Returns
    -------
    str
        The text of the file: the same for the same answer.

    Raises
    ------
    InputError
        If the answer has no such proof, or the proof would be larger.
    CertificateError
        If a store does not prove what it says.

    Examples
    --------
    >>> import json, obroute
    >>> proof = json.loads(obroute.certificate(obroute.evaluate("torus:5x5", "romm")))
    >>> proof["claims"]["worst_case_load"], len(proof["channels"])
    ('8/3', 1)
    """
    if type(limit) is not int or limit < 1:
        raise InputError(f"limit: {limit!r}; expected a whole number of flows, at least 1")
    cell, network, routing = cell_of(answer)
    kind = kinds().get(str(cell.attrs["kind"]))
    if kind is None:
        raise InputError(
            f"a store of kind {cell.attrs['kind']} is gathered of many and has no proof to hand "
            "on; give the store of one evaluation or design"
        )
    with finding_files(cell):
        return proved_text(kind.certificate(cell, limit, network, routing))


@public()
def deadlock(
    network: str | Path | Network,
    routing: str | Path | Routing | None = None,
    *,
    paths: Literal["two_turn"] | None = None,
    virtual_channels: int | None = None,
    scheme: str | None = None,
) -> Verdict:
    """Prove a routing free of deadlock with virtual channels, or show a cycle of channels.

    Parameters
    ----------
    network, routing
        By name, by file or as objects.
    paths
        Judge every path of this kind in place of those of a routing.
    virtual_channels
        How many each channel has; 1 if not given, or as many as the routing itself tells.
    scheme
        single, dateline, phases, hops or found. If not given, what the routing itself tells of its
        virtual channels, as tables of a fabric do with their lanes, else the first that proves it.

    Returns
    -------
    Verdict
        Whether it is proved, and the cycle where it is not.

    Raises
    ------
    InputError
        If something is not defined, or no name or value; it says what was expected.

    Examples
    --------
    >>> import obroute
    >>> obroute.deadlock("torus:5x5", "ival", virtual_channels=4).deadlock_free
    True
    >>> len(obroute.deadlock("ring:5", "dor").cycle)
    5
    """
    from obroute.deadlock import PathSet, check_deadlock

    if (routing is None) is (paths is None):
        raise InputError("deadlock: expected a routing, or paths='two_turn', one of the two")
    if paths not in (None, "two_turn"):
        raise InputError(f"paths: {paths!r}; expected 'two_turn'")
    if not isinstance(virtual_channels, int | None):
        raise InputError(f"virtual_channels: {virtual_channels!r}; expected a whole number")
    if not isinstance(scheme, str | None):
        raise InputError(f"scheme: {scheme!r}; expected the name of a scheme")
    made = make_network(network)
    judged = PathSet.two_turn(made) if routing is None else make_routing(routing)
    return check_deadlock(made, judged, virtual_channels, scheme)


@public()
def prove(routing: str | Path | Routing, radix: int) -> Proof:
    """Prove the worst case of a routing on the k-ary 2-cube for any k, without a solver.

    Parameters
    ----------
    routing
        One that a theorem is about: romm, dor, o1turn, valiant, ival.
    radix
        The k of the k-ary 2-cube.

    Returns
    -------
    Proof
        Its ``bounds`` are those of the worst-case load.

    Raises
    ------
    InputError
        If no theorem is about the routing, or the radix is too small or too large.

    Examples
    --------
    >>> import obroute
    >>> str(obroute.prove("romm", 9).bounds.exact)
    '32/5'
    """
    from obroute.theorems import prove as prove_named

    if not isinstance(radix, int):
        raise InputError(f"radix: {radix!r}; expected a whole number")
    return prove_named(make_routing(routing).name, radix)
