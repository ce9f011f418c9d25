"""The registry of file formats, and the one function that makes any network from its name.

The format of a file is what its content says: each format that can be told by its first kilobytes
brings a recogniser. Where several know a file, its ending decides, or else the user, by
``file.txt:format=NAME``. A text that none knows is what its ending says, or an edge list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from obroute.machine import reading
from obroute.names import stripped
from obroute.network import Network
from obroute.reading import Head
from obroute.registry import Entry, Registry
from obroute.specs import InputError, is_file, suggestion
from obroute.topologies import networks

Maker = TypeVar("Maker", bound=Callable[..., Any])
Recogniser = Callable[[Head], bool]
Demand = tuple[str, str, Fraction]
"""Who sends how much to whom, by the names of nodes."""
ANY_TEXT = "csv"
_FORMAT = "format"


class ImporterRegistry(Registry[Network]):
    """The registry of file formats, whose networks are named by their files."""

    def __init__(self, *places: str) -> None:
        super().__init__("file format", places)
        self._recognisers: dict[str, Recogniser] = {}
        self._endings: dict[str, tuple[str, ...]] = {}
        self._words: dict[str, Mapping[str, str]] = {}
        self._demands: dict[str, Callable[[Path], list[Demand]]] = {}
        self._say_memory: set[str] = set()

    def register(  # a format has more to say
        self,
        name: str,
        summary: str,
        *,
        recognise: Recogniser | None = None,
        endings: tuple[str, ...] = (),
        words: Mapping[str, str] | None = None,
        demands: Callable[[Path], list[Demand]] | None = None,
        says_memory: bool = False,
        **said: Any,
    ) -> Callable[[Maker], Maker]:
        """Register the decorated function, as :meth:`Registry.register` does.

        Parameters
        ----------
        name, summary, said
            As there; ``small`` are texts of small files.
        recognise
            Says whether a file is of this format, by its beginning; whoever is in doubt says no.
            Without one, a file is known by its ending alone.
        endings
            What the names of such files end in, besides the name of the format and its aliases;
            several formats may share one.
        words
            What stands for a parameter with its value: ``undirected`` for ``lines=cables``.
        demands
            Reads the demands that a file has besides the network, in the unit of its bandwidths.
        says_memory
            Whether the reader of a large file says itself what memory that takes.
        """
        decorate = super().register(name, summary, **said)

        def with_content(make: Maker) -> Maker:
            made = decorate(make)
            if recognise is not None:
                self._recognisers[name] = recognise
            self._endings[name] = endings
            self._words[name] = words or {}
            if demands is not None:
                self._demands[name] = demands
            if says_memory:
                self._say_memory.add(name)
            return made

        return with_content

    def name_of(self, entry: Entry[Network], values: Mapping[str, Any]) -> tuple[str, str]:
        """Return the file, and the file with the parameters after a colon."""
        (file,), others = entry.written(values)
        return file, file + ":" * bool(others) + ",".join(others)

    def endings_of(self, entry: Entry[Network]) -> tuple[str, ...]:
        """Return what the names of files of a format may end in."""
        return (entry.name, *entry.aliases, *self._endings.get(entry.name, ()))

    def by_ending(self, file: str) -> list[Entry[Network]]:
        """Return the formats whose files end so; ``net.adj.txt`` ends in ``adj.txt`` first."""
        pieces = Path(file).name.split(".")
        for first in range(1, len(pieces)):
            ending = ".".join(pieces[first:]).lower()
            found = [entry for entry in self if ending in self.endings_of(entry)]
            if found:
                return found
        return []

    def of_file(self, file: str) -> Entry[Network] | None:
        """Return the format of a file: what its content says, then what its ending says.

        Raises
        ------
        InputError
            If several formats know the content, and the ending is not that of just one of them;
            or if there is no such file to read.
        """
        by_ending = self.by_ending(file)
        if not is_file(file):
            return by_ending[0] if by_ending else None
        head = Head.of(Path(file))
        known = [
            e for e in self if e.name in self._recognisers and self._recognisers[e.name](head)
        ]
        by_both = [entry for entry in known if entry in by_ending]
        if len(known) > 1 and len(by_both) != 1:
            names = [entry.name for entry in known]
            raise InputError(
                f"{file} may be {', '.join(names[:-1])} or {names[-1]}; say which: "
                f"{file}:{_FORMAT}={names[0]}"
            )
        by_ending = [entry for entry in by_ending if entry.name not in self._recognisers]
        found = by_both or known or by_ending
        return found[0] if found else self.find(ANY_TEXT)

    def demands_of(self, file: Path) -> list[Demand] | None:
        """Return the demands in the file of a network, None if its format has none."""
        head = Head.of(file)
        known = [name for name in self._demands if self._knows(self.find(name), head)]
        return self._demands[known[0]](file) if known else None

    def _knows(self, entry: Entry[Network], head: Head) -> bool:
        return entry.name in self._recognisers and self._recognisers[entry.name](head)

    def make(self, file: str, arguments: str, spec: str) -> Network | None:
        """Make the network of a file, None if nothing that is read is called so.

        Parameters
        ----------
        file, arguments
            What stands before and after the colon.
        spec
            Both, for errors.
        """
        pieces = arguments.split(",")
        chosen = [piece for piece in pieces if piece.strip().startswith(f"{_FORMAT}=")]
        if len(chosen) > 1:
            raise InputError(f"'{spec}': parameter '{_FORMAT}' is given twice")
        if chosen:
            entry: Entry[Network] | None = self.find(chosen[0].partition("=")[2].strip())
            pieces.remove(chosen[0])
        else:
            entry = self.of_file(file)
        if entry is None:
            return None
        words = self._words.get(entry.name, {})
        arguments = ",".join(words.get(piece.strip(), piece) for piece in pieces)
        bound = entry.bind(arguments, spec, file=file)
        with nullcontext() if entry.name in self._say_memory else reading(Path(file)):
            try:
                network = entry.make(**bound)
            except InputError as error:
                meant = [] if chosen or entry.name != ANY_TEXT else self.by_ending(file)
                if not meant or entry in meant:
                    raise
                raise type(error)(
                    f"{error}; it is read as an edge list, for it does not begin as "
                    f"{meant[0].summary} does: if it is that, {file}:{_FORMAT}={meant[0].name} "
                    "says what is wrong"
                ) from None
        if chosen and not self._would_be(file, entry):
            others = network.name.removeprefix(file).removeprefix(":")
            name = f"{file}:{_FORMAT}={entry.name}" + f",{others}" * bool(others)
            network.named(name, network.family, network.parameters, network.made_by)
        return network

    def _would_be(self, file: str, entry: Entry[Network]) -> bool:
        """Say whether a file is taken for this format where none is chosen."""
        try:
            return self.of_file(file) is entry
        except InputError:
            return False


importers = ImporterRegistry("obroute.importers")
"""File formats (``csv``, ``graphml``, ``booksim``, …)."""


def make_network(spec: str) -> Network:
    """Make a network from the name of a family member or of a file.

    Parameters
    ----------
    spec
        ``torus:8x8``, ``hypercube:6``, …, or a file: ``edges.csv``, with parameters after a
        colon as in ``edges.csv:terminals=hosts.csv``.

    Raises
    ------
    InputError
        If the family, a parameter or the format is unknown, or the file cannot be used.

    Examples
    --------
    >>> make_network("mesh:4x5").node_count
    20
    """
    spec = stripped(spec)
    if spec.partition(":")[0] in networks:
        return networks.create(spec)
    word, arguments = _file_and_arguments(spec)
    network = importers.make(word, arguments, spec)
    if network is not None:
        return network
    if spec.partition(":")[0].lower() in networks:
        return networks.create(spec)
    ending = word.rpartition(".")[2] if "." in word else ""
    if ending:
        raise InputError(
            f"'{word}' is no network file that can be read"
            + suggestion(ending, [entry.name for entry in importers])
        )
    known = [entry.name for entry in networks]
    raise InputError(
        f"unknown network '{word}'{suggestion(word, known)}, or a file ending in "
        + ", ".join(f".{entry.name}" for entry in importers)
    )


def file_of(spec: str) -> Path | None:
    """Return the file that a name stands for, None if it is that of a family or of no file."""
    word, _ = _file_and_arguments(stripped(spec))
    return Path(word) if is_file(word) else None


def _file_and_arguments(spec: str) -> tuple[str, str]:
    """Split at the first colon; where that leaves no file, at one that does."""
    pieces = spec.split(":")
    for end in range(1, len(pieces) + 1):
        word = ":".join(pieces[:end])
        if is_file(word):
            return word, ":".join(pieces[end:])
    return pieces[0], ":".join(pieces[1:])
