"""What a proof claims, found again from its network and table by linear programs in floats.

Nothing of the checker is used. It says whether the claims of a document are true, whatever proves
them: a forged document that passes must be true of the network and table that it then holds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

TOLERANCE = 1e-7


def claims_hold(proof: dict[str, Any]) -> bool:
    """Say whether all that a document claims is so; its table must be one of unit flows."""
    claims = proof["claims"]
    load, length = _load(proof), _mean_path_length(proof)
    same = all(
        abs(float(Fraction(claims[name])) - found) <= TOLERANCE * (1 + found)
        for name, found in (("worst_case_load", load), ("mean_path_length", length))
    )
    return same and all(_bound_holds(proof, bound) for bound in proof["bounds"])


def _ends(proof: dict[str, Any]) -> tuple[Any, Any, Any]:
    network = proof["network"]
    unit = network["denominator"]
    return tuple(
        np.array([amount / unit for *_, amount in network[what]])
        for what in ("channels", "sources", "destinations")
    )


def _flows(proof: dict[str, Any]) -> Any:
    """Return the table, sources × destinations × channels."""
    bandwidth, injection, ejection = _ends(proof)
    table = np.zeros((len(injection), len(ejection), len(bandwidth)))
    for i, row in enumerate(proof["flows"]["of_pairs"]):
        for j, cell in enumerate(row):
            for channel, amount in cell:
                table[i, j, channel] += amount / proof["flows"]["denominator"]
    return table


def _load(proof: dict[str, Any]) -> float:
    """Return the largest load over bandwidth that traffic within the terminals' limits puts."""
    bandwidth, injection, ejection = _ends(proof)
    table = _flows(proof)
    sums = np.concatenate(
        [
            np.repeat(np.eye(len(injection)), len(ejection), axis=1),
            np.tile(np.eye(len(ejection)), len(injection)),
        ]
    )
    limits = np.concatenate([injection, ejection])
    return max(
        -linprog(-table[:, :, channel].ravel(), sums, limits).fun / bandwidth[channel]
        for channel in range(len(bandwidth))
    )


def _mean_path_length(proof: dict[str, Any]) -> float:
    _, injection, ejection = _ends(proof)
    hops = injection @ _flows(proof).sum(axis=2) @ ejection
    return float(hops / injection.sum() / ejection.sum())


def _paths(proof: dict[str, Any]) -> dict[tuple[int, int], list[list[int]]] | None:
    """Return the paths without cycles that each pair may take."""
    network, given = proof["network"], proof["path_set"]
    pairs = {
        (i, j): (source, destination)
        for i, (source, _) in enumerate(network["sources"])
        for j, (destination, _) in enumerate(network["destinations"])
    }
    if isinstance(given, list):
        return {(i, j): [path for _, path in given[i][j]] for i, j in pairs}
    found: dict[tuple[int, int], list[list[int]]] = {}
    for pair, (source, destination) in pairs.items():
        found[pair], fronts = [], [([], [source])]
        while fronts:
            path, nodes = fronts.pop()
            if nodes[-1] == destination:
                found[pair].append(path)
                continue
            for channel, (tail, head, _) in enumerate(network["channels"]):
                if tail == nodes[-1] and head not in nodes:
                    fronts.append(([*path, channel], [*nodes, head]))
        if given == "shortest":
            least = min(map(len, found[pair]))
            found[pair] = [path for path in found[pair] if len(path) == least]
    return found


def _bound_holds(proof: dict[str, Any], bound: dict[str, Any]) -> bool:
    """Solve for the best routing over the paths, and compare with what is said of all of them."""
    bandwidth, injection, ejection = _ends(proof)
    paths = _paths(proof)
    listed = [(pair, path) for pair, some in paths.items() for path in some]
    channels, sources, destinations = len(bandwidth), len(injection), len(ejection)
    flows, potentials = len(listed), channels * (sources + destinations)
    count = flows + potentials + 1
    rows, limits, sums, totals = [], [], [], []
    for pair in paths:
        row = np.zeros(count)
        row[:flows] = [mine == pair for mine, _ in listed]
        if row.any():
            sums.append(row)
            totals.append(1)
    for channel in range(channels):
        first = flows + channel * (sources + destinations)
        for i, j in paths:
            row = np.zeros(count)
            row[:flows] = [path.count(channel) if pair == (i, j) else 0 for pair, path in listed]
            row[first + i] = row[first + sources + j] = -1
            rows.append(row)
            limits.append(0)
        row = np.zeros(count)
        row[first : first + sources + destinations] = np.concatenate([injection, ejection])
        row[-1] = -bandwidth[channel]
        rows.append(row)
        limits.append(0)
    length = np.zeros(count)
    length[:flows] = [injection[i] * ejection[j] * len(path) for (i, j), path in listed]
    length /= injection.sum() * ejection.sum()
    load = np.zeros(count)
    load[-1] = 1
    of = {"load": load, "mean_path_length": length}
    for name, row in of.items():
        if name != bound["least"] and bound[name] is not None:
            rows.append(row)
            limits.append(float(Fraction(bound[name])))
    solved = linprog(of[bound["least"]], np.array(rows), limits, np.array(sums), totals)
    if solved.status == 2:  # no routing is so short, or so good
        return True
    return bool(float(Fraction(bound[bound["least"]])) <= solved.fun + TOLERANCE)
