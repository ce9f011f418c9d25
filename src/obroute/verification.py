"""Checking stores again: every certificate, from the network and the routing anew.

Nothing stored is trusted. The network and the routing are made from their names, the pair loads
derived again, and each recorded value proved or compared; a sample of pair loads is also derived
from the definition of the routing, path by path.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import xarray as xr

from obroute.capacity import capacity_load
from obroute.design import DesignProblem, Proof, RoutingCheck, Scope, assess, design_problem
from obroute.design.designs import known_worst_case
from obroute.design.paths import PathSet, make_path_set
from obroute.importers import make_network
from obroute.loads import (
    PairLoadTensor,
    demand_loads,
    largest_normalised_load,
    traffic_loads,
)
from obroute.matching import CertificateError, WorstCase, check_certificate
from obroute.network import Network
from obroute.packets.expected import Expectation, expectation
from obroute.packets.experiments import run_permutations
from obroute.packets.injection import Traffic
from obroute.packets.relations import traffic_named
from obroute.packets.stability import STABLE, UNSTABLE, LoadPoint, load_point
from obroute.rational import RationalArray, SparseRationalMatrix
from obroute.results import (
    CELL_ARRAYS,
    claims_of,
    critical_focus,
    design_settings,
    designed_routing,
    is_store,
    network_digest,
    read_store,
    stored_duals,
)
from obroute.routing import Routing, routings
from obroute.routing.designed import DesignedRouting
from obroute.specs import InputError
from obroute.symmetry import focus_channels
from obroute.theorems import confirm
from obroute.throughput import (
    sample_matrices,
    sample_permutations,
    traffic_nodes,
)
from obroute.traffic import make_pattern

PAIRS_FROM_DEFINITION = 12
MOST_PATHS_A_PAIR = 20_000
MAY_BE_EMPTY = ("capacity_load_exact",)
"""Empty where the capacity is unknown."""


@dataclass(frozen=True)
class Verified:
    """What was checked in one store.

    ``theorem`` says what a theorem on the worst case of the cell confirms; empty where none is
    about its routing and network.
    """

    store: Path
    kind: str
    certificates: int
    theorem: str = ""


def find_stores(place: Path) -> list[Path]:
    """Return the store at a place, or all below it, in order of their names."""
    if is_store(place):
        return [place]
    if not place.exists():
        raise InputError(f"{place} does not exist; give a store or a folder of stores")
    found = sorted(
        file.parent
        for file in place.rglob("zarr.json")
        if not any(part.startswith(".") for part in file.relative_to(place).parts)
        and not is_store(file.parent.parent)
    )
    if not found:
        raise InputError(f"there is no store in {place}; give a store or a folder of stores")
    return found


def verify_stores(place: Path) -> Iterator[Verified]:
    """Verify the store at a place, or every store below it; raise at the first wrong entry.

    Raises
    ------
    CertificateError
        Names the store and the first entry that is wrong.
    InputError
        If a store cannot be read.
    """
    stores = find_stores(place)
    for store in stores:
        dataset = read_store(store)
        if "routing" in dataset.attrs:
            dataset.attrs["routing"] = _with_moved_design(dataset.attrs["routing"], store)
        try:
            kind = dataset.attrs["kind"]
            verify = _VERIFIERS.get(kind)
            count = verify(dataset) if verify else 0
            yield Verified(store, kind, count, confirmed(dataset) if kind == "cell" else "")
        except CertificateError as error:
            raise CertificateError(f"{store}: {error}") from None


def _with_moved_design(routing: str, store: Path) -> str:
    """Return a routing's name with the place where its design is now.

    A study's folder may have been moved, or another be the current one: a design that is not
    where it was is looked for at the same place beside the store.
    """
    mark, _, recorded = routing.partition("designed:")
    if mark or not recorded or Path(recorded).exists():
        return routing
    parts = Path(recorded).parts
    for first in range(len(parts) - 2):  # its folder, network and name at least
        for ancestor in store.absolute().parents:
            candidate = ancestor.joinpath(*parts[first:])
            if is_store(candidate):
                return f"designed:{candidate}"
    return routing


def verify_cell(cell: xr.Dataset) -> int:
    """Check every entry of a cell; return the number of certificates proved.

    Raises
    ------
    CertificateError
        Names the first entry that is wrong.
    """
    for name, spec in CELL_ARRAYS.items():
        if spec.kind == "text" and name in cell:
            for place, entry in enumerate(cell[name].values.ravel().tolist()):
                if not re.fullmatch(r"-?\d+(/[1-9]\d*)?", entry) and name not in MAY_BE_EMPTY:
                    raise CertificateError(f"{name}: entry {place} is '{entry}', not a number")
    for name, limit in (
        ("focus_channel", cell.sizes["channel"]),
        ("flow_source", cell.sizes["source"]),
        ("flow_destination", cell.sizes["destination"]),
    ):
        if name in cell and not all(0 <= entry < limit for entry in cell[name].values.tolist()):
            raise CertificateError(f"{name}: an entry is not between 0 and {limit - 1}")
    if not all(int(entry) > 0 for entry in cell["potential_denominator"].values.tolist()):
        raise CertificateError("potential_denominator: an entry is not positive")
    return _verify(cell)


def _verify(cell: xr.Dataset) -> int:
    network = make_network(cell.attrs["network"])
    if network_digest(network) != cell.attrs["network_digest"]:
        raise CertificateError(f"{cell.attrs['network']} is no longer the network of this store")
    if not cell["certified"].values.all():
        raise CertificateError("certified: the store holds an estimate from sampled paths")
    routing = routings.create(cell.attrs["routing"])
    routing.check(network)
    _check_focus(cell, network, routing)
    bandwidths = [str(bandwidth) for bandwidth in network.bandwidth.fractions()]
    if cell["bandwidth_exact"].values.tolist() != bandwidths:
        raise CertificateError("bandwidth_exact: not the bandwidths of the network")
    rows, columns = network.uniform_weight()
    hops = Fraction(0)
    cases = []
    for focus, channel in enumerate(cell["focus_channel"].values.tolist()):
        pair_loads = routing.pair_loads(network, channel)
        _check_definition(network, routing, channel, pair_loads)
        _check_pair_loads(cell, focus, channel, pair_loads)
        worst = stored_worst_case(cell, network, focus)
        check_certificate(worst, pair_loads, network.injection, network.ejection)
        cases.append(worst)
        bandwidth = network.bandwidth.fraction(channel)
        _compare(cell, "worst_case_load", worst.load / bandwidth, focus)
        uniform = pair_loads.weighted_sum(rows, columns)
        _compare(cell, "focus_uniform_load", uniform / bandwidth, focus)
        hops += uniform * int(cell["multiplicity"].values[focus])
    _compare(cell, "mean_path_length", hops / network.total_injection)
    _compare(cell, "mean_shortest_path_length", network.mean_shortest_path_length())
    _compare(cell, "capacity_load", capacity_load(network))
    _check_patterns(cell, network, routing)
    _check_channel_loads(cell, network, routing, cases[critical_focus(cell)])
    _check_samples(cell, network, routing)
    return cell.sizes["focus"]


def confirmed(cell: xr.Dataset) -> str:
    """Hold worst case and path length of a cell against a theorem; say what it confirms.

    The theorem proves them for every k at once, with neither pair loads nor matching: it is
    independent of all else that is checked. Empty where there is none.

    Raises
    ------
    CertificateError
        If the recorded worst case or mean path length is not what is proved.
    """
    loads = [Fraction(load) for load in cell["worst_case_load_exact"].values.tolist()]
    routing = routings.create(cell.attrs["routing"])
    length = Fraction(cell["mean_path_length_exact"].item())
    return confirm(make_network(cell.attrs["network"]), routing, max(loads), length)


def _check_patterns(cell: xr.Dataset, network: Network, routing: Routing) -> None:
    uniform = [Fraction(load) for load in cell["focus_uniform_load_exact"].values.tolist()]
    for position, name in enumerate(cell["pattern"].values.tolist()):
        pattern = make_pattern(name)
        channel = int(cell["pattern_channel"].values[position])
        if pattern.is_uniform:
            load = max(uniform)
            heaviest = int(cell["focus_channel"].values[uniform.index(load)])
        else:
            loads = demand_loads(network, routing, pattern.amounts(network))
            load, heaviest = largest_normalised_load(network, loads)
        _compare(cell, "pattern_load", load, position)
        if channel != heaviest:
            raise CertificateError(
                f"pattern_channel[{position}] is recorded as {channel}, but is {heaviest}"
            )


def _check_pair_loads(
    cell: xr.Dataset, focus: int, channel: int, pair_loads: SparseRationalMatrix
) -> None:
    denominator = int(cell["pair_load_denominator"].values[focus])
    if denominator != pair_loads.values.denominator:
        raise CertificateError(
            f"pair_load_denominator[{focus}] is recorded as {denominator}, but is "
            f"{pair_loads.values.denominator}"
        )
    if "pair_load_focus" not in cell:
        return
    mine = cell["pair_load_focus"].values == focus
    for name, expected in (
        ("source", pair_loads.rows),
        ("destination", pair_loads.columns),
        ("numerator", pair_loads.values.numerators),
    ):
        if not np.array_equal(cell[f"pair_load_{name}"].values[mine], expected):
            raise CertificateError(f"channel {channel}: pair_load_{name} is not the routing's")


def _check_channel_loads(
    cell: xr.Dataset, network: Network, routing: Routing, worst: WorstCase
) -> None:
    if "channel_load" not in cell:
        return
    for position, name in enumerate(cell["traffic"].values.tolist()):
        if name == "worst_case":
            sources, destinations = traffic_nodes(network, worst)
            expected = traffic_loads(network, routing, sources, destinations, worst.amounts)
        else:
            expected = demand_loads(network, routing, make_pattern(name).amounts(network))
        found = cell["channel_load"].values[position]
        if not np.array_equal(found, expected.to_float() / network.bandwidth.to_float()):
            raise CertificateError(f"channel_load[{name}] is not the load of that traffic")


def _check_samples(cell: xr.Dataset, network: Network, routing: Routing) -> None:
    """Draw the samples again from the recorded seed."""
    if "random_permutation_load" not in cell and "average_case_load" not in cell:
        return
    settings = json.loads(cell.attrs["settings"])
    tensor = PairLoadTensor.build(network, routing)
    if "random_permutation_load" in cell:
        found = cell["random_permutation_load"].values
        again = sample_permutations(tensor, len(found), settings.get("seed", 0))
        if not np.array_equal(found, [float(load) for load in again.loads]):
            raise CertificateError("random_permutation_load is not what the seed draws")
        recorded = cell["random_permutation_worst_exact"].item()
        if recorded != str(again.worst):
            raise CertificateError(
                f"random_permutation_worst_exact is recorded as {recorded}, but is {again.worst}"
            )
    if "average_case_load" in cell:
        found = cell["average_case_load"].values
        kind = settings.get("matrix_kind", "permutation")
        average = sample_matrices(tensor, len(found), kind, settings.get("seed", 0))
        if not np.allclose(found, average.loads, rtol=1e-12, atol=0):
            raise CertificateError("average_case_load is not what the seed draws")


def verify_study(study: xr.Dataset) -> int:
    """Check that exact and float entries of a study agree and each case is certified.

    The certificates themselves are in the cells, so none is counted here.
    """
    for place in np.argwhere(study["present"].values).tolist():
        row, column = place
        name = f"{study['network'].values[row]} {study['routing'].values[column]}"
        if not study["certified"].values[row, column]:
            raise CertificateError(f"{name}: not certified")
        exact = Fraction(study["worst_case_load_exact"].values[row, column])
        if float(exact) != study["worst_case_load"].values[row, column]:
            raise CertificateError(f"{name}: worst_case_load is not {exact}")
    return 0


def verify_simulation(simulation: xr.Dataset) -> int:
    """Run the first seed of every traffic again, and derive the exact loads anew."""
    settings = json.loads(simulation.attrs["settings"])
    again = run_permutations(
        make_network(simulation.attrs["network"]),
        routings.create(simulation.attrs["routing"]),
        simulation["traffic"].values.tolist(),
        seed=int(simulation["seed"].values[0]),
        discipline=settings.get("queue", "fifo"),
        phases=settings.get("phases", False),
        h=settings.get("h", 1),
        half_duplex=settings.get("half_duplex", False),
    )
    for position, runs in enumerate(again.runs):
        _compare(simulation, "exact_load", again.exact_loads[position], position)
        for name, value in vars(runs[0]).items():
            _compare_entry(simulation, name, (position, 0), value)
    return 0


def verify_stability(stability: xr.Dataset) -> int:
    """Derive the ideal rates anew, and simulate both ends of each interval and a rate again."""
    network = make_network(stability.attrs["network"])
    routing = routings.create(stability.attrs["routing"])
    settings = json.loads(stability.attrs["settings"])
    for position, name in enumerate(stability["traffic"].values.tolist()):
        traffic = traffic_named(network, routing, name)
        expected = expectation(network, routing, traffic, settings["half_duplex"])
        _compare(stability, "ideal_rate", expected.ideal, position)
        _compare_entry(stability, "critical_channels", (position,), int(expected.critical.sum()))
        stable, unstable = (
            float(stability[end].values[position]) for end in ("stable_rate", "unstable_rate")
        )
        if not 0 <= stable <= unstable <= 1:
            raise CertificateError(f"stable_rate[{position}]: the rates are not in order")

        def again(
            rate: float, steps: str, traffic: Traffic = traffic, known: Expectation = expected
        ) -> LoadPoint:
            where = network, routing, traffic, rate, settings[steps]
            return load_point(
                *where,
                settings["seed"],
                settings["queue"],
                half_duplex=settings["half_duplex"],
                expected=known,
            )

        for end, rate, verdict in (
            ("stable_rate", stable, STABLE),
            ("unstable_rate", unstable, UNSTABLE),
        ):
            if 0 < rate < 1 and again(rate, "steps").verdict != verdict:
                raise CertificateError(f"{end}[{position}]: {rate:g} is not shown to be {verdict}")
        for place, rate in enumerate(stability["rate"].values.tolist()[:1]):
            for curve, value in vars(again(rate, "curve_steps")).items():
                if curve in stability and stability[curve].dims == ("traffic", "rate"):
                    _compare_entry(stability, curve, (position, place), value)
    return 0


def stored_worst_case(cell: xr.Dataset, network: Network, focus: int) -> WorstCase:
    """Read the worst case of one focus channel, by its position."""
    channel = int(cell["focus_channel"].values[focus])
    permutation = cell["worst_permutation"].values[focus]
    if (permutation >= 0).all():
        sources = np.arange(len(network.sources))
        if permutation.max(initial=0) >= network.node_count:
            raise CertificateError(f"channel {channel}: a destination that is no node")
        destinations = network.destination_index[permutation]
        amounts = RationalArray.full(len(sources), 1)
    else:
        mine = cell["flow_focus"].values == focus
        sources = cell["flow_source"].values[mine].astype(np.int64)
        destinations = cell["flow_destination"].values[mine].astype(np.int64)
        amounts = RationalArray.from_fractions(
            Fraction(amount) for amount in cell["flow_amount_exact"].values[mine].tolist()
        )
    denominator = int(cell["potential_denominator"].values[focus])
    potentials = [
        RationalArray(
            np.array([int(n) for n in cell[name].values[focus].tolist()], dtype=object),
            denominator,
        )
        for name in ("source_potential", "destination_potential")
    ]
    load = Fraction(cell["worst_case_load_exact"].values[focus])
    return WorstCase(
        channel,
        load * network.bandwidth.fraction(channel),
        sources,
        destinations,
        amounts,
        *potentials,
    )


def _check_focus(cell: xr.Dataset, network: Network, routing: Routing) -> None:
    if not np.array_equal(cell["tail"].values, network.tail) or not np.array_equal(
        cell["head"].values, network.head
    ):
        raise CertificateError("tail, head: not the channels of the network")
    symmetries = routing.symmetries(network)
    expected = focus_channels(network, symmetries)
    found = cell["focus_channel"].values
    multiplicity = cell["multiplicity"].values
    if len(found) == network.channel_count:
        expected = focus_channels(network, {})
    labels = focus_channels(network, symmetries).labels
    if len(set(labels[found].tolist())) != labels.max() + 1:
        raise CertificateError("focus_channel: an orbit of channels is missing")
    if not np.array_equal(multiplicity, expected.multiplicity):
        raise CertificateError("multiplicity: not the sizes of the channel orbits")
    if not np.array_equal(cell["channel_focus"].values, expected.labels):
        raise CertificateError("channel_focus: not the channel orbits")


def _check_definition(
    network: Network, routing: Routing, channel: int, pair_loads: SparseRationalMatrix
) -> None:
    """Derive a seeded sample of non-zero pair loads path by path."""
    chosen = np.random.default_rng(channel).permutation(pair_loads.nonzeros)
    for place in chosen[:PAIRS_FROM_DEFINITION].tolist():
        row, column = int(pair_loads.rows[place]), int(pair_loads.columns[place])
        source, destination = int(network.sources[row]), int(network.destinations[column])
        paths = list(
            itertools.islice(routing.paths(network, source, destination), MOST_PATHS_A_PAIR + 1)
        )
        if len(paths) > MOST_PATHS_A_PAIR:
            continue
        load = sum((p * path.count(channel) for p, path in paths), Fraction(0))
        if load != pair_loads.values.fraction(place):
            raise CertificateError(
                f"channel {channel}: the paths from node {source} to node {destination} load it "
                f"with {load}, not {pair_loads.values.fraction(place)}"
            )


def _compare_entry(dataset: xr.Dataset, name: str, place: tuple[int, ...], value: float) -> None:
    found = dataset[name].values[place]
    if found != value and not (np.isnan(found) and np.isnan(value)):
        where = ", ".join(map(str, place))
        raise CertificateError(f"{name}[{where}] is recorded as {found}, but is {value}")


def _compare(
    cell: xr.Dataset, name: str, expected: Fraction | None, position: int | None = None
) -> None:
    exact, nearest = cell[f"{name}_exact"].values, cell[name].values
    if position is not None:
        exact, nearest = exact[position], nearest[position]
    where = name if position is None else f"{name}[{position}]"
    if str(exact) != ("" if expected is None else str(expected)):
        raise CertificateError(f"{where} is recorded as {exact}, but is {expected}")
    if expected is not None and float(nearest) != float(expected):
        raise CertificateError(f"{where}: the float {nearest} is not {exact}")


def verify_design(dataset: xr.Dataset) -> int:
    """Check a design: its loads by the evaluator, its bounds from the duals; return the proofs.

    The routing is read from its paths and checked on the whole network, its load and path length
    computed by the code that evaluates any routing. Each lower bound is proved again from the
    stored duals, spread over the full problem, and the claims must be those of its scope.

    Raises
    ------
    CertificateError
        Names the first entry that is wrong.
    """
    network = make_network(dataset.attrs["network"])
    try:
        routing = designed_routing(dataset, "the store", network)
        problem = design_problem(network, design_settings(dataset))
    except InputError as error:
        raise CertificateError(str(error)) from None
    paths = make_path_set(network, problem.paths)
    load, length = RoutingCheck.of(problem, paths, routing.reduction).values(routing)
    _compare(dataset, "routing_load", load)
    _compare(dataset, "mean_path_length", length)
    _compare(dataset, "mean_shortest_path_length", network.mean_shortest_path_length())
    _check_scope(dataset, problem, paths, routing)
    _check_averages(dataset, routing, problem)
    return _check_bounds(dataset, problem, load)


def _check_scope(
    dataset: xr.Dataset, problem: DesignProblem, paths: PathSet, routing: DesignedRouting
) -> None:
    """Check that the store claims what the problem and its group make of its bounds."""
    group, stored = problem.group(paths), routing.reduction.group
    keys = [{element.key for element in one.generators} for one in (group, stored)]
    if problem.objective == "average_case" and keys[0] != keys[1]:
        raise CertificateError("generator_image: not the symmetry that the sample's images are of")
    scope = Scope.of(problem, paths, group)
    expected = {
        "objective": problem.objective,
        "paths": problem.paths,
        "scope": scope.to_json(),
        "claims": claims_of(dataset, scope),
    }
    for name, value in expected.items():
        if dataset.attrs.get(name) != value:
            raise CertificateError(
                f"{name} is recorded as {dataset.attrs.get(name)}, but is {value}"
            )


def _check_bounds(dataset: xr.Dataset, problem: DesignProblem, load: Fraction) -> int:
    """Check each recorded bound against what the stored duals prove; return their number."""
    proofs = _stored_proofs(dataset)
    if problem.load is None and "load" not in proofs:
        raise CertificateError("load_dual: the store proves no bound on the load")
    hops = problem.network.mean_shortest_path_length()
    longest = None if problem.locality is None else problem.locality * hops
    bounds = {objective: proof.bound(problem) for objective, proof in proofs.items()}
    limit = dataset["load_limit_exact"].item()
    for name, objective, at in (
        ("load_lower_exact", "load", longest),
        ("least_path_length_exact", "length", max(load, Fraction(limit or 0))),
        ("least_path_length_at_limit_exact", "length", Fraction(limit or 0)),
    ):
        recorded = dataset[name].item()
        if not recorded:
            continue
        if objective not in bounds:
            raise CertificateError(f"{objective}_dual: the store does not prove {recorded}")
        found = bounds[objective]
        proved = found.least_load(at) if objective == "load" else found.least_path_length(at)
        if proved < Fraction(recorded):
            raise CertificateError(f"{name}: the duals do not prove {recorded}, but {proved}")
    if problem.load is None:
        upper = Fraction(dataset["load_upper_exact"].item())
        if upper > load:
            raise CertificateError("load_upper_exact: the routing has a smaller load")
        if upper < load and upper != known_worst_case(problem):
            raise CertificateError(f"load_upper_exact: no routing is known to have {upper}")
    return len(proofs)


def _check_averages(dataset: xr.Dataset, routing: Routing, problem: DesignProblem) -> None:
    """Draw the sample and the fresh matrices again, and compare the loads of the routing."""
    if "in_sample_load" not in dataset:
        return
    fresh = dataset.sizes["fresh_matrix"]
    found = assess(
        problem.network, routing, problem.samples, problem.seed, problem.matrix_kind, fresh
    )
    for name, average in vars(found).items():
        recorded = dataset[f"{name}_load"].values
        if len(recorded) != len(average.loads) or not np.allclose(
            recorded, average.loads, rtol=1e-9, atol=0
        ):
            raise CertificateError(f"{name}_load: not the loads of the matrices that are drawn")


def _stored_proofs(dataset: xr.Dataset) -> dict[str, Proof]:
    rows = [dataset[name].values.tolist() for name in _SAMPLE_ROWS]
    load_row, limit = int(dataset["load_row_number"]), dataset["load_limit_exact"].item()
    proofs = {}
    for objective in ("load", "length"):
        duals = stored_duals(dataset, objective)
        if duals is None:
            continue
        bounded = objective == "length"
        proofs[objective] = Proof(
            objective,
            duals,
            tuple(row for row in zip(*rows, strict=True) if row[0] < len(duals)),
            load_row if bounded else -1,
            Fraction(limit) if bounded and limit else None,
        )
    return proofs


_SAMPLE_ROWS = ("sample_row", "sample_row_sample", "sample_row_channel")


def verify_trade_off(dataset: xr.Dataset) -> int:
    """Check that a curve is convex, falls, and lies on the lines that bound it; return its points.

    Raises
    ------
    CertificateError
        Names the first breakpoint that is wrong.
    """
    loads, lengths, slopes, lines = (
        [Fraction(entry) for entry in dataset[f"{name}_exact"].values.tolist()]
        for name in ("routing_load", "mean_path_length", "slope", "line")
    )
    proved = dataset["proved"].values.tolist()
    for place, (load, length, slope) in enumerate(zip(loads, lengths, slopes, strict=True)):
        if lines[place] > length or (proved[place] and lines[place] != length):
            raise CertificateError(f"line_exact: not where breakpoint {place} has it")
        _compare(dataset, "routing_load", load, place)
        _compare(dataset, "mean_path_length", length, place)
        for other, theirs in zip(loads, lengths, strict=True):
            if theirs < lines[place] + slope * (other - load):
                raise CertificateError(f"breakpoint {place}: the curve is below its line")
    return len(loads)


_VERIFIERS: dict[str, Callable[[xr.Dataset], int]] = {
    "cell": verify_cell,
    "study": verify_study,
    "simulation": verify_simulation,
    "stability": verify_stability,
    "design": verify_design,
    "trade_off": verify_trade_off,
}
"""How each kind of store is checked; gathered ones beyond their digest in their cells."""
