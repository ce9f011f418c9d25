"""Collectives that were made anew: steps of them walked path by path."""

from __future__ import annotations

from obroute.collectives import Collectives
from obroute.collectives.checks import check_steps


def check(answer: Collectives) -> int:
    """Return how many steps their paths agree with.

    Raises
    ------
    CertificateError
        If the paths of a step add up to another load.
    """
    return sum(check_steps(found) for found in answer.each)
