"""What made a result: the network, versions, the source files it depends on, settings, time."""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import distribution, version
from typing import Any

import numpy as np

from obroute.dependencies import PACKAGE, sources
from obroute.network import Network
from obroute.results.arrays import SCHEMA_VERSION

_PACKAGES = ("numpy", "numba", "xarray", "zarr")
TIMES_AND_VERSIONS: dict[str, type] = {
    "seconds": float,
    "created": str,
    "obroute_version": str,
    "source_digest": str,
    "sources": str,
    "python": str,
    **dict.fromkeys(_PACKAGES, str),
}
"""The attributes that differ between runs of the same result, with their types. The digest of a
store covers every other one."""
FOLDER = "folder"
"""The attribute of a written store that says where the names of files in it start from: a folder
relative to the store, or absolute. No digest covers it."""
RECORD: dict[str, type] = {
    "kind": str,
    "schema_version": int,
    "settings": str,
    "files": str,
    **TIMES_AND_VERSIONS,
}
"""The attributes of every store, with their types."""
OF_CELLS: dict[str, type] = {
    "network": str,
    "network_digest": str,
    "family": str,
    "radix": int,
    "dimensions": int,
    "nodes": int,
    "routing": str,
    "label": str,
}
"""The attributes of every store of one network and routing, with their types."""

_version = cache(version)


def provenance(
    settings: Mapping[str, Any],
    seconds: float,
    modules: Iterable[str],
    files: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what made a result: versions, source files, settings, time.

    Parameters
    ----------
    settings
        What was asked for, as text and numbers.
    seconds
        The time that it took.
    modules
        The modules whose code it depends on; their imports are followed.
    files
        The files that it was read from, each with a digest of its content.
    """
    code = json.dumps(sources(modules))
    return {
        "schema_version": SCHEMA_VERSION,
        "obroute_version": _version("obroute"),
        "source_digest": source_digest(code),
        "sources": code,
        "files": json.dumps(files or {}),
        "settings": json.dumps(settings, sort_keys=True),
        "seconds": round(float(seconds), 3),
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{package: _version(package) for package in _PACKAGES},
    }


def commit() -> str:
    """Return the commit that the source of obroute is of; empty where nothing tells.

    That of the checkout in which it stands, with a word where files in it differ; or that which
    pip installed it from.
    """
    try:
        told = json.loads(distribution("obroute").read_text("direct_url.json") or "{}")
        _git("ls-files", "--error-unmatch", "__init__.py")
        changed = " with changes" if _git("status", "--porcelain", "--", ".") else ""
        return _git("rev-parse", "HEAD") + changed
    except (OSError, subprocess.SubprocessError):
        return str(told.get("vcs_info", {}).get("commit_id", ""))


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(PACKAGE), *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()


def source_digest(sources: str) -> str:
    """Return a digest of the recorded sources, short enough to be printed."""
    return hashlib.sha256(sources.encode()).hexdigest()[:16]


def network_digest(network: Network) -> str:
    """Return a digest of a network's channels and terminals, to tell a changed file."""
    digest = hashlib.sha256()
    for array in (network.tail, network.head, network.sources, network.destinations):
        digest.update(np.ascontiguousarray(array).tobytes())
    for rationals in (network.bandwidth, network.injection, network.ejection):
        digest.update(str((rationals.numerators.tolist(), rationals.denominator)).encode())
    return digest.hexdigest()[:16]


def network_attributes(network: Network) -> dict[str, Any]:
    """Return the attributes that name and describe a network."""
    return {
        "network": network.name,
        "network_digest": network_digest(network),
        "family": network.family,
        "radix": -1 if network.radix is None else network.radix,
        "dimensions": -1 if network.dimensions is None else network.dimensions,
        "nodes": network.node_count,
    }
