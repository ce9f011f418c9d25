"""Settings of experiments: one typed field gives default, check, words, record and schema."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from obroute.dependencies import Dependencies
from obroute.specs import MOST_SHOWN, InputError, shown, suggestion

NOT_GIVEN: Any = PydanticUndefined


@dataclass(frozen=True)
class Option:
    """How a setting is written on a command line, and where else it appears.

    Parameters
    ----------
    word
        The option's word; ``--`` and the field's name where not given.
    in_study
        Whether a study can give it.
    study
        What a study takes where it gives none, if that is not the field's default.
    recorded
        Whether a store records it; not where it changes nothing of the result.
    argument
        Whether it stands without a word, between the network and the routing, and must be given;
        one that is a list is all words up to the first option, and may be none.
    """

    word: str = ""
    in_study: bool = True
    study: Any = NOT_GIVEN
    recorded: bool = True
    argument: bool = False


def _as_tuple(value: Any) -> Any:
    """Take a text or a number for a list of one, and each entry once."""
    if isinstance(value, (str, int, float)):
        return (value,)
    return tuple(dict.fromkeys(value)) if isinstance(value, (list, tuple)) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
"""Names, each once; a text where a list is meant is a list of one."""
Numbers = Annotated[tuple[float, ...], BeforeValidator(_as_tuple)]


class Settings(BaseModel):
    """The settings of one experiment, frozen: what it is asked for besides network and routing."""

    # What checks values is made for the kinds that are asked for.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)

    @classmethod
    def fields(cls) -> dict[str, tuple[FieldInfo, Option]]:
        """Return every field with how it is written, by its name."""
        return {name: (info, _option(name, info)) for name, info in cls.model_fields.items()}

    @classmethod
    def field(cls, name: str) -> Any:
        """Return a field for another class to declare, with the same default, checks and help."""
        return copy(cls.model_fields[name])

    @classmethod
    def read(cls, values: Mapping[str, Any], *, as_options: bool = False) -> Self:
        """Make settings from values by name; ``as_options`` names them so in an error.

        Raises
        ------
        InputError
            Names the first wrong value, and what was expected.
        """
        try:
            return cls(**values)
        except ValidationError as error:
            words = {name: option.word for name, (_, option) in cls.fields().items()}
            raise InputError(explain(error, cls, words if as_options else {})) from None

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Read the words of a command line; the inverse of :meth:`arguments` and :meth:`words`."""
        fields = {option.word: (name, info) for name, (info, option) in cls.fields().items()}
        left = list(words)
        values: dict[str, Any] = {}
        for name, (info, option) in cls.fields().items():
            if option.argument:
                listed = list(takewhile(lambda word: not word.startswith("--"), left))
                values[name] = listed if is_list(info) else left[0]
                left = left[len(listed) if is_list(info) else 1 :]
        rest = iter(left)
        for word in rest:
            if word not in fields:
                raise InputError(f"unknown option '{word}'" + suggestion(word, list(fields)))
            name, info = fields[word]
            if is_flag(info):
                values[name] = True
            elif is_list(info):
                values.setdefault(name, []).append(next(rest))
            else:
                values[name] = next(rest)
        return cls.read(values, as_options=True)

    @classmethod
    def recorded(cls, text: str) -> Self:
        """Read what a store records; the inverse of :meth:`record` as JSON.

        Raises
        ------
        InputError
            If it is no JSON, or not what settings record: a key is missing, unknown or wrong.
        """
        from obroute.results.datasets import json_object

        values = json_object(text, "settings")
        found = cls.read(cls.given_by(values))
        for key, value in found.record().items():
            if key not in values or type(values[key]) is not type(value) or values[key] != value:
                raise InputError(
                    f"its settings record {key} as {values.get(key, 'nothing')!r:.60}; expected "
                    f"{value!r:.60}"
                )
        return found

    @classmethod
    def given_by(cls, record: dict[str, Any]) -> dict[str, Any]:
        """Return the values that give a record; itself unless some of them say others."""
        return record

    def arguments(self) -> list[str]:
        """Return those settings that stand without a word, in order."""
        given = [getattr(self, name) for name, (_, o) in self.fields().items() if o.argument]
        return [str(word) for one in given for word in (one if isinstance(one, tuple) else (one,))]

    def words(self) -> list[str]:
        """Return the options that say these settings; those at their default are left out."""
        words: list[str] = []
        for name, (info, option) in self.fields().items():
            value = getattr(self, name)
            usual = value == info.get_default(call_default_factory=True) or value is None
            if usual or option.argument:
                continue
            if is_flag(info):
                words.append(option.word)
            else:
                entries = value if isinstance(value, tuple) else (value,)
                words += [part for entry in entries for part in (option.word, str(entry))]
        return words

    def record(self) -> dict[str, Any]:
        """Return what a store records: plain text, numbers and lists."""
        dumped = self.model_dump(mode="json")
        return {name: dumped[name] for name, (_, o) in self.fields().items() if o.recorded}

    def depends_on(self) -> Dependencies:
        """Return the files and modules that they name."""
        return Dependencies()


def _option(name: str, info: FieldInfo) -> Option:
    declared = next((extra for extra in info.metadata if isinstance(extra, Option)), Option())
    if declared.word:
        return declared
    return replace(declared, word="--" + name.replace("_", "-"))


def plain_type(info: FieldInfo) -> Any:
    """Return the type of a field without ``None`` and annotations."""
    annotation: Any = info.annotation
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        annotation = next(a for a in typing.get_args(annotation) if a is not type(None))
    while typing.get_origin(annotation) is Annotated:
        annotation = typing.get_args(annotation)[0]
    return annotation


def is_flag(info: FieldInfo) -> bool:
    """Say whether a field is yes or no."""
    return plain_type(info) is bool


def is_list(info: FieldInfo) -> bool:
    """Say whether a field has many values."""
    return typing.get_origin(plain_type(info)) is tuple


def explain(
    error: ValidationError, model: type[BaseModel], names: Mapping[str, str] | None = None
) -> str:
    """Return the first fault of values in a line: where, what, and what was expected."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    where = (names or {}).get(where, where)
    if first["type"] == "extra_forbidden":
        section: Any = model
        for part in first["loc"][:-1]:
            if not isinstance(part, int):
                section = _model_in(section.model_fields[str(part)])
        return f"unknown key {shown(where)}" + suggestion(
            str(first["loc"][-1]), list(section.model_fields)
        )
    reason = first.get("ctx", {}).get("error")
    if isinstance(reason, InputError):
        return f"{where}: {reason}" if where else str(reason)
    message = first["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    if len(message) > 2 * MOST_SHOWN:  # it has the value in it
        message = message[: 2 * MOST_SHOWN] + "…"
    if first["type"] == "too_short":
        return f"{where} is empty; expected at least {first['ctx']['min_length']}"
    if first["type"] == "literal_error":
        known = re.findall("'([^']*)'", first["ctx"]["expected"])
        return f"{where} is {shown(first['input'])}" + suggestion(str(first["input"]), known)
    return f"{where} is {shown(first['input'])}: {message}"


def _model_in(info: FieldInfo) -> type[BaseModel]:
    """Return the model of a section, or of the entries of a list of sections."""
    annotation: Any = info.annotation
    while not isinstance(annotation, type) or not issubclass(annotation, BaseModel):
        annotation = typing.get_args(annotation)[0]
    return annotation
