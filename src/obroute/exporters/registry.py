"""The registry of formats that networks are written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from obroute.network import Network
from obroute.registry import import_all
from obroute.specs import InputError, suggestion
from obroute.writing import write_whole

Writer = Callable[[Network], Mapping[str, str]]
"""Returns the texts of a network by what stands after the name of the file: ``""`` for its own."""


@dataclass(frozen=True)
class Exporter:
    """A format that networks are written in.

    Parameters
    ----------
    name, endings
        What it is called, and what the names of such files end in; the first that an ending
        belongs to is taken where none is named.
    summary
        What it is.
    keeps
        What of a network is in it.
    write
        Writes it, or raises :class:`InputError` where the format has no room for something.
    """

    name: str
    endings: tuple[str, ...]
    summary: str
    keeps: str
    write: Writer


_FOUND: dict[str, Exporter] = {}


def register(
    name: str, *, endings: tuple[str, ...], summary: str, keeps: str
) -> Callable[[Writer], Writer]:
    """Register the decorated function as the writer of a format; see :class:`Exporter`."""

    def decorate(write: Writer) -> Writer:
        _FOUND[name] = Exporter(name, endings, summary, keeps, write)
        return write

    return decorate


@cache
def exporters() -> Mapping[str, Exporter]:
    """Return every format by its name.

    >>> sorted(exporters())
    ['booksim', 'csv', 'graphml', 'ibsim', 'node_link', 'sst']
    """
    import_all(["obroute.exporters"])
    return {name: _FOUND[name] for name in sorted(_FOUND)}


def exporter_of(file: Path, name: str = "") -> Exporter:
    """Return the format of that name, or that the ending of a file stands for.

    Raises
    ------
    InputError
        If there is none.
    """
    known = exporters()
    if name:
        if name not in known:
            raise InputError(f"unknown format '{name}'{suggestion(name, list(known))}")
        return known[name]
    ending = file.suffix.removeprefix(".").lower()
    found = [one for one in known.values() if ending in (one.name, *one.endings)]
    if not found:
        endings = [ending for one in known.values() for ending in one.endings]
        raise InputError(
            f"{file}: no network is written as .{ending}; expected "
            + ", ".join(f".{ending}" for ending in dict.fromkeys(endings))
            + ", or a format by its name: "
            + ", ".join(known)
        )
    return found[0]


def write_network(network: Network, file: Path, name: str = "") -> list[Path]:
    """Write a network to a file, and to further ones beside it where the format needs them.

    Parameters
    ----------
    network
        What is written.
    file
        Where; its ending is the format, unless one is named.
    name
        Of the format.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    InputError
        If there is no such format, it has no room for something of the network, or a file cannot
        be written.
    """
    texts = exporter_of(file, name).write(network)
    written = []
    for after, text in texts.items():
        place = file.with_name(f"{file.stem}{after}") if after else file
        write_whole(place, text.encode())
        written.append(place)
    return written
