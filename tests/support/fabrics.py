"""What ``fabrics.yaml`` says of a family: values that networks of today must reach."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("fabrics.yaml")


@cache
def families() -> dict[str, dict[str, Any]]:
    """Read what is said, by family."""
    said = yaml.safe_load(FILE.read_text("utf-8"))
    return {family["name"]: family for family in said["families"]}


def values(family: str, key: str, about: str = "") -> list[tuple[str, Fraction]]:
    """Give the members with a value and the value, in the order of the file.

    ``key`` is what holds them (``enumerated``, ``certified``, …) in the entries of the family of
    which ``about`` is a part: of the routing, or of the name of another key.
    """
    found = [
        (str(member), Fraction(str(value)))
        for entry in families()[family]["values"]
        if about in str(entry.get("routing", " ".join(map(str, entry))))
        for member, value in entry.get(key, {}).items()
    ]
    assert found, (family, key, about)
    return found


def numbers(member: str) -> list[int]:
    """Give the numbers in the name of a member: 5 and 4 of ``q5 p4``."""
    return [int(number) for number in re.findall(r"\d+", member)]
