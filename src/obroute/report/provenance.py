"""Where the numbers of a report come from: programs, settings, and digests of the stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import xarray as xr
import yaml

from obroute.report.wording import OBJECTIVES
from obroute.results.provenance import commit
from obroute.trends.trade_offs import curves
from obroute.views import Block, Facts, Section, StudyData, Written, sections

TEMPLATE = Path(__file__).parent / "templates/configuration.html.j2"

ATTRIBUTES = {
    "obroute_version": "obroute",
    "source_digest": "digest of its source files",
    "created": "study gathered",
    "settings": "settings",
    "data_digest": "digest of the study's data",
    "schema_version": "schema of the stores",
    "python": "Python",
}
LIBRARIES = ("numpy", "numba", "xarray", "zarr")


def _plain(value: Any) -> Any:
    """Return what YAML can write: lists, mappings, texts and numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(entry) for entry in value]
    known = value is None or isinstance(value, (str, bool, int, float))
    return value if known else float(value)


@sections.register("provenance", needs=(), place=110)
def provenance_section(data: StudyData) -> Section:
    """Return what the stores say of how they were made."""
    blocks: list[Block] = [Facts([*_facts(data), *_made_again(data)])]
    if data.configuration:
        plain = _plain(data.configuration)
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
        blocks.append(Written(TEMPLATE, {"configuration": text}))
    return Section("Provenance", "provenance", blocks)


def _made_again(data: StudyData) -> Iterator[tuple[str, str]]:
    """Yield the commit, and where the configuration is told, what runs it again."""
    if found := commit():
        yield "commit of obroute, which wrote this page", found
    if data.configuration:
        with suppress(PackageNotFoundError):
            yield "Snakemake", version("snakemake")
        yield "made again by", "obroute sweep study.yaml, a file with the configuration below"


def _facts(data: StudyData) -> Iterator[tuple[str, str]]:
    study = next((data[section] for section in data.sections if section in data), None)
    if study is not None:
        for name, text in ATTRIBUTES.items():
            if name in study.attrs:
                yield text, str(study.attrs[name])
        known = [f"{name} {study.attrs[name]}" for name in LIBRARIES if name in study.attrs]
        yield "libraries", ", ".join(known)
    for name, dataset in _others(data):
        if dataset is not study and "data_digest" in dataset.attrs:
            yield f"digest of the {name}", str(dataset.attrs["data_digest"])


def _others(data: StudyData) -> Iterator[tuple[str, xr.Dataset]]:
    for section in data.sections:
        if section in data and section not in ("evaluations", "trade_offs"):
            yield str(data[section].attrs["kind"]), data[section]
    for curve in curves(data):
        objective = OBJECTIVES.get(curve.attrs["objective"], curve.attrs["objective"])
        yield f"curve of the {objective} on {curve.attrs['network']}", curve
