"""Griffe extension: docstrings as the sources write them, as the Markdown that the pages need."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:func|class|meth|mod|attr|data):`~?([^`]+)`")
EXAMPLES = "Examples\n--------\n"


def as_markdown(docstring: str) -> str:
    """Turn roles into code, ``::`` into a colon, and a bare ``>>>`` into an Examples section."""
    text = ROLE.sub(r"`\1`", docstring)
    text = re.sub(r"::$", ":", text, flags=re.MULTILINE)
    if EXAMPLES not in text:
        text = re.sub(r"^>>>", f"{EXAMPLES}>>>", text, count=1, flags=re.MULTILINE)
    return text


class Docstrings(griffe.Extension):
    """Rewrites each docstring as it is loaded."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
