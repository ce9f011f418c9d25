"""Theorems: worst cases that are proved for every size, and their checks.

On trees of switches they are closed forms (:mod:`obroute.theorems.trees`). On k-ary 2-cubes a
theorem says what is proved (:meth:`~obroute.theorems.statement.CubeTheorem.bounds`), checks the
proof at one radix in at most O(k²) sums, and gives traffic and potentials that can be held against
the pair loads which a routing itself derives. No solver takes part.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from obroute.network import Network
from obroute.routing import Routing, routings
from obroute.specs import InputError
from obroute.theorems.dimension_order import DimensionOrder, OneTurn, dor_load
from obroute.theorems.half_capacity import TwoUniformPhases, least_worst_case
from obroute.theorems.path_lengths import ROUTINGS_WITH_LENGTHS, mean_path_length
from obroute.theorems.romm import Romm, RommInFixedOrder, romm_asymptote, romm_growth
from obroute.theorems.statement import (
    SMALLEST_RADIX,
    Bounds,
    Certificate,
    CubeTheorem,
    first_channel,
    require,
    torus_uniform_load,
)
from obroute.theorems.trees import (
    TREE_ROUTINGS,
    bounds_on_tree,
    least_tree_load,
    single_path_bound,
)
from obroute.topologies import networks
from obroute.topologies.grid import Grid

_HALF = Fraction(1, 2)

theorems: dict[str, CubeTheorem] = {
    theorem.routing: theorem
    for theorem in (
        DimensionOrder(),
        OneTurn(),
        Romm(),
        RommInFixedOrder(),
        TwoUniformPhases("valiant", 1, 0),
        TwoUniformPhases("valiant:order=random", _HALF, _HALF),
        TwoUniformPhases("ival", 1, 1),
        TwoUniformPhases("ival:order=random", _HALF, _HALF),
    )
}
"""Theorems by the canonical name of the routing that they are about.

>>> theorems["romm"].load(9)
Fraction(32, 5)
"""

LARGEST_RADIX = 9999
"""Where checking every class of pairs takes about a minute."""
LARGEST_RADIX_WITH_PAIR_LOADS = 31
"""Up to here a proof is also held against the pair loads of the routing, pair by pair."""


@dataclass(frozen=True)
class Proof:
    """What was proved at one radix, and how.

    ``checked`` says what was checked; ``network`` names the network whose pair loads the
    certificate was held against, and is empty where it was not.
    """

    theorem: CubeTheorem
    radix: int
    bounds: Bounds
    checked: tuple[str, ...]
    network: str

    @property
    def fractions(self) -> tuple[Fraction, Fraction]:
        """The least and the most that the guaranteed fraction of capacity can be."""
        capacity = torus_uniform_load(self.radix)
        return capacity / self.bounds.upper, capacity / self.bounds.lower


def prove(routing: str, radix: int) -> Proof:
    """Prove the worst case of a routing on the k-ary 2-cube, without any solver.

    Raises
    ------
    InputError
        If no theorem here is about the routing, or the radix is below 3 or above 9999.
    CertificateError
        If the proof does not hold; it would be a defect of this package.

    Examples
    --------
    >>> proof = prove("romm", 499)
    >>> float(proof.bounds.exact), proof.network
    (883.7825786220..., '')
    >>> prove("romm", 9).network
    'torus:9x9'
    """
    made = routings.create(routing)
    theorem = theorems.get(made.name)
    if theorem is None:
        raise InputError(
            f"there is no theorem about '{made.name}'; there is about {', '.join(theorems)}"
        )
    if not SMALLEST_RADIX <= radix <= LARGEST_RADIX:
        raise InputError(f"radix {radix}; expected {SMALLEST_RADIX} to {LARGEST_RADIX}")
    bounds = theorem.bounds(radix)
    checked = theorem.check(radix)
    network = ""
    if radix <= LARGEST_RADIX_WITH_PAIR_LOADS:
        network = f"torus:{radix}x{radix}"
        checked.append(_check_pair_loads(theorem, radix, made, networks.create(network)))
    return Proof(theorem, radix, bounds, tuple(checked), network)


def _check_pair_loads(theorem: CubeTheorem, radix: int, routing: Routing, network: Network) -> str:
    assert isinstance(network, Grid)
    loads = routing.pair_loads(network, first_channel(network))
    proved = theorem.certificate(radix).check(network, loads)
    claimed = theorem.bounds(radix)
    require(
        claimed.lower <= proved.lower and proved.upper <= claimed.upper,
        f"k = {radix}: the pair loads prove {proved}, not {claimed}",
    )
    return (
        f"pair loads of {network.name}: the same traffic and potentials hold on all "
        f"{loads.nonzeros} that are not zero, as {routing.name} derives them"
    )


def cube_bounds(routing: str, radix: int, dimensions: int) -> Bounds | None:
    """Return what is proved of a worst-case load on the k-ary n-cube, None where nothing is.

    In other than two dimensions DOR's is known, also on hypercubes, and that of VAL and IVAL.

    >>> [str(cube_bounds(name, 5, 3)) for name in ("dor", "ival", "romm")]
    ['10', '6/5', 'None']
    """
    theorem = theorems.get(routing)
    if dimensions == 2 and theorem is not None and theorem.covers(radix):
        return theorem.bounds(radix)
    if routing == "dor":
        return Bounds(dor_load(radix, dimensions), dor_load(radix, dimensions))
    if isinstance(theorem, TwoUniformPhases) and theorem.covers(radix):
        return theorem.bounds(radix)
    return None


def bounds_about(network: Network, routing: Routing) -> Bounds | None:
    """Return what is proved of the worst-case load over bandwidth, None where nothing is.

    >>> from obroute import make_network, make_routing
    >>> str(bounds_about(make_network("torus:9x9,bandwidth=2"), make_routing("romm")))
    '16/5'
    >>> bounds_about(make_network("mesh:9x9"), make_routing("romm")) is None
    True
    """
    if not isinstance(network, Grid) or not _is_cube(network):
        return bounds_on_tree(network, routing)
    radix = network.radices[0]
    bounds = cube_bounds(routing.name, radix, len(network.radices))
    bandwidth = network.bandwidth.fraction(0)
    return Bounds(bounds.lower / bandwidth, bounds.upper / bandwidth) if bounds else None


def _is_cube(grid: Grid) -> bool:
    """Say whether a grid is a k-ary n-cube, whole, with unit terminals and channels all alike."""
    radix, nodes, bandwidths = grid.radices[0], grid.node_count, grid.bandwidth.numerators
    ways = 2 if radix > 2 else 1
    return (
        set(zip(grid.radices, grid.wraps, strict=True)) == {(radix, radix > 2)}
        and grid.channel_count == ways * len(grid.radices) * nodes
        and grid.has_unit_terminals
        and len(grid.sources) == len(grid.destinations) == nodes
        and bool((bandwidths == bandwidths[0]).all())
    )


def confirm(network: Network, routing: Routing, load: Fraction, length: Fraction) -> str:
    """Hold a worst-case load over bandwidth and a mean path length against what is proved of them.

    In two dimensions the proof of the load is checked at the radix first. Says what was found;
    empty where no theorem is about the routing there.

    Raises
    ------
    CertificateError
        If the load or the length is not what is proved.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> torus, romm = make_network("torus:9x9"), make_routing("romm")
    >>> confirm(torus, romm, Fraction(32, 5), Fraction(40, 9))
    'worst case as the theorem on romm proves for k = 9'
    >>> confirm(torus, romm, Fraction(13, 2), Fraction(40, 9))
    Traceback (most recent call last):
    obroute.specs.CertificateError: worst_case_load: 13/2, but the theorem ... proves 32/5
    """
    bounds = bounds_about(network, routing)
    if bounds is None:
        return ""
    name = routing.name
    if not isinstance(network, Grid):
        require(
            bounds.allow(load),
            f"worst_case_load: {load}, but the theorem on {name} proves {bounds}",
        )
        return f"worst case as the theorem on {name} proves for trees of switches"
    radix, dimensions = network.radices[0], len(network.radices)
    if dimensions == 2 and radix >= SMALLEST_RADIX:
        theorems[name].check(radix)
    require(
        bounds.allow(load), f"worst_case_load: {load}, but the theorem on {name} proves {bounds}"
    )
    if dimensions == 2 and radix >= SMALLEST_RADIX and name in ROUTINGS_WITH_LENGTHS:
        proved = mean_path_length(name, radix)
        require(
            length == proved, f"mean_path_length: {length}, but for k = {radix} {proved} is proved"
        )
    how = "as" if bounds.exact is not None else "within what"
    where = f"k = {radix}" if dimensions == 2 else f"k = {radix}, n = {dimensions}"
    return f"worst case {how} the theorem on {name} proves for {where}"


__all__ = [
    "SMALLEST_RADIX",
    "TREE_ROUTINGS",
    "Bounds",
    "Certificate",
    "CubeTheorem",
    "Proof",
    "bounds_about",
    "bounds_on_tree",
    "confirm",
    "cube_bounds",
    "least_tree_load",
    "least_worst_case",
    "mean_path_length",
    "prove",
    "romm_asymptote",
    "romm_growth",
    "single_path_bound",
    "theorems",
    "torus_uniform_load",
]
