"""Slow twin of the library: every definition written out, in exact fractions.

Nothing here is clever and nothing is shared with the package, so that an agreement between the
two means something. A reader should be able to check each function by eye against the
definition in its docstring.

A *grid* is a pair ``(radices, wraps)``. Its nodes are row-major indices of coordinate tuples (the
last coordinate varies fastest; dimension 0 is the first coordinate). A dimension that wraps is a
ring, one that does not is a line. A channel is the pair ``(tail, head)`` of its nodes; neighbours
have one channel each way, on a ring of two nodes too.

A routing gives, for every source and destination, a dict from path to probability. On a grid a
path is the tuple of the nodes that it visits; on a general digraph, whose channels may be
parallel, it is the tuple of the indices of the channels that it crosses.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import lcm, prod
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

Path: TypeAlias = tuple[int, ...]
Paths: TypeAlias = dict[Path, Fraction]
Routes: TypeAlias = Callable[[int, int], Mapping[Path, Fraction]]
Crossed: TypeAlias = Callable[[Path], Iterable[Any]]
Matrix: TypeAlias = Sequence[Sequence[Fraction]]
Loads: TypeAlias = dict[Any, list[list[Fraction]]]

# A way to cover one dimension: its probability, the step (+1 or -1), the number of hops.
Way: TypeAlias = tuple[Fraction, int, int]
# An outcome of a routing's random choices: its probability and the nodes visited.
Outcome: TypeAlias = tuple[Fraction, list[int]]

ROUTINGS = ("dor", "o1turn", "romm", "valiant", "ival", "rlb", "rlbth")
MOST_PERMUTED = 6
ONE = Fraction(1)


# ---------------------------------------------------------------------------------------- grids


def coordinates(radices: Sequence[int], node: int) -> tuple[int, ...]:
    """Give the coordinates of a node: its digits, the last one varying fastest."""
    digits = []
    for radix in reversed(radices):
        node, digit = divmod(node, radix)
        digits.append(digit)
    return tuple(reversed(digits))


def node_at(radices: Sequence[int], coords: Iterable[int]) -> int:
    """Give the node at some coordinates."""
    node = 0
    for radix, coordinate in zip(radices, coords, strict=True):
        node = node * radix + coordinate
    return node


def wrap_flags(radices: Sequence[int], wraps: bool | Sequence[bool]) -> tuple[bool, ...]:
    """Say for every dimension whether it wraps; one flag stands for all of them."""
    flags = (wraps,) * len(radices) if isinstance(wraps, bool) else tuple(wraps)
    if len(flags) != len(radices):
        raise ValueError(f"{len(radices)} radices but {len(flags)} wrap flags")
    return flags


def grid_channels(radices: Sequence[int], wraps: bool | Sequence[bool]) -> list[tuple[int, int]]:
    """List the channels of a grid, each once, as (tail, head)."""
    found = []
    for tail in range(prod(radices)):
        here = coordinates(radices, tail)
        for dimension, wrap in enumerate(wrap_flags(radices, wraps)):
            for step in (+1, -1):
                there = list(here)
                there[dimension] += step
                if wrap:
                    there[dimension] %= radices[dimension]
                if 0 <= there[dimension] < radices[dimension]:
                    channel = (tail, node_at(radices, there))
                    if channel not in found and channel[0] != channel[1]:
                        found.append(channel)
    return found


# ------------------------------------------------------------------------- routing on grids


def paths(
    radices: Sequence[int],
    wraps: bool | Sequence[bool],
    routing: str,
    s: int,
    d: int,
    *,
    order: str | Sequence[int] | None = None,
    ties: str = "split",
) -> Paths:
    """Give every path of a routing from one node to another, with its probability.

    Parameters
    ----------
    radices, wraps
        The grid.
    routing
        One of `ROUTINGS`.
    s, d
        Source and destination.
    order
        For dor, valiant and ival the order of the dimensions, as a tuple (default 0, 1, ...);
        for romm, rlb and rlbth "random" (the default: each phase draws its own order) or "fixed"
        (0, 1, ... in both phases). o1turn takes none.
    ties
        An offset of exactly half an even ring goes both ways evenly ("split") or the positive way
        ("positive"). rlb and rlbth go each way with probability one half whatever is said here.

    Returns
    -------
    dict
        The nodes visited, both ends included, to the probability; the values sum to one.

    Raises
    ------
    ValueError
        If the routing does not exist on this grid, or an argument is none of the above.
    """
    flags = wrap_flags(radices, wraps)
    if ties not in ("split", "positive"):
        raise ValueError(f"ties is split or positive, not {ties!r}")
    grid = (tuple(radices), flags, ties)
    if routing in ("dor", "valiant", "ival"):
        fixed = _order_of_dimensions(radices, order)
        outcomes = {"dor": _dor, "valiant": _valiant, "ival": _ival}[routing](*grid, s, d, fixed)
    elif routing == "o1turn":
        if order is not None:
            raise ValueError("o1turn takes no order of dimensions")
        outcomes = _o1turn(*grid, s, d)
    elif routing in ("romm", "rlb", "rlbth"):
        if order not in (None, "random", "fixed"):
            raise ValueError(f"{routing} takes order random or fixed, not {order!r}")
        outcomes = _two_phases(*grid, s, d, routing, order or "random")
    else:
        raise ValueError(f"no routing {routing!r}; there are {', '.join(ROUTINGS)}")
    found: Paths = {}
    for probability, nodes in outcomes:
        path = tuple(nodes)
        found[path] = found.get(path, 0) + probability
    return found


def _order_of_dimensions(
    radices: Sequence[int], order: str | Sequence[int] | None
) -> tuple[int, ...]:
    """Read the order of dimensions of a routing that has one fixed order."""
    natural = tuple(range(len(radices)))
    if order is None:
        return natural
    if isinstance(order, str) or tuple(sorted(order)) != natural:
        raise ValueError(f"order is a permutation of {natural}, not {order!r}")
    return tuple(order)


def _minimal_ways(radix: int, wrap: bool, ties: str, here: int, there: int) -> list[Way]:
    """Give the shortest ways from one coordinate to another.

    On a line, straight on. On a ring, the shorter direction; both, evenly, if they tie, or the
    positive one alone.
    """
    if here == there:
        return [(ONE, +1, 0)]
    if not wrap:
        return [(ONE, +1 if there > here else -1, abs(there - here))]
    forward = (there - here) % radix
    backward = radix - forward
    if forward == backward and ties == "split":
        return [(Fraction(1, 2), +1, forward), (Fraction(1, 2), -1, backward)]
    return [(ONE, +1, forward)] if forward <= backward else [(ONE, -1, backward)]


def _balanced_ways(radix: int, wrap: bool, here: int, there: int, *, threshold: bool) -> list[Way]:
    """Give the ways of RLB from one coordinate to another.

    With the minimal distance D > 0, the short way with probability (k - D) / k and the long way
    with D / k; with the threshold, always the short way if D < k / 4. On a tie both are k / 2
    long and equally likely.
    """
    if not wrap and radix > 2:
        raise ValueError("RLB is for rings: a line has no long way round")
    if here == there:
        return [(ONE, +1, 0)]
    forward = (there - here) % radix
    backward = radix - forward
    distance = min(forward, backward)
    short, long = ((+1, forward), (-1, backward))
    if backward < forward:
        short, long = long, short
    if threshold and distance < Fraction(radix, 4):
        return [(ONE, *short)]
    return [(Fraction(radix - distance, radix), *short), (Fraction(distance, radix), *long)]


def _walk(radices: Sequence[int], start: int, moves: Iterable[tuple[int, int, int]]) -> list[int]:
    """List the nodes visited from a start by moves (dimension, step, hops), the start first."""
    here = list(coordinates(radices, start))
    visited = [start]
    for dimension, step, hops in moves:
        for _ in range(hops):
            here[dimension] = (here[dimension] + step) % radices[dimension]
            visited.append(node_at(radices, here))
    return visited


def _dor(
    radices: tuple[int, ...],
    wraps: tuple[bool, ...],
    ties: str,
    s: int,
    d: int,
    order: tuple[int, ...],
) -> Iterator[Outcome]:
    """Dimension order: all of one dimension the short way, then all of the next."""
    ways_of = [
        _minimal_ways(radix, wrap, ties, here, there)
        for radix, wrap, here, there in zip(
            radices, wraps, coordinates(radices, s), coordinates(radices, d), strict=True
        )
    ]
    for ways in product(*ways_of):
        moves = [(dimension, ways[dimension][1], ways[dimension][2]) for dimension in order]
        yield prod((way[0] for way in ways), start=ONE), _walk(radices, s, moves)


def _o1turn(
    radices: tuple[int, ...], wraps: tuple[bool, ...], ties: str, s: int, d: int
) -> Iterator[Outcome]:
    """Dimension order routing in an order drawn uniformly from all of them."""
    orders = list(permutations(range(len(radices))))
    for order in orders:
        for probability, nodes in _dor(radices, wraps, ties, s, d, order):
            yield probability / len(orders), nodes


def _through_any_node(
    radices: tuple[int, ...],
    wraps: tuple[bool, ...],
    ties: str,
    s: int,
    d: int,
    first_order: tuple[int, ...],
    second_order: tuple[int, ...],
) -> Iterator[Outcome]:
    """Route to a node drawn uniformly from all, and on from there; dimension order both times."""
    n = prod(radices)
    for middle in range(n):
        for first, to_middle in _dor(radices, wraps, ties, s, middle, first_order):
            for second, from_middle in _dor(radices, wraps, ties, middle, d, second_order):
                yield Fraction(1, n) * first * second, to_middle + from_middle[1:]


def _valiant(
    radices: tuple[int, ...],
    wraps: tuple[bool, ...],
    ties: str,
    s: int,
    d: int,
    order: tuple[int, ...],
) -> Iterator[Outcome]:
    """Through a uniform intermediate node, the same order of dimensions in both phases."""
    yield from _through_any_node(radices, wraps, ties, s, d, order, order)


def _ival(
    radices: tuple[int, ...],
    wraps: tuple[bool, ...],
    ties: str,
    s: int,
    d: int,
    order: tuple[int, ...],
) -> Iterator[Outcome]:
    """Through a uniform intermediate node, the order reversed on the way on, loops removed."""
    for probability, nodes in _through_any_node(radices, wraps, ties, s, d, order, order[::-1]):
        yield probability, without_loops(nodes)


def without_loops(nodes: Iterable[int]) -> list[int]:
    """Walk a path and, whenever a node is revisited, cut back to its first visit."""
    kept: list[int] = []
    for node in nodes:
        if node in kept:
            del kept[kept.index(node) + 1 :]
        else:
            kept.append(node)
    return kept


def _two_phases(
    radices: tuple[int, ...],
    wraps: tuple[bool, ...],
    ties: str,
    s: int,
    d: int,
    routing: str,
    order: str,
) -> Iterator[Outcome]:
    """Through a uniform node of a quadrant (ROMM: a minimal one; RLB: a balanced one).

    The directions are drawn first, one per dimension; they span the quadrant, and both phases
    keep them. Each phase goes in dimension order, or in an order drawn for it alone.
    """
    ways_of = []
    for radix, wrap, here, there in zip(
        radices, wraps, coordinates(radices, s), coordinates(radices, d), strict=True
    ):
        if routing == "romm":
            ways_of.append(_minimal_ways(radix, wrap, ties, here, there))
        else:
            threshold = routing == "rlbth"
            ways_of.append(_balanced_ways(radix, wrap, here, there, threshold=threshold))
    dimensions = tuple(range(len(radices)))
    orders = list(permutations(dimensions)) if order == "random" else [dimensions]
    for ways in product(*ways_of):
        steps = [step for _, step, _ in ways]
        hops = [count for _, _, count in ways]
        quadrant = list(product(*(range(count + 1) for count in hops)))
        chosen = prod((way[0] for way in ways), start=ONE)
        probability = chosen / len(quadrant) / len(orders) ** 2
        for before in quadrant:
            for first, second in product(orders, repeat=2):
                moves = [(i, steps[i], before[i]) for i in first]
                moves += [(i, steps[i], hops[i] - before[i]) for i in second]
                yield probability, _walk(radices, s, moves)


# ------------------------------------------------------------------ routing on any digraph


def ecmp_paths(
    edges: Sequence[tuple[int, int]],
    s: int,
    d: int,
    *,
    split: str = "paths",
    widths: Sequence[Fraction] = (),
) -> Paths:
    """Give the shortest paths of a digraph, each as the indices of the channels it crosses.

    Parameters
    ----------
    edges
        Channels as (tail, head); parallel ones are different channels.
    s, d
        Source and destination.
    split
        "paths": all shortest paths are equally likely. "hops": at every node, all outgoing
        channels that lie on a shortest path are equally likely. "bandwidth": they are taken in
        proportion to their widths.
    widths
        Bandwidth of each channel.
    """
    if split not in ("paths", "hops", "bandwidth"):
        raise ValueError(f"split is paths, hops or bandwidth, not {split!r}")
    distance = {d: 0}
    while True:
        farther = {
            tail: distance[head] + 1
            for tail, head in edges
            if head in distance and tail not in distance
        }
        if not farther:
            break
        distance |= farther
    if s not in distance:
        raise ValueError(f"no path from {s} to {d}")

    def onward(node: int) -> list[int]:
        """List the channels out of a node that lead one hop nearer."""
        return [
            index
            for index, (tail, head) in enumerate(edges)
            if tail == node and head in distance and distance[head] == distance[node] - 1
        ]

    def extend(node: int) -> Iterator[tuple[Fraction, Path]]:
        """Give the shortest paths from a node, each with its probability hop by hop."""
        if node == d:
            yield ONE, ()
            return
        choices = onward(node)
        weights = [widths[index] if split == "bandwidth" else ONE for index in choices]
        for index, weight in zip(choices, weights, strict=True):
            for probability, rest in extend(edges[index][1]):
                yield probability * weight / sum(weights), (index, *rest)

    found = list(extend(s))
    if split == "paths":
        return {path: Fraction(1, len(found)) for _, path in found}
    return {path: probability for probability, path in found}


# -------------------------------------------------------------------------------------- loads


def pair_loads(
    channels: Iterable[Hashable], n: int, routes: Routes, crossed: Crossed = pairwise
) -> Loads:
    """Give the load of every channel by every pair of nodes.

    The load of a channel by a pair is the expected number of times that a packet from source to
    destination crosses it.

    Parameters
    ----------
    channels
        All channels, also those that no path crosses.
    n
        Number of nodes.
    routes
        Function of source and destination that gives {path: probability}.
    crossed
        Function from a path to the channels that it crosses. The default is for paths of nodes;
        for paths of channels, as `ecmp_paths` gives them, it is `iter`.

    Returns
    -------
    dict
        For every channel an n by n list of lists, indexed by source and destination.
    """
    loads: Loads = {channel: [[Fraction(0)] * n for _ in range(n)] for channel in channels}
    for s, d in product(range(n), repeat=2):
        for path, probability in routes(s, d).items():
            for channel in crossed(path):
                loads[channel][s][d] += probability
    return loads


def uniform_load(loads: Loads) -> Fraction:
    """Give the largest load of a channel when every node sends 1/n to each node, itself too."""
    return max(Fraction(sum(map(sum, matrix)), len(matrix)) for matrix in loads.values())


def mean_path_length(loads: Loads) -> Fraction:
    """Give the expected number of hops, averaged over all n*n pairs, self pairs included.

    A pair's expected number of hops is the sum of its loads over all channels.
    """
    n = len(next(iter(loads.values())))
    return Fraction(sum(sum(map(sum, matrix)) for matrix in loads.values()), n * n)


def pattern_load(loads: Loads, permutation: Sequence[int]) -> Fraction:
    """Give the largest load of a channel when each node s sends one unit to permutation[s]."""
    return max(
        sum((matrix[s][d] for s, d in enumerate(permutation)), start=Fraction(0))
        for matrix in loads.values()
    )


def pattern_channel_loads(
    routes: Routes, permutation: Sequence[int], crossed: Crossed = pairwise
) -> dict[Any, Fraction]:
    """Give the load that a permutation puts on every channel that it uses.

    The same numbers as in `pattern_load`, from the paths of the n pairs alone.
    """
    loads: dict[Any, Fraction] = {}
    for s, d in enumerate(permutation):
        for path, probability in routes(s, d).items():
            for channel in crossed(path):
                loads[channel] = loads.get(channel, Fraction(0)) + probability
    return loads


# --------------------------------------------------------------------------------- worst case


def worst_case_load(loads: Loads) -> Fraction:
    """Give the largest load that a permutation can put on a channel, over all channels."""
    return max(worst_case(matrix)[0] for matrix in loads.values())


def worst_case(matrix: Matrix) -> tuple[Fraction, tuple[int, ...]]:
    """Give the largest sum of matrix[s][permutation[s]], and a permutation that reaches it.

    Up to six nodes by trying every permutation, above that by a matching with a proof.
    """
    if len(matrix) <= MOST_PERMUTED:
        return worst_case_by_permutations(matrix)
    return worst_case_by_matching(matrix)


def worst_case_by_permutations(matrix: Matrix) -> tuple[Fraction, tuple[int, ...]]:
    """Give the worst case by trying every permutation, fixed points allowed."""
    rows, denominator = _as_integers(matrix)
    best = max(
        permutations(range(len(rows))),
        key=lambda permutation: sum(map(list.__getitem__, rows, permutation)),
    )
    return Fraction(_value(rows, best), denominator), best


def worst_case_by_matching(matrix: Matrix) -> tuple[Fraction, tuple[int, ...]]:
    """Give the worst case by a matching in floats, valued and proved optimal in integers."""
    rows, denominator = _as_integers(matrix)
    largest = max(1, *map(max, rows))
    weights = np.array([[entry / largest for entry in row] for row in rows])
    _, columns = linear_sum_assignment(weights, maximize=True)
    permutation = tuple(int(column) for column in columns)
    prove_optimal(rows, permutation)
    return Fraction(_value(rows, permutation), denominator), permutation


def prove_optimal(rows: Sequence[Sequence[int]], permutation: Sequence[int]) -> None:
    """Prove that no permutation has a larger sum than this one, or raise.

    In the residual graph an arc from source i to source j, of weight
    ``rows[i][permutation[j]] - rows[i][permutation[i]]``, says that i takes over j's destination.
    Any other permutation is a set of cycles and gains their weight. Bellman-Ford finds the
    longest distances to every source; they settle only if no cycle has positive weight, and are
    then dual prices, which bound the sum of every permutation by the one of this permutation.
    """
    n = len(rows)
    if sorted(permutation) != list(range(n)):
        raise ValueError("not a permutation")
    # Python's integers in arrays of objects: exact at any size.
    weights = np.array(rows, dtype=object)
    matched = weights[np.arange(n), permutation]
    gains = weights[:, permutation] - matched[:, None]
    distance = np.zeros(n, dtype=object)
    for _ in range(n + 1):
        farther = np.maximum(distance, (distance[:, None] + gains).max(axis=0))
        if (farther == distance).all():
            break
        distance = farther
    else:
        raise ValueError("the matching is not optimal: the residual graph has a positive cycle")

    of_source = matched - distance
    of_destination = np.zeros(n, dtype=object)
    of_destination[list(permutation)] = distance
    if (weights > of_source[:, None] + of_destination[None, :]).any():
        raise ArithmeticError("a dual inequality does not hold")
    if of_source.sum() + of_destination.sum() != matched.sum():
        raise ArithmeticError("the dual value is not the value of the matching")


def expected_worst_case_transport(
    matrix: Matrix, supply: Sequence[int], demand: Sequence[int]
) -> Fraction:
    """Give the worst case over traffic with these integer row and column sums.

    Every unit of supply becomes a source of its own and every unit of demand a destination; the
    extreme traffic matrices are the permutations among those.
    """
    if sum(supply) != sum(demand):
        raise ValueError(f"supply {sum(supply)} is not demand {sum(demand)}")
    sources = [i for i, units in enumerate(supply) for _ in range(units)]
    destinations = [j for j, units in enumerate(demand) for _ in range(units)]
    return worst_case([[matrix[i][j] for j in destinations] for i in sources])[0]


def _as_integers(matrix: Matrix) -> tuple[list[list[int]], int]:
    """Write a matrix of fractions as integers over one common denominator."""
    denominator = lcm(*(Fraction(entry).denominator for row in matrix for entry in row))
    return [[int(entry * denominator) for entry in row] for row in matrix], denominator


def _value(rows: Sequence[Sequence[int]], permutation: Sequence[int]) -> int:
    """Sum the entries that a permutation picks."""
    return sum(row[column] for row, column in zip(rows, permutation, strict=True))


# ----------------------------------------------------------------------------------- patterns


def bit_complement(radices: Sequence[int]) -> list[int]:
    """Send coordinate c to k - 1 - c in each dimension."""
    return [
        node_at(
            radices, [k - 1 - c for k, c in zip(radices, coordinates(radices, s), strict=True)]
        )
        for s in range(prod(radices))
    ]


def transpose(radices: Sequence[int]) -> list[int]:
    """Swap the first and the second half of the coordinates (of the bits, on a hypercube)."""
    half, odd = divmod(len(radices), 2)
    if odd or tuple(radices[:half]) != tuple(radices[half:]):
        raise ValueError(f"transpose needs two equal halves of dimensions, not {tuple(radices)}")
    return [
        node_at(radices, coordinates(radices, s)[half:] + coordinates(radices, s)[:half])
        for s in range(prod(radices))
    ]


def tornado(radices: Sequence[int]) -> list[int]:
    """Go (k - 1) // 2 hops in the positive direction of dimension 0, and nowhere else."""
    first = radices[0]
    return [
        node_at(radices, [(c[0] + (first - 1) // 2) % first, *c[1:]])
        for c in (coordinates(radices, s) for s in range(prod(radices)))
    ]


def neighbor(radices: Sequence[int]) -> list[int]:
    """Go one hop in the positive direction of every dimension, modulo its radix."""
    return [
        node_at(
            radices, [(c + 1) % k for k, c in zip(radices, coordinates(radices, s), strict=True)]
        )
        for s in range(prod(radices))
    ]


def bit_reverse(radices: Sequence[int]) -> list[int]:
    """Reverse the bits of the node's index; for a power of two of nodes."""
    return _of_bits(radices, lambda bits: bits[::-1])


def bit_rotation(radices: Sequence[int]) -> list[int]:
    """Rotate the bits of the node's index right: the lowest bit becomes the top bit."""
    return _of_bits(radices, lambda bits: bits[-1:] + bits[:-1])


def shuffle(radices: Sequence[int]) -> list[int]:
    """Rotate the bits of the node's index left: the top bit becomes the lowest bit."""
    return _of_bits(radices, lambda bits: bits[1:] + bits[:1])


def _of_bits(radices: Sequence[int], rearrange: Callable[[str], str]) -> list[int]:
    """Rearrange the bits of every index, written with the top bit first."""
    n = prod(radices)
    width = n.bit_length() - 1
    if n != 2**width:
        raise ValueError(f"{n} nodes are not a power of two")
    if width == 0:
        return [0]
    return [int(rearrange(f"{s:0{width}b}"), 2) for s in range(n)]


PATTERNS = {
    "bit_complement": bit_complement,
    "bit_reverse": bit_reverse,
    "bit_rotation": bit_rotation,
    "neighbor": neighbor,
    "shuffle": shuffle,
    "tornado": tornado,
    "transpose": transpose,
}
