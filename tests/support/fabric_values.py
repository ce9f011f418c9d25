"""What ``fabrics.yaml`` says of a family of networks, as it stands there."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("fabrics.yaml")


@cache
def values_of(family: str) -> dict[str, Any]:
    """Return what the file has of a family."""
    found = yaml.safe_load(FILE.read_text("utf-8"))["families"]
    return next(one for one in found if one["name"] == family)


def loads_of(family: str, routing: str) -> dict[str, Fraction]:
    """Return the worst-case loads of a routing, by parameters: those enumerated and certified."""
    (found,) = (
        value
        for value in values_of(family)["values"]
        if value.get("routing", "").startswith(routing)
    )
    return {
        parameters: Fraction(load)
        for basis in ("enumerated", "certified")
        for parameters, load in found.get(basis, {}).items()
    }
