"""What is drawn: values, names of what is registered, texts of files, words of commands.

Registries, formats and commands are asked what there is, so that what is added is drawn, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from hypothesis import strategies as st
from tests.support.hostile import NUMBERS, TEXTS

import obroute
from obroute.importers import importers
from obroute.registry import Entry, Registry

MODEST = st.integers(-2, 5).map(str)
VAST = st.integers(10**11, 10**30).map(str)
TEXT = st.text(st.characters(exclude_characters="/"), max_size=12)
"""Any, but that it is no path out of the folder that a test works in."""
VALUES = st.one_of(MODEST, MODEST, st.sampled_from(NUMBERS), st.sampled_from(TEXTS), VAST, TEXT)

TABLES = (
    "source,destination,probability,path\na,b,1,a b\nb,a,1/2,b a\nb,a,0.5,b a\n",
    "source,destination,tail,head,flow\na,b,a,b,1\nb,a,b,a,1\n",
    '[{"source":"a","destination":"b","probability":"1","path":["a","b"]},'
    '{"source":"b","destination":"a","probability":1,"path":"b a"}]',
)
TRAFFIC = (
    "source,destination,amount\na,b,1/2\nb,a,0.25\n",
    "source,destination\na,b\nb,a\n",
    "b\na\n",
    ",a,b\na,0,1\nb,1,0\n",
    '[{"source":"a","destination":"b","amount":1}]',
    '["b", "a"]',
)
TERMINALS = ("a\nb\n", "node,injection,ejection\na,1,2\nb,2,1\n", "a,1/2\nb,1/2\n")
FABRIC = importers.find("ibnetdiscover").small[-1]
"""Hosts a and b on a switch."""
FORWARDING = (
    "Unicast lids [0-2] of switch Lid 3 guid 0x20 ('s'):\n"
    "0x0001 001 # Channel Adapter portguid 0x11: 'a'\n"
    "0x0002 002 : (Channel Adapter portguid 0x13: 'b')\n2 lids dumped\n",
    "dump_ucast_routes: Switch 0x20\n0x0001 : 001 : 01 : yes\n0x0002 : 002 : HOPS UNKNOWN\n"
    "0x0003 : UNREACHABLE\n",
)
NETWORKS = (
    *importers.find("csv").small,
    "tail,head,bandwidth,port\na,b,1,1\na,b,1/2,2\nb,a,2,1\n",
    '"a", "b", 2\n"b", "a", 2\n',
    "a;b\nb;a\n",
    "a -> b\nb -> a, 2\n",
    "0 1\n1 2\n2 0\n",
)


# ------------------------------------------------------------------------------ what is registered


def registries() -> list[Registry[Any]]:
    """Give every registry of the package."""
    found: dict[int, Registry[Any]] = {}
    for package in iter_modules(obroute.__path__):
        name = f"obroute.{package.name}.registry"
        if package.ispkg and find_spec(name):
            values = vars(import_module(name)).values()
            found |= {id(value): value for value in values if isinstance(value, Registry)}
    return list(found.values())


def files_of(entry: Entry[Any]) -> list[str]:
    """Give the names of the parameters that are files."""
    return [parameter.name for parameter in entry.parameters if parameter.parse is Path]


@st.composite
def names(draw: st.DrawFn, entry: Entry[Any]) -> str:
    """Draw a name of a family: parameters left out, given twice, misspelt, or of any value."""
    if entry.small and draw(st.booleans()):
        word, colon, said = draw(st.sampled_from(entry.small)).partition(":")
        pieces = said.split(",") if colon else []
    else:
        word, pieces = entry.name, []
    known = [parameter.name for parameter in entry.parameters]
    for _ in range(draw(st.integers(0, 3))):
        value = draw(VALUES)
        kind = draw(st.integers(0, 5))
        if kind == 0 and pieces:
            pieces[draw(st.integers(0, len(pieces) - 1))] = value
        elif kind == 1:
            radices = st.lists(MODEST | VAST, min_size=1, max_size=3)
            pieces.append("x".join(draw(radices)))
        elif kind == 2 and pieces:
            pieces.append(draw(st.sampled_from(pieces)))
        elif kind == 3 and known:
            pieces.append(f"{draw(st.sampled_from(known))}={value}")
        elif kind == 4:
            pieces.append(f"{draw(TEXT)}={value}")
        else:
            pieces.insert(0, value)
    return word + ":" * bool(pieces) + ",".join(pieces)


# -------------------------------------------------------------------------------- texts of files


@st.composite
def mangled(draw: st.DrawFn, texts: Sequence[str]) -> bytes:
    """Draw the text of a file, with some of its cells, lines and characters changed."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 3))):
        text = draw(st.sampled_from(_CHANGES))(draw, text)
    encoding = draw(st.sampled_from(["utf-8"] * 12 + ["utf-8-sig", "utf-16", "latin-1"]))
    return text.encode(encoding, errors="replace" if encoding == "latin-1" else "surrogatepass")


def _new_cell(draw: st.DrawFn, text: str) -> str:
    marks = [mark for mark in ',; "\n[]{}:' if mark in text]
    separator = draw(st.sampled_from(marks or [","]))
    cells = text.split(separator)
    cells[draw(st.integers(0, len(cells) - 1))] = draw(VALUES)
    return separator.join(cells)


def _same_line_again(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(lines)))
    return "".join(lines)


def _no_line(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    del lines[draw(st.integers(0, len(lines) - 1))]
    return "".join(lines)


def _put_in(draw: st.DrawFn, text: str) -> str:
    place = draw(st.integers(0, len(text)))
    mark = draw(st.one_of(st.sampled_from(",;\t \"'\n\r#-<>[]{}:\\/\0"), VALUES))
    return text[:place] + mark + text[place:]


def _cut(draw: st.DrawFn, text: str) -> str:
    place = draw(st.integers(0, len(text)))
    return text[:place] + text[place + draw(st.integers(1, 5)) :]


def _other_marks(draw: st.DrawFn, text: str) -> str:
    old = draw(st.sampled_from(",; \n\"'"))
    return text.replace(old, draw(st.sampled_from(MARKS)))


MARKS = (",", ", ", ";", "\t", " ", "\r\n", '"')
_CHANGES = (_new_cell, _new_cell, _same_line_again, _no_line, _put_in, _cut, _other_marks)


# ------------------------------------------------------------------------------- words of commands


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give every command of the program with its words."""
    import typer

    from obroute.cli import app

    yield from _commands(typer.main.get_command(app), ())


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    import typer

    if not hasattr(command, "list_commands"):
        yield words, command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from _commands(command.get_command(context, name), (*words, name))
