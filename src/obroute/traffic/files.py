"""Traffic from files, as :mod:`obroute.traffic.reading` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from obroute.specs import InputError, Parameter
from obroute.traffic.reading import read_traffic
from obroute.traffic.registry import Pattern, patterns

TrafficFile = Annotated[Path, Parameter("CSV or JSON file of traffic", Path)]
_FILE_FOR = "networks with the terminals that the file names"


@patterns.register("permutation", "a given permutation, or partial one", defined_for=_FILE_FOR)
def permutation_file(file: TrafficFile) -> Pattern:
    """Read a permutation: destinations in the order of sources, or pairs source,destination."""
    found = read_traffic(file)
    if not found.is_permutation:
        raise InputError(f"{file} says how much is sent; name it matrix:{file}")
    return Pattern(demands=found.amounts)


@patterns.register("matrix", "given demands of pairs", defined_for=_FILE_FOR)
def matrix_file(file: TrafficFile) -> Pattern:
    """Read demands: source,destination,amount under that header, or a dense matrix."""
    return Pattern(demands=read_traffic(file).amounts)
