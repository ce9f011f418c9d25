"""Time to find the least oblivious ratio, beside the program as a user would write it today.

Ours is exact, with its proof checked on the whole network; the script is Applegate and Cohen's
program as it is written, in scipy, without a proof. All rows of a group find the same value; the
fastest is 1.0.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.support import ratio_twin

from obroute import make_network
from obroute.ratios import least_ratio

RATIOS = {
    "ring:8": Fraction(7, 4),
    "ring:64": Fraction(63, 32),
    "mesh:3x3": Fraction(29, 15),
    "torus:3x3": Fraction(2),
    "torus:4x4": Fraction(42, 17),
    "torus:6x6": Fraction(3),
    "torus:8x8": Fraction(224, 67),
    "hypercube:6": Fraction(31, 9),
    "jellyfish:n=8,d=3": Fraction(459, 242),
    "jellyfish:n=16,d=3": Fraction(32655, 14621),
}
LARGEST = {"exact, proved": 64, "script": 9}
"""Nodes up to which it takes less than a minute."""


@pytest.mark.parametrize("how", LARGEST)
@pytest.mark.parametrize("name", RATIOS)
def test_least_ratio(benchmark, name, how):
    """The least ratio of all oblivious routings."""
    network = make_network(name)
    if network.node_count > LARGEST[how]:
        pytest.skip("takes many minutes")
    benchmark.group = f"least oblivious ratio, {name}"
    if how == "script":
        found = benchmark.pedantic(ratio_twin.least_ratio, (network,), rounds=1)
        assert found == pytest.approx(float(RATIOS[name]))
        return
    bounds = benchmark.pedantic(least_ratio, (network,), rounds=3).bounds
    assert bounds.lower == bounds.upper == RATIOS[name]
