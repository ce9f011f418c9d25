"""Routings as SST's merlin has them: ``routing_table[source][destination] = [(weight, path)]``.

A path is the routers after the source, by their numbers, as ``anytopo`` takes them for source
routing; weights are floats of sum one. The file is JSON, whose keys are the numbers as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from obroute.network import Network
from obroute.routing.contract import Routing
from obroute.routing.path_lists import pairs_of, path_distributions
from obroute.specs import InputError, shown
from obroute.writing import write_whole

MOST_OF_A_WEIGHT = 10**6
"""Denominator of the fractions that weights are taken for, if these sum to one."""
NEAR = Fraction(1, 10**12)
"""How far a weight, which is a float, may be from such a fraction."""


def write_sst(network: Network, routing: Routing, file: Path) -> None:
    """Write the paths of a routing as a routing table of SST.

    Raises
    ------
    InputError
        If the routing is not defined on the network, or the file cannot be written.
    """
    routing.check(network)
    table: dict[str, dict[str, list[Any]]] = {}
    for source, destination, paths in path_distributions(routing, network, pairs_of(network)):
        table.setdefault(str(source), {})[str(destination)] = [
            [float(probability), list(network.path_nodes(source, path))[1:]]
            for path, probability in paths.items()
        ]
    write_whole(file, json.dumps(table, separators=(",", ":")).encode())


def is_sst(found: Any) -> bool:
    """Say whether JSON is such a table, or an object with one under ``routing_table``."""
    return isinstance(found, dict) and bool(found)


def sst_records(file: Path, found: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the paths of such a table as records of a table of paths.

    Weights are floats, so that a third is none. They are taken for the simplest fractions within
    :data:`NEAR` of them, if these sum to one; otherwise exactly, over their sum.

    Raises
    ------
    InputError
        If it is none; names the pair.
    """
    table = found.get("routing_table", found)
    if not isinstance(table, dict):
        raise InputError(f"{file}: expected an object of sources under routing_table")
    for source, row in table.items():
        if not isinstance(row, dict):
            raise InputError(f"{file}: source {shown(source)}: expected an object of destinations")
        for destination, paths in row.items():
            where = f"pair {source} → {destination}"
            if source == destination:
                continue
            for probability, path in _paths(file, where, paths):
                nodes = path if path[:1] == [source] else [source, *path]
                yield (
                    where,
                    {
                        "source": source,
                        "destination": destination,
                        "probability": str(probability),
                        "path": nodes,
                    },
                )


def by_names(
    records: list[tuple[str, dict[str, Any]]], network: Network
) -> list[tuple[str, dict[str, Any]]]:
    """Return records with the names of nodes in place of their numbers, where they have names."""
    names = {str(node): network.node_name(node) for node in range(network.node_count)}
    if any(network.has_node(number) for number in names):
        return records

    return [
        (
            where,
            {
                **record,
                "source": names.get(record["source"], record["source"]),
                "destination": names.get(record["destination"], record["destination"]),
                "path": [names.get(node, node) for node in record["path"]],
            },
        )
        for where, record in records
    ]


def _paths(file: Path, where: str, paths: Any) -> list[tuple[Fraction, list[str]]]:
    if not isinstance(paths, list) or not paths:
        raise InputError(f"{file}: {where}: expected a list of weights and paths")
    weights, found = [], []
    for entry in paths:
        if (
            not isinstance(entry, list)
            or len(entry) != 2
            or not isinstance(entry[0], (int, Decimal))
            or isinstance(entry[0], bool)
            or not isinstance(entry[1], list)
            or entry[0] < 0
        ):
            raise InputError(f"{file}: {where} has {shown(entry)}; expected [weight, [router, …]]")
        weights.append(Fraction(entry[0]))
        found.append([str(node) for node in entry[1]])
    total = sum(weights)
    if not total:
        raise InputError(f"{file}: {where}: the weights are all 0; expected a sum of 1")
    simple = [(weight / total).limit_denominator(MOST_OF_A_WEIGHT) for weight in weights]
    near = all(abs(s - w / total) <= NEAR for s, w in zip(simple, weights, strict=True))
    taken = simple if near and sum(simple) == 1 else [weight / total for weight in weights]
    return list(zip(taken, found, strict=True))
