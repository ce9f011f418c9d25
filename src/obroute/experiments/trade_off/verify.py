"""A stored trade-off curve checked: its shape, its lines, and what it claims."""

from __future__ import annotations

import json
from fractions import Fraction

import xarray as xr

from obroute.certificates import CertificateError
from obroute.design import Scope, design_problem
from obroute.experiments.trade_off.store import curve_claims
from obroute.importers import make_network
from obroute.kinds.comparing import compare_exact
from obroute.specs import InputError


def _check_curve_claims(dataset: xr.Dataset) -> None:
    settings = json.loads(dataset.attrs["settings"])
    try:
        problem = design_problem(make_network(dataset.attrs["network"]), settings)
        scope = Scope.of(problem)
    except InputError as error:
        raise CertificateError(str(error)) from None
    complete, gap = bool(dataset["complete"]), float(dataset["gap"])
    if complete and not dataset["proved"].values.all():
        raise CertificateError("complete: a breakpoint is not proved")
    expected = {
        "objective": problem.objective,
        "paths": problem.paths,
        "scope": scope.to_json(),
        "claims": curve_claims(scope, complete, gap),
    }
    for name, value in expected.items():
        if dataset.attrs.get(name) != value:
            raise CertificateError(
                f"{name} is recorded as {dataset.attrs.get(name)}, but is {value}"
            )


def verify_trade_off(dataset: xr.Dataset) -> int:
    """Check that a curve is convex, falls, and lies on the lines that bound it; return its points.

    What it claims must be of the scope that its problem and symmetry make, and no more than its
    lines and points say. The duals of the lines are not stored: they were checked when the curve
    was made, and a curve made anew is the only proof of them.

    Raises
    ------
    CertificateError
        Names the first breakpoint or claim that is wrong.
    """
    _check_curve_claims(dataset)
    loads, lengths, slopes, lines = (
        [Fraction(entry) for entry in dataset[f"{name}_exact"].values.tolist()]
        for name in ("routing_load", "mean_path_length", "slope", "line")
    )
    proved = dataset["proved"].values.tolist()
    for place, (load, length, slope) in enumerate(zip(loads, lengths, slopes, strict=True)):
        if lines[place] > length or (proved[place] and lines[place] != length):
            raise CertificateError(f"line_exact: not where breakpoint {place} has it")
        compare_exact(dataset, "routing_load", load, place)
        compare_exact(dataset, "mean_path_length", length, place)
        for other, theirs in zip(loads, lengths, strict=True):
            if theirs < lines[place] + slope * (other - load):
                raise CertificateError(f"breakpoint {place}: the curve is below its line")
    return len(loads)
