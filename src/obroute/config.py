"""The configuration of a study: one typed field gives its default, its check and its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from obroute.design import NAMED_DESIGNS, NamedDesign
from obroute.importers import make_network
from obroute.memory import design_megabytes, evaluation_megabytes, simulation_megabytes
from obroute.network import Network
from obroute.packets.relations import OF_THE_ROUTING
from obroute.routing import Routing, routings
from obroute.specs import InputError, suggestion
from obroute.traffic import make_pattern

RADIX_MARK = "{k}"
SMALLEST_RADIX = 2


def _read_list(value: Any) -> Any:
    """Accept a list given as text, as ``snakemake --config networks=[…]`` does."""
    if isinstance(value, str):
        value = yaml.safe_load(value) if value.lstrip().startswith("[") else value.split(",")
    return value


def _read_radices(value: Any) -> Any:
    """Read ``3-16`` or ``3-9,12`` or a list of either into numbers."""
    radices: list[int] = []
    given = [value] if isinstance(value, int) else _read_list(value)
    if not isinstance(given, list):
        return given
    for piece in given:
        first, dash, last = str(piece).strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(f"'{piece}' is no radix; expected numbers and ranges such as 3-16")
        radices += range(int(first), int(last or first) + 1)
    small = [radix for radix in radices if radix < SMALLEST_RADIX]
    if small:
        raise ValueError(f"radix {small[0]} is too small; expected at least {SMALLEST_RADIX}")
    return radices


Names = Annotated[list[str], BeforeValidator(_read_list)]
Radices = Annotated[list[int], BeforeValidator(_read_radices)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sweep(_Section):
    """Every network with every routing."""

    networks: Names = Field(
        default=[],
        description="Networks by name or file; {k} in a name stands for each radix.",
    )
    radices: Radices = Field(
        default=[], description="Radices for {k}: numbers and ranges, such as 3-16 or [3, 5, 9]."
    )
    routings: Names = Field(default=[], description="Routings by name or file.")

    def network_names(self) -> Iterator[str]:
        """Yield the networks, one for each radix where a name has the mark."""
        for name in self.networks:
            if RADIX_MARK not in name:
                yield name
                continue
            if not self.radices:
                raise InputError(
                    f"networks: '{name}' stands for many radices; give radices, such as 3-16"
                )
            for radix in self.radices:
                yield name.replace(RADIX_MARK, str(radix))


SweepKind = TypeVar("SweepKind", bound=Sweep)


class Sampling(_Section):
    """Random traffic for some networks of the study."""

    samples: int = Field(default=0, ge=0, description="How many to draw; 0 for none.")
    networks: Names = Field(
        default=[], description="The networks to sample for; all of the study where empty."
    )


class AverageCase(Sampling):
    """Random doubly stochastic traffic matrices."""

    kind: Literal["permutation", "mixture", "sinkhorn"] = Field(
        default="permutation",
        description="Single permutations, means of N permutations, or scaled random matrices.",
    )


class Simulations(Sweep):
    """Permutations routed by packets that queue, with many seeds."""

    traffic: Names = Field(
        default=["random_permutation"],
        description="Patterns, each where it is defined; worst_case for each routing's worst "
        "permutation; borodin_hopcroft for the one that Theorem 2 makes (one path a pair); "
        "random_permutation draws one with every seed.",
    )
    phases: bool = Field(
        default=False,
        description="Valiant's two phases by each routing, one after the other, beside the "
        "routing itself.",
    )
    seeds: int = Field(default=10, ge=1, description="Runs of each permutation.")
    queue: str = Field(default="fifo", description="fifo, lifo, random, farthest or nearest.")


class Stability(Sweep):
    """Continuous injection: the largest stable rate, and curves over rates."""

    traffic: Names = Field(
        default=["uniform"], description="Patterns, or worst_case for each routing's worst."
    )
    rates: list[float] = Field(
        default=[], description="Rates of the curves (packets per step and source)."
    )
    steps: int = Field(default=40_000, ge=1, description="Steps of each simulation.")
    tolerance: float = Field(
        default=0.01, gt=0, lt=1, description="Relative width at which the search stops."
    )
    queue: str = Field(default="fifo", description="fifo, lifo, random, farthest or nearest.")


class Designs(Sweep):
    """Routings that are designed: every network with every design."""

    routings: Names = Field(
        default=["2turn", "optimal"],
        description="Designs by name: 2turn, 2turna, or optimal with an objective, paths and a "
        "locality. Each is designed, and then evaluated like any other routing.",
    )


class TradeOffs(Sweep):
    """Curves of throughput against path length: every network with every objective."""

    routings: Names = Field(
        default=["optimal"],
        description="optimal with an objective and paths: optimal:objective=average_case.",
    )
    most_solves: int = Field(
        default=2000, ge=2, description="Linear programs of one curve, at the most."
    )


class Report(_Section):
    """What the report shows."""

    title: str = Field(default="Worst-case throughput of oblivious routing")
    table1_network: str = Field(
        default="torus:9x9", description="The network of Table 1 of the technical report."
    )
    pareto_network: str = Field(
        default="torus:8x8",
        description="The network whose routings are drawn by throughput and path length.",
    )


class Study(Sweep):
    """A study: what ``snakemake`` sweeps, in one file."""

    study: str = Field(
        default="default",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        description="Name of the study, and of its folder below the results folder.",
    )
    also: list[Sweep] = Field(default=[], description="Further networks with their own routings.")
    patterns: Names = Field(
        default=[],
        description="Traffic patterns; each is evaluated where it is defined.",
    )
    random_permutations: Sampling = Field(
        default=Sampling(), description="The worst of many random permutations."
    )
    average_case: AverageCase = Field(
        default=AverageCase(), description="Average-case throughput."
    )
    simulations: list[Simulations] = Field(
        default=[], description="Permutations routed by packets that queue."
    )
    stability: list[Stability] = Field(default=[], description="Largest stable rates.")
    designs: list[Designs] = Field(default=[], description="Routings that are designed.")
    trade_offs: list[TradeOffs] = Field(
        default=[], description="Curves of throughput against path length."
    )
    seed: int = Field(default=1, ge=0, description="Seed of every draw.")
    all_channels: bool = Field(
        default=False, description="Solve every channel, not only the focus channels."
    )
    pair_load_limit: int = Field(
        default=1_000_000,
        ge=0,
        description="Cells hold their pair loads up to this many non-zero entries.",
    )
    threads: int = Field(default=1, ge=1, description="Threads of one job, at the most.")
    scheduler: str = Field(
        default="threads",
        description="Where tasks run: threads, processes, sync, tcp://host:port, or a Dask "
        "scheduler file. Changing it re-runs nothing.",
    )
    results: str = Field(default="results", description="Folder that holds the study's folder.")
    report: Report = Field(default=Report(), description="What the report shows.")

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The cells by the name of their store; each network and routing once.

        Raises
        ------
        InputError
            If a name is unknown, a routing is not defined on its network, or there is no cell.
        """
        found = _cells((self, *self.also), lambda sweep, *case: self._cell(*case))
        for name, design in self.design_cells.items():
            if name in found:
                raise InputError(
                    f"{design.label} is among the routings and among the designs; name it once"
                )
            found[name] = self._designed_cell(name, design)
        if not found:
            raise InputError("the study has no cell: give networks and routings")
        self._check_names(found)
        return found

    @cached_property
    def simulation_cells(self) -> dict[str, Cell]:
        """The cells of the simulations, by the name of their store."""
        return _cells(self.simulations, self._simulation_cell)

    @cached_property
    def stability_cells(self) -> dict[str, Cell]:
        """The cells of the stability sweeps, by the name of their store."""
        return _cells(self.stability, self._stability_cell)

    @cached_property
    def design_cells(self) -> dict[str, Cell]:
        """The designs, by the name of their store."""
        return _cells(self.designs, self._design_cell)

    @cached_property
    def trade_off_cells(self) -> dict[str, Cell]:
        """The trade-off curves, by the name of their store."""
        return _cells(self.trade_offs, self._trade_off_cell)

    def _design_cell(self, sweep: Designs, network: Network, routing: Routing) -> Cell:
        _named_design(routing, "designs")
        options = ("--named", routing.name)
        return Cell(network.name, routing.name, options, 1, network.files, holds_design=True)

    def _trade_off_cell(self, sweep: TradeOffs, network: Network, routing: Routing) -> Cell:
        settings = _named_design(routing, "trade_offs").settings
        options = []
        for key in ("objective", "paths", "samples", "seed", "symmetry"):
            if key in settings:
                options += [f"--{key}", str(settings[key])]
        options += ["--most-solves", str(sweep.most_solves)]
        return Cell(
            network.name, routing.name, tuple(options), 1, network.files, holds_design=True
        )

    def _designed_cell(self, name: str, design: Cell) -> Cell:
        """Return the evaluation of a design: its routing is the store that it will be in."""
        store = self.folder / "designs" / f"{name}.zarr"
        network = make_network(design.network)
        patterns = [*_defined(self.patterns, network)]
        return Cell(
            design.network,
            f"designed:{store}",
            self._evaluation_options(network, patterns),
            self.threads,
            (*_files(network, None, patterns), str(store)),
            holds_design=True,
            design=design.routing,
        )

    def _simulation_cell(self, sweep: Simulations, network: Network, routing: Routing) -> Cell:
        traffic = _traffic(sweep.traffic, network)
        options = [*_traffic_options(traffic), "--seeds", str(sweep.seeds)]
        options += ["--seed", str(self.seed), "--queue", sweep.queue]
        if sweep.phases:
            options.append("--phases")
        packets = len(network.sources) * self.threads
        megabytes = simulation_megabytes(network, packets)
        return self._packet_cell(network, routing, traffic, options, megabytes)

    def _stability_cell(self, sweep: Stability, network: Network, routing: Routing) -> Cell:
        traffic = _traffic(sweep.traffic, network)
        options = [*_traffic_options(traffic), "--saturation"]
        for rate in sweep.rates:
            options += ["--rate", str(rate)]
        options += ["--steps", str(sweep.steps), "--tolerance", str(sweep.tolerance)]
        options += ["--seed", str(self.seed), "--queue", sweep.queue]
        # The search for each traffic begins at rate 1; the curves are short beside it.
        packets = len(network.sources) * sweep.steps
        packets *= min(self.threads, options.count("--traffic"))
        megabytes = simulation_megabytes(network, packets)
        return self._packet_cell(network, routing, traffic, options, megabytes)

    def _packet_cell(
        self,
        network: Network,
        routing: Routing,
        traffic: Sequence[str],
        options: Sequence[str],
        megabytes: int,
    ) -> Cell:
        return Cell(
            network.name,
            routing.name,
            tuple(options),
            self.threads,
            _files(network, routing, traffic),
            _also_stages(routing),
            megabytes,
        )

    def _cell(self, network: Network, routing: Routing) -> Cell:
        patterns = [*_defined(self.patterns, network)]
        return Cell(
            network.name,
            routing.name,
            self._evaluation_options(network, patterns),
            self.threads,
            _files(network, routing, patterns),
            _also_stages(routing),
        )

    def _evaluation_options(self, network: Network, patterns: Sequence[str]) -> tuple[str, ...]:
        options: list[str] = []
        for name in patterns:
            options += ["--pattern", name]
        draws = 0
        for option, sampling in (
            ("--random-permutations", self.random_permutations),
            ("--average-case", self.average_case),
        ):
            if sampling.samples and (not sampling.networks or network.name in sampling.networks):
                options += [option, str(sampling.samples)]
                draws += 1
        if "--average-case" in options:
            options += ["--matrix-kind", self.average_case.kind]
        if draws:
            options += ["--seed", str(self.seed)]
        if self.all_channels:
            options.append("--all-channels")
        options += ["--pair-load-limit", str(self.pair_load_limit)]
        return tuple(options)

    def _check_names(self, cells: Mapping[str, Cell]) -> None:
        networks = list(dict.fromkeys(cell.network for cell in cells.values()))
        named = {
            "random_permutations.networks": self.random_permutations.networks,
            "average_case.networks": self.average_case.networks,
        }
        for key in self.report.model_fields_set & {"table1_network", "pareto_network"}:
            named[f"report.{key}"] = [getattr(self.report, key)]
        for where, names in named.items():
            for name in names:
                if name not in networks and not self._stands_for(name):
                    raise InputError(
                        f"{where}: the study has no network '{name}'"
                        + suggestion(name, networks[:20])
                    )

    def _stands_for(self, name: str) -> bool:
        """Say whether a network is one of the study's but for its radix."""
        return any(
            re.fullmatch(
                re.escape(pattern)
                .replace(re.escape(RADIX_MARK), r"(\d+)", 1)
                .replace(re.escape(RADIX_MARK), r"\1"),
                name,
            )
            for sweep in (self, *self.also)
            for pattern in sweep.networks
        )

    def has_network(self, name: str) -> bool:
        """Say whether the study evaluates anything on a network."""
        return any(cell.network == name for cell in self.cells.values())

    @property
    def folder(self) -> Path:
        """The folder of the study's results."""
        return Path(self.results) / self.study


def _named_design(routing: Routing, where: str) -> NamedDesign:
    if not isinstance(routing, NamedDesign):
        raise InputError(
            f"{where}: '{routing.name}' is no design; expected {', '.join(NAMED_DESIGNS)}, such "
            "as optimal:objective=average_case (other routings go under routings)"
        )
    return routing


def _defined(names: Sequence[str], network: Network) -> Iterator[str]:
    """Yield the patterns that are defined on a network; an unknown name is an error."""
    for name in names:
        pattern = make_pattern(name)
        try:
            if not pattern.is_uniform:
                pattern.amounts(network)
        except InputError:
            continue
        yield name


def _traffic(names: Sequence[str], network: Network) -> list[str]:
    """Return the traffic of a simulation that is defined on a network."""
    defined = [*_defined([name for name in names if name not in OF_THE_ROUTING], network)]
    chosen = [name for name in names if name in (*OF_THE_ROUTING, *defined)]
    if not chosen:
        raise InputError(
            f"none of the traffic {', '.join(names)} is defined on {network.name}; name some "
            "that is"
        )
    return chosen


def _traffic_options(traffic: Sequence[str]) -> list[str]:
    return [part for name in traffic for part in ("--traffic", name)]


def _files(network: Network, routing: Routing | None, traffic: Sequence[str]) -> tuple[str, ...]:
    """Return the files that a cell's network, routing and traffic are read from, each once."""
    found = [*network.files, *(() if routing is None else routing.files)]
    for name in traffic:
        found += () if name in OF_THE_ROUTING else make_pattern(name).files
    return tuple(dict.fromkeys(found))


def _also_stages(routing: Routing) -> tuple[str, ...]:
    return ("design",) if any(part.designs for part in routing.components()) else ()


def _cells(
    sweeps: Sequence[SweepKind], make_cell: Callable[[SweepKind, Network, Routing], Cell]
) -> dict[str, Cell]:
    """Make a cell for every network and routing of the sweeps, each once, by its name."""
    found: dict[str, Cell] = {}
    cases: set[str] = set()
    for sweep in sweeps:
        chosen = [routings.create(name) for name in sweep.routings]
        for network_name in sweep.network_names():
            network = make_network(network_name)
            for routing in chosen:
                routing.check(network)
                cell = make_cell(sweep, network, routing)
                if cell.label in cases:
                    continue
                cases.add(cell.label)
                if cell.name in found:
                    raise InputError(
                        f"cells {found[cell.name].label} and {cell.label} have one file name, "
                        f"{cell.name}; rename one of their files"
                    )
                found[cell.name] = cell
    return found


@dataclass(frozen=True)
class Cell:
    """One network with one routing: what one job of the sweep works out.

    ``options`` are those of its command (``obroute evaluate``, ``simulate``, ``design`` or
    ``pareto``); ``threads`` is how many the job has. ``files`` are those that its network, routing
    and traffic are read from, and ``also_stages`` the stages whose source files it depends on
    besides its own, for it designs a routing on the way. ``packet_megabytes`` is the memory that
    packets need, if it simulates; ``holds_design`` says whether its command designs, or it
    evaluates a design of the study, whose name is ``design``.
    """

    network: str
    routing: str
    options: tuple[str, ...]
    threads: int
    files: tuple[str, ...] = ()
    also_stages: tuple[str, ...] = ()
    packet_megabytes: int | None = None
    holds_design: bool = False
    design: str | None = None

    @cached_property
    def megabytes(self) -> int:
        """Memory that the job needs."""
        if self.holds_design:
            return design_megabytes(make_network(self.network))
        packets = self.packet_megabytes
        evaluates = {*OF_THE_ROUTING, "uniform"} & {*self.options} or self.also_stages
        if packets is not None and not evaluates:
            return packets
        # Both kinds of traffic take an evaluation by one thread: what it is, or how much fits.
        evaluation = evaluation_megabytes(
            make_network(self.network),
            routings.create(self.routing),
            all_channels="--all-channels" in self.options,
            threads=self.threads if packets is None else 1,
        )
        return max(evaluation, packets or 0)

    @property
    def label(self) -> str:
        """What a person calls it."""
        return f"{self.network} {self.design or self.routing}{self._phased}"

    @property
    def _phased(self) -> str:
        """What tells two phases by a routing from the routing."""
        return " in phases" if "--phases" in self.options else ""

    @property
    def name(self) -> str:
        """Name of its store below the cells folder."""
        name = (self.design or self.routing) + self._phased
        return f"{_file_name(self.network)}/{_file_name(name)}"


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")


def read_study(values: Mapping[str, Any] | Path) -> Study:
    """Read a study from a mapping (Snakemake's ``config``) or a YAML file.

    Raises
    ------
    InputError
        Names the first wrong key or value, and what is expected.

    Examples
    --------
    >>> study = read_study({"networks": ["torus:{k}x{k}"], "radices": "3-4", "routings": "dor"})
    >>> list(study.cells)
    ['torus-3x3/dor', 'torus-4x4/dor']
    """
    origin = ""
    if isinstance(values, Path):
        origin = f"{values}: "
        try:
            values = yaml.safe_load(values.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"cannot read {origin}{error.strerror}") from None
        except yaml.YAMLError as error:
            raise InputError(f"{origin}not YAML: {' '.join(str(error).split())}") from None
        if not isinstance(values, dict):
            raise InputError(f"{origin}expected keys and values, such as networks: […]")
    try:
        return Study.model_validate(dict(values))
    except ValidationError as error:
        raise InputError(origin + _explain(error)) from None


_LISTED = {
    "also": Sweep,
    "simulations": Simulations,
    "stability": Stability,
    "designs": Designs,
    "trade_offs": TradeOffs,
}
"""Sections of a study that come as lists."""


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        section: Any = Study
        for part in first["loc"][:-1]:
            if not isinstance(part, int):
                field = section.model_fields[part]
                section = _LISTED.get(str(part)) or type(field.default)
        return f"unknown key '{where}'" + suggestion(
            str(first["loc"][-1]), list(section.model_fields)
        )
    message = first["msg"].removeprefix("Value error, ")
    return f"{where} is {first['input']!r}: {message}"


def schema() -> str:
    """Return the JSON schema of a study, as ``config/schema.json`` holds it."""
    return json.dumps(Study.model_json_schema(), indent=2, ensure_ascii=False)
