"""What a league runs, what its store holds, and what is gathered of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from obroute.kinds.answers import Contents
from obroute.kinds.registry import kinds
from obroute.league import League, compared, made_of
from obroute.network import Network
from obroute.results.arrays import (
    HOPS,
    INJECTION,
    LOAD,
    ArraySpec,
    exact_and_float,
    exact_floats,
    texts,
)
from obroute.routing import Routing
from obroute.tasks import TaskRunner

if TYPE_CHECKING:
    from obroute.experiments.league import LeagueSettings

_OF_BEST = "what it guarantees over what the best does (NaN and empty where that is not known)"
_BEST = "(NaN and empty where it was not asked for, or is not proved)"
RANK = ("rank",)
_SUMMARY: dict[str, ArraySpec] = {
    **exact_and_float("best_load", (), f"least worst case of all routings {_BEST}", LOAD),
    **exact_and_float(
        "best_table_lower", (), f"no table of single next hops has less {_BEST}", LOAD
    ),
    **exact_and_float("best_table_upper", (), f"a table of them that was found {_BEST}", LOAD),
    "ranked_routing": ArraySpec(RANK, "text", "the routings, the best guarantee first"),
    "place": ArraySpec(RANK, "integer", "from 1; those that guarantee the same share one"),
    **exact_and_float("worst_case_load", RANK, "largest load that traffic can make", LOAD),
    **exact_and_float(
        "worst_case_throughput", RANK, "throughput guaranteed for every traffic", INJECTION
    ),
    **exact_and_float("uniform_load", RANK, "largest channel load of uniform traffic", LOAD),
    "average_case_throughput": ArraySpec(
        RANK, "float", "mean over random permutations (NaN where none were drawn)", INJECTION
    ),
    "average_case_standard_error": ArraySpec(RANK, "float", "standard error of it", INJECTION),
    **exact_and_float("mean_path_length", RANK, "mean path length of uniform traffic", HOPS),
    "virtual_channels": ArraySpec(
        RANK,
        "integer",
        "with how many it is proved free of deadlock; -1 where that is not known",
        "virtual channels",
    ),
    "lanes_told": ArraySpec(
        RANK, "integer", "virtual lanes that it tells itself; -1 where it tells none", "lanes"
    ),
    "free_on_lanes": ArraySpec(RANK, "boolean", "on these it is proved free of deadlock"),
    **exact_and_float("of_best", RANK, f"of the best routing: {_OF_BEST}", ""),
    **exact_and_float("of_best_table_lower", RANK, f"of the best table: {_OF_BEST}, at least", ""),
    **exact_and_float("of_best_table_upper", RANK, "the same, at most", ""),
    "critical_channel": ArraySpec(RANK, "text", "a channel that can have the worst-case load"),
    "refused_routing": ArraySpec(("refused",), "text", "routings that could not be evaluated"),
    "refused_reason": ArraySpec(("refused",), "text", "the reason of each"),
}
ARRAYS: dict[str, ArraySpec] = {
    **_SUMMARY,
    "flow_rank": ArraySpec(
        ("flow",), "integer", "position of the routing whose worst traffic a flow belongs to"
    ),
    "flow_source": ArraySpec(("flow",), "text", "its source"),
    "flow_destination": ArraySpec(("flow",), "text", "its destination"),
    "flow_amount_exact": ArraySpec(("flow",), "text", "its size", "packets per cycle"),
}
"""Every array of a store, with dims rank, refused and flow: the worst traffic as a witness."""
SUMMARY = {name: spec.by_case() for name, spec in _SUMMARY.items()}


def run_league(
    network: Network,
    settings: LeagueSettings,
    run: TaskRunner,
    routings: Sequence[str | Path | Routing] | None = None,
) -> League:
    """Rank what the settings name, or these routings in place of their names."""
    chosen, refused = made_of(settings.routings if routings is None else routings)
    return compared(
        network,
        chosen,
        refused=refused,
        without=settings.without,
        permutations=settings.permutations,
        seed=settings.seed,
        best=settings.best,
        lanes=settings.lanes,
        run=run,
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def contents(answer: League, settings: LeagueSettings) -> Contents:
    """Return the league, and the worst traffic of each routing."""
    ranked = answer.standings
    shares = [answer.of_best_table(one) or (None, None) for one in ranked]
    table = answer.best_table or (None, None)
    flows: list[tuple[int, str, str, str]] = []
    network = answer.ranked_on
    for rank, one in enumerate(ranked):
        worst = answer.evaluations[one.routing].critical.worst
        flows += [
            (
                rank,
                network.node_name(int(network.sources[source])),
                network.node_name(int(network.destinations[destination])),
                str(amount),
            )
            for source, destination, amount in zip(
                worst.sources, worst.destinations, worst.amounts.fractions(), strict=True
            )
        ]
    counts = [-1 if one.virtual_channels is None else one.virtual_channels for one in ranked]
    lanes = [one.told for one in ranked]
    arrays: dict[str, Any] = {
        **exact_floats("best_load", answer.best),
        **exact_floats("best_table_lower", table[0]),
        **exact_floats("best_table_upper", table[1]),
        "ranked_routing": texts(one.routing for one in ranked),
        "place": np.array([one.place for one in ranked], dtype=np.int64),
        **exact_floats("worst_case_load", [one.load for one in ranked]),
        **exact_floats("worst_case_throughput", [one.throughput for one in ranked]),
        **exact_floats("uniform_load", [one.uniform_load for one in ranked]),
        "average_case_throughput": np.array([_number(one.average) for one in ranked]),
        "average_case_standard_error": np.array([_number(one.average_error) for one in ranked]),
        **exact_floats("mean_path_length", [one.length for one in ranked]),
        "virtual_channels": np.array(counts, dtype=np.int64),
        "lanes_told": np.array(
            [-1 if told is None else told.virtual_channels for told in lanes], dtype=np.int64
        ),
        "free_on_lanes": np.array(
            [told is not None and told.deadlock_free for told in lanes], dtype=bool
        ),
        **exact_floats("of_best", [one.of_best for one in ranked]),
        **exact_floats("of_best_table_lower", [lower for lower, _ in shares]),
        **exact_floats("of_best_table_upper", [upper for _, upper in shares]),
        "critical_channel": texts(
            network.describe_channel(answer.evaluations[one.routing].critical.worst.channel)
            for one in ranked
        ),
        "refused_routing": texts(answer.refused),
        "refused_reason": texts(answer.refused.values()),
        "flow_rank": np.array([flow[0] for flow in flows], dtype=np.int64),
        "flow_source": texts(flow[1] for flow in flows),
        "flow_destination": texts(flow[2] for flow in flows),
        "flow_amount_exact": texts(flow[3] for flow in flows),
    }
    label = kinds()["league"].label("", settings)
    return Contents(answer.network, label, arrays)
