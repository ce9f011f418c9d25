"""The compiled sweep over all pairs of a checked certificate.

It decides by floats where their error cannot matter, by residues where potentials and pair load
are equal as far as floats can tell. It shares nothing with the loops that find them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from obroute.compiled import compiled, compiled_unless_small


@compiled_unless_small
def sweep(
    left: Any,
    right: Any,
    starts: Any,
    columns: Any,
    u: Any,
    v: Any,
    margin: float,
    primes: Any,
    left_residues: Any,
    right_residues: Any,
    u_residues: Any,
    v_residues: Any,
    open_pairs: Any,
) -> tuple[Any, int]:
    """Compare u + v with a sum of products; return a first failure and how many pairs are open.

    ``left`` is terms × a × a, ``right`` terms × non-zeros in compressed rows (``starts``,
    ``columns``); potentials are a × b. A pair with u + v - w below ``-margin`` fails. One within
    the margin is settled if u + v and w are the same modulo each prime, else put into
    ``open_pairs`` while there is room. The failure is the least source · N + destination, or -1.
    """
    terms, a = left.shape[0], left.shape[1]
    b = u.shape[1]
    failed = np.int64(-1)
    found = 0
    weights = np.empty(terms, dtype=np.float64)
    for s in range(a):
        for t in range(a):
            anything = False
            for term in range(terms):
                weights[term] = left[term, s, t]
                anything = anything or weights[term] != 0.0
            if not anything:
                continue
            for y in range(b):
                for place in range(starts[y], starts[y + 1]):
                    z = columns[place]
                    w = 0.0
                    for term in range(terms):
                        w += weights[term] * right[term, place]
                    slack = u[s, y] + v[t, z] - w
                    if slack > margin:
                        continue
                    pair = (np.int64(s) * b + y) * (np.int64(a) * b) + np.int64(t) * b + z
                    if slack < -margin:
                        if failed < 0 or pair < failed:
                            failed = pair
                        continue
                    equal = True
                    for p in range(len(primes)):
                        prime = primes[p]
                        total = np.int64(0)
                        for term in range(terms):
                            total += (
                                left_residues[p, term, s, t] * right_residues[p, term, place]
                            ) % prime
                        total -= u_residues[p, s, y] + v_residues[p, t, z]
                        if total % prime != 0:
                            equal = False
                            break
                    if not equal:
                        if found < len(open_pairs):
                            open_pairs[found] = pair
                        found += 1
    return failed, found


@compiled
def hold_each(
    firsts: Any,
    rows: Any,
    columns: Any,
    weights: Any,
    supply: Any,
    demand: Any,
    flow: Any,
    u: Any,
    v: Any,
    values: Any,
) -> int:
    """Return the first problem whose flow and potentials do not both prove its value, or -1.

    The entries of problem i are ``firsts[i]`` to ``firsts[i + 1]``; ``u`` and ``v`` are problems ×
    rows and columns. No sum may leave 63 bits.
    """
    sent = np.empty(len(supply), dtype=np.int64)
    received = np.empty(len(demand), dtype=np.int64)
    for problem in range(len(firsts) - 1):
        sent[:] = 0
        received[:] = 0
        load = np.int64(0)
        for entry in range(firsts[problem], firsts[problem + 1]):
            row, column = rows[entry], columns[entry]
            if flow[entry] < 0 or u[problem, row] + v[problem, column] < weights[entry]:
                return problem
            if flow[entry] != 0:
                sent[row] += flow[entry]
                received[column] += flow[entry]
                load += flow[entry] * weights[entry]
        bound = np.int64(0)
        for row in range(len(supply)):
            if sent[row] > supply[row] or u[problem, row] < 0:
                return problem
            bound += supply[row] * u[problem, row]
        for column in range(len(demand)):
            if received[column] > demand[column] or v[problem, column] < 0:
                return problem
            bound += demand[column] * v[problem, column]
        if load != values[problem] or bound != values[problem]:
            return problem
    return -1


@compiled
def load_of_traffic(
    sources: Any,
    destinations: Any,
    amounts: Any,
    rows: Any,
    columns: Any,
    weights: Any,
    supply: Any,
    demand: Any,
) -> int:
    """Return the load of sorted traffic, or -1 where terminals cannot inject or eject it.

    Entries are sorted by row and column; traffic that is not is refused as well.
    """
    left, room = supply.copy(), demand.copy()
    load, entry, before = 0, 0, -1
    for place in range(len(sources)):
        row, column, amount = sources[place], destinations[place], amounts[place]
        here = row * len(demand) + column
        left[row] -= amount
        room[column] -= amount
        if here <= before or amount < 0 or left[row] < 0 or room[column] < 0:
            return -1
        before = here
        while entry < len(rows) and rows[entry] * len(demand) + columns[entry] < here:
            entry += 1
        if entry < len(rows) and rows[entry] == row and columns[entry] == column:
            load += amount * weights[entry]
    return load
