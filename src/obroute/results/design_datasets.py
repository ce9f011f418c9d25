"""Designs and trade-off curves as datasets, and designed routings read from them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import xarray as xr

from obroute.importers import make_network
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.results.arrays import (
    BLANK,
    DTYPE,
    SPECS,
    floats,
    make_dataset,
    text,
    texts,
)
from obroute.results.datasets import (
    gathered_cells,
    network_attributes,
    network_digest,
    provenance,
    ratio,
)
from obroute.results.stores import read_store
from obroute.routing import routings
from obroute.routing.designed import DesignedRouting, RoutingByNetwork
from obroute.specs import InputError, Parameter
from obroute.symmetry import Element, Reduction, SymmetryGroup, preserving, reversing

if TYPE_CHECKING:
    from obroute.design import Design, SampleAssessment, TradeOff
    from obroute.design.proofs import Proof
    from obroute.design.scope import Scope

_SUMMARY = (
    "routing_load",
    "routing_load_exact",
    "load_lower_exact",
    "load_upper_exact",
    "mean_path_length",
    "mean_path_length_exact",
    "least_path_length_exact",
    "least_path_length_at_limit_exact",
    "capacity_load",
    "capacity_load_exact",
    "mean_shortest_path_length",
    "mean_shortest_path_length_exact",
    "rows",
    "columns",
    "nonzeros",
)


def design_dataset(
    found: Design,
    settings: Mapping[str, Any] | None = None,
    seconds: float | None = None,
    judged: SampleAssessment | None = None,
) -> xr.Dataset:
    """Return a design as a dataset: the routing, its values, and the proofs of its bounds.

    ``settings`` are those that :func:`obroute.design.design` was given, for the provenance and
    for :func:`obroute.verification.verify_stores`. ``judged`` is what the routing is worth in and
    out of its sample, if that was found.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.design import design
    >>> found = design(make_network("torus:4x4"), then="locality")
    >>> dataset = design_dataset(found, {"then": "locality"})
    >>> dataset.routing_load_exact.item(), dataset.mean_path_length_exact.item()
    ('1', '27/10')
    """
    network, routing = found.problem.network, found.routing
    least = found.least_path_length
    values = {
        "routing_load": found.routing_load,
        "mean_path_length": found.path_length,
        "capacity_load": found.capacity_load,
        "mean_shortest_path_length": network.mean_shortest_path_length(),
    }
    arrays: dict[str, Any] = {
        **{name: floats([value])[0] for name, value in values.items()},
        **{f"{name}_exact": text(value) for name, value in values.items()},
        "load_lower_exact": text(None if found.load is None else found.load.lower),
        "load_upper_exact": text(None if found.load is None else found.load.upper),
        "least_path_length_exact": text(None if least is None else least.lower),
        "least_path_length_at_limit_exact": text(found.least_path_length_at_limit),
        "rows": found.rows,
        "columns": found.columns,
        "nonzeros": found.nonzeros,
        "tail": network.tail.astype(np.int32),
        "head": network.head.astype(np.int32),
        **_routing_arrays(routing),
        **_proof_arrays(found.proofs),
    }
    if judged is not None:
        arrays["in_sample_load"] = judged.in_sample.loads
        arrays["out_of_sample_load"] = judged.out_of_sample.loads
    attributes = {
        "kind": "design",
        **network_attributes(network),
        "routing": routing.name,
        "objective": found.problem.objective,
        "paths": found.problem.paths,
        "symmetry": found.symmetry,
        "scope": found.scope.to_json(),
        "solver": found.solver,
        **provenance(
            found.problem.settings() if settings is None else settings,
            found.seconds if seconds is None else seconds,
        ),
    }
    dataset = make_dataset("design", arrays, {}, attributes)
    return dataset.assign_attrs(claims=claims_of(dataset, found.scope))


def claims_of(dataset: xr.Dataset, scope: Scope) -> str:
    """Return what a design's dataset proves, in words: a sentence a line, with its scope."""
    load, lower = dataset["routing_load_exact"].item(), dataset["load_lower_exact"].item()
    length = dataset["mean_path_length_exact"].item()
    least = dataset["least_path_length_exact"].item()
    claims = []
    if lower:
        words = scope.of_load if lower == load else scope.of_load_below(lower)
        claims.append(f"proved: {words}")
    if least:
        words = scope.of_length if least == length else f"{scope.of_length} than {least} hops"
        claims.append(f"proved: {words}")
    return "\n".join(claims)


def _routing_arrays(routing: DesignedRouting) -> dict[str, Any]:
    reduction = routing.reduction
    generators = reduction.group.generators
    listed = [
        (number, path, probability)
        for number, distribution in enumerate(routing.distributions)
        for path, probability in distribution.items()
    ]
    nodes = reduction.network.node_count
    images = [element.nodes for element in generators]
    return {
        "generator_image": np.array(images, dtype=np.int32).reshape(len(images), nodes),
        "generator_reverses": np.array([e.reverses for e in generators], dtype=bool),
        "pair_source": np.array([pair.source for pair in reduction.pairs], dtype=np.int32),
        "pair_destination": np.array(
            [pair.destination for pair in reduction.pairs], dtype=np.int32
        ),
        "path_pair": np.array([number for number, *_ in listed], dtype=np.int32),
        "path_hops": np.array([len(path) for _, path, _ in listed], dtype=np.int32),
        "path_probability": floats([probability for *_, probability in listed]),
        "path_probability_exact": texts([probability for *_, probability in listed]),
        "path_channel": np.array([c for _, path, _ in listed for c in path], dtype=np.int32),
    }


def _proof_arrays(proofs: tuple[Proof, ...]) -> dict[str, Any]:
    last = proofs[-1]
    rows = np.array(last.sample_rows, dtype=np.int64).reshape(-1, 3)
    arrays: dict[str, Any] = {
        "load_row_number": -1 if last.load_row is None else last.load_row,
        "load_limit_exact": text(last.load_limit),
        "sample_row": rows[:, 0],
        "sample_row_sample": rows[:, 1],
        "sample_row_channel": rows[:, 2],
    }
    for proof in proofs:
        name = f"{proof.objective}_dual"
        if isinstance(proof.duals, RationalArray):
            arrays[name] = proof.duals.to_float()
            arrays[f"{name}_numerator"] = texts(str(n) for n in proof.duals.numerators.tolist())
            arrays[f"{name}_denominator"] = str(proof.duals.denominator)
        else:
            arrays[name] = proof.duals
    return arrays


def stored_duals(dataset: xr.Dataset, objective: str) -> RationalArray | Any | None:
    """Return the duals of a design store: exact ones, or floats; None where there are none."""
    name = f"{objective}_dual"
    if f"{name}_numerator" in dataset:
        numerators = np.array([int(n) for n in dataset[f"{name}_numerator"].values], dtype=object)
        return RationalArray(numerators, int(dataset[f"{name}_denominator"].item()))
    return dataset[name].values if name in dataset else None


def read_designed_routing(store: str | Path, network: Network | None = None) -> DesignedRouting:
    """Read the routing of a design store.

    Parameters
    ----------
    store
        The store.
    network
        The network that it is for; made from the name in the store where not given.

    Raises
    ------
    InputError
        If the store is none of a design, the network changed since, or the paths are no routing.
    """
    return designed_routing(read_store(store, "design"), str(store), network)


def designed_routing(
    dataset: xr.Dataset, origin: str, network: Network | None = None
) -> DesignedRouting:
    """Return the routing of a design's dataset; ``origin`` is its name in messages."""
    if network is None:
        network = make_network(dataset.attrs["network"])
    if dataset.attrs["network_digest"] != network_digest(network):
        raise InputError(
            f"{origin}: the network {dataset.attrs['network']} is another one now; design for it "
            "again"
        )
    generators = tuple(
        _generator(network, image, bool(reverses), origin)
        for image, reverses in zip(
            dataset["generator_image"].values, dataset["generator_reverses"].values, strict=True
        )
    )
    reduction = Reduction.build(SymmetryGroup(network, generators, dataset.attrs["symmetry"]))
    pairs = list(
        zip(
            dataset["pair_source"].values.tolist(),
            dataset["pair_destination"].values.tolist(),
            strict=True,
        )
    )
    if pairs != [(pair.source, pair.destination) for pair in reduction.pairs]:
        raise InputError(f"{origin}: its pairs are not those of its symmetry; design it again")
    distributions: list[dict[tuple[int, ...], Fraction]] = [{} for _ in pairs]
    channels = dataset["path_channel"].values.tolist()
    ends = np.cumsum(dataset["path_hops"].values).tolist()
    for number, hops, end, probability in zip(
        dataset["path_pair"].values.tolist(),
        dataset["path_hops"].values.tolist(),
        ends,
        dataset["path_probability_exact"].values.tolist(),
        strict=True,
    ):
        path = tuple(channels[end - hops : end])
        if network.path_nodes(pairs[number][0], path)[-1] != pairs[number][1]:
            raise InputError(f"{origin}: a path of pair {pairs[number]} ends elsewhere")
        distributions[number][path] = Fraction(probability)
    for pair, distribution in zip(pairs, distributions, strict=True):
        if sum(distribution.values()) != 1 or min(distribution.values()) < 0:
            raise InputError(f"{origin}: the probabilities of pair {pair} do not sum to 1")
    return DesignedRouting(dataset.attrs["routing"], reduction, distributions)


def _generator(network: Network, image: Any, reverses: bool, origin: str) -> Element:
    nodes = np.asarray(image, dtype=np.int64)
    element = reversing(network, nodes) if reverses else preserving(network, nodes)
    if element is None:
        raise InputError(f"{origin}: a stored symmetry does not turn the network around")
    return element


@routings.register(
    "designed",
    "a routing that `obroute design --save` made",
    defined_for="the network that it was designed for",
)
class StoredDesign(RoutingByNetwork):
    """The routing of a design store, named by its file: its path alone makes the same."""

    designs = True
    defined_for = "the network that it was designed for"

    def __init__(self, file: Annotated[Path, Parameter("the store (zarr)", Path)]) -> None:
        super().__init__()
        self.dataset = read_store(file, "design")
        self.file = file
        self.files = (str(file),)

    @property
    def label(self) -> str:
        """The name that the design was given."""
        return str(self.dataset.attrs["routing"])

    def made_for(self, network: Network) -> DesignedRouting:
        """Return the routing in the store, on a network."""
        return self.remember(
            network, "design", lambda: designed_routing(self.dataset, str(self.file), network)
        )

    def check(self, network: Network) -> None:
        """Raise unless the network is the one that it was designed for."""
        if network.name != self.dataset.attrs["network"]:
            raise InputError(
                f"{self.file} holds a routing of {self.dataset.attrs['network']}, not of "
                f"{network.name}"
            )
        self.made_for(network)


def trade_off_dataset(
    found: TradeOff, settings: Mapping[str, Any] | None = None, seconds: float = 0.0
) -> xr.Dataset:
    """Return a trade-off curve as a dataset with dim vertex.

    Examples
    --------
    >>> from obroute import make_network
    >>> from obroute.design import trade_off
    >>> trade_off_dataset(trade_off(make_network("torus:3x3"))).routing_load_exact.values.tolist()
    ['2/3', '8/11', '4/5', '1']
    """
    network = found.network
    shortest = network.mean_shortest_path_length()
    columns = {
        "routing_load": [vertex.load for vertex in found.vertices],
        "mean_path_length": [vertex.path_length for vertex in found.vertices],
        "slope": [vertex.slope for vertex in found.vertices],
        "line": [vertex.bound(vertex.load) for vertex in found.vertices],
    }
    capacity = found.capacity_load
    arrays: dict[str, Any] = {
        **{name: floats(values) for name, values in columns.items()},
        **{f"{name}_exact": texts(values) for name, values in columns.items()},
        "proved": np.array([vertex.proved for vertex in found.vertices], dtype=bool),
        "fraction_of_capacity": floats(
            [capacity and capacity / load for load in columns["routing_load"]]
        ),
        "normalized_path_length": floats(found.normalized_lengths()),
        "complete": found.complete,
        "gap": found.gap,
        "solves": found.solves,
        "capacity_load": floats([capacity])[0],
        "capacity_load_exact": text(capacity),
        "mean_shortest_path_length": float(shortest),
        "mean_shortest_path_length_exact": text(shortest),
    }
    attributes = {
        "kind": "trade_off",
        **network_attributes(network),
        "routing": found.name,
        "objective": found.problem.objective,
        "paths": found.problem.paths,
        "scope": found.scope.to_json(),
        "claims": curve_claims(found.scope, found.complete, found.gap),
        "solver": found.solver,
        **provenance(found.problem.settings() if settings is None else settings, seconds),
    }
    return make_dataset("trade_off", arrays, {}, attributes)


def curve_claims(scope: Scope, complete: bool, gap: float) -> str:
    """Return what a curve proves, in words."""
    if complete:
        return f"proved: {scope.of_curve}"
    return f"proved: {scope.of_curve} by more than {gap:.1e} of its path length"


def gather_designs(cells: Mapping[str, xr.Dataset], settings: Mapping[str, Any]) -> xr.Dataset:
    """Gather designs along dims network and routing (the design's name).

    Raises
    ------
    InputError
        If there is no design, or a network and design comes twice.
    """
    if not cells:
        raise InputError("no designs to gather")
    networks = list(dict.fromkeys(cell.attrs["network"] for cell in cells.values()))
    names = list(dict.fromkeys(cell.attrs["routing"] for cell in cells.values()))
    sizes = {"network": len(networks), "routing": len(names)}
    arrays = {
        name: np.full(
            tuple(sizes[dim] for dim in spec.dims), BLANK[spec.kind], dtype=DTYPE[spec.kind]
        )
        for name, spec in SPECS["designs"].items()
    }
    filled: dict[tuple[int, int], str] = {}
    for name, cell in cells.items():
        place = (networks.index(cell.attrs["network"]), names.index(cell.attrs["routing"]))
        if place in filled:
            raise InputError(
                f"{name} and {filled[place]} both hold {cell.attrs['routing']} of "
                f"{cell.attrs['network']}; gather one of them"
            )
        filled[place] = name
        for key in ("family", "radix", "dimensions", "nodes"):
            arrays[key][place[0]] = cell.attrs[key]
        for key in _SUMMARY:
            arrays[key][place] = cell[key].item()
        for key in ("objective", "paths", "solver", "symmetry", "claims", "seconds"):
            arrays[key][place] = cell.attrs[key]
        load, length = cell["routing_load_exact"].item(), cell["mean_path_length_exact"].item()
        arrays["fraction_of_capacity"][place] = ratio(cell["capacity_load_exact"].item(), load)
        shortest = cell["mean_shortest_path_length_exact"].item()
        arrays["normalized_path_length"][place] = ratio(length, shortest)
        for key, found in _averages(cell).items():
            arrays[key][place] = found
        least = cell["least_path_length_exact"].item()
        best = cell["load_lower_exact"].item()
        arrays["exact"][place] = best in ("", load) and least in ("", length)
    coordinates = {"network": texts(networks), "routing": texts(names)}
    seconds = float(np.nansum(arrays["seconds"]))
    attributes = {"kind": "designs", **gathered_cells(cells), **provenance(settings, seconds)}
    return make_dataset("designs", arrays, coordinates, attributes)


def _averages(cell: xr.Dataset) -> dict[str, float]:
    """Return the average case of a design in and out of its sample, as fractions of capacity."""
    if "in_sample_load" not in cell:
        return {}
    capacity = float(cell["capacity_load"])
    loads = cell["out_of_sample_load"].values
    mean = float(loads.mean())
    deviation = float(loads.std(ddof=1)) if len(loads) > 1 else math.nan
    return {
        "in_sample_fraction_of_capacity": capacity / float(cell["in_sample_load"].values.mean()),
        "out_of_sample_fraction_of_capacity": capacity / mean,
        "out_of_sample_standard_error": capacity / mean**2 * deviation / math.sqrt(len(loads)),
        "out_of_sample_matrices": len(loads),
    }


def design_settings(dataset: xr.Dataset) -> dict[str, Any]:
    """Return the settings of a design store, as :func:`obroute.design.design` takes them."""
    settings: dict[str, Any] = json.loads(dataset.attrs["settings"])
    return settings
