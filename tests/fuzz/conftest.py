"""What runs first: code that is compiled once is no command's time."""

from __future__ import annotations

import pytest

import obroute


@pytest.fixture(scope="package", autouse=True)
def _compiled() -> None:
    """Compile what experiments run."""
    obroute.evaluate("torus:3x3", "ecmp", (), random_permutation_samples=1, average_case_samples=1)
    obroute.simulate("ring:3", "dor", "random_permutation", seeds=1)
