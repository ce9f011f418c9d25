"""The command line: reads arguments, calls the library, prints. No computation of its own."""

from __future__ import annotations

import os
import sys

import typer

from obroute.cli import cluster, deadlock, design, evaluation, packets, status, studies
from obroute.cli.output import errors
from obroute.matching import CertificateError
from obroute.specs import InputError, TaskError

app = typer.Typer(
    name="obroute",
    help="The exact worst case of oblivious routing on any interconnection network.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for _commands in (evaluation, design, packets, deadlock, studies, status, cluster):
    _commands.add_to(app)


def main() -> None:
    """Run the command line; an error in the input is one line and exit status 2."""
    try:
        app()
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
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
