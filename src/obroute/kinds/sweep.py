"""Entries of a study: networks with routings, and what is asked of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from obroute.kinds.settings import NOT_GIVEN, Settings
from obroute.reading import parse_yaml
from obroute.specs import InputError, shown

CONFIGURATION = Path("config/config.yaml")
"""Where a folder has its study, for the Snakefile and for `obroute status`."""
RADIX_MARK = "{k}"
SMALLEST_RADIX = 2
MOST_RADICES = 1000
"""How many radices one entry of a study may list."""
_RADICES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def _read_list(value: Any) -> Any:
    """Accept a list given as text, as ``snakemake --config networks=[…]`` does."""
    if isinstance(value, str):
        value = (
            parse_yaml(value, "the list") if value.lstrip().startswith("[") else value.split(",")
        )
    return value


def _read_radices(value: Any) -> Any:
    """Read ``3-16`` or ``3-9,12`` or a list of either into numbers."""
    radices: list[int] = []
    given = [value] if isinstance(value, int) else _read_list(value)
    if not isinstance(given, list):
        return given
    for entry in given:
        found = _RADICES.fullmatch(str(entry).strip())
        if found is None:
            raise InputError(f"{shown(entry)} is no radix; expected numbers and ranges as in 3-16")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise InputError(f"{entry} runs backwards; expected {last}-{first}")
        count = len(radices) + last - first + 1
        if count > MOST_RADICES:
            raise InputError(f"{entry} makes {count:,} radices; expected at most {MOST_RADICES:,}")
        radices += range(first, last + 1)
    small = [radix for radix in radices if radix < SMALLEST_RADIX]
    if small:
        raise InputError(f"radix {small[0]} is too small; expected at least {SMALLEST_RADIX}")
    return radices


Names = Annotated[list[str], BeforeValidator(_read_list)]
Radices = Annotated[list[int], BeforeValidator(_read_radices)]


class Section(BaseModel):
    """A part of a study's configuration; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)


class Sweep(Section):
    """Every network with every routing."""

    networks: Names = Field(
        default=[],
        description="Networks by name or file; {k} in a name stands for each radix.",
    )
    radices: Radices = Field(
        default=[], description="Radices for {k}: numbers and ranges, such as 3-16 or [3, 5, 9]."
    )
    routings: Names = Field(default=[], description="Routings by name or file.")

    def network_names(self) -> Iterator[str]:
        """Yield the networks, one for each radix where a name has the mark."""
        for name in self.networks:
            if RADIX_MARK not in name:
                yield name
                continue
            if not self.radices:
                raise InputError(
                    f"networks: '{name}' stands for many radices; give radices, such as 3-16"
                )
            for radix in self.radices:
                yield name.replace(RADIX_MARK, str(radix))

    @classmethod
    def of(cls, settings: type[Settings], about: str) -> type[Sweep]:
        """Return the class of entries that may give the settings."""
        own: dict[str, Any] = {}
        for name, (info, option) in settings.fields().items():
            if not option.in_study:
                continue
            default = info.get_default(call_default_factory=True)
            if option.study is not NOT_GIVEN:
                default = option.study
            if isinstance(default, tuple):
                default = list(default)
            given = Field(default=default, description=info.description)
            annotation = Names if isinstance(default, list) and _of_texts(info) else None
            kind = annotation or info.annotation
            declared = Annotated[kind, *info.metadata] if info.metadata else kind
            own[name] = (declared, given)
        made = create_model(
            f"{settings.__name__.capitalize()}Entry",
            __base__=cls,
            __doc__=about,
            **own,
        )
        return cast(type[Sweep], made)

    def settings_given(self, settings: type[Settings], study: Any) -> dict[str, Any]:
        """Return what this entry, or else its study, says of settings."""
        given = {}
        for name, (_, option) in settings.fields().items():
            if not option.in_study:
                if option.study is not NOT_GIVEN:
                    given[name] = option.study
            elif name in self.model_fields_set or (
                name in type(self).model_fields and not hasattr(study, name)
            ):
                given[name] = getattr(self, name)
            elif hasattr(study, name):
                given[name] = getattr(study, name)
        return given


def _of_texts(info: Any) -> bool:
    return str in getattr(info.annotation, "__args__", ())
