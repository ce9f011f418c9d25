"""The command ``obroute``, which answers Ctrl-C from its first moment on.

The libraries take about a second to load. A module of the package cannot stand between that and
the person who stops it, since the package loads them when any of its modules is imported; hence
this one beside it.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; Ctrl-C at any time is one line and exit status 130."""
    try:
        from obroute.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
