"""The command ``obroute``, which answers Ctrl-C from its first moment on.

The libraries take about a second to load, the first of them with :mod:`obroute.cli`. So that
something stands between that and the person who stops it, this module imports nothing before it
listens. In a sweep, a process that has them already does the work (:mod:`obroute_standby`).
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Run the command line; Ctrl-C at any time is one line and exit status 130.

    So is what goes wrong before the command line is there.
    """
    run(_ask_who_stands_by)


def run(begin: Callable[[], object]) -> None:
    """Run the command line in this process, after what begins it."""
    try:
        begin()
        # Tasks use the cores. A BLAS would take memory for each of them, and sum by their number.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        gc.disable()  # what is imported stays, and is looked through time and again else
        from obroute.cli import main as run_command_line

        gc.freeze()
        gc.enable()
        run_command_line()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except Exception as error:  # of what is imported: a plugin, or a library
        from obroute.errors import described

        line, status = described(error)
        sys.stderr.write(f"{line}\n")
        sys.exit(status)


def _ask_who_stands_by() -> None:
    """Let another process do it, where there is one."""
    place = os.environ.get("OBROUTE_STANDBY")
    if place:
        from obroute_standby import ask

        status = ask(place, sys.argv)
        if status is not None:
            sys.exit(status)
