"""What gathered simulations say: steps over n beside their bounds, and stable rates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr

from obroute.rational import FloatArray
from obroute.specs import InputError
from obroute.topologies.grid import Hypercube
from obroute.trends.values import holds, network_names, network_of, routing_names, value

TITLES = {"hypercube": "Hypercube", "butterfly": "Butterfly", "benes": "Beneš network"}
"""What to call families; they come first, in this order."""
BY_DIMENSION = Hypercube.size_is
GREEDY = ("dor", "bit_fixing")
"""Bit fixing; on a hypercube the two are one routing."""
VALIANT = ("valiant", "two_phase")
HARD_FOR_GREEDY = ("transpose", "bit_reverse")
"""The permutations for which the notes prove a bound."""


def through_zero(n: int) -> int:
    """Return how many packets of transpose or bit reversal meet at node 0…0: √N for even n."""
    return int(2 ** (n // 2))


def averaging_bound(n: int) -> int:
    """Return the notes' bound on the steps of greedy routing on transpose or bit reversal.

    The packets that leave node 0…0 share its n channels: √N/n for even n, rounded up.

    >>> [averaging_bound(n) for n in (2, 3, 4, 12, 16)]
    [1, 1, 1, 6, 16]
    """
    return math.ceil((through_zero(n) - 1) / n)


@dataclass(frozen=True)
class Sizes:
    """The networks of one family and one set of options, by rising n."""

    family: str
    options: str
    networks: dict[int, str]

    @property
    def title(self) -> str:
        """What a person calls them."""
        name = TITLES.get(self.family, self.family.replace("_", " ").capitalize())
        return name + (f" ({self.options})" if self.options else "")


def sizes_of(simulations: xr.Dataset) -> list[Sizes]:
    """Return the networks of gathered simulations that rise by a dimension n, as hypercubes do."""
    check_kind(simulations, "simulations")
    groups: dict[tuple[str, str], dict[int, str]] = {}
    for name in network_names(simulations):
        family, _, parameters = name.partition(":")
        network = network_of(family, name)
        if network is not None and network.size is not None and network.size_is == BY_DIMENSION:
            options = parameters.partition(",")[2]
            groups.setdefault((family, options), {})[network.size] = name
    order = [*TITLES, *dict.fromkeys(family for family, _ in groups)]
    return [
        Sizes(*key, networks=dict(sorted(groups[key].items())))
        for key in sorted(groups, key=lambda key: (order.index(key[0]), key[1]))
    ]


def traffic_names(packets: xr.Dataset) -> list[str]:
    """Return the traffic of gathered simulations or stability, in its order."""
    return [str(name) for name in packets["traffic"].values.tolist()]


def seeds_of(
    simulations: xr.Dataset, name: str, network: str, routing: str, traffic: str
) -> FloatArray:
    """Return an array's value for every seed that was run, none where there is no such cell."""
    place = {"network": network, "routing": routing, "traffic": traffic}
    for dim, label in place.items():
        if label not in simulations[dim].values.tolist():
            return np.empty(0)
    found = simulations[name].sel(place).values
    run = simulations["steps"].sel(place).values >= 0
    return np.asarray(found[run & (found >= 0)], dtype=np.float64)


def check_kind(dataset: xr.Dataset, kind: str) -> None:
    """Raise unless a dataset is of a kind."""
    found = dataset.attrs.get("kind")
    if found != kind:
        raise InputError(f"a dataset of kind {found!r}; expected {kind}, as gather makes it")


@dataclass(frozen=True)
class GreedyRow:
    """Greedy routing of one hard permutation on one hypercube.

    ``averaging`` is the proof's √N/n in whole steps, rounded up, and ``half`` √N/2 (2^⌊n/2⌋ for
    √N where n is odd); ``load_exact`` the exact load of the heaviest channel, a bound on steps;
    ``worst_exact`` what e-cube's worst permutation puts on a channel, from the study's certified
    matching if it has the cell (``certified``), else 2^⌊(n-1)/2⌋. ``steps`` and ``queues`` are
    those of every seed.
    """

    traffic: str
    n: int
    averaging: int
    half: float
    load_exact: str
    load: float
    worst_exact: str
    certified: bool
    steps: FloatArray
    queues: FloatArray


def greedy_rows(simulations: xr.Dataset, study: xr.Dataset | None) -> list[GreedyRow]:
    """Return the rows of transpose and bit reversal, by rising n."""
    rows = []
    for traffic in HARD_FOR_GREEDY:
        for n, network, routing, steps in hypercube_runs(simulations, traffic, GREEDY):
            place = {"network": network, "routing": routing, "traffic": traffic}
            worst = None if study is None else _certified(study, network, routing)
            rows.append(
                GreedyRow(
                    traffic=traffic,
                    n=n,
                    averaging=averaging_bound(n),
                    half=through_zero(n) / 2,
                    load_exact=str(value(simulations, "exact_load_exact", **place)),
                    load=float(value(simulations, "exact_load", **place)),
                    worst_exact=str(2 ** ((n - 1) // 2)) if worst is None else worst,
                    certified=worst is not None,
                    steps=steps,
                    queues=seeds_of(simulations, "largest_queue", **place),
                )
            )
    return rows


def _certified(study: xr.Dataset, network: str, routing: str) -> str | None:
    if not holds(study, network, routing):
        return None
    return str(value(study, "worst_case_load_exact", network=network, routing=routing))


@dataclass(frozen=True)
class StepsRow:
    """The steps of every seed for one traffic on the hypercube of dimension n."""

    traffic: str
    n: int
    steps: FloatArray


def valiant_rows(simulations: xr.Dataset) -> list[StepsRow]:
    """Return the steps of Valiant's two phases on hypercubes, by traffic and rising n."""
    return [
        StepsRow(traffic, n, steps)
        for traffic in traffic_names(simulations)
        for n, _, _, steps in hypercube_runs(simulations, traffic, VALIANT)
    ]


def offline_rows(simulations: xr.Dataset) -> list[StepsRow]:
    """Return the steps of the off-line schedules on hypercubes, by traffic and rising n."""
    routings = tuple(routing_names(simulations))
    return [
        StepsRow(traffic, n, steps)
        for traffic in traffic_names(simulations)
        for n, network, routing, _ in hypercube_runs(simulations, traffic, routings)
        if (steps := seeds_of(simulations, "offline_steps", network, routing, traffic)).size
    ]


def hypercube_runs(
    simulations: xr.Dataset, traffic: str, routings: tuple[str, ...], array: str = "steps"
) -> Iterator[tuple[int, str, str, FloatArray]]:
    """Yield n, network, the first of the routings that ran, and an array of its seeds.

    Of the hypercubes whose channels send one packet a step.
    """
    for sizes in sizes_of(simulations):
        if sizes.family == "hypercube" and not sizes.options:
            for n, network in sizes.networks.items():
                for routing in routings:
                    steps = seeds_of(simulations, array, network, routing, traffic)
                    if steps.size:
                        yield n, network, routing, steps
                        break


@dataclass(frozen=True)
class StableRate:
    """One measured saturation: the interval of the largest stable rate, and the exact ideal."""

    network: str
    routing: str
    traffic: str
    stable: float
    unstable: float
    ideal: float
    ideal_exact: str

    @property
    def holds_ideal(self) -> bool:
        """Whether the interval contains the ideal."""
        return self.stable <= self.ideal <= self.unstable

    @property
    def percents(self) -> tuple[float, float]:
        """How far the ends of the interval are from the ideal, in per cent of it."""
        return 100 * (self.stable / self.ideal - 1), 100 * (self.unstable / self.ideal - 1)


def stable_rates(stability: xr.Dataset) -> list[StableRate]:
    """Return every saturation of gathered stability, by network, traffic and routing."""
    check_kind(stability, "stabilities")
    found = []
    for network in network_names(stability):
        for traffic in traffic_names(stability):
            for routing in routing_names(stability):
                place = {"network": network, "routing": routing, "traffic": traffic}
                if exact := str(value(stability, "ideal_rate_exact", **place)):
                    found.append(
                        StableRate(
                            **place,
                            stable=float(value(stability, "stable_rate", **place)),
                            unstable=float(value(stability, "unstable_rate", **place)),
                            ideal=float(value(stability, "ideal_rate", **place)),
                            ideal_exact=exact,
                        )
                    )
    return found
