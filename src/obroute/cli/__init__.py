"""The command line: reads arguments, calls the library, prints. No computation of its own."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from obroute.cli import (
    cluster,
    convergence,
    deadlock,
    decomposition,
    experiments,
    notes,
    packets,
    proofs,
    stores,
    studies,
    workflow,
)
from obroute.cli.output import errors
from obroute.cli.streams import output_that_may_fail
from obroute.specs import CertificateError, InputError, TaskError


class _Commands(TyperGroup):
    """Let Ctrl-C pass as it is, where Typer would end without a word."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was chosen."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _Interrupted from None


class _Interrupted(BaseException):
    """Ctrl-C, on its way past Typer."""


app = typer.Typer(
    name="obroute",
    cls=_Commands,
    help="The exact worst case of oblivious routing on any interconnection network.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for _commands in (
    experiments,
    stores,
    proofs,
    decomposition,
    packets,
    notes,
    deadlock,
    studies,
    convergence,
    cluster,
    workflow,
):
    _commands.add_to(app)


@output_that_may_fail()
def main() -> None:
    """Run the command line; an error in the input is one line and exit status 2.

    Raises
    ------
    KeyboardInterrupt
        By Ctrl-C; ``obroute_command`` answers it.
    """
    try:
        app()
    except _Interrupted:
        raise KeyboardInterrupt from None
    except InputError as error:
        errors.print(f"error: {error}")
        sys.exit(2)
    except CertificateError as error:
        errors.print(f"wrong: {error}")
        sys.exit(1)
    except TaskError as error:
        errors.print(f"error: {error}")
        sys.exit(1)
    except MemoryError:
        errors.print("error: out of memory; take a smaller network, or a machine with more")
        sys.exit(2)
