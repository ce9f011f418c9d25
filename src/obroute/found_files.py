"""Files that a store names, found from the store's own place.

Names in a store are as somebody wrote them, from the folder in which they worked. While a store
is used (:func:`searching`), every file that obroute opens by such a name is looked for from where
the store is: the store may be used from any folder, and be moved with its files. A file whose
content is the recorded one is taken wherever it lies; where there is none, that which stands where
it should.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

FEWEST_PARTS = 3
"""Of a recorded path, what a file of other content must have in common with it."""


@dataclass(frozen=True)
class Search:
    """How the files of one store are found.

    Parameters
    ----------
    store
        Its place.
    working
        The folder that names in it start from.
    digests
        The recorded digest of the content of each file.
    digest_of
        Gives such a digest; an empty one where there is no file.
    """

    store: Path
    working: Path
    digests: Mapping[str, str]
    digest_of: Callable[[Path], str]
    found: dict[Path, Path] = field(default_factory=dict)

    def find(self, file: Path) -> Path:
        """Return the place of a file; as it is named where it is nowhere."""
        if file not in self.found:
            self.found[file] = self._find(file)
        return self.found[file]

    def _find(self, file: Path) -> Path:
        wanted = {str(Path(name)): text for name, text in self.digests.items()}.get(str(file))
        likely = [place for place in self._likely(file) if _exists(place)]
        if not wanted:
            return likely[0] if likely else file
        alike = (place for place in (*likely, *self._any(file)) if self.digest_of(place) == wanted)
        return next(alike, likely[0] if likely else file)

    def _likely(self, file: Path) -> Iterator[Path]:
        """Yield where a file of other content would be taken for the one that is meant."""
        yield self._whole(file)
        yield file.absolute()
        yield from self._below(file, min(FEWEST_PARTS, len(file.parts)))

    def _any(self, file: Path) -> Iterator[Path]:
        yield from filter(_exists, self._below(file, 1))

    def _below(self, file: Path, fewest: int) -> Iterator[Path]:
        """Yield places that end as the recorded path does, below each folder above the store."""
        parts = self._whole(file).parts[1:]
        for first in range(len(parts) - fewest + 1):
            for ancestor in self.store.absolute().parents:
                yield ancestor.joinpath(*parts[first:])

    def _whole(self, file: Path) -> Path:
        return Path(os.path.normpath(self.working / file))


def working_folder(store: Path, folder: str) -> Path:
    """Return the folder that the names in a store start from, by what the store records."""
    return Path(os.path.normpath(store.absolute() / folder))


def recorded_folder(store: Path, working: Path) -> str:
    """Return what a store records of the folder that its names start from.

    Relative to the store where that is in the folder, so that both may be moved; else absolute.

    Examples
    --------
    >>> recorded_folder(Path("/studies/results/a.zarr"), Path("/studies"))
    '../..'
    >>> recorded_folder(Path("/elsewhere/a.zarr"), Path("/studies"))
    '/studies'
    """
    store, working = store.absolute(), working.absolute()
    if working in store.parents:
        return Path(os.path.relpath(working, store)).as_posix()
    return str(working)


_search: ContextVar[Search | None] = ContextVar("search", default=None)


@contextmanager
def searching(search: Search | None) -> Iterator[None]:
    """Find files as a store needs it, for as long as it is used."""
    token = _search.set(search)
    try:
        yield
    finally:
        _search.reset(token)


def placed(file: Path) -> Path:
    """Return where a file is that somebody, or a store in use, names."""
    search = _search.get()
    if search is None:
        return file
    with searching(None):  # what is compared on the way is where it is
        return search.find(file)


def _exists(place: Path) -> bool:
    try:
        return place.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
