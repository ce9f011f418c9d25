"""Run commands of obroute and print, as JSON, the files of obroute whose functions each ran.

Reads a list of commands from the standard input. Each runs in a process of its own, which begins
with everything imported, so that what an import runs is not counted, and what a command before it
has kept is not there.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import pkgutil
import sys
import threading
from types import FrameType
from typing import Any

import obroute
from obroute import cli
from obroute.dependencies import PACKAGE


def what_ran(arguments: list[str]) -> list[str]:
    """Return the files whose functions a command runs, in any of its threads."""
    found: set[str] = set()
    thread = threading.local()

    def note(frame: FrameType, event: str, _: Any) -> None:
        importing = getattr(thread, "importing", 0)
        if frame.f_code.co_name == "<module>":
            thread.importing = importing + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing:
            found.add(frame.f_code.co_filename)

    printed, status = io.StringIO(), 0
    sys.argv = ["obroute", *arguments]
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            cli.main()
    except SystemExit as ended:
        status = int(ended.code or 0)
    finally:
        sys.setprofile(None)
    if status:
        raise RuntimeError(f"obroute {' '.join(arguments)}: {printed.getvalue()}")
    within = f"{PACKAGE}{os.sep}"
    return sorted(file.removeprefix(within) for file in found if file.startswith(within))


def main() -> None:
    """Run every command and print what it ran, a line each."""
    for module in pkgutil.walk_packages(obroute.__path__, f"{obroute.__name__}."):
        importlib.import_module(module.name)
    for arguments in json.load(sys.stdin):
        read, write = os.pipe()
        child = os.fork()
        if not child:
            with os.fdopen(write, "w") as answer:
                answer.write(json.dumps(what_ran(arguments)))
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as answer:
            sys.stdout.write(f"{answer.read()}\n")
        if os.waitpid(child, 0)[1]:
            sys.exit(f"obroute {' '.join(arguments)} failed")


if __name__ == "__main__":
    main()
