"""YAML that a user wrote: a configuration, small, nested little, every key once.

What reads it is loaded when there is some to read, for few commands read YAML.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from obroute.reading.files import read_text

LARGEST_CONFIGURATION = 1
"""Megabytes that a YAML file may have where the environment says nothing."""


def read_yaml(file: Path) -> Any:
    """Return what a configuration says.

    Raises
    ------
    InputError
        If it cannot be read, is no YAML, a key comes twice, or a bound is passed.
    """
    return parse_yaml(read_text(file, "YAML", LARGEST_CONFIGURATION), str(file))


def parse_yaml(text: str, origin: str) -> Any:
    r"""Return what YAML text says; see :func:`read_yaml`.

    >>> parse_yaml("networks: [torus:4x4]", "config.yaml")
    {'networks': ['torus:4x4']}
    >>> parse_yaml("seed: 1\nseed: 2", "config.yaml")
    Traceback (most recent call last):
    obroute.specs.InputError: config.yaml: line 2: the key 'seed' comes twice; give it once
    """
    from obroute.reading.yaml_loader import load

    return load(text, origin)
