"""What every command shares: consoles, JSON, and how values are shown."""

from __future__ import annotations

import inspect
import json
import math
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from obroute.names import printable

if TYPE_CHECKING:
    from obroute.kinds.answers import Shown
    from obroute.network import Network


class Terminal(Console):
    """Prints text as it is, but for characters that would drive the terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as :class:`rich.console.Console` does."""
        shown = (printable(one) if isinstance(one, str) else one for one in objects)
        super().print(*shown, **options)


LONG_TO_READ = 5
"""Megabytes from which on reading a file takes seconds."""
out = Terminal(soft_wrap=True, highlight=False, markup=False, emoji=False)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress.")]
Scheduler = Annotated[
    str,
    typer.Option(help="threads, processes, sync, a Dask scheduler's address, or its file."),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads or processes; every core if not given.")
]
NoMemoryCheck = Annotated[
    bool, typer.Option("--no-memory-check", help="Start even if memory will not suffice.")
]


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return value


def with_parameters(
    run: Callable[..., None], parameters: Iterable[tuple[str, Any, Any]]
) -> Callable[..., None]:
    """Return a function of any keywords as one of the given ones, which Typer reads off it.

    Each is a name, an annotation, and a default (``inspect.Parameter.empty`` for none).
    """
    listed = list(parameters)
    signature = inspect.Signature(
        [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            for name, annotation, default in listed
        ]
    )
    vars(run)["__signature__"] = signature
    run.__annotations__ = {name: annotation for name, annotation, _ in listed}
    return run


def print_json(value: Any) -> None:
    """Print a value as JSON; what is no finite number is null."""
    value = _finite(value)
    if isinstance(value, dict):  # one key a line, so that a permutation does not fill the screen
        lines = (f"  {json.dumps(k)}: {json.dumps(v, allow_nan=False)}" for k, v in value.items())
        sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")
    else:
        sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def print_rows(title: str, rows: list[tuple[str, str]]) -> None:
    """Print a title and named values below it, names in one column."""
    out.print(title, style="bold")
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        out.print(f"  {name:<{width}}  {value}")


def print_shown(parts: Iterable[Shown], whole: bool = False) -> None:
    """Print the parts of an answer one after the other; long ones if it is to be whole."""
    for part in parts:
        if part.long and not whole:
            continue
        if part.rows:
            print_rows(part.title, list(part.rows))
        elif part.title:
            out.print(part.title, style="bold")
        for line in part.lines:
            out.print(line)


def tell_what_was_read(network: Network) -> None:
    """Say what the file of a network was understood to be, if it has one."""
    if network.read_as:
        from obroute.importers.description import in_one_line

        out.print(in_one_line(network))


def tell_what_will_be_read(network: str) -> None:
    """Say that the file of a network is being read, if that takes long."""
    from obroute.importers.registry import file_of

    file = file_of(network)
    megabytes = file.stat().st_size // 10**6 if file is not None else 0
    if megabytes >= LONG_TO_READ:
        out.print(f"reading {file}: {megabytes} MB")
