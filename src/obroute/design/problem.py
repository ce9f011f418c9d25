"""What to design a routing for: network, objective, locality, paths, symmetry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, get_args

from obroute.choices.designs import OBJECTIVE, PATHS, SAMPLES, SYMMETRY, Objective, Symmetry
from obroute.choices.traffic import MATRIX_KIND
from obroute.design.paths import AllowedPaths, allowed_paths
from obroute.network import Network
from obroute.rational import SparseRationalMatrix, sum_integers
from obroute.specs import InputError
from obroute.symmetry import (
    Element,
    SymmetryGroup,
    can_find,
    declared_group,
    found_group,
    translations_group,
    trivial_group,
)
from obroute.traffic import Pattern, Sample, Traffic, make_pattern

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
LARGEST_SUM = 2**53
"""Sums of demands, in their common unit, that floats hold."""
SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)


@dataclass(frozen=True)
class DesignProblem:
    """What to design a routing for.

    Parameters
    ----------
    network
        The network.
    objective
        ``capacity`` (the load of given traffic, uniform unless said otherwise), ``worst_case``,
        or ``average_case`` (the mean of the largest loads of sampled traffic matrices).
    locality
        Bound on the mean path length over that of shortest paths; None for none.
    exact_locality
        Whether the mean path length must be equal to the bound.
    load
        Bound on the load (packets per cycle over bandwidth), in place of the best: ``then`` the
        paths are made as short as they can be at that load. None for the best.
    then
        ``locality`` to take, of the best routings, one of the least mean path length.
    paths
        The paths to use: ``all``, ``minimal``, ``two_turn``, or the name of a routing.
    traffic
        The pattern or matrix of the capacity objective; None for uniform traffic.
    samples, seed, matrix_kind
        The sample of the average case.
    symmetry
        The group to reduce by: ``declared`` by the network, ``found`` by an automorphism library,
        ``translations``, ``translations+reversal``, ``none``; ``auto`` takes what is declared, or
        looks where nothing is.
    """

    network: Network
    objective: str = OBJECTIVE
    locality: Fraction | None = None
    exact_locality: bool = False
    then: str | None = None
    paths: str = PATHS
    traffic: Pattern | None = None
    samples: int = SAMPLES
    seed: int = 0
    matrix_kind: str = MATRIX_KIND
    symmetry: str = SYMMETRY
    load: Fraction | None = None

    def __post_init__(self) -> None:
        for what, value, known in (
            ("objective", self.objective, OBJECTIVES),
            ("symmetry", self.symmetry, SYMMETRIES),
            ("then", self.then, (None, "locality")),
        ):
            if value not in known:
                names = ", ".join(str(name) for name in known if name)
                raise InputError(f"{what} '{value}' is unknown; expected {names}")
        if self.load is not None and self.then is None:
            raise InputError(
                f"a bound on the load of {self.load} leaves nothing to optimise; then ask for "
                "locality"
            )
        if self.traffic is not None and self.objective != "capacity":
            raise InputError(
                f"traffic {self.traffic.name} is for the capacity objective; the "
                f"{self.objective} has its own"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made when it is asked for: functions cannot travel."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def settings(self) -> dict[str, Any]:
        """Return what a store records of it, for :func:`design_problem`.

        >>> from obroute import make_network
        >>> problem = DesignProblem(make_network("ring:5"), locality=Fraction(5, 4))
        >>> design_problem(problem.network, problem.settings()).locality
        Fraction(5, 4)
        """
        settings = {name: getattr(self, name) for name in sorted(_RECORDED)}
        for name in ("locality", "load"):
            settings[name] = None if settings[name] is None else str(settings[name])
        if self.traffic is not None:
            settings["traffic"] = self.traffic.name
        return settings

    @cached_property
    def allowed(self) -> AllowedPaths:
        """The paths that routings may use; listed once for all programs, bounds and checks.

        Raises
        ------
        InputError
            If they are not defined on the network.
        """
        return allowed_paths(self.network, self.paths)

    @cached_property
    def group(self) -> SymmetryGroup:
        """The symmetry to reduce by, as far as it keeps the paths and the traffic."""
        group = self._group()
        if self.objective == "capacity" and self.traffic is not None:
            kept = tuple(g for g in group.generators if self._keeps_traffic(g))
            return SymmetryGroup(group.network, kept, group.name)
        return group

    def _group(self) -> SymmetryGroup:
        network, paths = self.network, self.allowed
        if self.symmetry == "found":
            return found_group(network)
        if self.symmetry == "none":
            return trivial_group(network)
        if self.symmetry.startswith("translations"):
            return translations_group(network, reverse=self.symmetry.endswith("reversal"))
        if (
            self.symmetry == "auto"
            and paths.listed is None
            and not network.automorphisms()
            and can_find()
        ):
            return found_group(network)
        return paths.group() if paths.listed is not None else declared_group(network)

    def _keeps_traffic(self, element: Element) -> bool:
        network, traffic = self.network, self.demands
        if traffic.is_uniform:
            return True
        amounts = traffic.amounts
        ends = (
            element.nodes[network.sources[amounts.rows]],
            element.nodes[network.destinations[amounts.columns]],
        )
        sources, destinations = ends[::-1] if element.reverses else ends
        image = SparseRationalMatrix.from_triplets(
            network.source_index[sources],
            network.destination_index[destinations],
            amounts.values,
            amounts.shape,
        )
        return image.equals(amounts)

    @cached_property
    def demands(self) -> Traffic:
        """The traffic of the capacity objective, uniform unless said otherwise.

        Raises
        ------
        InputError
            If it is not defined on the network, or has too many digits.
        """
        if self.traffic is None:
            return Traffic.uniform(self.network)
        traffic = self.traffic.traffic(self.network)
        if not traffic.is_uniform and (
            sum_integers(traffic.amounts.values.numerators) >= LARGEST_SUM
        ):
            raise InputError(
                f"the demands of {self.traffic.name} have too many digits for a program in "
                "floats; round them"
            )
        return traffic

    @property
    def sample(self) -> Sample:
        """The sample of the average case.

        Raises
        ------
        InputError
            If its kind is unknown.
        """
        return Sample(self.samples, self.seed, self.matrix_kind)


def design_problem(network: Network, settings: Mapping[str, Any]) -> DesignProblem:
    """Return the problem of settings as a store records them: plain texts and numbers."""
    given = {key: value for key, value in settings.items() if key in _RECORDED}
    if given.get("locality") is not None:
        given["locality"] = Fraction(given["locality"])
    if given.get("load") is not None:
        given["load"] = Fraction(given["load"])
    if given.get("traffic") is not None:
        given["traffic"] = make_pattern(given["traffic"])
    return DesignProblem(network, **given)


_RECORDED = {field.name for field in fields(DesignProblem)} - {"network"}
