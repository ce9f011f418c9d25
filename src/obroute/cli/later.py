"""A command line whose commands are each made of their function when they are asked for."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

import typer
from typer.core import TyperGroup


class Commands(TyperGroup):
    """Commands that show flags as such; the help of all needs only what each says it is."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name; None if there is none."""
        command = super().get_command(ctx, cmd_name)
        for one in (command, *getattr(command, "commands", {}).values()):
            for parameter in getattr(one, "params", ()):
                if getattr(parameter, "is_flag", False):
                    parameter.metavar = ""  # which takes no word, and no place in the help
        return command

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, in the order in which they were added."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all."""
        shown = copy.copy(self)
        if isinstance(self.commands, _Later):
            shown.commands = self.commands.outlines()
        TyperGroup.format_help(shown, ctx, formatter)


def command_line(app: typer.Typer) -> Any:
    """Return what reads words, as :func:`typer.main.get_command` does for an app of commands."""
    groups = copy.copy(app)
    groups.registered_commands = []
    made: Any = typer.main.get_command(groups)
    made.commands = _Later(app.registered_commands, made.commands)
    return made


class _Later(Mapping[str, Any]):
    """Commands by their names: some that are made when they are asked for, then others."""

    def __init__(self, infos: list[Any], others: Mapping[str, Any]) -> None:
        self._infos = {info.name or _name_of(info.callback): info for info in infos}
        self._others = others
        self._made = cache(lambda name: _command(self._infos[name]))

    def __getitem__(self, name: str) -> Any:
        return self._made(name) if name in self._infos else self._others[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._infos
        yield from self._others

    def __len__(self) -> int:
        return len(self._infos) + len(self._others)

    def outlines(self) -> dict[str, Any]:
        """Return the commands, those that are made when they are asked for without parameters."""
        outlines = {name: _outline(name, info) for name, info in self._infos.items()}
        return {**outlines, **self._others}


def _name_of(callback: Any) -> str:
    return typer.main.get_command_name(callback.__name__)


def _command(info: Any) -> Any:
    app = typer.Typer(add_completion=False)
    app.registered_commands = [info]
    return cast(Any, typer.main.get_command(app))


def _outline(name: str, info: Any) -> Any:
    outline = copy.copy(info)
    outline.name, outline.help = name, info.help or inspect.getdoc(info.callback)
    outline.callback = lambda: None
    return _command(outline)
