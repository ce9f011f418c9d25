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
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import RLock
from typing import Any, Generic, TypeVar

from obroute.names import shortened, stripped
from obroute.registry.entries import Entry, Member
from obroute.specs import InputError, Parameter, argument_of, parameter_of, suggestion

__all__ = ["PLUGINS", "Entry", "Member", "Registry", "import_all", "is_again", "plugins"]

T = TypeVar("T")
Maker = TypeVar("Maker", bound=Callable[..., Any])

PLUGINS = "obroute.plugins"
"""The group of entry points whose modules every registry imports."""
_IMPORTING = RLock()
"""Of all registries together: what one imports may look for something in another."""


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
