"""What a user gives: the errors that say what is wrong with it, and the readers of values.

A :class:`Parameter` says of one value in a name (``order`` in ``romm:order=fixed``) what it means
and how it is read; :mod:`obroute.registry` puts names together.
"""

from __future__ import annotations

import difflib
import inspect
import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from keyword import iskeyword
from pathlib import Path
from typing import Any, get_type_hints

from obroute.found_files import placed

MOST_DIGITS = 1000
"""Digits that the numerator and the denominator of a number may have."""
LARGEST = 10**100
"""How far from one a number other than zero may be, to either side."""
MOST_SHOWN = 80
"""Characters of a value in an error."""
MOST_DRAWN = 10_000_000
"""How many of one thing (permutations, matrices, runs, paths) may be drawn."""
MOST_SAMPLES = 100_000
"""How many traffic matrices a design may be for: each is a part of its linear program."""
LARGEST_SEED = 2**63 - 1
"""What a store has room for."""
_EXPONENT = re.compile(r"[eE]([-+]?\d+)$")


class InputError(ValueError):
    """Something that the user gave cannot be used; the message says what, why and the remedy."""


class CertificateError(Exception):
    """A worst case does not prove what it claims."""


class RequirementError(Exception):
    """An answer does not meet a condition that was required of it; the message has the value."""


class TaskError(RuntimeError):
    """A task could not be run where it was sent; the message says what, why and the remedy."""


def suggestion(word: str, known: list[str]) -> str:
    """Return ``; did you mean 'x'?`` for the closest known word, else the list of known words."""
    close = difflib.get_close_matches(word, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{hint} (known: {', '.join(sorted(known))})"


def split_outside(text: str, mark: str) -> list[str]:
    """Split a text at a character, but not within round brackets.

    >>> split_outside("a,base=(b:c,d),e", ",")
    ['a', 'base=(b:c,d)', 'e']
    """
    pieces, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == mark and depth <= 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def is_file(name: str) -> bool:
    """Say whether there is a file that is called what the user wrote."""
    try:
        return placed(Path(name)).is_file()
    except OSError:  # too long to be the name of one
        return False


def shown(value: object) -> str:
    """Return a value as an error has it: on one line, and cut where it is long.

    >>> shown("3 4"), len(shown("9" * 5000)) <= MOST_SHOWN
    ("'3 4'", True)
    """
    return _SHOWN.repr(value)


def cut(text: str) -> str:
    """Return what a user wrote as it stands, but for the middle where it is long.

    >>> cut("1/3"), len(cut("9" * 5000))
    ('1/3', 80)
    """
    half = MOST_SHOWN // 2
    return text if len(text) <= MOST_SHOWN else f"{text[:half]}…{text[1 - half :]}"


class _Shown(reprlib.Repr):
    """What Python shows of a value, within 80 characters, however large or deep it is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MOST_SHOWN
        self.maxlevel, self.fillvalue = 3, "…"

    def repr(self, x: Any) -> str:
        text = super().repr(x)
        return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 2]}…{text[-1]}"

    def repr_Decimal(self, x: Decimal, level: int) -> str:  # noqa: N802
        return str(x)

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if abs(x) < 10**MOST_SHOWN else f"a number of {x.bit_length():,} bits"


_SHOWN = _Shown()


def parse_fraction(text: str) -> Fraction:
    """Read ``3``, ``1/3``, ``0.25`` or ``1e-3`` exactly.

    Raises
    ------
    InputError
        If it is no number; has more than :data:`MOST_DIGITS` digits above or below the line; or is
        beyond ``1e100`` or, unless it is zero, within ``1e-100``, so that floats have room for it
        and for what is made of it.

    Examples
    --------
    >>> parse_fraction("0.25")
    Fraction(1, 4)
    >>> parse_fraction("1e999999999")
    Traceback (most recent call last):
    obroute.specs.InputError: '1e999999999' is too large or too small; expected from 1e-100 to
    1e100, or zero
    """
    text = text.strip()
    if len(text) > 2 * MOST_DIGITS + 2:
        raise _too_long(text)
    exponent = _EXPONENT.search(text)
    if exponent is not None and abs(int(exponent[1])) > MOST_DIGITS:
        raise _too_far(text)
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"{shown(text)} is not a number; expected a whole number, a fraction such as 1/3 or a "
            "decimal"
        ) from None
    above, below = abs(value.numerator), value.denominator
    if max(above, below) >= 10**MOST_DIGITS:
        raise _too_long(text)
    if above > below * LARGEST or (above and above * LARGEST < below):
        raise _too_far(text)
    return value


def _too_long(text: str) -> InputError:
    return InputError(
        f"{shown(text)} is a number of {len(text):,} characters; expected at most {MOST_DIGITS:,} "
        "digits above and below the line"
    )


def _too_far(text: str) -> InputError:
    power = len(str(LARGEST)) - 1
    return InputError(
        f"{shown(text)} is too large or too small; expected from 1e-{power} to 1e{power}, or zero"
    )


def parse_positive_fraction(text: str) -> Fraction:
    """Read a number greater than zero exactly."""
    value = parse_fraction(text)
    if value <= 0:
        raise InputError(f"{cut(text)} is not positive; expected a number greater than zero")
    return value


def parse_whole(text: str) -> int:
    """Read a whole number.

    Raises
    ------
    InputError
        If it is none, or has more than :data:`MOST_DIGITS` digits.
    """
    if len(text) > MOST_DIGITS:
        raise _too_long(text)
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{shown(text)} is not a whole number") from None


def parse_integer(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers from ``least`` to ``most``, which raises at others.

    >>> parse_integer(1, 64)("8")
    8
    """

    def parse(text: str) -> int:
        value = parse_whole(text)
        if value < least:
            raise InputError(f"{cut(str(value))} is too small; expected at least {least}")
        if most is not None and value > most:
            raise InputError(f"{cut(str(value))} is too large; expected at most {most}")
        return value

    return parse


def parse_choice(*choices: str) -> Callable[[str], str]:
    """Return a reader that accepts one of the given words, and raises at others.

    >>> parse_choice("fixed", "random")("fixed")
    'fixed'
    """

    def parse(text: str) -> str:
        if text not in choices:
            raise InputError(f"{shown(text)} is not one of {', '.join(choices)}")
        return text

    return parse


def parameter_of(argument: str) -> str:
    """Return the parameter that an argument of a function is for.

    >>> parameter_of("global_"), argument_of("global"), argument_of("hosts")
    ('global', 'global_', 'hosts')
    """
    bare = argument.removesuffix("_")
    return bare if iskeyword(bare) else argument


def argument_of(parameter: str) -> str:
    """Return the argument of a function that is for a parameter."""
    return f"{parameter}_" if iskeyword(parameter) else parameter


_REQUIRED: Any = object()


@dataclass(frozen=True)
class Parameter:
    """What a value in a name means, and how it is read and written.

    It annotates a parameter of the function or class that is registered. The signature has the
    rest: a parameter without a default is required, and one after ``*`` is given by keyword.

    Parameters
    ----------
    meaning
        What it says, for listings and error messages.
    parse
        Reads its text; raises :class:`InputError` when it cannot.
    write
        Writes a value as it is read.
    matters
        Says, of the values of all parameters, whether this one has any effect beside the others;
        where it has none it is left out of the name. Always, if not given.
    name, default, by_keyword
        Its keyword, the value where none is given, and whether it has no place among the values
        without a keyword: from the signature. The argument of a parameter whose name is a word of
        Python's own has an underscore after it (``global_``).

    Examples
    --------
    >>> from typing import Annotated
    >>> Nodes = Annotated[int, Parameter("number of nodes", parse_integer(2))]
    >>> def ring(nodes: Nodes = 8) -> None: ...
    >>> (parameter,) = Parameter.of(ring)
    >>> parameter.name, parameter.default, parameter.parse("5")
    ('nodes', 8, 5)
    """

    meaning: str
    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str
    matters: Callable[[Mapping[str, Any]], bool] | None = None
    name: str = ""
    default: Any = _REQUIRED
    by_keyword: bool = False

    @property
    def required(self) -> bool:
        """Whether a value has to be given."""
        return self.default is _REQUIRED

    @classmethod
    def of(cls, make: Callable[..., Any]) -> tuple[Parameter, ...]:
        """Return the parameters that a function or class is annotated with."""
        function: Any = make
        if isinstance(make, type):
            function = make.__init__  # type: ignore[misc]  # the class is itself, no subclass
        hints = get_type_hints(inspect.unwrap(function), include_extras=True)
        found = []
        for name, given in inspect.signature(make).parameters.items():
            notes = getattr(hints.get(name), "__metadata__", ())
            note = next((note for note in notes if isinstance(note, cls)), None)
            if note is None:
                raise TypeError(
                    f"parameter '{name}' of {make.__qualname__} says nothing of itself; annotate "
                    "it: Annotated[type, Parameter(meaning, parse)]"
                )
            default = _REQUIRED if given.default is given.empty else given.default
            by_keyword = given.kind is given.KEYWORD_ONLY
            said = {"name": parameter_of(name), "default": default, "by_keyword": by_keyword}
            found.append(replace(note, **said))
        return tuple(found)
