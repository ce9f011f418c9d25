"""XML that a user names: no entities of its own, no depth without bound, one line for each fault.

Entities are what XML takes to grow without bound, or to read other files; nothing that describes
a network has any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from obroute.specs import InputError, cut, shown

MOST_NESTED = 100
"""How deep elements may be nested."""


@dataclass
class Element:
    """An element: its name without a namespace, its line, and what is in it."""

    tag: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def find_all(self, tag: str) -> list[Element]:
        """Return the elements of a name that stand directly in this one."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> Element | None:
        """Return the first of them, None if there is none."""
        return next((child for child in self.children if child.tag == tag), None)

    def said(self, tag: str) -> str:
        """Return the text of the first of them, empty if there is none."""
        found = self.find(tag)
        return "" if found is None else found.text.strip()


def read_xml(file: Path, text: str) -> Element:
    """Return the outermost element of XML text of a file.

    Raises
    ------
    InputError
        If it is no XML, declares an entity, or is nested too deep; names the line.

    Examples
    --------
    >>> read_xml(Path("x.xml"), "<net><node id='a'/></net>").find("node").attributes
    {'id': 'a'}
    """
    outer = Element("", 0, {})
    open_elements = [outer]

    def start(tag: str, line: int, attributes: dict[str, str]) -> None:
        found = Element(tag.rpartition(":")[2], line, attributes)
        open_elements[-1].children.append(found)
        open_elements.append(found)

    def end(tag: str) -> None:
        open_elements.pop()

    def data(text: str) -> None:
        open_elements[-1].text += text

    _parse(file, text, start, end, data)
    return outer.children[0]


def check_xml_graph(file: Path, text: str) -> None:
    """Refuse what :func:`read_xml` refuses, and edges between no nodes, before a library reads it.

    Raises
    ------
    InputError
        Names the line.

    Examples
    --------
    >>> text = "<graph><node id='a'/><edge source='a' target='b'/></graph>"
    >>> check_xml_graph(Path("x.graphml"), text)
    Traceback (most recent call last):
    obroute.specs.InputError: x.graphml: line 1: there is no node 'b' for this edge; list all
    """
    nodes: set[str] = set()
    ends: list[tuple[int, str]] = []

    def start(tag: str, line: int, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "node":
            nodes.add(attributes.get("id", ""))
        elif kind == "edge":
            ends.extend((line, attributes.get(end, "")) for end in ("source", "target"))

    _parse(file, text, start, lambda tag: None, None)
    for line, end in ends:
        if end not in nodes:
            raise InputError(
                f"{file}: line {line}: there is no node {shown(end)} for this edge; list all"
            )


def _parse(
    file: Path,
    text: str,
    start: Callable[[str, int, dict[str, str]], None],
    end: Callable[[str], None],
    data: Callable[[str], None] | None,
) -> None:
    depth = 0
    parser = expat.ParserCreate()

    def opened(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_NESTED:
            raise InputError(
                f"{file}: line {parser.CurrentLineNumber}: nested more than {MOST_NESTED} levels "
                "deep; expected a few"
            )
        start(tag, parser.CurrentLineNumber, attributes)

    def closed(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(tag)

    def entity(name: str, *_: Any) -> None:
        raise InputError(
            f"{file}: line {parser.CurrentLineNumber} declares the entity {cut(name)}; nothing "
            "with entities is read: write what it stands for"
        )

    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    parser.EntityDeclHandler = entity
    parser.buffer_text = True
    if data is not None:
        parser.CharacterDataHandler = data
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        said = expat.errors.messages.get(error.code, "not well formed")
        raise InputError(f"{file}: line {error.lineno} is no XML: {said}") from None
    except (UnicodeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{file} is no XML: {error}") from None
