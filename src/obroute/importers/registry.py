"""The registry of file formats, and the one function that makes any network from its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from obroute.names import stripped
from obroute.network import Network
from obroute.registry import Entry, Registry
from obroute.specs import InputError, is_file, suggestion
from obroute.topologies import networks


class ImporterRegistry(Registry[Network]):
    """The registry of file formats, whose networks are named by their files."""

    def name_of(self, entry: Entry[Network], values: Mapping[str, Any]) -> tuple[str, str]:
        """Return the file, and the file with the parameters after a colon."""
        (file,), others = entry.written(values)
        return file, file + ":" * bool(others) + ",".join(others)


importers = ImporterRegistry("file format", ["obroute.importers"])
"""File formats by the ending of the file's name (``csv``, ``json``)."""

ANY_TEXT = "csv"


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
    ending = word.rpartition(".")[2] if "." in word else ""
    if ending not in importers and is_file(word):
        ending = ANY_TEXT  # whatever it is called, it may be one; if not, the error names the line
    if ending in importers:
        importer = importers.find(ending)
        return importer.make(**importer.bind(arguments, spec, file=word))
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


def _file_and_arguments(spec: str) -> tuple[str, str]:
    """Split at the first colon; where that leaves no file, at one that does."""
    pieces = spec.split(":")
    for end in range(1, len(pieces) + 1):
        word = ":".join(pieces[:end])
        if is_file(word):
            return word, ":".join(pieces[end:])
    return pieces[0], ":".join(pieces[1:])
