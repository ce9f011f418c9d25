"""JSON and YAML that a user wrote: every key once, no value without bound.

Both are read by their libraries, whose ways to fail are all told as one line here. A decimal in
JSON is read exactly. YAML is that of configurations: small, nested little, and with references
that do not make more of it than may stand there in full.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import yaml

from obroute.reading.files import read_text
from obroute.specs import InputError, parse_fraction, parse_whole, shown

LARGEST_CONFIGURATION = 1
"""Megabytes that a YAML file may have where the environment says nothing."""
MOST_LEVELS = 50
"""How deep lists and keys may be nested in YAML."""
MOST_VALUES = 100_000
"""How many values and keys YAML may have, those that it refers to counted again each time."""
MOST_OF_A_NUMBER = 1000
"""Characters of a number in YAML."""
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def read_json(file: Path, text: str) -> Any:
    """Return what JSON text of a file says; a number with a point is a :class:`~decimal.Decimal`.

    Raises
    ------
    InputError
        If it is no JSON, a key comes twice, or a number or the nesting is beyond bounds.
    """
    return parse_json(text, str(file))


def parse_json(text: str, origin: str) -> Any:
    """Return what JSON text says; see :func:`read_json`.

    >>> parse_json('{"share": 0.1}', "x.json")
    {'share': Decimal('0.1')}
    """
    try:
        found = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_decimal,
            parse_int=parse_whole,
            parse_constant=_no_constant,
        )
        if _ESCAPED_SURROGATE.search(text):
            _check_text(found)
    except json.JSONDecodeError as error:
        raise InputError(f"{origin}: not JSON: {error}") from None
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None
    except RecursionError:
        raise InputError(f"{origin}: nested too deep; expected a few levels") from None
    return found


def _decimal(text: str) -> Decimal:
    parse_fraction(text)  # within the bounds of numbers
    return Decimal(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise InputError(f"the key {shown(twice)} comes twice in one object; give it once")
    return found


def _no_constant(word: str) -> NoReturn:
    raise InputError(f"{word} is no number of JSON; expected a finite one")


def _check_text(found: Any) -> None:
    """Refuse half a character, which no file and no terminal can have."""
    if isinstance(found, str):
        try:
            found.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{shown(found)} holds half a character (a lone surrogate); expected whole ones"
            ) from None
    elif isinstance(found, dict):
        for key, value in found.items():
            _check_text(key)
            _check_text(value)
    elif isinstance(found, list):
        for value in found:
            _check_text(value)


def read_yaml(file: Path) -> Any:
    """Return what a configuration says.

    Raises
    ------
    InputError
        If it cannot be read, is no YAML, a key comes twice, or a bound is passed.
    """
    return parse_yaml(read_text(file, "YAML", LARGEST_CONFIGURATION), str(file))


def parse_yaml(text: str, origin: str) -> Any:
    r"""Return what YAML text says; see :func:`read_yaml`.

    >>> parse_yaml("networks: [torus:4x4]", "config.yaml")
    {'networks': ['torus:4x4']}
    >>> parse_yaml("seed: 1\nseed: 2", "config.yaml")
    Traceback (most recent call last):
    obroute.specs.InputError: config.yaml: line 2: the key 'seed' comes twice; give it once
    """
    loader = None
    try:
        loader = _Loader(text)
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        said = [error.problem, *([error.context] if not error.problem else [])]
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        what = " ".join(str(part) for part in said if part) or "not YAML"
        kind = "" if isinstance(error, _BoundError) else "not YAML: "
        raise InputError(f"{origin}: {where}{kind}{_one_line(what)}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{origin}: not YAML: {_one_line(str(error))}") from None
    except RecursionError:
        raise InputError(f"{origin}: nested too deep; expected a few levels") from None
    finally:
        if loader is not None:
            loader.dispose()


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 200 else words[:200] + "…"


class _BoundError(yaml.MarkedYAMLError):
    """What is YAML, and yet not read."""

    def __init__(self, problem: str, mark: Any) -> None:
        super().__init__(problem=problem, problem_mark=mark)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which counts what it makes while it makes it."""

    def __init__(self, text: str) -> None:
        self.values = self.level = 0
        self.sizes: dict[str, int] = {}
        super().__init__(text)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a value within the bounds; one that is referred to counts each time."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        before, anchor = self.values, event.anchor
        if isinstance(event, yaml.AliasEvent):
            if anchor in self.anchors and anchor not in self.sizes:
                raise _BoundError(f"*{shown(anchor)[1:-1]} refers to itself", event.start_mark)
            self.values += self.sizes.get(anchor, 0)
        self.values += 1
        if self.values > MOST_VALUES:
            raise _BoundError(
                f"more than {MOST_VALUES:,} values, what *references stand for counted in full; "
                "make it smaller",
                event.start_mark,
            )
        self.level += 1
        if self.level > MOST_LEVELS:
            raise _BoundError(f"nested more than {MOST_LEVELS} levels deep", event.start_mark)
        node = super().compose_node(parent, index)
        self.level -= 1
        if anchor is not None and not isinstance(event, yaml.AliasEvent):
            self.sizes[anchor] = self.values - before
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Compose keys and values, and refuse a key that comes twice."""
        node = super().compose_mapping_node(anchor)
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    raise _BoundError(
                        f"the key {shown(key.value)} comes twice; give it once", key.start_mark
                    )
                seen.add((key.tag, key.value))
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Hashable:
        """Make a value; whatever its maker stumbles over is a fault of the value's line."""
        if node.tag in _NUMBERS and len(node.value) > MOST_OF_A_NUMBER:
            raise _BoundError(
                f"a number of {len(node.value):,} characters; expected at most "
                f"{MOST_OF_A_NUMBER:,}",
                node.start_mark,
            )
        try:
            found: Hashable = super().construct_object(node, deep)
            if isinstance(found, str):
                _check_text(found)
        except InputError as error:
            raise _BoundError(str(error), node.start_mark) from None
        except (ValueError, LookupError, ArithmeticError, TypeError, AttributeError):
            kind = node.tag.rpartition(":")[2].replace("timestamp", "date")
            given = shown(node.value) if isinstance(node, yaml.ScalarNode) else "this"
            raise _BoundError(
                f"{given} is no {kind}; put it in quotes if it is meant as text", node.start_mark
            ) from None
        return found
