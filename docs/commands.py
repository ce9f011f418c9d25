"""Write the page of the command line anew from the commands themselves; `make schema` runs it.

What stands above the first command stays, and so does every paragraph of a command's section that
is neither its help nor its table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from obroute.cli import app

PAGE = Path(__file__).parent / "reference/cli.md"
STARRED = re.compile(r"[^\s,.;:]*\*[^\s,;:]*[^\s,.;:]")
HEAD = "| Argument or option | Meaning | Default |\n|---|---|---|\n"


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command and group below the program with its full name, in order."""
    pending = [("obroute", typer.main.get_command(app))]
    while pending:
        full_name, command = pending.pop(0)
        if full_name != "obroute":
            yield full_name, command
        if hasattr(command, "list_commands"):
            words = command.list_commands(None)
            pending = [(f"{full_name} {w}", command.get_command(None, w)) for w in words] + pending


def row(parameter: Any) -> str:
    """Return the row of an argument or an option."""
    argument = parameter.param_type_name == "argument"
    name = parameter.name.upper() if argument else parameter.opts[0]
    several = "…" if argument and parameter.nargs == -1 else ""
    default = parameter.default
    if parameter.required:
        shown = " required "
    elif isinstance(default, bool):
        shown = " yes " if default else " "
    else:
        shown = " " if default in (None, "", ()) else f" `{default}` "
    meaning = STARRED.sub(r"`\g<0>`", " ".join((parameter.help or "").split()))
    return f"| `{name}{several}` | {meaning} |{shown}|\n"


def page(text: str) -> str:
    """Return the page anew."""
    preamble, *parts = re.split(r"^##+ ", text, flags=re.MULTILINE)
    notes: dict[str, list[str]] = {}
    for part in parts:
        name, _, section = part.partition("\n")
        paragraphs = [p.strip() for p in section.strip().split("\n\n")]
        notes[name] = [p for p in paragraphs[1:] if p and not p.startswith("|")]
    written = [preamble.rstrip() + "\n"]
    for name, command in commands():
        words = name.split()
        paragraphs = [f"{'#' * len(words)} {name}", " ".join(command.help.split())]
        paragraphs += notes.get(name, [])
        if command.params and not hasattr(command, "list_commands"):
            paragraphs.append((HEAD + "".join(map(row, command.params))).rstrip())
        written.append("\n\n".join(paragraphs) + "\n")
    return "\n".join(written)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
