"""The best oblivious routing of a dragonfly of 114 routers: a stored proof, checked anew.

``tests/cases/dragonfly-3-6-3.npz`` holds what ``obroute design dragonfly:p=3,a=6,h=3`` found: a
price for each orbit of a source, destination and channel, in the order of their first; what each
channel is charged; and the paths of a pair of each orbit. The design takes minutes, this seconds.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from obroute import make_network
from obroute.design.full_problem import full_bound
from obroute.design.prices import worst_case_prices
from obroute.design.triple_orbits import triple_orbits
from obroute.experiments.design.stored import designed_routing
from obroute.network import Network
from obroute.rational import RationalArray
from obroute.results.provenance import network_digest
from obroute.specs import CertificateError
from obroute.worst_cases import worst_cases

CASE = Path(__file__).parents[1] / "cases" / "dragonfly-3-6-3.npz"
BEST = Fraction(439, 228)


@pytest.fixture(scope="module")
def case() -> dict[str, Any]:
    """Return the stored arrays."""
    with np.load(CASE) as stored:
        return dict(stored)


@pytest.fixture(scope="module")
def network() -> Network:
    """Return the dragonfly."""
    return make_network("dragonfly:p=3,a=6,h=3")


def turns(network: Network, case: dict[str, Any]) -> list[tuple[Any, Any, bool]]:
    """Return the stored symmetries on nodes and channels."""
    found = []
    for image, reverses in zip(
        case["generator_image"].astype(np.int64), case["generator_reverses"].tolist(), strict=True
    ):
        ends = [network.tail, network.head][:: -1 if reverses else 1]
        pairs = zip(image[ends[0]].tolist(), image[ends[1]].tolist(), strict=True)
        found.append((image, np.array([network.channel(*pair) for pair in pairs]), reverses))
    return found


@pytest.mark.slow
def test_no_routing_of_the_large_dragonfly_has_less(
    network: Network, case: dict[str, Any]
) -> None:
    """By a price of every source, destination and channel; with a price too much they are none."""
    sizes, labels = triple_orbits(network, turns(network, case))
    terminals = len(network.sources)
    shape = terminals, terminals, network.channel_count
    number = np.full(len(sizes), -1, dtype=np.int32)
    number[np.cumsum(case["orbit"].astype(np.int64))] = np.arange(len(case["orbit"]))
    index = number[labels].reshape(shape)
    charges = RationalArray.from_fractions(map(Fraction, case["charge"].tolist()))
    numerators = case["price"].astype(object)
    denominator = int(case["denominator"])
    prices = worst_case_prices(
        network, RationalArray(numerators, denominator), index.__getitem__, charges
    )
    assert full_bound(network, prices).least_load() == BEST
    with pytest.raises(CertificateError):
        worst_case_prices(
            network, RationalArray(numerators * 2, denominator), index.__getitem__, charges
        )


@pytest.mark.slow
def test_a_routing_of_the_large_dragonfly_has_it(network: Network, case: dict[str, Any]) -> None:
    """Read as a design is, and evaluated like any other."""
    shares = zip(case["path_numerator"].tolist(), case["path_denominator"].tolist(), strict=True)
    dims = {"generator_image": ("generator", "node"), "generator_reverses": ("generator",)}
    dims |= {f"pair_{end}": ("pair",) for end in ("source", "destination")}
    dims |= {"path_channel": ("hop",), "path_hops": ("path",), "path_pair": ("path",)}
    stored = xr.Dataset(
        {name: (of, case[name].astype(np.int64)) for name, of in dims.items()}
        | {"path_probability_exact": ("path", [str(Fraction(*share)) for share in shares])},
        attrs={
            "network": network.name,
            "network_digest": network_digest(network),
            "symmetry": "declared",
            "routing": "best",
        },
    )
    routing = designed_routing(stored, str(CASE), network)
    assert worst_cases(network, routing).load == BEST
