"""The exact values that tests know beforehand: our own computation, and what the papers print."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[1] / "papers"


@cache
def read(name: str) -> Any:
    """Read a file of values, each once; the loader of libyaml is ten times faster."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), loader)


VALUES = read("values.yaml")
COMPUTED = VALUES["computed"]


def published(source: str) -> Mapping[str, Any]:
    """Give the entry of a published source, by part of its name."""
    (entry,) = (entry for entry in VALUES["published"] if source in entry["source"])
    return entry
