"""The matching finds the worst case, and its certificate says so and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog
from tests.support import reference

from obroute.certificates import CertificateError, WorstCase, check_certificate
from obroute.matching import worst_case
from obroute.rational import RationalArray, SparseRationalMatrix

Rows = list[list[Fraction]]

small_fractions = st.builds(Fraction, st.integers(1, 12), st.integers(1, 6))
sparse_entries = st.just(Fraction(0)) | small_fractions
PRIMES = [2**61 - 1, 2**89 - 1, 2**127 - 1]


def matrix_of(rows: Sequence[Sequence[Fraction | int]]) -> SparseRationalMatrix:
    """Make a sparse matrix of all entries, zeros dropped."""
    shape = (len(rows), len(rows[0]))
    places = [(i, j) for i in range(shape[0]) for j in range(shape[1])]
    return SparseRationalMatrix.from_triplets(
        np.array([i for i, _ in places]),
        np.array([j for _, j in places]),
        RationalArray.from_fractions([rows[i][j] for i, j in places]),
        shape,
    )


def solve(
    rows: Sequence[Sequence[Fraction | int]],
    supply: Sequence[Fraction | int] | None = None,
    demand: Sequence[Fraction | int] | None = None,
) -> WorstCase:
    """Solve, and have the certificate accepted."""
    matrix = matrix_of(rows)
    injection = RationalArray.from_fractions(supply or [1] * matrix.shape[0])
    ejection = RationalArray.from_fractions(demand or [1] * matrix.shape[1])
    found = worst_case(matrix, injection, ejection, channel=7)
    check_certificate(found, matrix, injection, ejection)
    assert found.channel == 7
    return found


@st.composite
def square(draw: st.DrawFn, largest: int = 6) -> Rows:
    """Draw a square matrix with many zeros, and many equal entries."""
    size = draw(st.integers(1, largest))
    row = st.lists(sparse_entries, min_size=size, max_size=size)
    return draw(st.lists(row, min_size=size, max_size=size))


@st.composite
def oblong(draw: st.DrawFn, largest: int = 5) -> Rows:
    """Draw a matrix of any shape."""
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    row = st.lists(sparse_entries, min_size=columns, max_size=columns)
    return draw(st.lists(row, min_size=rows, max_size=rows))


# ------------------------------------------------------------------------------------- optimum


@given(square())
@settings(max_examples=150)
def test_worst_case_is_the_best_of_all_permutations(rows: Rows) -> None:
    """The twin tries every one of them."""
    found = solve(rows)
    expected, _ = reference.worst_case_by_permutations(rows)
    assert found.load == expected
    permutation = found.permutation
    assert permutation is not None
    assert sorted(permutation.tolist()) == list(range(len(rows)))
    assert sum(rows[s][d] for s, d in enumerate(permutation.tolist())) == expected


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 100), st.floats(0.05, 1))
def test_worst_case_is_that_of_scipy(seed: int, size: int, largest: int, share: float) -> None:
    """Integers this small are exact in SciPy's doubles."""
    generator = np.random.default_rng(seed)
    weights = generator.integers(0, largest + 1, (size, size))
    weights[generator.random((size, size)) > share] = 0
    rows, columns = linear_sum_assignment(weights, maximize=True)
    assert solve(weights.tolist()).load == int(weights[rows, columns].sum())


@given(oblong(), st.data())
@settings(max_examples=100)
def test_transport_is_the_best_of_all_units(rows: Rows, data: st.DataObject) -> None:
    """Integer supplies and demands of any total: the twin makes each unit a terminal."""
    supply, demand = (
        data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
        for count in (len(rows), len(rows[0]))
    )
    assert solve(rows, supply, demand).load == by_units(rows, supply, demand)


@given(oblong(), st.data(), st.integers(2, 5))
def test_fractional_terminals_are_integer_ones_in_smaller_units(
    rows: Rows, data: st.DataObject, unit: int
) -> None:
    """Terminals of thirds are terminals of units, and a third of their load."""
    supply, demand = (
        data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
        for count in (len(rows), len(rows[0]))
    )
    found = solve(
        rows,
        [Fraction(units, unit) for units in supply],
        [Fraction(units, unit) for units in demand],
    )
    assert found.load == by_units(rows, supply, demand) / unit


def by_units(rows: Rows, supply: list[int], demand: list[int]) -> Fraction:
    """Make totals equal by a terminal that sends or takes the rest without load."""
    rest = sum(supply) - sum(demand)
    rows = [list(row) for row in rows]
    if rest > 0:
        rows = [[*row, Fraction(0)] for row in rows]
        demand = [*demand, rest]
    elif rest < 0:
        rows.append([Fraction(0)] * len(rows[0]))
        supply = [*supply, -rest]
    return reference.expected_worst_case_transport(rows, supply, demand)


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_transport_of_many_units_is_that_of_a_linear_program(seed: int) -> None:
    """Supplies of two different denominators and up to nine units, against HiGHS."""
    generator = np.random.default_rng(seed)
    rows, columns = generator.integers(2, 9, 2)
    weights = generator.integers(0, 20, (rows, columns)) * (
        generator.random((rows, columns)) < 0.6
    )
    supply = [Fraction(int(n), 2) for n in generator.integers(1, 10, rows)]
    demand = [Fraction(int(n), 3) for n in generator.integers(1, 10, columns)]
    limits = np.vstack(
        [np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))]
    )
    program = linprog(
        -weights.ravel(), A_ub=limits, b_ub=[float(x) for x in supply + demand], method="highs"
    )
    assert float(solve(weights.tolist(), supply, demand).load) == pytest.approx(-program.fun)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5), (5, 2)])
def test_a_channel_without_load_has_the_worst_case_zero(shape: tuple[int, int]) -> None:
    """Traffic that does not matter stays at home; the potentials are zero."""
    found = solve([[0] * shape[1]] * shape[0])
    assert found.load == 0
    assert set(found.source_potentials.fractions() + found.destination_potentials.fractions()) == {
        0
    }
    least = min(shape)
    assert found.sources.tolist() == found.destinations.tolist() == list(range(least))


@given(oblong(), st.data())
def test_traffic_uses_what_the_terminals_have(rows: Rows, data: st.DataObject) -> None:
    """All of the smaller side's bandwidth, and no terminal more than its own."""
    supply = data.draw(st.lists(small_fractions, min_size=len(rows), max_size=len(rows)))
    demand = data.draw(st.lists(small_fractions, min_size=len(rows[0]), max_size=len(rows[0])))
    found = solve(rows, supply, demand)
    sent, received = [Fraction(0)] * len(supply), [Fraction(0)] * len(demand)
    amounts = found.amounts.fractions()
    for s, d, amount in zip(found.sources, found.destinations, amounts, strict=True):
        assert amount > 0
        sent[s] += amount
        received[d] += amount
    assert all(x <= limit for x, limit in zip(sent, supply, strict=True))
    assert all(x <= limit for x, limit in zip(received, demand, strict=True))
    assert sum(sent) == min(sum(supply), sum(demand))


def test_split_traffic_is_no_permutation() -> None:
    """A source that feeds two destinations has no single one."""
    found = solve([[1, 1], [0, 0]], supply=[2, 1], demand=[1, 2])
    assert found.load == 2
    assert found.permutation is None


def test_the_same_matrix_has_the_same_certificate() -> None:
    """Nothing is random."""
    rows = [[Fraction((3 * i + 5 * j) % 7, 4) for j in range(9)] for i in range(9)]
    first, second = solve(rows), solve(rows)
    assert first.destinations.tolist() == second.destinations.tolist()
    assert first.source_potentials.fractions() == second.source_potentials.fractions()


# ------------------------------------------------------------------------- weights of any size


@given(square(5), st.integers(70, 300), st.sampled_from(PRIMES), st.integers(0, 10**6))
@settings(max_examples=100)
def test_large_weights_are_exact(rows: Rows, bits: int, prime: int, seed: int) -> None:
    """Every entry scaled beyond 63 bits and moved in its low bits: an exact optimum still."""
    generator = np.random.default_rng(seed)
    unit = 1 << bits
    common = lcm(*(entry.denominator for row in rows for entry in row))
    huge = [
        [
            int(entry * common) * unit + int(generator.integers(0, 4)) + prime % 97
            if entry
            else Fraction(0)
            for entry in row
        ]
        for row in rows
    ]
    assert solve(huge).load == reference.worst_case_by_permutations(huge)[0]


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(62, 260))
@settings(max_examples=60)
def test_near_ties_are_decided_by_their_lowest_bits(seed: int, size: int, bits: int) -> None:
    """All permutations weigh the same but for the last few units."""
    generator = np.random.default_rng(seed)
    low = generator.integers(0, 6, (size, size))
    rows, columns = linear_sum_assignment(low, maximize=True)
    huge = [[(1 << bits) + int(entry) for entry in row] for row in low]
    assert solve(huge).load == (size << bits) + int(low[rows, columns].sum())


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(61, 400))
@settings(max_examples=60)
def test_random_large_weights_have_the_twin_s_proof(seed: int, size: int, bits: int) -> None:
    """Bits at every height, rows of very different sizes; the twin proves the permutation."""
    generator = np.random.default_rng(seed)
    huge = [
        [
            int.from_bytes(generator.bytes(bits // 8 + 1), "big") >> int(generator.integers(bits))
            for _ in range(size)
        ]
        for _ in range(size)
    ]
    permutation = solve(huge).permutation
    assert permutation is not None
    reference.prove_optimal(huge, permutation.tolist())


@given(square(5), st.sampled_from(PRIMES), st.sampled_from(PRIMES))
def test_scaling_by_large_primes_scales_the_worst_case(rows: Rows, up: int, down: int) -> None:
    """Numerators and denominators beyond 63 bits, without common factors."""
    factor = Fraction(up, down)
    scaled = [[entry * factor for entry in row] for row in rows]
    assert solve(scaled).load == solve(rows).load * factor


@given(oblong(3), st.data(), st.integers(70, 200))
def test_large_weights_are_exact_in_transport_too(
    rows: Rows, data: st.DataObject, bits: int
) -> None:
    """Terminals of several units, weights of several words; so few that the twin tries all."""
    supply, demand = (
        data.draw(st.lists(st.integers(1, 2), min_size=count, max_size=count))
        for count in (len(rows), len(rows[0]))
    )
    factor = (1 << bits) + 1
    moved = [
        [entry and entry * factor + Fraction((3 * i + j) % 4, 60) for j, entry in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    assert solve(moved, supply, demand).load == by_units(moved, supply, demand)


@pytest.mark.parametrize("size", [40, 120])
@pytest.mark.parametrize("bits", [62, 64, 100, 1000])
def test_larger_matrices_of_large_weights_are_proved(size: int, bits: int) -> None:
    """More rows than the twin can try, as many bits as anyone has."""
    generator = np.random.default_rng(bits)
    huge = [
        [int.from_bytes(generator.bytes(bits // 8), "big") for _ in range(size)]
        for _ in range(size)
    ]
    permutation = solve(huge).permutation
    assert permutation is not None
    reference.prove_optimal(huge, permutation.tolist())


# -------------------------------------------------------------------------------- certificates

ROWS = [
    [Fraction(0), Fraction(2), Fraction(1, 3), Fraction(0)],
    [Fraction(2), Fraction(1), Fraction(0), Fraction(1, 2)],
    [Fraction(1), Fraction(0), Fraction(1), Fraction(1, 2)],
    [Fraction(0), Fraction(0), Fraction(1, 4), Fraction(0)],
]
UNITS = RationalArray.full(4, 1)


def changed(array: RationalArray, place: int, by: Fraction) -> RationalArray:
    """Add to one entry."""
    values = array.fractions()
    values[place] += by
    return RationalArray.from_fractions(values)


def shortened(array: RationalArray) -> RationalArray:
    """Drop the last entry."""
    return array.take(slice(0, -1))


def first_positive(array: RationalArray) -> int:
    """Give the first place above zero."""
    return next(place for place, value in enumerate(array.fractions()) if value > 0)


def swapped(case: WorstCase) -> WorstCase:
    """Exchange the destinations of the first two sources."""
    return replace(case, destinations=case.destinations[[1, 0, *range(2, len(case.destinations))]])


def with_source(place: int, by: Fraction) -> Callable[[WorstCase], WorstCase]:
    """Move one source potential."""
    return lambda case: replace(case, source_potentials=changed(case.source_potentials, place, by))


EPSILON = Fraction(1, 10**40)
MUTATIONS: dict[str, tuple[Callable[[WorstCase], WorstCase], str]] = {
    "load too high": (lambda case: replace(case, load=case.load + EPSILON), "recorded"),
    "load too low": (lambda case: replace(case, load=case.load - EPSILON), "recorded"),
    "destinations swapped": (swapped, "the traffic loads it with"),
    "a destination twice": (
        lambda case: replace(case, destinations=case.destinations[[0, 0, 2, 3]]),
        "destination .* more than its bandwidth",
    ),
    "a source twice": (
        lambda case: replace(case, sources=case.sources[[0, 0, 2, 3]]),
        "source 0 carries 2 packets",
    ),
    "a source that does not exist": (
        lambda case: replace(case, sources=np.array([0, 1, 2, 4])),
        "source 4",
    ),
    "a destination before the first": (
        lambda case: replace(case, destinations=np.array([1, 0, 2, -1])),
        "destination -1",
    ),
    "an amount raised": (
        lambda case: replace(case, amounts=changed(case.amounts, 0, EPSILON)),
        "more than its bandwidth",
    ),
    "an amount lowered": (
        lambda case: replace(case, amounts=changed(case.amounts, 0, -EPSILON)),
        "the traffic loads it with",
    ),
    "a negative amount": (
        lambda case: replace(case, amounts=changed(case.amounts, 3, Fraction(-2))),
        "is negative",
    ),
    "a source potential lowered": (
        lambda case: with_source(first_positive(case.source_potentials), -EPSILON)(case),
        "the potentials bound the load by",
    ),
    "a source potential raised": (with_source(0, EPSILON), "the potentials bound the load by"),
    "a destination potential lowered": (
        lambda case: replace(
            case,
            destination_potentials=changed(
                case.destination_potentials, first_positive(case.destination_potentials), -EPSILON
            ),
        ),
        "the potentials bound the load by",
    ),
    "a negative source potential": (with_source(3, Fraction(-9)), "a source potential is negat"),
    "a negative destination potential": (
        lambda case: replace(
            case, destination_potentials=changed(case.destination_potentials, 3, Fraction(-9))
        ),
        "a destination potential is negative",
    ),
    "source potentials cut short": (
        lambda case: replace(case, source_potentials=shortened(case.source_potentials)),
        "3 source potentials, not 4",
    ),
    "destination potentials cut short": (
        lambda case: replace(case, destination_potentials=shortened(case.destination_potentials)),
        "3 destination potentials, not 4",
    ),
}


def test_the_certificate_to_mutate_is_right() -> None:
    """By hand: sources 0, 1, 2 to 1, 0, 2 make 5, and no permutation more."""
    case = solve(ROWS)
    assert case.load == reference.worst_case_by_permutations(ROWS)[0] == 5
    assert case.destinations.tolist() == [1, 0, 2, 3]


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutated_certificate_is_refused(name: str) -> None:
    """Each single change is found, and said."""
    mutate, message = MUTATIONS[name]
    with pytest.raises(CertificateError, match=f"channel 7: .*{message}"):
        check_certificate(mutate(solve(ROWS)), matrix_of(ROWS), UNITS, UNITS)


@given(square(6), st.data())
@settings(max_examples=100)
def test_potentials_that_bound_too_little_are_refused(rows: Rows, data: st.DataObject) -> None:
    """The sum is kept, so that only the inequality of a tight entry can tell."""
    case = solve(rows)
    sources = case.source_potentials.fractions()
    positive = [place for place, value in enumerate(sources) if value > 0]
    if len(sources) < 2 or not positive:
        return
    lowered = data.draw(st.sampled_from(positive))
    raised = data.draw(st.sampled_from([p for p in range(len(sources)) if p != lowered]))
    step = data.draw(st.sampled_from([EPSILON, sources[lowered]]))
    moved = changed(changed(case.source_potentials, lowered, -step), raised, step)
    with pytest.raises(CertificateError, match=f"potentials of source {lowered} and destination"):
        check_certificate(
            replace(case, source_potentials=moved),
            matrix_of(rows),
            RationalArray.full(len(rows), 1),
            RationalArray.full(len(rows), 1),
        )


@given(square(6), st.data())
@settings(max_examples=100)
def test_a_certificate_is_of_one_matrix(rows: Rows, data: st.DataObject) -> None:
    """One pair load more than the potentials allow, or one used pair load less: refused."""
    case = solve(rows)
    places = st.integers(0, len(rows) - 1)
    row, column = data.draw(places), data.draw(places)
    u, v = case.source_potentials.fraction(row), case.destination_potentials.fraction(column)
    units = RationalArray.full(len(rows), 1)
    higher = [list(entries) for entries in rows]
    higher[row][column] = u + v + EPSILON
    with pytest.raises(CertificateError):
        check_certificate(case, matrix_of(higher), units, units)
    used = int(case.destinations[row])
    if rows[row][used]:
        lower = [list(entries) for entries in rows]
        lower[row][used] -= EPSILON
        with pytest.raises(CertificateError, match="the traffic loads it with"):
            check_certificate(case, matrix_of(lower), units, units)


@given(square(6), st.data())
@settings(max_examples=100)
def test_a_permutation_that_is_not_worst_is_refused(rows: Rows, data: st.DataObject) -> None:
    """Even if its own load is recorded: the potentials bound another value."""
    case = solve(rows)
    other = data.draw(st.permutations(range(len(rows))))
    load = sum((rows[s][d] for s, d in enumerate(other)), Fraction(0))
    units = RationalArray.full(len(rows), 1)
    mutated = replace(case, destinations=np.array(other), load=load)
    if load == case.load:
        check_certificate(mutated, matrix_of(rows), units, units)
        return
    with pytest.raises(CertificateError, match="the potentials bound the load by"):
        check_certificate(mutated, matrix_of(rows), units, units)


def test_a_certificate_beyond_63_bits_is_checked_to_the_last_unit() -> None:
    """One unit in 2^200 is seen."""
    huge = [[2**200, 2**200 + 1], [2**200 + 1, 2**200]]
    case, units = solve(huge), RationalArray.full(2, 1)
    assert case.load == 2**201 + 2
    for load in (case.load - 1, case.load + 1):
        with pytest.raises(CertificateError, match="recorded"):
            check_certificate(replace(case, load=Fraction(load)), matrix_of(huge), units, units)
    moved = changed(changed(case.source_potentials, 0, Fraction(-1)), 1, Fraction(1))
    with pytest.raises(CertificateError, match="sum to less than their pair load"):
        check_certificate(replace(case, source_potentials=moved), matrix_of(huge), units, units)
