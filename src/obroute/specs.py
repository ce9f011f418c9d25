"""What a user gives: the errors that say what is wrong with it, and the readers of values.

A :class:`Parameter` says of one value in a name (``order`` in ``romm:order=fixed``) what it means
and how it is read; :mod:`obroute.registry` puts names together.
"""

from __future__ import annotations

import difflib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, get_type_hints


class InputError(ValueError):
    """Something that the user gave cannot be used; the message says what, why and the remedy."""


class CertificateError(Exception):
    """A worst case does not prove what it claims."""


class TaskError(RuntimeError):
    """A task could not be run where it was sent; the message says what, why and the remedy."""


def suggestion(word: str, known: list[str]) -> str:
    """Return ``; did you mean 'x'?`` for the closest known word, else the list of known words."""
    close = difflib.get_close_matches(word, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{hint} (known: {', '.join(sorted(known))})"


def is_file(name: str) -> bool:
    """Say whether there is a file that is called what the user wrote."""
    try:
        return Path(name).is_file()
    except OSError:  # too long to be the name of one
        return False


def read_text(file: Path, expected: str) -> str:
    """Return the text of a file that the user named, or say why it cannot be read."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not a text file; expected {expected} in UTF-8") from None


def read_json(file: Path, text: str) -> Any:
    """Return what JSON text of a file says, or that it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}: not JSON: {error}") from None


def parse_fraction(text: str) -> Fraction:
    """Read ``3``, ``1/3`` or ``0.25`` exactly.

    >>> parse_fraction("0.25")
    Fraction(1, 4)
    """
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"'{text}' is not a number; expected a whole number, a fraction such as 1/3 or a "
            "decimal"
        ) from None


def parse_positive_fraction(text: str) -> Fraction:
    """Read a number greater than zero exactly."""
    value = parse_fraction(text)
    if value <= 0:
        raise InputError(f"{text} is not positive; expected a number greater than zero")
    return value


def parse_integer(least: int) -> Callable[[str], int]:
    """Return a reader of whole numbers of at least ``least``."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise InputError(f"'{text}' is not a whole number") from None
        if value < least:
            raise InputError(f"{value} is too small; expected at least {least}")
        return value

    return parse


def parse_choice(*choices: str) -> Callable[[str], str]:
    """Return a reader that accepts one of the given words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise InputError(f"'{text}' is not one of {', '.join(choices)}")
        return text

    return parse


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
        without a keyword: from the signature.

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
            found.append(replace(note, name=name, default=default, by_keyword=by_keyword))
        return tuple(found)
