"""Registries: families of named things, each registered by the file that defines it.

Networks, routings, traffic patterns and importers are all named the same way,
``name:value,key=value`` (``torus:8x8``, ``romm:order=fixed``), and all register themselves in a
:class:`Registry`, which finds, parses, validates, names, lists and suggests.
"""

from __future__ import annotations

import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from obroute.dependencies import Dependencies
from obroute.names import check_name, shortened, stripped
from obroute.specs import (
    InputError,
    Parameter,
    argument_of,
    parameter_of,
    split_outside,
    suggestion,
)

T = TypeVar("T")
Maker = TypeVar("Maker", bound=Callable[..., Any])

PLUGINS = "obroute.plugins"
"""The group of entry points whose modules every registry imports."""
_IMPORTING = RLock()
"""Of all registries together: what one imports may look for something in another."""


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
            if not equals or (key not in known and self.takes_file(len(texts))):
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


class Registry(Generic[T]):
    """The families of one kind, each registered by the file that defines it.

    Parameters
    ----------
    kind
        What to call a member in messages.
    places
        Names of modules and packages whose modules register families. They are imported when a
        family is first looked for, so that a new file in one of these packages is all that a new
        family takes; so are the modules that installed distributions name as entry points of the
        group ``obroute.plugins``. Whoever looks for one family waits for the modules alone whose
        source registers something of that name, if there are any.

    Examples
    --------
    >>> from typing import Annotated
    >>> greetings: Registry[str] = Registry("greeting")
    >>> @greetings.register("hello", "greets")
    ... def hello(name: Annotated[str, Parameter("whom", str)] = "world") -> str:
    ...     return f"hello {name}"
    >>> greetings.create("hello:you")
    'hello you'
    >>> greetings.create("helo")
    Traceback (most recent call last):
    obroute.specs.InputError: unknown greeting 'helo'; did you mean 'hello'? (known: hello)
    """

    def __init__(self, kind: str, places: Sequence[str] = ()) -> None:
        self.kind = kind
        self.places = tuple(places)
        self._entries: dict[str, Entry[T]] = {}
        self._names: dict[str, str] = {}
        self._imported = self._at_it = False
        self._sought: set[str] = set()
        self._at_hand: set[str] = set()

    def register(
        self,
        name: str,
        summary: str,
        *,
        aliases: tuple[str, ...] = (),
        defined_for: str | Callable[[], str] = "",
        examples: tuple[str, ...] = (),
        small: tuple[str, ...] = (),
    ) -> Callable[[Maker], Maker]:
        """Register the decorated function or class; a name that is taken is rejected.

        Its parameters are annotated (:class:`Parameter`). Whatever it makes from now on is named,
        whether it is made by name or called.
        """

        def decorate(make: Maker) -> Maker:
            parameters = Parameter.of(make)
            found = self._naming(name, make)
            entry = Entry[T](
                name, found, summary, parameters, aliases, defined_for, examples, small
            )
            for word in (name, *aliases):
                known = self._names.get(word)
                if known is not None and not is_again(self._entries[known].make, make):
                    raise ValueError(f"the {self.kind} '{word}' is registered twice")
            self._names.update(dict.fromkeys((name, *aliases), name))
            self._entries[name] = entry
            return found

        return decorate

    def _naming(self, word: str, make: Maker) -> Maker:
        """Return the function or class such that what it makes is checked first, and named."""
        signature = inspect.signature(make)

        def checked(*arguments: Any, **keywords: Any) -> dict[str, Any]:
            bound = signature.bind(*arguments, **keywords)
            bound.apply_defaults()
            values = {parameter_of(name): value for name, value in bound.arguments.items()}
            self.check(self._entries[word], values)
            return values

        def name(made: Any, values: Mapping[str, Any]) -> None:
            if isinstance(made, Member):
                entry = self._entries[word]
                family, called = self.name_of(entry, values)
                made.named(called, family, values, entry.module)

        if isinstance(make, type):
            begin = make.__init__  # type: ignore[misc]  # the class is itself, no subclass

            @wraps(begin)
            def initialise(made: Any, *arguments: Any, **keywords: Any) -> None:
                given = {argument_of(name): value for name, value in keywords.items()}
                values = checked(*arguments, **given)
                begin(made, *arguments, **given)
                name(made, values)

            make.__init__ = initialise  # type: ignore[misc]
            return make

        @wraps(make)
        def call(*arguments: Any, **keywords: Any) -> Any:
            given = {argument_of(name): value for name, value in keywords.items()}
            values = checked(*arguments, **given)
            made = make(*arguments, **given)
            name(made, values)
            return made

        return call  # type: ignore[return-value]

    def check(self, entry: Entry[T], values: Mapping[str, Any]) -> None:
        """Raise :class:`InputError` where a member is not to be made of these parameters."""

    def name_of(self, entry: Entry[T], values: Mapping[str, Any]) -> tuple[str, str]:
        """Return the family and the one name of a member: parameters in order, no defaults."""
        required, others = entry.written(values)
        return entry.name, entry.name + ":" * bool(required + others) + ",".join(required + others)

    def _import(self, word: str | None = None) -> None:
        """Import what registers families, once; of one name, only what registers that, if it does.

        Other threads wait; a lookup by a module that is being imported sees those before it.
        """
        if self._imported or word in self._at_hand:
            return
        with _IMPORTING:
            if self._imported or self._at_it or word in self._at_hand | self._sought:
                return
            if word is not None and self._import_what_registers(word):
                return
            self._at_it = True
            try:
                import_all(self.places)
                self._imported = not self._sought
            finally:
                self._at_it = False

    def _import_what_registers(self, word: str) -> bool:
        """Import the modules whose source registers a name; say whether it is there now."""
        self._sought.add(word)
        try:
            self.import_those(lambda source: _registers(source, word))
        finally:
            self._sought.remove(word)
        if word in self._names:
            self._at_hand.add(word)
        return word in self._names

    def import_those(self, wanted: Callable[[str], bool]) -> None:
        """Import plugins, and modules at the places whose source is wanted or cannot be read."""
        with _IMPORTING:
            if self._imported or self._at_it:
                return
            for place in self.places:
                for module, file in _modules_at(place):
                    source = _source(file)
                    if source is None or wanted(source):
                        importlib.import_module(module)
            _import_plugins()

    @property
    def entries(self) -> Mapping[str, Entry[T]]:
        """Every family by its name: in the order of the places and of their modules."""
        self._import()
        return {entry.name: entry for entry in sorted(self._entries.values(), key=self._order)}

    def _order(self, entry: Entry[T]) -> tuple[int, str]:
        for number, place in enumerate(self.places):
            if f"{entry.module}.".startswith(f"{place}."):
                return number, entry.module
        return len(self.places), entry.module

    def __contains__(self, word: str) -> bool:
        self._import(word)
        return word in self._names

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(self.entries.values())

    def find(self, word: str) -> Entry[T]:
        """Return the family of that name or alias, or raise with a suggestion.

        Capital letters do not matter where nothing else is called so.

        >>> from obroute.routing import routings
        >>> routings.find("VAL").name
        'valiant'
        """
        for name in (word, word.lower()):
            if name in self:
                return self._entries[self._names[name]]
        raise InputError(
            f"unknown {self.kind} '{shortened(word)}'" + suggestion(word, list(self._entries))
        )

    def create(self, spec: str) -> T:
        """Make the member that a name with parameters describes."""
        word, _, arguments = stripped(spec).partition(":")
        entry = self.find(word.strip())
        given = shortened(spec)
        values = entry.bind(arguments, given)
        try:
            return entry.make(**values)
        except InputError as error:
            message = str(error)
            raise InputError(message if given in message else f"'{given}': {message}") from None


def is_again(known: Callable[..., Any], make: Callable[..., Any]) -> bool:
    """Say whether a family is what was registered before: its module is being loaded again."""
    return (known.__module__, known.__qualname__) == (make.__module__, make.__qualname__)


def import_all(places: Sequence[str]) -> None:
    """Import modules, those of packages, and what installed distributions name as plugins."""
    for place in places:
        _import_place(place)
    _import_plugins()


def _import_place(place: str) -> None:
    """Import a module, and those in it if it is a package."""
    for module in pkgutil.iter_modules(getattr(importlib.import_module(place), "__path__", ())):
        importlib.import_module(f"{place}.{module.name}")


def _modules_at(place: str) -> Iterator[tuple[str, Path]]:
    """Yield a module, and those in it if it is a package, each with its file; import none."""
    top, *below = place.split(".")
    spec = importlib.util.find_spec(top)
    roots = (spec and spec.submodule_search_locations) or ()
    folders = [Path(root, *below) for root in roots]
    for folder in folders:
        if folder.is_dir():
            yield place, folder / "__init__.py"
        else:
            yield place, folder.with_suffix(".py")
    for module in pkgutil.iter_modules(map(str, folders)):
        folder = Path(module.module_finder.path, module.name)  # type: ignore[union-attr]
        file = folder / "__init__.py" if module.ispkg else folder.with_suffix(".py")
        yield f"{place}.{module.name}", file


def _source(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _registers(source: str, word: str) -> bool:
    """Say whether a source seems to register something so called."""
    quoted = f'"{word}"'
    return quoted in source and any(quoted in said for said in _REGISTRATION.findall(source))


_REGISTRATION = re.compile(r"register\(.*?^(?:def|class)\b", re.DOTALL | re.MULTILINE)
"""From a call of ``register`` to what it decorates."""


@cache
def plugins() -> tuple[EntryPoint, ...]:
    """Return the entry points of installed distributions that name modules to import."""
    return tuple(entry_points(group=PLUGINS))


def _import_plugins() -> None:
    for plugin in plugins():
        _import_plugin(plugin)


def _import_plugin(plugin: EntryPoint) -> None:
    try:
        importlib.import_module(plugin.module)
    except Exception as error:
        whose = f" of {plugin.dist.name}" if plugin.dist else ""
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(
            f"the plugin '{plugin.name}'{whose} does not import ({plugin.module}: {what}); mend "
            "it, or uninstall what brings it"
        ) from error
