"""The command that prints a shell's completion of this command line."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

VARIABLE = "_OBROUTE_COMPLETE"
"""Set by the scripts when the shell asks for words."""


class Shell(StrEnum):
    """Shells whose completion Typer knows."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(completion)


def completion(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print what completes commands, options and names: `eval "$(obroute completion bash)"`."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    script = get_completion_script(prog_name="obroute", complete_var=VARIABLE, shell=shell.value)
    sys.stdout.write(script + "\n")


def prepare(environment: Any) -> None:
    """Let Typer answer a shell that asks for words."""
    if VARIABLE in environment:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
