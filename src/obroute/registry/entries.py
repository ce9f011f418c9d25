"""What registries hold and make: families with parameters, and members that know their name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from obroute.dependencies import Dependencies
from obroute.names import check_name, shortened, stripped
from obroute.specs import InputError, Parameter, split_outside, suggestion

T = TypeVar("T")


class Member:
    """What a registry makes: it has one name, which makes it again, and knows where it is from.

    The registry says these things of it (:meth:`named`); of one that was made in another way the
    class does.
    """

    name: str
    """The name that makes it again, such as ``torus:8x8``."""
    parameters: Mapping[str, Any] = MappingProxyType({})
    """The values that its family made it from, defaults included."""
    files: tuple[str, ...] = ()
    """The files that it was read from: those among its parameters, and those that these name."""
    _family: str | None = None
    _made_by: str | None = None

    def __repr__(self) -> str:
        """Say what it is in a line, also of what is not finished."""
        return f"<{type(self).__name__} {getattr(self, 'name', '')}>"

    @property
    def family(self) -> str:
        """What its name begins with, before the parameters: its family, or its file."""
        return self.name if self._family is None else self._family

    @property
    def made_by(self) -> str:
        """The module that registered its family, or else that of its class."""
        return type(self).__module__ if self._made_by is None else self._made_by

    def depends_on(self) -> Dependencies:
        """Return the files that it was read from, and the modules that make it.

        What is made of others depends on what they depend on, too.

        >>> from obroute import make_network, make_routing
        >>> make_network("torus:3x3").depends_on()
        Dependencies(files=(), modules=('obroute.topologies.grid',))
        >>> make_routing("2turn").depends_on().modules
        ('obroute.design.named',)
        """
        modules = dict.fromkeys((type(self).__module__, self.made_by))
        return Dependencies(self.files, tuple(modules))

    def named(self, name: str, family: str, parameters: Mapping[str, Any], made_by: str) -> None:
        """Take the name and origin that the registry gives; frozen or not, it is being made.

        Raises
        ------
        InputError
            If the name has characters that nothing can show.
        """
        check_name(name, "name")
        said = {"name": name, "parameters": parameters, "_family": family, "_made_by": made_by}
        given = (str(value) for value in parameters.values() if isinstance(value, Path))
        said["files"] = tuple(dict.fromkeys((*self.files, *given)))
        for attribute, value in said.items():
            object.__setattr__(self, attribute, value)


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A registered family: how to make a member, and what to say of it.

    Parameters
    ----------
    name, aliases
        What it is called, and what else.
    make
        The function or class that was registered; what it returns has its name.
    summary, where
        What it is, and where it is defined or what says so when it is asked, for listings.
    parameters
        From the annotations of ``make``.
    examples
        Names of members that a reader may try.
    small
        Names of members that can be tried exhaustively, the first of which is quick: what the
        shared tests take. Every parameter with a default is in one of them. Of a file format,
        texts of such files.
    """

    name: str
    make: Callable[..., T]
    summary: str
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    where: str | Callable[[], str] = ""
    examples: tuple[str, ...] = ()
    small: tuple[str, ...] = ()

    @property
    def defined_for(self) -> str:
        """Where it is defined, in words."""
        return self.where if isinstance(self.where, str) else self.where()

    @property
    def module(self) -> str:
        """The module that registered it."""
        return self.make.__module__

    def usage(self) -> str:
        """Return the form of its names, such as ``torus:shape[,bandwidth=1]``."""
        required = ",".join(p.name + "=…" * p.by_keyword for p in self.parameters if p.required)
        optional = "".join(
            f"[,{p.name}={'…' if p.default is None else p.default}]"
            for p in self.parameters
            if not p.required
        )
        if not required:
            optional = optional.replace("[,", "[", 1)
        return self.name + (f":{required}{optional}" if self.parameters else "")

    def takes_file(self, place: int = 0) -> bool:
        """Say whether the parameter at a place is a file, whose name may hold an equals sign."""
        if place >= len(self.parameters):
            return False
        parameter = self.parameters[place]
        return parameter.required and parameter.parse is Path

    def bind(self, arguments: str, given: str, file: str | None = None) -> dict[str, Any]:
        """Read the text after the colon into keyword values.

        A file that stands before the colon is the value of the first parameter, whatever it is
        called.
        """
        texts: dict[str, str] = {} if file is None else {self.parameters[0].name: file}
        known = [p.name for p in self.parameters]
        positional = iter([p.name for p in self.parameters[len(texts) :] if not p.by_keyword])
        # A file that is all that a name says may have commas in its own.
        alone = len(self.parameters) == 1 and self.takes_file()
        pieces = [arguments] if alone else self._split(arguments)
        for piece in filter(None, map(stripped, pieces)):
            key, equals, value = piece.partition("=")
            bare = piece.startswith("(") or (key not in known and self.takes_file(len(texts)))
            if bare or not equals:
                key, value = next(positional, ""), piece
                if not key:
                    raise InputError(
                        f"'{given}': '{shortened(piece)}' is one value too many; expected "
                        f"{self.usage()}"
                    )
            if key not in known:
                raise InputError(
                    f"'{given}': {self.name} has no parameter '{shortened(key)}'"
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
                    why = f"{parameter.name}: {shortened(str(error))}"
                    raise InputError(f"'{given}': {why}") from None
            elif parameter.required:
                raise InputError(
                    f"'{given}': {parameter.name} is missing ({parameter.meaning}); expected "
                    f"{self.usage()}"
                )
            else:
                values[parameter.name] = parameter.default
        return values

    def _split(self, arguments: str) -> list[str]:
        """Split at commas, but for those in a file that its keyword stands before."""
        begins = tuple(f"{p.name}=" for p in self.parameters)
        files = tuple(f"{p.name}=" for p in self.parameters if p.parse is Path)
        found: list[str] = []
        for piece in split_outside(arguments.rstrip(", "), ","):
            if found and found[-1].startswith(files) and not piece.strip().startswith(begins):
                found[-1] += f",{piece}"
            else:
                found.append(piece.strip())
        return found

    def written(self, values: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """Return the texts of a member's required values, and of the others but for defaults."""
        required, others = [], []
        for parameter in self.parameters:
            value = values[parameter.name]
            if parameter.required:
                key = f"{parameter.name}=" if parameter.by_keyword else ""
                required.append(key + parameter.write(value))
            elif value != parameter.default and (
                parameter.matters is None or parameter.matters(values)
            ):
                others.append(f"{parameter.name}={parameter.write(value)}")
        return required, others
