"""Numbers: exact, bounded, and read alike wherever one is given."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import obroute
from obroute.reading import over_one_denominator
from obroute.specs import (
    LARGEST,
    MOST_DIGITS,
    InputError,
    parse_fraction,
    parse_integer,
    parse_positive_fraction,
    parse_whole,
)
from obroute.traffic.reading import read_traffic

BEYOND = ["1e999999999", "1e-999999999", "9" * 5000, "1e400", "1e-400", "1/" + "9" * 5000]
BEYOND += ["1e" + "9" * 5000, "0." + "0" * 5000 + "1", "1e101"]


def evaluated(table: str) -> Fraction:
    """Return the worst case of a table on three nodes."""
    Path("t.csv").write_text(table)
    return obroute.evaluate("ring:3", obroute.make_routing("t.csv")).worst_case_load


PAIRS = [(a, b) for a in range(3) for b in range(3) if a != b]
PATHS = "source,destination,probability,path\n" + "".join(
    f"{a},{b},1,{a} {b}\n" for a, b in PAIRS[1:]
)
FLOWS = "source,destination,tail,head,flow\n" + "".join(
    f"{a},{b},{a},{b},1\n" for a, b in PAIRS[1:]
)


def write(name: str, text: str) -> str:
    """Write a file in the working directory, and return its name."""
    Path(name).write_text(text)
    return name


WHERE = {
    "bandwidth": lambda n: obroute.make_network(write("n.csv", f"a,b,{n}\nb,a\n")),
    "bandwidth at an arrow": lambda n: obroute.make_network(write("n.csv", f"a -- b, {n}\n")),
    "of a family": lambda n: obroute.make_network(f"ring:3,bandwidth={n}"),
    "terminal": lambda n: obroute.make_network(
        write("n.csv", "a,b\nb,a\n") + ":terminals=" + write("h.csv", f"a,{n}\nb,1\n")
    ),
    "weight": lambda n: obroute.make_routing(f"{n}*dor+1/2*dor"),
    "probability": lambda n: evaluated(f"{PATHS}0,1,{n},0 1\n"),
    "flow": lambda n: evaluated(f"{FLOWS}0,1,0,1,{n}\n"),
    "probability in JSON": lambda n: obroute.make_routing(
        write("t.json", f'[{{"source":0,"destination":1,"probability":{n},"path":[0,1]}}]')
    ),
    "amount": lambda n: read_traffic(
        Path(write("m.csv", f"source,destination,amount\n0,1,{n}\n"))
    ).amounts(obroute.make_network("ring:3")),
    "locality": lambda n: obroute.design("ring:3", locality=n),
    "load": lambda n: obroute.design("ring:3", load=n),
}


@pytest.mark.parametrize("number", BEYOND, ids=lambda number: number[:12])
@pytest.mark.parametrize("where", WHERE)
def test_a_number_beyond_bounds_is_refused_at_once(where, number, tmp_path, monkeypatch) -> None:
    """Wherever it stands, in one line that does not print all of it."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        WHERE[where](number)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < (800 if where in ("of a family", "weight") else 400) or len(number) > 2000


@pytest.mark.parametrize("number", ["-1", "-1/3", "-1e-99"])
@pytest.mark.parametrize("where", [where for where in WHERE if "JSON" not in where])
def test_a_negative_number_is_refused(where: str, number: str, tmp_path, monkeypatch) -> None:
    """Wherever it stands."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        WHERE[where](number)


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (f"{PATHS}0,1,2,0 1\n0,1,-1,0 1\n", "line 8: probability -1 is negative"),
        (f"{PATHS}0,1,1,0 1\n0,1,1,0 2 1\n0,1,-1,0 2 1\n", "line 9: probability -1 is negative"),
        (f"{FLOWS}0,1,0,1,2\n0,1,0,1,-1\n", "line 8: flow -1 is negative"),
    ],
)
def test_a_negative_share_is_refused_where_another_makes_up_for_it(
    table: str, line: str, tmp_path, monkeypatch
) -> None:
    """By its line; the shares of the pair add up to one."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=line):
        evaluated(table)


@given(st.fractions(), st.integers(0, 90))
def test_a_fraction_is_read_as_it_is_written(value: Fraction, power: int) -> None:
    """Also with an exponent."""
    assert parse_fraction(str(value)) == value
    assert parse_fraction(f" {value.numerator}e-{power} ") == Fraction(value.numerator, 10**power)


@given(st.from_regex(r"[-+]?[0-9]{0,6}[./]?[0-9]{0,6}([eE][-+]?[0-9]{1,12})?", fullmatch=True))
def test_any_number_is_exact_or_refused(text: str) -> None:
    """At once, by its size."""
    try:
        value = parse_fraction(text)
    except InputError as error:
        said = str(error)
    else:
        assert value == Fraction(text)
        assert value == 0 or 1 / Fraction(LARGEST) <= abs(value) <= LARGEST
        assert abs(float(value)) < float("inf")
        return
    assert "\n" not in said
    assert len(said) < 250


def test_bounds_are_where_they_are_said_to_be() -> None:
    """The last number within is read, the next is not."""
    digits = "1" * MOST_DIGITS
    assert parse_fraction(f"1{digits[1:]}/2{digits[1:]}") > 0
    assert parse_whole(digits) == int(digits)
    for beyond in (f"1{digits}/2{digits}", f"{digits}1"):
        with pytest.raises(InputError, match="digits above and below"):
            parse_fraction(beyond)
    with pytest.raises(InputError, match="digits above and below"):
        parse_whole(f"{digits}1")
    assert parse_fraction("1e100") == LARGEST
    assert parse_positive_fraction("1e-100") == Fraction(1, LARGEST)
    with pytest.raises(InputError, match="12 is too large; expected at most 11"):
        parse_integer(1, 11)("12")


def test_numbers_without_a_common_denominator_are_refused(tmp_path, monkeypatch) -> None:
    """Before exact arithmetic takes for ever; the same numbers as decimals are read."""
    primes = [n for n in range(10_000, 60_000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    odd = [Fraction(1, prime) for prime in primes]
    with pytest.raises(InputError, match=r"common denominator .* more than 10,000 digits"):
        over_one_denominator(Path("x.csv"), odd)
    decimals = [Fraction(f"{float(value):.12f}") for value in odd]
    assert over_one_denominator(Path("x.csv"), decimals) == decimals
    monkeypatch.chdir(tmp_path)
    ring = [f"{n},{(n + 1) % len(odd)},{share}" for n, share in enumerate(odd)]
    with pytest.raises(InputError, match="common denominator"):
        obroute.make_network(write("n.csv", "\n".join(ring)))
