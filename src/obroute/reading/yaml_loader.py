"""The loader of YAML: PyYAML's, which refuses what says a thing twice or makes too much of it.

Its ways to fail are all told as one line here. References may not make more of it than may stand
there in full.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml

from obroute.reading.documents import MOST_LEVELS, MOST_OF_A_NUMBER, MOST_VALUES, check_text
from obroute.specs import InputError, shown

_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def load(text: str, origin: str) -> Any:
    """Return what YAML text says; see :func:`obroute.reading.read_yaml`.

    Raises
    ------
    InputError
        If it is no YAML, or beyond bounds; names the origin and the line.
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
                check_text(found)
        except InputError as error:
            raise _BoundError(str(error), node.start_mark) from None
        except (ValueError, LookupError, ArithmeticError, TypeError, AttributeError):
            kind = node.tag.rpartition(":")[2].replace("timestamp", "date")
            given = shown(node.value) if isinstance(node, yaml.ScalarNode) else "this"
            raise _BoundError(
                f"{given} is no {kind}; put it in quotes if it is meant as text", node.start_mark
            ) from None
        return found
