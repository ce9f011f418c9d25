"""Tables, figures and sections of the report, each registered by the module that makes it.

A module is found because its package is one of the places of a registry, or because a plugin names
it as an entry point; nothing is imported before a registry is looked into.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_type_hints

from obroute.kinds.backend import SUFFIX
from obroute.registry import import_all, is_again
from obroute.specs import InputError, suggestion
from obroute.views.pages import Block, Rows, Section
from obroute.views.study_data import StudyData

Made = TypeVar("Made")
CELL = "Which cell, such as torus-8x8/optimal."
LATE = 95
"""Where a section goes that does not say: after what was found, before the summary."""


@dataclass(frozen=True)
class Coverage:
    """What a study has, before it is run: the names of its cells by section, and networks."""

    cells: Mapping[str, Collection[str]]
    networks: frozenset[str]


@dataclass(frozen=True)
class Option:
    """A value that a table or figure can be made with, as its function says it."""

    name: str
    help: str
    default: Any


@dataclass(frozen=True)
class View(Generic[Made]):
    """One registered table, figure or section of the report.

    Parameters
    ----------
    name, summary
        What it is called on the command line, and what it is.
    make
        Makes it from the data of a study, and values of its options.
    needs, uses
        The sections of the study that it cannot be made without, and those that it shows too
        where the study has them.
    applies
        Says of what a study covers, and of values of the options, whether the sweep makes it.
    each_cell
        Made of one cell of the section that it needs, whose name is the option ``cell``.
    cells
        Looks into cells of the evaluations too, for their samples.
    code
        Modules that it runs and nobody imports by name, such as theories.
    place
        Order in the report.
    """

    name: str
    summary: str
    make: Callable[..., Made]
    needs: tuple[str, ...]
    uses: tuple[str, ...]
    applies: Callable[..., bool]
    each_cell: bool = False
    cells: bool = False
    code: tuple[str, ...] = ()
    place: float = 0

    @property
    def modules(self) -> tuple[str, ...]:
        """The module that registered it, and those that it finds in other ways than by import."""
        return (self.make.__module__, *self.code)

    @property
    def options(self) -> list[Option]:
        """The options of its function: every parameter but the first, which is the data.

        A parameter is annotated with what it means, but for ``cell``.
        """
        hints = get_type_hints(self.make, include_extras=True)
        _, *parameters = inspect.signature(self.make).parameters.values()
        return [
            Option(
                parameter.name,
                getattr(hints[parameter.name], "__metadata__", (CELL,))[0],
                parameter.default,
            )
            for parameter in parameters
        ]

    def of(self, data: StudyData, **options: Any) -> Made:
        """Make it.

        Raises
        ------
        InputError
            If the study lacks a section that it needs.
        """
        for section in self.needs:
            if section not in data.sections:
                raise InputError(f"{data.origin} has no {section}, which '{self.name}' is made of")
        if self.each_cell and not options.get("cell"):
            known = listed(data.cell_names(self.needs[0]))
            raise InputError(f"'{self.name}' is made of one cell; give one of: {known}")
        with data.finding_files(self.needs):
            return self.make(data, **options)


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names for a message, of many the first and how many more.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def on_request(study: Coverage, **options: Any) -> bool:
    """Say that the sweep does not make a view: it is for those who ask for it."""
    return False


class Views(Generic[Made]):
    """The registered views of one kind, found where they are when one is looked for.

    Examples
    --------
    >>> greetings: Views[str] = Views("greeting", places=())
    >>> @greetings.register("hello", "Greets.", needs=())
    ... def hello(data: StudyData) -> str:
    ...     return "hello"
    >>> [view.name for view in greetings], greetings.find("hello").of(StudyData({}))
    (['hello'], 'hello')
    >>> greetings.find("helo")
    Traceback (most recent call last):
    obroute.specs.InputError: unknown greeting 'helo'; did you mean 'hello'? (known: hello)
    """

    def __init__(self, kind: str, places: tuple[str, ...]) -> None:
        self.kind = kind
        self.places = places
        self._views: dict[str, View[Made]] = {}
        self._found = False

    def register(
        self,
        name: str,
        summary: str = "",
        *,
        needs: tuple[str, ...] = ("evaluations",),
        uses: tuple[str, ...] = (),
        applies: Callable[..., bool] = lambda study, **options: True,
        each_cell: bool = False,
        cells: bool = False,
        code: tuple[str, ...] = (),
        place: float = LATE,
    ) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
        """Register the decorated function; a name that is taken is rejected."""

        def decorate(make: Callable[..., Made]) -> Callable[..., Made]:
            if name in self._views and not is_again(self._views[name].make, make):
                raise ValueError(f"the {self.kind} '{name}' is registered twice")
            self._views[name] = View(
                name, summary, make, needs, uses, applies, each_cell, cells, code, place
            )
            return make

        return decorate

    def __iter__(self) -> Iterator[View[Made]]:
        self._find_all()
        return iter(sorted(self._views.values(), key=lambda view: (view.place, view.name)))

    def find(self, name: str) -> View[Made]:
        """Return the view of that name, or raise with a suggestion."""
        self._find_all()
        if name not in self._views:
            raise InputError(f"unknown {self.kind} '{name}'" + suggestion(name, list(self._views)))
        return self._views[name]

    def of_sections(self, sections: Collection[str]) -> list[str]:
        """Return the names of the views that can be made of a study with these sections.

        >>> figures.of_sections(["stability"])
        ['stability']
        """
        return [view.name for view in self if set(view.needs) <= set(sections)]

    def _find_all(self) -> None:
        if not self._found:
            self._found = True  # at once: what is being imported may look here
            try:
                import_all(self.places)
            except BaseException:
                self._found = False
                raise


KINDS = "obroute.experiments"
"""A kind of experiment may bring its views in its own module."""

tables: Views[Rows] = Views("table", ("obroute.trends", "obroute.papers.tables", KINDS))
figures: Views[Any] = Views("figure", ("obroute.plots", "obroute.papers.locality", KINDS))
sections: Views[Section | None] = Views(
    "section of the report", ("obroute.report", "obroute.papers.report", KINDS)
)


additions: Views[Sequence[Block]] = Views(
    "addition to a section", ("obroute.papers.locality", "obroute.papers.packets")
)
"""What others add to a section of the report, each by the name ``SECTION/NAME``."""
remarks: Views[str] = Views("remark", ("obroute.papers.report",))
"""What others remark on a drawing or a table of the report, each by the name ``WHAT/NAME``."""


def added_to(section: str, data: StudyData) -> list[Block]:
    """Return the blocks that others add to a section of the report."""
    return [block for view in _of(additions, section) for block in view.of(data)]


def remarks_on(what: str, data: StudyData, **about: Any) -> str:
    """Return what others remark on something in the report, a blank before each sentence.

    ``about`` says what is shown: its ``network``, its ``objective``.
    """
    said = [view.of(data, **about) for view in _of(remarks, what)]
    return "".join(f" {sentence}" for sentence in said if sentence)


def report_modules() -> tuple[str, ...]:
    """Return the modules whose code the report depends on; their imports count too.

    >>> "obroute.report.page" in report_modules()
    True
    """
    views: list[View[Any]] = [*sections, *additions, *remarks]
    found = [module for view in views for module in view.modules]
    return tuple(dict.fromkeys(["obroute.report.page", *found]))


def _of(views: Views[Made], host: str) -> list[View[Made]]:
    return [view for view in views if view.name.startswith(f"{host}/")]


@dataclass(frozen=True)
class Wanted:
    """A table or figure that the sweep makes of a study.

    Parameters
    ----------
    file
        The file's name without an ending, below the folder of tables or figures.
    words
        What follows ``obroute table`` or ``obroute figure``, but for the study and the output.
    sections
        The sections of the study that it is made of.
    cells
        Whether cells of the evaluations are read too.
    modules
        The modules whose code it depends on; their imports count too.
    """

    file: str
    words: tuple[str, ...]
    sections: tuple[str, ...]
    cells: bool
    modules: tuple[str, ...]


def wanted_tables(
    cells: Mapping[str, Collection[str]],
    networks: Collection[str],
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Wanted]:
    """Return the tables that a study gets, by the names of their files.

    Parameters
    ----------
    cells
        The names of its cells by section.
    networks
        The names of the networks that it evaluates.
    settings
        Values of options, each by the name of the table and of the option: ``table1_network``.

    Examples
    --------
    >>> cells = {"evaluations": ["ring-5/dor"]}
    >>> list(wanted_tables(cells, ["ring:5"]))
    ['summary', 'trends']
    >>> wanted_tables(cells, ["ring:5"], {"table1_network": "ring:5"})["table1"].words
    ('table1', '--network', 'ring:5')
    """
    return _wanted(tables, Coverage(cells, frozenset(networks)), settings or {})


def wanted_figures(
    cells: Mapping[str, Collection[str]],
    networks: Collection[str],
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Wanted]:
    """Return the figures that a study gets, as :func:`wanted_tables` does its tables."""
    return _wanted(figures, Coverage(cells, frozenset(networks)), settings or {})


def _wanted(views: Views[Any], study: Coverage, settings: Mapping[str, Any]) -> dict[str, Wanted]:
    found: dict[str, Wanted] = {}
    for view in views:
        if not all(study.cells.get(section) for section in view.needs):
            continue
        given = {
            option.name: settings.get(f"{view.name}_{option.name}", option.default)
            for option in view.options
            if option.name != "cell"
        }
        if not view.applies(study, **given):
            continue
        words = [view.name]
        for name, setting in given.items():
            words += [f"--{name.replace('_', '-')}", str(setting)]
        made_of = tuple(s for s in (*view.needs, *view.uses) if study.cells.get(s))
        for cell in study.cells[view.needs[0]] if view.each_cell else [""]:
            stem = cell.removesuffix(SUFFIX)
            file = f"{view.needs[0]}/{stem}" if view.each_cell else view.name
            chosen = [*words, "--cell", stem] if view.each_cell else words
            found[file] = Wanted(file, tuple(chosen), made_of, view.cells, view.modules)
    return found
