"""The grammar of names with parameters, and the registries that resolve them.

Networks, routings, traffic patterns and importers are all named the same way,
``name:value,key=value`` (``torus:8x8``, ``romm:order=fixed``), and all register themselves in a
:class:`Registry`, which parses, validates, lists and suggests.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class InputError(ValueError):
    """Something that the user gave cannot be used; the message says what, why and the remedy."""


class TaskError(RuntimeError):
    """A task could not be run where it was sent; the message says what, why and the remedy."""


def suggestion(word: str, known: list[str]) -> str:
    """Return ``; did you mean 'x'?`` for the closest known word, else the list of known words."""
    close = difflib.get_close_matches(word, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{hint} (known: {', '.join(sorted(known))})"


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
    """One parameter of a registered family.

    Parameters
    ----------
    name, meaning
        Its keyword, and what it says, for listings and error messages.
    parse
        Reads its text; raises :class:`InputError` when it cannot.
    default
        Its value where none is given; without one the parameter is required.
    """

    name: str
    meaning: str
    parse: Callable[[str], Any]
    default: Any = _REQUIRED

    @property
    def required(self) -> bool:
        """Whether a value has to be given."""
        return self.default is _REQUIRED


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A registered family: how to make a member, and what to say of it."""

    name: str
    make: Callable[..., T]
    summary: str
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    defined_for: str = ""

    def usage(self) -> str:
        """Return the form of its names, such as ``torus:shape[,bandwidth=1]``."""
        required = ",".join(p.name for p in self.parameters if p.required)
        optional = "".join(f"[,{p.name}={p.default}]" for p in self.parameters if not p.required)
        if not required:
            optional = optional.replace("[,", "[", 1)
        return self.name + (f":{required}{optional}" if self.parameters else "")

    def _takes_file(self, place: int) -> bool:
        """Say whether the parameter at a place is a file, whose name may hold an equals sign."""
        if place >= len(self.parameters):
            return False
        parameter = self.parameters[place]
        return parameter.required and parameter.parse is Path

    def bind(self, arguments: str, given: str) -> dict[str, Any]:
        """Read the text after the colon into keyword values."""
        texts: dict[str, str] = {}
        known = [p.name for p in self.parameters]
        positional = iter(known)
        # A file that is all that a name says may have commas in its own.
        alone = len(self.parameters) == 1 and self._takes_file(0)
        pieces = [arguments] if alone else arguments.split(",")
        for piece in filter(None, map(str.strip, pieces)):
            key, equals, value = piece.partition("=")
            if not equals or (key not in known and self._takes_file(len(texts))):
                key, value = next(positional, ""), piece
                if not key:
                    raise InputError(
                        f"'{given}': '{piece}' is one value too many; expected {self.usage()}"
                    )
            if key not in known:
                raise InputError(
                    f"'{given}': {self.name} has no parameter '{key}'"
                    + (suggestion(key, known) if known else "; it takes none")
                )
            if key in texts:
                raise InputError(f"'{given}': parameter '{key}' is given twice")
            texts[key] = value
        values = {}
        for parameter in self.parameters:
            if parameter.name in texts:
                try:
                    values[parameter.name] = parameter.parse(texts[parameter.name])
                except InputError as error:
                    raise InputError(f"'{given}': {parameter.name}: {error}") from None
            elif parameter.required:
                raise InputError(
                    f"'{given}': {parameter.name} is missing ({parameter.meaning}); expected "
                    f"{self.usage()}"
                )
            else:
                values[parameter.name] = parameter.default
        return values


@dataclass
class Registry(Generic[T]):
    """The families of one kind, each registered by the file that defines it.

    Examples
    --------
    >>> greetings: Registry[str] = Registry("greeting")
    >>> @greetings.register("hello", "greets", (Parameter("name", "whom", str, "world"),))
    ... def hello(name: str) -> str:
    ...     return f"hello {name}"
    >>> greetings.create("hello:you")
    'hello you'
    >>> greetings.create("helo")
    Traceback (most recent call last):
    obroute.specs.InputError: unknown greeting 'helo'; did you mean 'hello'? (known: hello)
    """

    kind: str
    entries: dict[str, Entry[T]] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def register(
        self,
        name: str,
        summary: str,
        parameters: tuple[Parameter, ...] = (),
        *,
        aliases: tuple[str, ...] = (),
        defined_for: str = "",
    ) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """Register the decorated function or class; a name that is taken is rejected."""

        def decorate(make: Callable[..., T]) -> Callable[..., T]:
            for word in (name, *aliases):
                if word in self._names:
                    raise ValueError(f"the {self.kind} '{word}' is registered twice")
                self._names[word] = name
            self.entries[name] = Entry(name, make, summary, parameters, aliases, defined_for)
            return make

        return decorate

    def __contains__(self, word: str) -> bool:
        return word in self._names

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(self.entries.values())

    def find(self, word: str) -> Entry[T]:
        """Return the family of that name or alias, or raise with a suggestion."""
        if word not in self._names:
            raise InputError(
                f"unknown {self.kind} '{word}'" + suggestion(word, list(self.entries))
            )
        return self.entries[self._names[word]]

    def create(self, spec: str) -> T:
        """Make the member that a name with parameters describes."""
        word, _, arguments = spec.strip().partition(":")
        entry = self.find(word.strip())
        values = entry.bind(arguments, spec)
        try:
            return entry.make(**values)
        except InputError as error:
            message = str(error)
            raise InputError(message if spec in message else f"'{spec}': {message}") from None


def canonical_name(name: str, values: dict[str, Any], defaults: dict[str, Any]) -> str:
    """Return the one name of a member: parameters in order, defaults left out.

    >>> canonical_name("romm", {"order": "fixed"}, {"order": "random"})
    'romm:order=fixed'
    """
    shown = ",".join(f"{k}={v}" for k, v in values.items() if v != defaults.get(k))
    separator = "," if ":" in name else ":"
    return f"{name}{separator}{shown}" if shown else name
