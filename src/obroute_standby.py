"""A process that has loaded obroute and forks for each job, so that a job need not load it.

A sweep runs the command ``obroute`` hundreds of times, and loading takes longer than most of the
jobs. The workflow (:func:`stand_by`) starts one process that loads and then waits at a socket.
The command (:func:`ask`) hands it its words, its folder, its environment and its three streams,
and waits; the process forks, and the child does the job. Whatever is not as it was when the
process was started makes the command do the job itself, as if there were none:

- it is not a descendant of the workflow's process (a job of a batch system), or in a container;
- another interpreter, or another value of what libraries read while they are loaded;
- a file of a loaded module that has changed.

It ends with the workflow's process, when the jobs that it forked for have ended. A job whose
command is killed is killed. Only Linux has what this takes.
"""

from __future__ import annotations

import marshal
import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:  # the command of each job imports this module, so it imports little
    from collections.abc import Callable, Iterator

VARIABLE = "OBROUTE_STANDBY"
"""Holds the numbers of the workflow's process and of this one, and the socket; or ``off``."""
THREADS_OF_LIBRARIES = (
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
READ_WHILE_LOADING = ("DASK_", "LANG", "LC_", "LD_", "MPL", "NUMBA_", "PYTHON", "ZARR_")
PATIENCE = 20.0
"""Seconds until an answer: loading before the first takes two, one step in between one."""
ACCEPTED, REFUSED = b"y", b"n"


# ------------------------------------------------------------------------------------ the workflow


def stand_by() -> None:
    """Start the process, for commands that this one starts; in vain where that cannot be."""
    if sys.platform != "linux" or VARIABLE in os.environ:
        return
    import atexit
    import subprocess
    import tempfile

    place = os.path.join(tempfile.mkdtemp(prefix="obroute-standby-"), "socket")
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, place],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | dict.fromkeys(THREADS_OF_LIBRARIES, "1"),
    )
    os.environ[VARIABLE] = f"{os.getpid()} {process.pid} {place}"

    def end() -> None:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()

    atexit.register(end)


# ------------------------------------------------------------------------------------- the command


def ask(variable: str, words: list[str]) -> int | None:
    """Have a command's words done; return their exit status, or None to do them oneself."""
    try:
        workflow, process, place = variable.split(" ", 2)
        if not _is_below(int(workflow)):
            return None
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            _connect(line, place, int(process))
            question = marshal.dumps((_surroundings(), words, os.getcwd(), dict(os.environ)))
            socket.send_fds(line, [len(question).to_bytes(8, "big")], [0, 1, 2])
            line.sendall(question)
            if line.recv(1) != ACCEPTED:
                return None
            line.settimeout(None)
            # The terminal sends it to the child as well, whose it is to answer.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            status = line.recv(16)
    except (OSError, ValueError):
        return None
    if not status:
        sys.stderr.write("error: the process that did this job was killed; run it again\n")
        return 1
    return int(status)


def _connect(line: socket.socket, place: str, process: int) -> None:
    """Connect, if need be when the process has loaded what comes first."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            line.connect(place)
        except (FileNotFoundError, ConnectionRefusedError):
            if _state(process)[0] == "Z" or time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return


def _state(process: int) -> list[str]:
    """Return what the system says of a process after its name: its state, its parent."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()


def _is_below(process: int) -> bool:
    """Say whether a process is one that led to this one."""
    parent = os.getppid()
    while parent > 1 and parent != process:
        parent = int(_state(parent)[1])
    return parent == process


def _surroundings() -> dict[str, str]:
    """Return what must be the same here and there."""
    found = {
        name: value
        for name, value in os.environ.items()
        if name in THREADS_OF_LIBRARIES or name.startswith(READ_WHILE_LOADING)
    }
    return found | {
        "prefix": sys.prefix,
        "module": __file__,
        "files": os.readlink("/proc/self/ns/mnt"),
        "user": str(os.geteuid()),
    }


# ------------------------------------------------------------------------------------- the process


class _Loaded:
    """The files of what is loaded, and whether one of them has changed."""

    def __init__(self) -> None:
        self.stamps: dict[str, tuple[int, int]] = {}

    def add(self) -> None:
        """Note the files of modules that came since."""
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if file and file not in self.stamps:
                self.stamps[file] = self._stamp(file)

    def has_changed(self) -> bool:
        """Say whether a file is not as it was."""
        return any(self._stamp(file) != stamp for file, stamp in self.stamps.items())

    @staticmethod
    def _stamp(file: str) -> tuple[int, int]:
        try:
            found = os.stat(file)
        except OSError:
            return (0, 0)
        return found.st_mtime_ns, found.st_size


class _Standby:
    """The process: its socket, and the jobs that it has forked for by their commands' lines."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.surroundings = _surroundings()
        self.loaded = _Loaded()
        self.jobs: dict[int, socket.socket] = {}
        self.listener = socket.socket(socket.AF_UNIX)
        self.selector = selectors.DefaultSelector()
        self.ended, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def serve(self, steps: Iterator[Callable[[], object]]) -> None:
        """Load what comes first, then answer, and load the rest between the answers."""
        self._load(steps)
        self.listener.bind(self.place)
        self.listener.listen(100)
        for source, answer in (
            (0, self._end),
            (self.ended, self._reap),
            (self.listener, self._accept),
        ):
            self.selector.register(source, selectors.EVENT_READ, answer)
        loading = True
        while self.selector.get_map():
            found = self.selector.select(0 if loading else None)
            for key, _ in found:
                key.data()
            if loading and not found:
                loading = self._load(steps)

    def _load(self, steps: Iterator[Callable[[], object]]) -> bool:
        """Load the next part; say whether there was one."""
        step = next(steps, None)
        if step is None:
            return False
        step()
        self.loaded.add()
        return True

    def _end(self) -> None:
        """Take no more, for the workflow's process has ended."""
        self.selector.unregister(0)
        self.selector.unregister(self.listener)
        self.listener.close()
        with suppress(OSError):
            os.unlink(self.place)
            os.rmdir(os.path.dirname(self.place))
        self._leave_if_idle()

    def _leave_if_idle(self) -> None:
        if 0 not in self.selector.get_map() and not self.jobs:
            self.selector.unregister(self.ended)

    def _accept(self) -> None:
        line, _ = self.listener.accept()
        streams: list[int] = []
        try:
            line.settimeout(PATIENCE)
            length, streams, _, _ = socket.recv_fds(line, 8, 3)
            with line.makefile("rb") as sent:
                question = sent.read(int.from_bytes(length, "big"))
            surroundings, words, folder, environment = marshal.loads(question)
            if (
                surroundings != self.surroundings
                or self.loaded.has_changed()
                or len(os.listdir("/proc/self/task")) > 1  # a fork would leave them behind
            ):
                line.sendall(REFUSED)
                line.close()
                return
            line.sendall(ACCEPTED)
            line.settimeout(None)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until the child answers it
            child = os.fork()
            if not child:
                line.close()
                self._work(streams, words, folder, environment)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            self.jobs[child] = line
            self.selector.register(line, selectors.EVENT_READ, lambda: self._lost(child))
        except (OSError, EOFError, ValueError, TypeError):
            line.close()
        finally:
            for stream in streams:
                os.close(stream)

    def _lost(self, child: int) -> None:
        """Kill the job of a command that is gone."""
        self.selector.unregister(self.jobs[child])
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    def _reap(self) -> None:
        """Tell the commands of jobs that have ended how they ended."""
        os.read(self.ended, 1000)
        while True:
            try:
                child, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not child:
                break
            line = self.jobs.pop(child)
            with suppress(KeyError):
                self.selector.unregister(line)
            code = os.waitstatus_to_exitcode(status)
            with suppress(OSError):
                line.sendall(str(code if code >= 0 else 128 - code).encode())
            line.close()
        self._leave_if_idle()

    def _work(
        self, streams: list[int], words: list[str], folder: str, environment: dict[str, str]
    ) -> None:
        """Do a job in this process, which was forked for it, and end."""
        status = 1
        try:
            _die_with_parent()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self.selector.close()
            for line in (self.listener, *self.jobs.values()):
                line.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv[:] = words
            status = _status_of_command()
        except KeyboardInterrupt:
            status = 130
        finally:
            os._exit(status)


def _die_with_parent() -> None:
    """Let the system kill this process when the one that forked it is gone."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _status_of_command() -> int:
    from obroute_command import run

    try:
        run(lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT]))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
    return 0


def _main() -> None:
    import gc

    from obroute.standby import steps

    def frozen(step: Callable[[], object]) -> Callable[[], object]:
        def load() -> None:
            step()
            gc.collect()
            gc.freeze()  # or looking for garbage would copy every page that a fork shares

        return load

    os.environ.pop(VARIABLE, None)
    _Standby(sys.argv[1]).serve(frozen(step) for step in steps())


if __name__ == "__main__":
    _main()
