"""The command line: reads arguments, calls the library, prints. No computation of its own."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from typing import Annotated, Any

import typer

import obroute
from obroute.cli import (
    cluster,
    completion,
    convergence,
    deadlock,
    decomposition,
    experiments,
    files,
    flows,
    notes,
    packets,
    proofs,
    stores,
    studies,
    workflow,
)
from obroute.cli.later import Commands, command_line
from obroute.cli.streams import output_that_may_fail
from obroute.errors import DEBUG, INPUT, WRONG, described
from obroute.machine import require_address_space
from obroute.names import printable, shortened
from obroute.progress import spoken
from obroute.specs import is_file

UsageError: Any = typer.BadParameter.__mro__[1]
"""What Typer raises of words that it cannot take; it gives no name to the class."""
INTERRUPTED = 130
NEEDED_MEGABYTES = 550
"""Of address space, for the libraries that compute and a small network."""


app = typer.Typer(
    name="obroute",
    cls=Commands,
    help="The exact worst case of oblivious routing on any interconnection network.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_PANELS = {
    "Ask about a network and its routings": (experiments, deadlock, flows, convergence),
    "Studies: many networks and routings": (workflow, stores, studies, cluster),
    "Proofs": (proofs,),
    "Files": (files,),
    "Traffic and packets": (packets, decomposition, notes),
    "The shell": (completion,),
}
"""The heading of the help under which the commands of each module stand."""

for _panel, _modules in _PANELS.items():
    for _commands in _modules:
        _before = len(app.registered_commands), len(app.registered_groups)
        _commands.add_to(app)
        for _command in app.registered_commands[_before[0] :]:
            _command.rich_help_panel = _panel
        for _group in app.registered_groups[_before[1] :]:
            _group.rich_help_panel = _panel


@cache
def command() -> Any:
    """Return what reads words; once, for a process that forks for many."""
    return command_line(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"obroute {obroute.__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help=f"Show tracebacks of errors; so does {DEBUG}=1."),
    ] = False,
) -> None:
    """Set what holds for every command, and for those that it starts."""
    if debug:
        os.environ[DEBUG] = "1"


@output_that_may_fail()
def main() -> None:
    """Run the command line; whatever goes wrong is one line and an exit status.

    Raises
    ------
    KeyboardInterrupt
        By Ctrl-C; ``obroute_command`` answers it.
    """
    with suppress(AttributeError):  # of what may stand for standard output
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        require_address_space(NEEDED_MEGABYTES, "obroute")
        completion.prepare(os.environ)
        with spoken(quiet="--quiet" in sys.argv):
            status = command()(prog_name="obroute", standalone_mode=False)
        if status == INTERRUPTED:  # so Typer ends where Ctrl-C is pressed, without a word
            raise KeyboardInterrupt
    except typer.Abort:
        status = WRONG
    except Exception as error:
        line, status = _usage(error) or described(error)
        sys.stderr.write(f"{line}\n" * bool(line))
    if status:
        sys.exit(status)


def _usage(error: Exception) -> tuple[str, int] | None:
    """Return what is said of words that are no command; None of any other error."""
    if not isinstance(error, UsageError):
        return None
    said = error.format_message().rstrip(".")
    if not said:  # a command without words, which has shown its help
        return "", INPUT
    file = next((word for word in sys.argv[1:] if word.startswith("-") and is_file(word)), None)
    if file is not None:
        remedy = f"; a name that begins with a dash is given as ./{shortened(file)}"
    else:
        remedy = f"; see `{error.ctx.command_path} --help`" if error.ctx else ""
    return f"error: {printable(shortened(said) + remedy)}", INPUT
