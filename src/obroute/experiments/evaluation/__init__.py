"""Evaluations: the exact worst case of a routing on a network, and its throughput otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

from obroute.choices.sampling import SAMPLED_PAIRS, SampledPairs
from obroute.choices.traffic import MATRIX_KIND, MatrixKind
from obroute.dependencies import Dependencies
from obroute.exporters.traffic_formats import TRAFFIC_SUFFIXES
from obroute.kinds.answers import Output, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Option, Settings, Texts
from obroute.kinds.sweep import Names, Section, Sweep
from obroute.machine import PAIR_LOADS_SAVED
from obroute.specs import LARGEST_SEED, MOST_DRAWN, InputError

if TYPE_CHECKING:
    import xarray as xr

    from obroute.network import Network
    from obroute.routing import Routing
    from obroute.tasks import TaskRunner
    from obroute.throughput import Evaluation as Found


def _canonical(names: tuple[str, ...]) -> tuple[str, ...]:
    from obroute.traffic import make_pattern

    return tuple(dict.fromkeys(make_pattern(name).name for name in names))


class EvaluationSettings(Settings):
    """What is found of a routing besides its worst case, and how."""

    patterns: Annotated[Texts, AfterValidator(_canonical), Option("--pattern")] = Field(
        default=(),
        description="Also this traffic: a pattern, or a file of a permutation or matrix; may be "
        "repeated.",
    )
    random_permutation_samples: Annotated[int, Option("--random-permutations")] = Field(
        default=0,
        ge=0,
        le=MOST_DRAWN,
        description="Also the worst of this many random permutations.",
    )
    average_case_samples: Annotated[int, Option("--average-case")] = Field(
        default=0,
        ge=0,
        le=MOST_DRAWN,
        description="Also the mean throughput of this many random matrices.",
    )
    matrix_kind: MatrixKind = Field(
        default=MATRIX_KIND,
        description="Random matrices: single permutations, means of N permutations (mixture), or "
        "scaled random matrices (sinkhorn).",
    )
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED, description="Seed of every draw.")
    sampled_paths: Annotated[int, Option(in_study=False, recorded=False)] = Field(
        default=0,
        ge=0,
        le=MOST_DRAWN,
        description="Estimate from this many paths a pair: an interval of 95 % confidence, "
        "inexact.",
    )
    sampled_pairs: Annotated[SampledPairs, Option(in_study=False, recorded=False)] = Field(
        default=SAMPLED_PAIRS,
        description="Draw for one source of every orbit (canonical), or for every source (all).",
    )
    all_channels: bool = Field(default=False, description="Solve every channel, without symmetry.")
    pair_load_limit: int = Field(
        default=PAIR_LOADS_SAVED,
        ge=0,
        description="Save pair loads up to this many non-zero entries.",
    )

    def depends_on(self) -> Dependencies:
        """Return what the patterns depend on."""
        from obroute.traffic import make_pattern

        return Dependencies.union(make_pattern(name).depends_on() for name in self.patterns)


class Sampling(Section):
    """Random traffic for some networks of the study."""

    samples: int = Field(
        default=0, ge=0, le=MOST_DRAWN, description="How many to draw; 0 for none."
    )
    networks: Names = Field(
        default=[], description="The networks to sample for; all of the study where empty."
    )

    def of(self, network: str) -> int:
        """Return how many are drawn for a network."""
        return self.samples if not self.networks or network in self.networks else 0


class AverageCase(Sampling):
    """Random doubly stochastic traffic matrices."""

    kind: MatrixKind = Field(
        default=MATRIX_KIND,
        description="Single permutations, means of N permutations, or scaled random matrices.",
    )


class EvaluationEntry(Sweep):
    """Every network with every routing, and what is found of each besides the worst case."""

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
    all_channels: bool = Field(
        default=False, description="Solve every channel, not only the focus channels."
    )
    pair_load_limit: int = Field(
        default=EvaluationSettings.model_fields["pair_load_limit"].default,
        ge=0,
        description="Cells hold their pair loads up to this many non-zero entries.",
    )


class ChannelTable(Output):
    """The table of the worst case of every channel."""

    def __init__(self) -> None:
        super().__init__(
            "--channels", "Write every channel's worst case and loads here (.csv).", (".csv",)
        )

    def write(self, answer: Found, settings: EvaluationSettings, file: Path) -> None:
        """Write a row a channel."""
        from obroute.breakdown import channel_table
        from obroute.writing import write_whole

        write_whole(file, channel_table(answer).encode())


class WorstTraffic(Output):
    """The traffic that loads the worst channel most, for simulators and benchmarks."""

    def __init__(self) -> None:
        super().__init__(
            "--worst",
            "Write the worst traffic here: demands (.csv), or for htsim (.cm), Noxim (.noxim) or "
            "Open MPI (.rankfile).",
            TRAFFIC_SUFFIXES,
        )

    def write(self, answer: Found, settings: EvaluationSettings, file: Path) -> None:
        """Write a line a pair, or a rank."""
        from obroute.writing import write_whole

        if answer.estimate is not None:
            raise InputError(f"{self.word} needs the exact worst case; leave out --sampled-paths")
        worst = answer.critical.worst
        amounts = worst.amounts.fractions()
        ends = worst.sources, worst.destinations
        from obroute.exporters.traffic import traffic_text

        text = traffic_text(answer.network, *ends, amounts, file.suffix)
        write_whole(file, text.encode())


@experiments.register("evaluation", "the exact worst case of a routing on a network")
class Evaluation(Experiment[EvaluationSettings, "Found"]):
    """The exact worst case of a routing on a network."""

    name = "evaluation"
    section = "evaluations"
    gathered = "evaluations"
    title = "An evaluation: one network with one routing"
    command = "evaluate"
    purpose = "Find the exact worst case of a routing on a network, and its throughput otherwise."
    about = "Further networks with their own routings."
    settings = EvaluationSettings
    answers = ("obroute.throughput.Evaluation",)
    at_top = True
    evaluates_made_routings = True

    def entry(self) -> type[Sweep]:
        """Return the class of what a study asks of its evaluations."""
        return EvaluationEntry

    def settings_of(
        self, entry: Sweep, study: Any, network: Network, routing: Routing | None
    ) -> EvaluationSettings:
        """Return the settings of a cell: the patterns that are defined, samples where wanted."""
        from obroute.traffic import defined_patterns

        permutations = study.random_permutations.of(network.name)
        matrices = study.average_case.of(network.name)
        return EvaluationSettings.read(
            {
                "patterns": defined_patterns(study.patterns, network),
                "random_permutation_samples": permutations,
                "average_case_samples": matrices,
                "matrix_kind": study.average_case.kind if matrices else MATRIX_KIND,
                "seed": study.seed if permutations or matrices else 0,
                "all_channels": study.all_channels,
                "pair_load_limit": study.pair_load_limit,
            }
        )

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: EvaluationSettings,
        run: TaskRunner,
    ) -> Found:
        """Evaluate."""
        from obroute.experiments.evaluation.store import run_evaluation

        assert routing is not None
        return run_evaluation(network, routing, settings, run)

    def megabytes(
        self,
        network: Network,
        routing: Routing | None,
        settings: EvaluationSettings,
        threads: int,
    ) -> int:
        """Return the megabytes of an evaluation, or of an estimate from sampled paths."""
        from obroute.memory import evaluation_megabytes, sampled_megabytes
        from obroute.sampling import SampledRouting

        assert routing is not None
        every = settings.all_channels
        if not settings.sampled_paths:
            return evaluation_megabytes(network, routing, all_channels=every, threads=threads)
        sampled = SampledRouting(
            routing, settings.sampled_paths, settings.seed, settings.sampled_pairs
        )
        return sampled_megabytes(network, sampled, all_channels=every, threads=threads)

    def shown(
        self, answer: Found, settings: EvaluationSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield values with their meaning, and who meets on the critical channel."""
        from obroute.experiments.evaluation.shown import shown

        return shown(answer, seconds)

    def to_json(
        self, answer: Found, settings: EvaluationSettings, seconds: float
    ) -> dict[str, Any]:
        """Return every value with its unit in its name."""
        from obroute.experiments.evaluation.shown import as_json

        return as_json(answer, seconds)

    def settings_behind(self, answer: Found) -> EvaluationSettings:
        """Return the settings that an evaluation shows."""
        sampled, average = answer.random_permutations, answer.average_case
        given: dict[str, Any] = {
            "patterns": [pattern.pattern for pattern in answer.patterns],
            "all_channels": len(answer.channels) == answer.network.channel_count,
        }
        if sampled is not None:
            given |= {"random_permutation_samples": len(sampled.loads), "seed": sampled.seed}
        if average is not None:
            given |= {"average_case_samples": len(average.loads), "seed": average.seed}
            given["matrix_kind"] = average.kind
        return EvaluationSettings.read(given)

    def confirm(self, cell: xr.Dataset) -> str:
        """Hold worst case and path length against the theorems."""
        from obroute.experiments.evaluation.verify import confirmed

        return confirmed(cell)

    def outputs(self) -> Sequence[Output]:
        """Return the table of every channel's worst case, and the worst traffic."""
        return ChannelTable(), WorstTraffic()
