"""Where the numbers of a report come from: programs, settings, and digests of the stores."""

from __future__ import annotations

from collections.abc import Iterator

import xarray as xr

from obroute.report.wording import OBJECTIVES
from obroute.trends.trade_offs import curves
from obroute.views import Facts, Section, StudyData, sections

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


@sections.register("provenance", needs=(), place=110)
def provenance_section(data: StudyData) -> Section:
    """Return what the stores say of how they were made."""
    return Section("Provenance", "provenance", [Facts(list(_facts(data)))])


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
