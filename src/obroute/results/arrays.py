"""What every array of every store is, said once: dims, kind, unit and meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from obroute.specs import InputError

SCHEMA_VERSION = 1
Kind = Literal["float", "integer", "text", "boolean"]


@dataclass(frozen=True)
class ArraySpec:
    """What one array of a store is: its dims, kind, unit and meaning.

    ``measured`` arrays hold times, which differ from run to run and stay out of the digest;
    ``coordinate`` ones describe a dim and are coordinates of the dataset.
    """

    dims: tuple[str, ...]
    kind: Kind
    meaning: str
    units: str = ""
    optional: bool = False
    measured: bool = False
    coordinate: bool = False


_DTYPES: dict[Kind, tuple[type, ...]] = {
    "float": (np.floating,),
    "integer": (np.integer,),
    "text": (np.object_, np.str_),
    "boolean": (np.bool_,),
}

DTYPE: dict[Kind, Any] = {
    "float": np.float64,
    "integer": np.int64,
    "text": object,
    "boolean": bool,
}
BLANK: dict[Kind, Any] = {"float": np.nan, "integer": -1, "text": "", "boolean": False}
"""What stands in a gathered array where no cell has a value."""

LOAD = "packets per cycle over channel bandwidth"
HOPS = "hops"
FRACTION = "fraction of capacity"
INJECTION = "fraction of injection bandwidth"
RATE = "packets per step and source"
SENDING_RATE = "packets per step and source that sends"


def _exact_and_float(
    name: str, dims: tuple[str, ...], meaning: str, units: str, optional: bool = False
) -> dict[str, ArraySpec]:
    return {
        name: ArraySpec(dims, "float", meaning, units, optional),
        f"{name}_exact": ArraySpec(dims, "text", f"{meaning}, as a fraction", units, optional),
    }


CELL_ARRAYS: dict[str, ArraySpec] = {
    **_exact_and_float(
        "worst_case_load",
        ("focus",),
        "largest load that traffic can put on the focus channel",
        LOAD,
    ),
    **_exact_and_float(
        "focus_uniform_load", ("focus",), "load of the focus channel by uniform traffic", LOAD
    ),
    "focus_channel": ArraySpec(("focus",), "integer", "number of the focus channel"),
    "multiplicity": ArraySpec(("focus",), "integer", "channels that the focus channel stands for"),
    "channel_focus": ArraySpec(
        ("channel",), "integer", "position of the focus channel that stands for each channel"
    ),
    "certified": ArraySpec(("focus",), "boolean", "the worst case is proved and was checked"),
    "worst_permutation": ArraySpec(
        ("focus", "source"),
        "integer",
        "node that each source sends to in the worst traffic of "
        "the focus channel; -1 where it splits its traffic (see flow_source)",
    ),
    "source_potential": ArraySpec(
        ("focus", "source"), "text", "dual potential of each source, times potential_denominator"
    ),
    "destination_potential": ArraySpec(
        ("focus", "destination"),
        "text",
        "dual potential of each destination, times potential_denominator",
    ),
    "potential_denominator": ArraySpec(("focus",), "text", "denominator of the potentials"),
    "flow_focus": ArraySpec(
        ("flow",),
        "integer",
        "position of the focus channel that a flow of split worst traffic belongs to",
        optional=True,
    ),
    "flow_source": ArraySpec(("flow",), "integer", "position of its source", optional=True),
    "flow_destination": ArraySpec(
        ("flow",), "integer", "position of its destination", optional=True
    ),
    "flow_amount_exact": ArraySpec(("flow",), "text", "its size", "packets per cycle", True),
    "pair_load_focus": ArraySpec(
        ("entry",),
        "integer",
        "position of the focus channel of a non-zero pair load",
        optional=True,
    ),
    "pair_load_source": ArraySpec(("entry",), "integer", "position of its source", optional=True),
    "pair_load_destination": ArraySpec(
        ("entry",), "integer", "position of its destination", optional=True
    ),
    "pair_load_numerator": ArraySpec(
        ("entry",), "integer", "pair load times pair_load_denominator", "packets per cycle", True
    ),
    "pair_load_denominator": ArraySpec(
        ("focus",), "text", "common denominator of the pair loads of the focus channel"
    ),
    **_exact_and_float("pattern_load", ("pattern",), "largest channel load of the pattern", LOAD),
    "pattern_channel": ArraySpec(("pattern",), "integer", "a channel that has it"),
    **_exact_and_float(
        "capacity_load",
        (),
        "least largest channel load of uniform traffic over "
        "all routings (NaN and empty where unknown)",
        LOAD,
    ),
    **_exact_and_float(
        "mean_path_length", (), "mean path length under uniform traffic, self pairs included", HOPS
    ),
    **_exact_and_float("mean_shortest_path_length", (), "the same of shortest paths", HOPS),
    "tail": ArraySpec(("channel",), "integer", "node that each channel leaves"),
    "head": ArraySpec(("channel",), "integer", "node that each channel enters"),
    "bandwidth_exact": ArraySpec(
        ("channel",), "text", "bandwidth of each channel", "packets per cycle"
    ),
    "channel_load": ArraySpec(
        ("traffic", "channel"),
        "float",
        "load of every channel under the "
        "worst traffic of the critical channel (worst_case) and each "
        "permutation pattern",
        LOAD,
        True,
    ),
    "random_permutation_load": ArraySpec(
        ("permutation_sample",),
        "float",
        "largest channel load of each sampled permutation",
        LOAD,
        True,
    ),
    "random_permutation_worst_exact": ArraySpec((), "text", "the largest of them", LOAD, True),
    "average_case_load": ArraySpec(
        ("matrix_sample",),
        "float",
        "largest channel load of each sampled traffic matrix",
        LOAD,
        True,
    ),
}
"""Every array of a cell store."""

_CASE = ("network", "routing")
STUDY_ARRAYS: dict[str, ArraySpec] = {
    "family": ArraySpec(("network",), "text", "family of the network", coordinate=True),
    "radix": ArraySpec(
        ("network",), "integer", "nodes in each dimension; -1 if mixed or none", coordinate=True
    ),
    "dimensions": ArraySpec(
        ("network",), "integer", "dimensions of the network; -1 if none", coordinate=True
    ),
    "nodes": ArraySpec(("network",), "integer", "number of nodes", coordinate=True),
    **_exact_and_float("capacity_load", ("network",), CELL_ARRAYS["capacity_load"].meaning, LOAD),
    **_exact_and_float(
        "worst_case_load", _CASE, "largest load that any traffic puts on any channel", LOAD
    ),
    "worst_case_throughput": ArraySpec(
        _CASE, "float", "throughput guaranteed for all traffic", INJECTION
    ),
    "fraction_of_capacity": ArraySpec(_CASE, "float", "guaranteed throughput", FRACTION),
    **_exact_and_float("mean_path_length", _CASE, CELL_ARRAYS["mean_path_length"].meaning, HOPS),
    "normalized_path_length": ArraySpec(
        _CASE, "float", "mean path length over that of shortest paths"
    ),
    "certified": ArraySpec(_CASE, "boolean", "every focus channel's worst case is proved"),
    "present": ArraySpec(_CASE, "boolean", "the study holds this network and routing"),
    "critical_tail": ArraySpec(_CASE, "integer", "tail of a channel that can be loaded most"),
    "critical_head": ArraySpec(_CASE, "integer", "head of that channel"),
    "focus_channels": ArraySpec(_CASE, "integer", "focus channels solved"),
    "seconds": ArraySpec(_CASE, "float", "time to evaluate", "seconds", measured=True),
    "cell": ArraySpec(_CASE, "text", "name of the cell store"),
    "seed": ArraySpec(_CASE, "integer", "seed of every draw; -1 where none is recorded"),
    **_exact_and_float(
        "pattern_load", (*_CASE, "pattern"), "largest channel load of the pattern", LOAD
    ),
    "pattern_fraction_of_capacity": ArraySpec(
        (*_CASE, "pattern"), "float", "throughput of the pattern", FRACTION
    ),
    **_exact_and_float(
        "random_permutation_load",
        _CASE,
        "largest channel load over the sampled permutations (a sample, no bound)",
        LOAD,
    ),
    "random_permutation_fraction_of_capacity": ArraySpec(
        _CASE, "float", "throughput of the worst of them", FRACTION
    ),
    "random_permutation_samples": ArraySpec(_CASE, "integer", "permutations sampled"),
    "average_case_throughput": ArraySpec(
        _CASE, "float", "mean throughput over sampled traffic matrices", INJECTION
    ),
    "average_case_standard_error": ArraySpec(
        _CASE, "float", "standard error of that mean", INJECTION
    ),
    "average_case_fraction_of_capacity": ArraySpec(
        _CASE, "float", "average-case throughput", FRACTION
    ),
    "average_case_load_fraction_of_capacity": ArraySpec(
        _CASE, "float", "1 over the mean of the sampled loads (SPAA 2003, equation 9)", FRACTION
    ),
    "average_case_kind": ArraySpec(_CASE, "text", "kind of the traffic matrices sampled"),
    "average_case_samples": ArraySpec(_CASE, "integer", "traffic matrices sampled"),
}
"""Every array of a study store."""

SIMULATION_ARRAYS: dict[str, ArraySpec] = {
    "steps": ArraySpec(("traffic", "seed"), "integer", "steps until all packets arrived", "steps"),
    "mean_delay": ArraySpec(
        ("traffic", "seed"),
        "float",
        "mean steps from injection to arrival, over packets of pairs that load a channel (NaN if "
        "there are none)",
        "steps",
    ),
    "largest_queue": ArraySpec(
        ("traffic", "seed"), "integer", "longest queue of any channel at any time", "packets"
    ),
    "heaviest_channel": ArraySpec(
        ("traffic", "seed"), "integer", "packets that crossed the most used channel", "packets"
    ),
    "longest_path": ArraySpec(("traffic", "seed"), "integer", "hops of the longest path", HOPS),
    "offline_steps": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "steps of the off-line schedule on a hypercube, or along the vertex-disjoint paths of a "
        "Beneš network; -1 elsewhere",
        "steps",
    ),
    "longest_phase": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "steps of the longer of two phases run one after the other; -1 otherwise",
        "steps",
    ),
    "most_met": ArraySpec(
        ("traffic", "seed"),
        "integer",
        "most other packets whose paths share a channel with one packet's in a phase on a "
        "hypercube; -1 otherwise",
        "packets",
    ),
    "exact_load": ArraySpec(
        ("traffic",),
        "float",
        "exact expected load of the heaviest channel (NaN for traffic drawn with every seed, for "
        "phases, and where it would take too long)",
        LOAD,
    ),
    "exact_load_exact": ArraySpec(("traffic",), "text", "the same as a fraction", LOAD),
}
"""Every array of a simulation store: permutations routed with many seeds."""

STABILITY_ARRAYS: dict[str, ArraySpec] = {
    "stable_rate": ArraySpec(
        ("traffic",),
        "float",
        "largest rate simulated that is shown to be stable: the queue of the critical channels "
        "drifts downwards (95 % with unstable_rate), and no growth of the backlog is seen; 0 if "
        "none",
        RATE,
    ),
    "unstable_rate": ArraySpec(
        ("traffic",),
        "float",
        "least rate simulated that is shown to be unstable: that queue drifts upwards; 1 if none",
        RATE,
    ),
    "critical_channels": ArraySpec(
        ("traffic",), "integer", "channels with the largest expected load over bandwidth"
    ),
    **_exact_and_float(
        "ideal_rate", ("traffic",), "throughput from exact pair loads, at most 1", RATE
    ),
    "accepted": ArraySpec(
        ("traffic", "rate"),
        "float",
        "packets delivered, of pairs that load a channel",
        SENDING_RATE,
    ),
    "offered": ArraySpec(
        ("traffic", "rate"),
        "float",
        "packets injected, of pairs that load a channel",
        SENDING_RATE,
    ),
    "mean_delay": ArraySpec(
        ("traffic", "rate"),
        "float",
        "mean steps from injection to arrival, over packets of pairs that load a channel",
        "steps",
    ),
    "largest_queue": ArraySpec(
        ("traffic", "rate"), "integer", "longest queue of any channel at any time", "packets"
    ),
    "drift": ArraySpec(
        ("traffic", "rate"),
        "float",
        "drift of the queue of the critical channels",
        "packets per step over their bandwidth",
    ),
    "drift_error": ArraySpec(
        ("traffic", "rate"),
        "float",
        "standard error of the drift",
        "packets per step over their bandwidth",
    ),
}
"""Every array of a stability store: continuous injection at rates."""

DESIGN_ARRAYS: dict[str, ArraySpec] = {
    **_exact_and_float("routing_load", (), "load of the routing found, by the objective", LOAD),
    "load_lower_exact": ArraySpec(
        (),
        "text",
        "no routing has a smaller load: proved lower bound; empty where a load was given",
        LOAD,
    ),
    "load_upper_exact": ArraySpec((), "text", "a routing with this load exists", LOAD),
    **_exact_and_float("mean_path_length", (), "mean path length of the routing found", HOPS),
    "least_path_length_exact": ArraySpec(
        (),
        "text",
        "no routing with at most the load of this one has shorter paths in the mean: proved lower "
        "bound; empty where it was not asked for",
        HOPS,
    ),
    "in_sample_load": ArraySpec(
        ("sample_matrix",),
        "float",
        "largest channel load of the routing found under each matrix that it was designed for",
        LOAD,
        optional=True,
    ),
    "out_of_sample_load": ArraySpec(
        ("fresh_matrix",),
        "float",
        "the same under the matrices that the seed draws after those",
        LOAD,
        optional=True,
    ),
    "least_path_length_at_limit_exact": ArraySpec(
        (),
        "text",
        "the same for the load that was to be kept, which the routing may exceed by rounding",
        HOPS,
    ),
    **_exact_and_float("capacity_load", (), CELL_ARRAYS["capacity_load"].meaning, LOAD),
    **_exact_and_float(
        "mean_shortest_path_length", (), "mean path length of shortest paths", HOPS
    ),
    "rows": ArraySpec((), "integer", "rows of the linear program"),
    "columns": ArraySpec((), "integer", "columns of the linear program"),
    "nonzeros": ArraySpec((), "integer", "non-zero coefficients of the linear program"),
    "generator_image": ArraySpec(
        ("generator", "node"),
        "integer",
        "image of each node under each generator of the symmetry that the routing has",
    ),
    "generator_reverses": ArraySpec(
        ("generator",), "boolean", "the generator turns every channel around"
    ),
    "pair_source": ArraySpec(("pair",), "integer", "source node of each canonical pair"),
    "pair_destination": ArraySpec(("pair",), "integer", "destination node of each canonical pair"),
    "path_pair": ArraySpec(("path",), "integer", "position of the canonical pair of a path"),
    "path_hops": ArraySpec(("path",), "integer", "hops of the path", HOPS),
    "path_probability": ArraySpec(
        ("path",), "float", "probability of the path, before averaging over the symmetry"
    ),
    "path_probability_exact": ArraySpec(("path",), "text", "the same as a fraction"),
    "path_channel": ArraySpec(("hop",), "integer", "channels of all paths, one after the other"),
    "tail": CELL_ARRAYS["tail"],
    "head": CELL_ARRAYS["head"],
    **{
        name: spec
        for objective in ("load", "length")
        for name, spec in {
            f"{objective}_dual": ArraySpec(
                (f"{objective}_row",),
                "float",
                f"dual of each row of the linear program of the least {objective}",
                optional=True,
            ),
            f"{objective}_dual_numerator": ArraySpec(
                (f"{objective}_row",),
                "text",
                f"the same times {objective}_dual_denominator, where they are exact",
                optional=True,
            ),
            f"{objective}_dual_denominator": ArraySpec(
                (), "text", "denominator of the exact duals", optional=True
            ),
        }.items()
    },
    "load_row_number": ArraySpec((), "integer", "row that bounds the load; -1 if none"),
    "load_limit_exact": ArraySpec((), "text", "what it bounds it by; empty if none", LOAD),
    "sample_row": ArraySpec(("sampled_load",), "integer", "row of each sampled load bounded"),
    "sample_row_sample": ArraySpec(("sampled_load",), "integer", "the sample it belongs to"),
    "sample_row_channel": ArraySpec(("sampled_load",), "integer", "the channel it bounds"),
}
"""Every array of a design store: a designed routing, its values and their proofs."""

TRADE_OFF_ARRAYS: dict[str, ArraySpec] = {
    **_exact_and_float("routing_load", ("vertex",), "load at each breakpoint of the curve", LOAD),
    **_exact_and_float(
        "mean_path_length",
        ("vertex",),
        "least mean path length of all routings with at most that load",
        HOPS,
    ),
    **_exact_and_float(
        "slope",
        ("vertex",),
        "slope of a line that bounds the whole curve",
        "hops for a unit of load",
    ),
    **_exact_and_float(
        "line",
        ("vertex",),
        "that line at the load of the breakpoint: through it where the breakpoint is exact",
        HOPS,
    ),
    "proved": ArraySpec(("vertex",), "boolean", "the breakpoint is exact and proved"),
    "fraction_of_capacity": ArraySpec(
        ("vertex",), "float", "throughput at the breakpoint", FRACTION
    ),
    "normalized_path_length": ArraySpec(
        ("vertex",), "float", "mean path length over that of shortest paths"
    ),
    "complete": ArraySpec((), "boolean", "the curve has no other breakpoint: proved"),
    "gap": ArraySpec(
        (), "float", "largest distance of the curve below its segments, over path length"
    ),
    "solves": ArraySpec((), "integer", "linear programs solved"),
    **_exact_and_float("capacity_load", (), CELL_ARRAYS["capacity_load"].meaning, LOAD),
    **_exact_and_float(
        "mean_shortest_path_length", (), "mean path length of shortest paths", HOPS
    ),
}
"""Every array of a trade-off store: the curve of throughput against path length."""

_DESIGN_SUMMARY = {
    name: replace(spec, dims=("network", "routing"))
    for name, spec in DESIGN_ARRAYS.items()
    if not spec.dims and not spec.optional and name not in ("load_row_number", "load_limit_exact")
}
DESIGNS_ARRAYS: dict[str, ArraySpec] = {
    **{name: STUDY_ARRAYS[name] for name in ("family", "radix", "dimensions", "nodes")},
    **_DESIGN_SUMMARY,
    "fraction_of_capacity": ArraySpec(_CASE, "float", "throughput at the load", FRACTION),
    "normalized_path_length": STUDY_ARRAYS["normalized_path_length"],
    "exact": ArraySpec(_CASE, "boolean", "load and path length are proved to be optimal exactly"),
    "in_sample_fraction_of_capacity": ArraySpec(
        _CASE,
        "float",
        "average case, 1 over the mean load, over the sample alone that the routing was designed "
        "for; NaN for other objectives",
        FRACTION,
    ),
    "out_of_sample_fraction_of_capacity": ArraySpec(
        _CASE, "float", "the same over matrices that it was not designed for", FRACTION
    ),
    "out_of_sample_standard_error": ArraySpec(_CASE, "float", "standard error of that", FRACTION),
    "out_of_sample_matrices": ArraySpec(_CASE, "integer", "how many those are; -1 for none"),
    "objective": ArraySpec(_CASE, "text", "what was optimised"),
    "paths": ArraySpec(_CASE, "text", "the paths allowed"),
    "solver": ArraySpec(_CASE, "text", "what solved it"),
    "symmetry": ArraySpec(_CASE, "text", "the symmetry it was reduced by"),
    "claims": ArraySpec(
        _CASE,
        "text",
        "what is proved of it, a sentence a line, each with its scope (paths, length, traffic)",
    ),
    "seconds": ArraySpec(_CASE, "float", "time to design", "seconds", measured=True),
}
"""Every array of a store of designs gathered."""

_NETWORK_ARRAYS = {name: STUDY_ARRAYS[name] for name in ("family", "radix", "dimensions", "nodes")}


def _gathered(arrays: dict[str, ArraySpec]) -> dict[str, ArraySpec]:
    return _NETWORK_ARRAYS | {
        name: replace(spec, dims=("network", "routing", *spec.dims))
        for name, spec in arrays.items()
    }


SPECS: dict[str, dict[str, ArraySpec]] = {
    "cell": CELL_ARRAYS,
    "study": STUDY_ARRAYS,
    "simulation": SIMULATION_ARRAYS,
    "simulations": _gathered(SIMULATION_ARRAYS),
    "stability": STABILITY_ARRAYS,
    "stabilities": _gathered(STABILITY_ARRAYS),
    "design": DESIGN_ARRAYS,
    "designs": DESIGNS_ARRAYS,
    "trade_off": TRADE_OFF_ARRAYS,
}
"""The arrays of every kind of store."""


def text(value: Fraction | None) -> str:
    """Return a fraction as text, ``"32/5"`` or ``"4"``; empty for None."""
    return "" if value is None else str(value)


def floats(values: Iterable[Fraction | None]) -> NDArray[np.float64]:
    """Return the nearest floats, NaN for None."""
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)


def texts(values: Iterable[Any]) -> NDArray[np.object_]:
    """Return texts, fractions written out, as the object arrays that stores hold."""
    items = [v if isinstance(v, str) else text(v) for v in values]
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def make_dataset(
    kind: str,
    arrays: Mapping[str, Any],
    coordinates: Mapping[str, Any],
    attributes: dict[str, Any],
) -> xr.Dataset:
    """Put arrays into a dataset by their specifications, and validate it."""
    specs = SPECS[kind]
    variables = {
        name: (
            specs[name].dims,
            np.asarray(values, dtype=object if specs[name].kind == "text" else None),
            {"long_name": specs[name].meaning}
            | ({"units": specs[name].units} if specs[name].units else {}),
        )
        for name, values in arrays.items()
    }
    described = [name for name in variables if specs[name].coordinate]
    dataset = xr.Dataset(variables, coords={n: ((n,), v) for n, v in coordinates.items()})
    dataset = dataset.set_coords(described)
    dataset.attrs = attributes
    validate(dataset)
    return dataset


def validate(dataset: xr.Dataset) -> None:
    """Raise unless a dataset has the arrays of its kind, with their dims and dtypes."""
    kind = dataset.attrs.get("kind")
    if kind not in SPECS:
        raise InputError(f"a store of kind {kind!r}; expected {' or '.join(SPECS)}")
    specs = SPECS[kind]
    for name, spec in specs.items():
        if name not in dataset.variables:
            if spec.optional:
                continue
            raise InputError(f"a {kind} store without the array {name}")
        variable = dataset[name].variable
        if variable.dims != spec.dims:
            raise InputError(f"{name} has dims {variable.dims}; expected {spec.dims}")
        if not any(np.issubdtype(variable.dtype, dtype) for dtype in _DTYPES[spec.kind]):
            raise InputError(f"{name} has dtype {variable.dtype}; expected {spec.kind}")
    unknown = set(map(str, dataset.data_vars)) - set(specs)
    if unknown:
        raise InputError(f"a {kind} store with unknown arrays {', '.join(sorted(unknown))}")


def describe_arrays() -> str:
    """Return the specification of every array as Markdown, as ``results/README.md`` holds it."""
    lines = [
        "# What the stores hold",
        "",
        "Made by `make schema` from `src/obroute/results/arrays.py`.",
        "",
        "Every store is a zarr (format 3) folder with consolidated metadata that "
        "`xarray.open_zarr` opens; `obroute verify` proves it again. An exact value is text "
        "(`32/5`) in an array that ends in `_exact`, beside the nearest float. Attributes hold "
        "the provenance: versions, a digest of the source files, settings, seconds, and a digest "
        "of the data.",
    ]
    titles = {
        "cell": "A cell (`cells/NETWORK/ROUTING.zarr`): one network with one routing",
        "study": "A study (`study.zarr`): every cell gathered",
        "simulation": "A simulation cell (`simulations/NETWORK/ROUTING.zarr`): many seeds",
        "simulations": "Simulations gathered (`simulations.zarr`)",
        "stability": "A stability cell (`stability/NETWORK/ROUTING.zarr`): rates",
        "stabilities": "Stability gathered (`stability.zarr`)",
        "design": "A design (`designs/NETWORK/DESIGN.zarr`): a routing that `obroute evaluate "
        "NETWORK STORE` takes",
        "designs": "Designs gathered (`designs.zarr`)",
        "trade_off": "A trade-off (`trade_offs/NETWORK/OBJECTIVE.zarr`): the curve of throughput "
        "against path length",
    }
    for kind, specs in SPECS.items():
        lines += ["", f"## {titles[kind]}", "", "| array | dims | kind | units | meaning |"]
        lines.append("|---|---|---|---|---|")
        for name, spec in specs.items():
            dims = ", ".join(spec.dims) or "-"
            meaning = spec.meaning + (" (where it applies)" if spec.optional else "")
            units = spec.units or "-"
            lines.append(f"| `{name}` | {dims} | {spec.kind} | {units} | {meaning} |")
    return "\n".join(lines) + "\n"
