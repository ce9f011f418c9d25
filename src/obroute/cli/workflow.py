"""Commands that bring a study's sweep to a folder, and run it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from obroute.cli.output import out


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(init)
    app.command(context_settings={"ignore_unknown_options": True})(sweep)


def init(
    folder: Annotated[Path, typer.Argument(help="Where; made if it is not there.")],
    rules: Annotated[
        bool, typer.Option("--rules", help="Copy the rules too, to be edited.")
    ] = False,
) -> None:
    """Lay down a sweep: Snakefile, profiles, and a commented study to begin with."""
    from obroute.kinds.sweep import CONFIGURATION
    from obroute.workflow import lay_down

    for file in lay_down(folder, rules):
        out.print(str(file))
    out.print(f"the study is {folder / CONFIGURATION}; to run it:")
    out.print(f"  obroute sweep {shlex.quote(str(folder))}")


def sweep(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLACE] [OPTIONS OF SNAKEMAKE]",
            help="A folder with a Snakefile, this one if not given, or a study's YAML file; then "
            "whatever Snakemake takes.",
        ),
    ] = None,
    cores: Annotated[
        str | None, typer.Option(help="How many cores; every core if not given.")
    ] = None,
) -> None:
    """Work out a study: every network, routing and experiment of it, and the report."""
    from obroute.workflow import run_sweep

    options = list(words or [])
    place = Path() if not options or options[0].startswith("-") else Path(options.pop(0))
    sys.exit(run_sweep(place, cores, options))
