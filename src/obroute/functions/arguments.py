"""What the functions share: how they are documented, and how they take what they are given.

Networks, routings and traffic are given by name, by file or as objects; one thing may stand where
a list is meant. What a setting means is put into the documentation of a function from the kind of
experiment that says it.
"""

from __future__ import annotations

import functools
import inspect
import typing
import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from obroute.kinds.registry import kinds
from obroute.kinds.settings import Settings, plain_type
from obroute.network import Network
from obroute.routing import Routing
from obroute.specs import InputError, suggestion
from obroute.tasks import TaskRunner, run_serially

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Thing = TypeVar("Thing")
Chosen = TypeVar("Chosen", bound=Settings)

_NUMBERS = {int: "a whole number", float: "a number", bool: "True or False"}

asked: dict[int, Settings] = {}
"""What each answer that is still there was asked with, by its identity."""


def public(
    settings: type[Settings] | None = None,
) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Make a function say what its settings mean, and answer wrong words in its own."""

    def declare(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        signature = inspect.signature(function)
        name = function.__name__
        known = list(signature.parameters)

        @functools.wraps(function)
        def checked(*given: Arguments.args, **named: Arguments.kwargs) -> Answer:
            for word in named:
                if word not in known:
                    raise InputError(f"{name}: unknown keyword '{word}'" + suggestion(word, known))
            try:
                signature.bind(*given, **named)
            except TypeError as error:
                raise InputError(f"{name}: {error}; expected {', '.join(known)}") from None
            if not callable(named.get("run", run_serially)):
                raise InputError(f"{name}: run={named['run']!r}; expected a runner of tasks")
            return function(*given, **named)

        if settings is not None and function.__doc__:
            checked.__doc__ = _with_meanings(inspect.cleandoc(function.__doc__), known, settings)
        return checked

    return declare


def _with_meanings(documentation: str, known: Iterable[str], settings: type[Settings]) -> str:
    """Add the settings to the section of parameters, with their choices and meaning."""
    said = documentation.partition("\n\nReturns\n")
    entries = []
    for name in known:
        if name in settings.model_fields and f"\n{name}\n" not in said[0]:
            info = settings.model_fields[name]
            choices = ", ".join(map(repr, _choices(info.annotation)))
            entries.append(f"\n{name}{choices and f' : {choices}'}\n    {info.description}")
    return "".join([said[0], *entries, *said[1:]])


def _choices(annotation: Any) -> list[Any]:
    """Return what a type allows where it is a list of choices."""
    if typing.get_origin(annotation) is Literal:
        return list(typing.get_args(annotation))
    return [choice for part in typing.get_args(annotation) for choice in _choices(part)]


def settings_among(
    kind: type[Chosen], function: Callable[..., Any], given: Mapping[str, Any]
) -> Chosen:
    """Return the settings among a function's arguments; what was left out stays the default."""
    parameters = inspect.signature(function).parameters
    values = {
        name: given[name]
        for name in kind.model_fields
        if name in given and given[name] is not parameters[name].default
    }
    for name, value in values.items():
        # A command line has only text, and so the settings read it as numbers; here it is none.
        if isinstance(value, (str, bytes)) and plain_type(kind.model_fields[name]) in _NUMBERS:
            raise InputError(
                f"{name} is {value!r}: expected {_NUMBERS[plain_type(kind.model_fields[name])]}"
            )
    return kind.read(values)


def remember(answer: Answer, settings: Settings) -> Answer:
    """Keep what an answer was asked with for as long as there is that answer."""
    asked[id(answer)] = settings
    weakref.finalize(answer, asked.pop, id(answer), None)
    return answer


def run_experiment(
    kind: str, network: Network, routing: Routing, settings: Settings, run: TaskRunner
) -> Any:
    """Run an experiment of a kind where it is defined."""
    one = kinds()[kind]
    network = routing.network_for(network)
    one.check(network, routing, settings)
    return remember(one.run(network, routing, settings, run), settings)


def made(
    given: Any, what: str, kind: type[Any], named: Callable[[str], Thing], example: str
) -> Thing:
    """Return an object as it is, or make it by its name or file."""
    if isinstance(given, kind):
        same: Thing = given
        return same
    if isinstance(given, (str, Path)):
        return named(str(given))
    raise InputError(
        f"{what}: {given!r} is of type {type(given).__name__}; expected a name such as "
        f"'{example}', a file, or a {kind.__name__}"
    )


def each(given: Any, what: str, kind: type[Any]) -> list[Any]:
    """Return the entries of a list; one thing that stands where a list is meant is its entry."""
    if isinstance(given, (str, Path, kind)):
        return [given]
    if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)):
        return list(given)
    raise InputError(
        f"{what}: {given!r} is of type {type(given).__name__}; expected one name or object, or a "
        "list of them"
    )


def file_at(given: Any, what: str) -> Path:
    """Return the path of a file or folder that was named."""
    if isinstance(given, (str, Path)):
        return Path(given)
    raise InputError(f"{what}: {given!r} is of type {type(given).__name__}; expected a path")
