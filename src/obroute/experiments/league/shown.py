"""A league for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from obroute.breakdown import contributions, describe_groups, load_groups
from obroute.kinds.answers import Shown
from obroute.kinds.shown import exact_json
from obroute.league import League, Standing
from obroute.rational import brief
from obroute.specs import is_file, split_outside

COLUMNS = (
    "place",
    "routing",
    "worst_case_load",
    "guaranteed",
    "uniform_load",
    "random_permutations",
    "path_length",
    "virtual_channels",
    "of_best",
    "of_best_table",
)
LANES = "lanes_told"
"""The column of the virtual lanes that tables use themselves, where some tell them."""
NOTHING = "–"


def table(found: League) -> list[list[str]]:
    """Return a row a routing below a row of columns."""
    columns = [*COLUMNS, *[LANES] * any(one.told is not None for one in found.standings)]
    rows = [[*_cells(found, one), _lanes(one)][: len(columns)] for one in found.standings]
    return [columns, *rows]


def _lanes(one: Standing) -> str:
    if one.told is None:
        return NOTHING
    said = "free" if one.told.deadlock_free else f"a cycle of {len(one.told.cycle)}"
    return f"{one.told.virtual_channels}: {said}"


def _cells(found: League, one: Standing) -> list[str]:
    values = (
        one.place,
        called(one.routing),
        brief(one.load),
        NOTHING if one.throughput is None else f"{float(one.throughput):.4f}",
        NOTHING if one.uniform_load is None else brief(one.uniform_load),
        NOTHING if one.average is None else f"{one.average:.4f}",
        f"{float(one.length):.3f}",
        NOTHING if one.virtual_channels is None else one.virtual_channels,
        NOTHING if one.of_best is None else f"{float(one.of_best):.4f}",
        _interval(found.of_best_table(one)),
    )
    return [str(value) for value in values]


def called(routing: str) -> str:
    """Return a routing without the folders of its files, and without what else is given of it."""
    file = is_file(split_outside(routing, ",")[0].partition(":")[2] or routing)
    return Path(split_outside(routing, ",")[0]).name if file else routing


def _interval(ends: tuple[Fraction, Fraction] | None) -> str:
    if ends is None:
        return NOTHING
    return " to ".join(dict.fromkeys(f"{float(end):.4f}" for end in ends))


def shown(found: League) -> Iterator[Shown]:
    """Yield the league, who collides where, and the best there can be."""
    columns, *others = table(found)
    rows = [[cell.replace("_", " ") for cell in columns], *others]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place == 1 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    yield Shown(f"routings on {found.name}, by what they guarantee", lines=lines)
    lines = [f"  {called(one.routing)}: {_witness(found, one)}" for one in found.standings]
    lines += [f"  {called(name)}: not ranked: {why}" for name, why in found.refused.items()]
    yield Shown("worst cases, proved: the channel and what the pairs that collide there add",
                lines=lines)  # fmt: skip
    best = []
    if found.best is not None:
        best.append(("best possible", f"{brief(found.best)}: no oblivious routing has less"))
    if found.best_table is not None:
        lower, upper = map(brief, found.best_table)
        more = "" if lower == upper else f"; one of {upper} is found"
        best.append(("best table", f"{lower}: no table of single next hops has less{more}"))
    if best:
        yield Shown("the best there can be, proved", best)


def _witness(found: League, one: Standing) -> str:
    critical = found.evaluations[one.routing].critical
    groups = load_groups(contributions(critical.worst, critical.pair_loads))
    channel = found.ranked_on.describe_channel(critical.worst.channel)
    return f"{channel}, {describe_groups(groups)}"


def as_json(found: League, seconds: float) -> dict[str, Any]:
    """Return the league with the whole worst traffic of each routing."""
    network = found.ranked_on
    entries = []
    for one in found.standings:
        worst = found.evaluations[one.routing].critical.worst
        share = found.of_best_table(one)
        entries.append(
            {
                "place": one.place,
                "routing": one.routing,
                **exact_json("worst_case_load", one.load),
                **exact_json("worst_case_throughput", one.throughput),
                **exact_json("uniform_load", one.uniform_load),
                "random_permutations_throughput": one.average,
                "random_permutations_standard_error": one.average_error,
                **exact_json("mean_path_length", one.length),
                "virtual_channels": one.virtual_channels,
                "lanes_told": None if one.told is None else one.told.virtual_channels,
                "deadlock_free_on_lanes": None if one.told is None else one.told.deadlock_free,
                **exact_json("of_best", one.of_best),
                **exact_json("of_best_table_lower", share and share[0]),
                **exact_json("of_best_table_upper", share and share[1]),
                "channel": network.describe_channel(worst.channel),
                "permutation": [
                    [
                        network.node_name(int(network.sources[source])),
                        network.node_name(int(network.destinations[destination])),
                    ]
                    for source, destination in zip(worst.sources, worst.destinations, strict=True)
                ],
            }
        )
    return {
        "network": found.name,
        **exact_json("best_load", found.best),
        **exact_json("best_table_load_lower", found.best_table and found.best_table[0]),
        **exact_json("best_table_load_upper", found.best_table and found.best_table[1]),
        "routings": entries,
        "not_ranked": found.refused,
        "seconds": round(seconds, 3),
    }
