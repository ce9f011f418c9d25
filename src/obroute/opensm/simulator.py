"""Fabrics that ``ibsim`` simulates, and what OpenSM's engines make of them.

The programs are those of InfiniBand's own tools; Debian has them as opensm, ibsim-utils and
infiniband-diags.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from obroute.exporters.ibsim_netlist import ibsim_netlist
from obroute.importers.hosted import Hosted
from obroute.network import Network
from obroute.specs import InputError
from obroute.topologies.grid import Grid
from obroute.writing import write_whole

PROGRAMS = ("ibsim", "opensm", "ibnetdiscover", "dump_fts", "sminfo")
SIMULATED = Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so")
PACKAGES = "opensm, ibsim-utils and infiniband-diags"
ENGINES = ("minhop", "updn", "dnup", "ftree", "lash", "dor", "torus-2QoS", "dfsssp", "sssp", "nue")
"""The engines of OpenSM."""
FABRIC = "fabric.ibnetdiscover"
SECONDS = 120
TORUS, MOST_DIMENSIONS = "torus-2QoS", 3
SWITCH = re.compile(r'^Switch\s+\d+\s+"S-([0-9a-f]+)"\s+#\s+"([^"]*)"', re.MULTILINE)
USED = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured")
SECONDS_TO_START = 20
BY_PAIR = ("lash", "torus-2QoS", "dfsssp", "nue")
"""The engines that choose a service level for each pair; that of all others is 0."""
WITH_LANES = ("-Q",)
"""What has OpenSM map service levels to lanes."""
RECORDS = Path(__file__).with_name("path_records.py")
END_PORT = re.compile(r"^CA[ \t]+(\d+)[ \t]+\d+[ \t]+0x([0-9a-f]+)", re.MULTILINE)
MANAGER = re.compile(r"sm lid (\d+) ")
IS_UP = "SUBNET UP"


def missing() -> str:
    """Say which program is not there, nothing if all are."""
    programs = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    return ", ".join(programs) if programs else "" if SIMULATED.is_file() else SIMULATED.name


def programs() -> tuple[str, ...]:
    """Return the programs that tables depend on, OpenSM and the simulator; those that are there.

    Another version is another file.
    """
    found = (shutil.which(name, path=_path()) for name in ("opensm", "ibsim"))
    return tuple(str(Path(file).resolve()) for file in found if file is not None)


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


@dataclass(frozen=True)
class Simulated:
    """A fabric that runs in a simulator, for the programs of InfiniBand to look at."""

    netlist: Path
    folder: Path
    environment: dict[str, str]

    def run(self, *command: str) -> str:
        """Run a program on the fabric and return what it prints."""
        try:
            ran = subprocess.run(
                command,
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InputError(
                f"{command[0]} did not end within {SECONDS} seconds; take a smaller network"
            ) from None
        if ran.returncode:
            said = (ran.stderr or ran.stdout).strip().rpartition("\n")[2]
            raise InputError(f"{command[0]} ended with status {ran.returncode}: {said}")
        return ran.stdout

    def route(self, engine: str, *options: str) -> Path:
        """Let OpenSM set up the fabric by an engine, and return the folder of its dumps."""
        dumps, command = self._command(engine)
        self.run(*command, "--once", *options)
        return dumps

    def _command(self, engine: str) -> tuple[Path, list[str]]:
        dumps = self.folder / engine.replace(",", "-")
        dumps.mkdir(exist_ok=True)
        settings = dumps / "opensm.conf"
        settings.write_text(
            f"dump_files_dir {dumps}\nuse_optimized_slvl FALSE\nforce_log_flush TRUE\n"
        )
        command = ["opensm", "-F", str(settings), "-R", engine]
        command += ["-f", str(dumps / "log"), "-e", "-D", "0x43", "--dump_files_dir", str(dumps)]
        return dumps, command

    def route_with_records(self, engine: str, *options: str) -> tuple[Path, str]:
        """Do the same, and ask OpenSM for the service level of every pair of hosts."""
        dumps, command = self._command(engine)
        manager = subprocess.Popen(
            [*command, *options],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait("OpenSM", dumps / "log", IS_UP, manager, SECONDS_TO_START)
            where = MANAGER.search(self.run("sminfo"))
            if where is None:
                raise InputError("sminfo does not say where OpenSM runs")
            ports = END_PORT.findall(self.run("ibnetdiscover", "--ports"))
            named = sorted({f"{guid}={lid}" for lid, guid in ports})
            return dumps, self.run(sys.executable, str(RECORDS), where[1], *named)
        finally:
            manager.kill()
            manager.wait()

    def torus_options(self, network: Network) -> list[str]:
        """Return what tells OpenSM how the switches of a torus or mesh lie; nothing of others."""
        if isinstance(network, Hosted):
            network = network.base
        if not isinstance(network, Grid) or len(network.radices) > MOST_DIMENSIONS:
            return []
        guids = {name: guid for guid, name in SWITCH.findall(self.run("ibnetdiscover"))}
        dimensions = len(network.radices)
        sizes = [
            f"{radix}{'t' if wrap else 'm'}"
            for radix, wrap in zip(network.radices, network.wraps, strict=True)
        ]
        lines = [" ".join(["torus", *sizes, *["1"] * (MOST_DIMENSIONS - dimensions)])]

        def guid(dimension: int, place: int) -> str:
            at = [0] * dimensions
            at[dimension] = place % network.radices[dimension]
            return f"0x{guids.get('(' + ','.join(map(str, at)) + ')', '0')}"

        for dimension, axis in zip(range(dimensions), "xyz", strict=False):
            ends = {"p": 1, "m": -1} if network.wraps[dimension] else {"p": 1}
            lines += [
                f"{axis}{sign}_link {guid(dimension, 0)} {guid(dimension, place)}"
                for sign, place in ends.items()
            ]
        file = self.folder / "torus-2QoS.conf"
        file.write_text("\n".join(lines) + "\n")
        return ["-Q", "--torus_config", str(file)]


@contextmanager
def simulated(netlist: str, host: str = "") -> Iterator[Simulated]:
    """Run the fabric of a netlist in a simulator of its own.

    OpenSM runs on the host of that name; on the first if none is given.
    """
    with tempfile.TemporaryDirectory(prefix="fabric") as name:
        folder = Path(name)
        file = folder / "fabric.netlist"
        file.write_text(netlist)
        first = re.search(r'^Hca\s+\d+\s+"([^"]+)"', netlist, re.MULTILINE)
        if first is None:
            raise InputError("the fabric has no host, where OpenSM could run")
        environment = {
            **os.environ,
            "PATH": _path(),
            "SIM_HOST": host or first[1],
            "IBSIM_SOCKNAME": folder.name,
            "OSM_TMP_DIR": name,
            "OSM_CACHE_DIR": name,
        }
        with (folder / "ibsim.log").open("w") as log:
            simulator = subprocess.Popen(
                ["ibsim", "-s", str(file)],
                env=environment,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            _wait("ibsim", folder / "ibsim.log", "sim>", simulator, SECONDS_TO_START)
            preloaded = {**environment, "LD_PRELOAD": str(SIMULATED)}
            yield Simulated(file, folder, preloaded)
        finally:
            simulator.kill()
            simulator.wait()
            if simulator.stdin is not None:
                simulator.stdin.close()


def _wait(
    name: str, log: Path, for_what: str, program: subprocess.Popen[bytes], seconds: float
) -> None:
    end = time.monotonic() + seconds
    while for_what not in (said := log.read_text() if log.is_file() else ""):
        if program.poll() is not None or time.monotonic() > end:
            raise InputError(f"{name} did not start: {said.strip()[-200:]}")
        time.sleep(0.05)


def _used(folder: Path) -> str:
    """Return the engine that made the tables: another where the one that was asked for cannot."""
    return " ".join(USED.findall((folder / "log").read_text()))


@dataclass(frozen=True)
class Dumped:
    """What one run of OpenSM made of a fabric.

    Parameters
    ----------
    used
        The engine that made the tables.
    fabric
        As ``ibnetdiscover`` prints it after that run.
    texts
        ``lfts``; where lanes were asked for also ``sl2vl``, and ``records`` of an engine that
        chooses a service level for each pair.
    """

    used: str
    fabric: str
    texts: dict[str, str]

    def write(self, folder: Path, engine: str) -> str:
        """Write them into a folder, and return the name of the routing that they are."""
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / FABRIC, self.fabric.encode())
        files = {ending: folder / f"{engine}.{ending}" for ending in self.texts}
        for ending, file in files.items():
            write_whole(file, self.texts[ending].encode())
        tables = str(files.pop("lfts"))
        given = [f"{name}={file}" for name, file in files.items()]
        return ",".join([f"lft:{tables}", *given]) if given else tables


def dumped(
    network: Network, engine: str, netlist: str, host: str = "", *, lanes: bool = False
) -> Dumped:
    """Return what OpenSM makes of a fabric, in one run.

    Parameters
    ----------
    network
        The whole network, which tells how a torus lies.
    engine
        Of OpenSM, which falls back to ``minhop`` where that cannot route the fabric.
    netlist
        The fabric, or what is left of it.
    host
        The adapter where OpenSM runs, which sets up what it reaches; the first if not given.
    lanes
        Whether OpenSM maps service levels to lanes and is asked for the level of every pair.

    Raises
    ------
    InputError
        If a program is missing, or cannot run on the fabric.
    """
    check_installed()
    with simulated(netlist, host) as fabric:
        own = fabric.torus_options(network) if engine == TORUS else []
        own += WITH_LANES if lanes else ()
        records = ""
        if lanes and engine in BY_PAIR:
            folder, records = fabric.route_with_records(engine, *own)
        else:
            folder = fabric.route(engine, *own)
        texts = {"lfts": (folder / "opensm-lfts.dump").read_text()}
        mapped = folder / "opensm-sl2vl.dump"
        if lanes and mapped.is_file():
            texts["sl2vl"] = mapped.read_text()
        if records:
            texts["records"] = records
        return Dumped(_used(folder), fabric.run("ibnetdiscover"), texts)


def check_installed() -> None:
    """Raise where a program is missing."""
    if absent := missing():
        raise InputError(f"{absent} is not installed; expected the programs of {PACKAGES}")


def dumps(
    network: Network,
    engines: Sequence[str],
    *options: str,
    whole: Network | None = None,
    lanes: bool = False,
) -> dict[str, str]:
    """Return what the programs say of a network as a fabric, by what they are called.

    ``ibnetdiscover``, ``ibports`` and ``lst`` are the fabric; ``ENGINE.lfts``, ``ENGINE.fdbs``,
    ``ENGINE.fts`` and ``ENGINE.sl2vl`` what an engine made of it, with ``lanes`` all of them
    ``ENGINE.sl2vl``, and those that choose a service level for each pair ``ENGINE.records``. An
    engine that cannot route the fabric is left out.

    Raises
    ------
    InputError
        If a program is missing, or cannot run on the fabric.
    """
    check_installed()
    netlist = ibsim_netlist(network)
    found: dict[str, str] = {}
    for engine in engines:
        with simulated(netlist) as fabric:
            own = fabric.torus_options(whole or network) if engine == TORUS else []
            own += [*options, *WITH_LANES] if lanes else options
            records = ""
            if lanes and engine in BY_PAIR:
                folder, records = fabric.route_with_records(engine, *own)
            else:
                folder = fabric.route(engine, *own)
            if _used(folder) != engine:
                continue
            if records:
                found[f"{engine}.records"] = records
            for ending, name in (("lfts", "opensm-lfts.dump"), ("fdbs", "opensm.fdbs")):
                found[f"{engine}.{ending}"] = (folder / name).read_text()
            mapped = folder / "opensm-sl2vl.dump"
            if mapped.is_file():
                found[f"{engine}.sl2vl"] = mapped.read_text()
            found[f"{engine}.fts"] = fabric.run("dump_fts")
            found["lst"] = (folder / "opensm-subnet.lst").read_text()
            found["ibnetdiscover"] = fabric.run("ibnetdiscover")
            found["ibports"] = fabric.run("ibnetdiscover", "--ports")
    return found


def route(
    network: Network,
    folder: Path,
    engines: Sequence[str] = ENGINES,
    whole: Network | None = None,
    lanes: bool = False,
) -> dict[str, str]:
    """Let OpenSM route a network by each engine, and write the fabric and the tables.

    Parameters
    ----------
    network
        Whose nodes with one cable are hosts, and others switches with a host for each unit that
        they inject.
    folder
        Where ``fabric.ibnetdiscover`` and ``ENGINE.lfts`` are written; with ``lanes`` also
        ``ENGINE.sl2vl``, and ``ENGINE.records`` of those that choose a service level for each
        pair.
    engines
        Of OpenSM.
    whole
        What the network is left of, which tells how a torus lies; itself if not given.
    lanes
        Whether OpenSM maps service levels to lanes and is asked for the level of every pair.

    Returns
    -------
    dict[str, str]
        The routing by the tables of each engine that can route it.

    Raises
    ------
    InputError
        If a program is missing, or the network is no fabric.
    """
    netlist = ibsim_netlist(network)
    made = {engine: dumped(whole or network, engine, netlist, lanes=lanes) for engine in engines}
    return {
        engine: found.write(folder, engine)
        for engine, found in made.items()
        if found.used == engine
    }
