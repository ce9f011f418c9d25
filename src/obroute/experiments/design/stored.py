"""Designed routings read from stores, each a routing like any other."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from obroute.importers import make_network
from obroute.network import Network
from obroute.routing import routings
from obroute.routing.designed import DesignedRouting, RoutingByNetwork
from obroute.specs import InputError, Parameter
from obroute.symmetry import Element, Reduction, SymmetryGroup, preserving, reversing

if TYPE_CHECKING:
    import xarray as xr


def designed_routing(
    dataset: xr.Dataset, origin: str, network: Network | None = None
) -> DesignedRouting:
    """Return the routing of a design's dataset; ``origin`` is its name in messages.

    Raises
    ------
    InputError
        If the dataset is of another network, or does not hold together.
    """
    from obroute.results.provenance import network_digest
    from obroute.results.stores import finding_files

    if network is None:
        with finding_files(dataset):
            network = make_network(dataset.attrs["network"])
    if dataset.attrs["network_digest"] != network_digest(network):
        raise InputError(
            f"{origin}: the network {dataset.attrs['network']} is another one now; design for it "
            "again"
        )
    _check_positions(dataset, network, origin)
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


def _check_positions(dataset: xr.Dataset, network: Network, origin: str) -> None:
    """Refuse numbers that count from the end, or beyond it."""
    hops = dataset["path_hops"].values
    if hops.min(initial=0) < 0 or hops.sum() != dataset.sizes["hop"]:
        raise InputError(f"{origin}: path_hops are not the hops of its paths; design it again")
    for name, count in (
        ("path_channel", network.channel_count),
        ("path_pair", dataset.sizes["pair"]),
        ("generator_image", network.node_count),
    ):
        values = dataset[name].values
        if values.min(initial=0) < 0 or values.max(initial=0) >= max(count, 1):
            raise InputError(f"{origin}: {name} has an entry that is none of {count}")


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
        from obroute.kinds.stores import read_store

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
