"""What a stranger may hand over: values, texts, names and files that were hard on readers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pipe:
    """A named pipe that nobody writes to: who opens it waits for ever."""


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    to: str


@dataclass(frozen=True)
class Sparse:
    """A file that is said to be so long, and takes no room."""

    size: int


Content = str | bytes | Pipe | Link | Sparse | None
"""What a file holds; None for a folder."""

ENDLESS = Link("/dev/zero")
LONG = "9" * 5000
DEEP = 100_000

NUMBERS = (
    "0",
    "-1",
    "1/3",
    "1e3",
    "1/0",
    "0/0",
    "-1/2",
    "1e999999999",
    "-1e999999999",
    "1e-999999999",
    "1e400",
    "1e-400",
    "1e18446744073709551616",
    LONG,
    f"1/{LONG}",
    f"0.{'0' * 5000}1",
    "9223372036854775808",
    "nan",
    "inf",
    "-inf",
    "1_0",
    "٣",
    "²",
    "0x10",
    "1,5",
    "1 / 2",
    "",
    " ",
    "true",
)
TEXTS = (
    "a\x00b",
    "a\nb",
    "a\rb",
    "\x1b[31mred\x1b[0m",
    "\x9b31m",
    "\x7f",
    "\u202eabc",
    "\u2028",
    "\ufeffa",
    "\udcff",
    "{k}",
    "{x}",
    "{0.__class__}",
    "%s",
    "<script>",
    "[bold]x[/bold]",
    "[/]",
    "$\\frac{$",
    "\\",
    "'",
    '"',
    '""',
    '"a", "b"',
    "-x.csv",
    "--help",
    "--",
    "-",
    "~",
    "*",
    "$(id)",
    ";",
    "|",
    "#",
    "a b",
    " a",
    "a" * 5000,
    "name" * 60 + ".csv",
    ":",
    "::",
    "torus:",
    ":3",
    "=",
    "a=b",
    "é",
    "ß",
    "😀",
    "null",
    ".",
    "",
)
"""None of them is the name of a file outside of the folder that a test works in."""

FILES: Mapping[str, Content] = {
    "pipe.csv": Pipe(),
    "pipe.json": Pipe(),
    "pipe.yaml": Pipe(),
    "folder.csv": None,
    "folder.json": None,
    "loop.csv": Link("loop.csv"),
    "nowhere.json": Link("not there"),
    "vast.csv": Sparse(2**42),
    "vast.json": Sparse(2**42),
    "vast.yaml": Sparse(2**42),
    "empty.csv": "",
    "empty.json": "",
    "empty.yaml": "",
    "nul.csv": "a,b\x00\nb,a\n",
    "zeros.json": b"\0" * 1000,
    "utf16.csv": "a,b\nb,a\n".encode("utf-16"),
    "latin.csv": "é,b\nb,é\n".encode("latin-1"),
    "latin.yaml": "study: é\n".encode("latin-1"),
    "deep.json": "[" * DEEP + "]" * DEEP,
    "deep_object.json": '{"a":' * DEEP + "1" + "}" * DEEP,
    "deep.yaml": "[" * 2000 + "]" * 2000,
    "constants.json": "[NaN, Infinity, -Infinity]",
    "number.json": f"[{LONG}]",
    "surrogate.json": '["\\ud800"]',
    "wide.csv": "a" * 200_000 + ",b\nb," + "a" * 200_000 + "\n",
    "quote.csv": 'a,"b\nb,a\n',
    "long name" * 20 + ".csv": "a,b\nb,a\n",
    "-x.csv": "a,b\nb,a\n",
    "{x}.csv": "a,b\nb,a\n",
    "<x>.csv": "a,b\nb,a\n",
    "$\\frac{$.csv": "a,b\nb,a\n",
    "new\nline.csv": "a,b\nb,a\n",
    "\x1b[31m.csv": "a,b\nb,a\n",
    "a, b.csv": "a,b\nb,a\n",
    "a:lines=cables.csv": "a,b\nb,a\n",
    "torus:3": "a,b\nb,a\n",
}
"""Files by their names; each is a bad one, or a good one of a bad name."""


def lay(folder: Path, files: Mapping[str, Content]) -> None:
    """Put files into a folder."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            file.mkdir(exist_ok=True)
        elif isinstance(content, Pipe):
            os.mkfifo(file)
        elif isinstance(content, Link):
            file.symlink_to(content.to)
        elif isinstance(content, Sparse):
            with file.open("wb") as made:
                made.truncate(content.size)
        else:
            file.write_bytes(
                content if isinstance(content, bytes) else content.encode(errors="surrogatepass")
            )
