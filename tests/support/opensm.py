"""True tables of OpenSM without hardware: fabrics simulated by ``ibsim``, routed by each engine.

``python -m tests.support.opensm`` makes the dumps in ``examples/infiniband`` anew. Debian has the
programs: opensm, ibsim-utils, infiniband-diags.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("ibsim", "opensm", "ibnetdiscover", "dump_fts")
SIMULATED = Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so")
ENGINES = ("minhop", "updn", "dnup", "ftree", "lash", "dor", "dfsssp", "sssp", "nue")
SECONDS = 120
USED = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured")
SECONDS_TO_START = 20


def missing() -> str:
    """Say which program is not there, nothing if all are."""
    programs = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    return ", ".join(programs) if programs else "" if SIMULATED.is_file() else SIMULATED.name


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
        if ran.returncode:
            raise RuntimeError(
                f"{command}: {ran.returncode}: {ran.stdout[-500:]}{ran.stderr[-500:]}"
            )
        return ran.stdout

    def route(self, engine: str, *options: str) -> Path:
        """Let OpenSM set up the fabric by an engine, and return the folder of its dumps."""
        dumps = self.folder / engine.replace(",", "-")
        dumps.mkdir(exist_ok=True)
        settings = dumps / "opensm.conf"
        settings.write_text(f"dump_files_dir {dumps}\nuse_optimized_slvl FALSE\n")
        command = ["opensm", "-F", str(settings), "--once", "-R", engine]
        command += ["-f", str(dumps / "log"), "-e", "-D", "0x43", "--dump_files_dir", str(dumps)]
        self.run(*command, *options)
        return dumps


@contextmanager
def simulated(netlist: str) -> Iterator[Simulated]:
    """Run the fabric of a netlist in a simulator of its own."""
    with tempfile.TemporaryDirectory(prefix="fabric") as name:
        folder = Path(name)
        file = folder / "fabric.netlist"
        file.write_text(netlist)
        host = re.search(r'^Hca\s+\d+\s+"([^"]+)"', netlist, re.MULTILINE)
        assert host is not None
        environment = {
            **os.environ,
            "PATH": _path(),
            "SIM_HOST": host[1],
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
            _wait(folder / "ibsim.log", simulator)
            preloaded = {**environment, "LD_PRELOAD": str(SIMULATED)}
            yield Simulated(file, folder, preloaded)
        finally:
            simulator.kill()
            simulator.wait()
            if simulator.stdin is not None:
                simulator.stdin.close()


def _wait(log: Path, simulator: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while "sim>" not in log.read_text():
        if simulator.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"ibsim did not start: {log.read_text()[-500:]}")
        time.sleep(0.05)


def dumps(netlist: str, engines: Sequence[str], *options: str) -> dict[str, str]:
    """Return what the programs say of a fabric, by what they are called.

    ``ibnetdiscover``, ``ibports`` and ``lst`` are the fabric; ``ENGINE.lfts``, ``ENGINE.fdbs``,
    ``ENGINE.fts`` and ``ENGINE.sl2vl`` what an engine made of it. An engine that cannot route the
    fabric is left out.
    """
    found: dict[str, str] = {}
    for engine in engines:
        with simulated(netlist) as fabric:
            folder = fabric.route(engine, *options)
            if USED.findall((folder / "log").read_text()) != [engine]:
                continue
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


EXAMPLES = {
    "leafspine": ("leafspine:leaves=4,hosts=4,spines=2", ("minhop", "ftree", "dfsssp")),
    "ring": ("ring:5", ("minhop", "nue")),
}
"""What ``examples/infiniband`` holds: a network, and the engines that route it."""


def main() -> None:
    """Make the dumps of the examples anew."""
    from obroute import make_network
    from obroute.exporters.ibsim_netlist import ibsim_netlist

    folder = Path(__file__).parents[2] / "examples" / "infiniband"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (network, engines) in EXAMPLES.items():
        made = dumps(ibsim_netlist(make_network(network)), engines)
        (folder / f"{name}.ibnetdiscover").write_text(made["ibnetdiscover"])
        for engine in engines:
            (folder / f"{name}-{engine}.lfts").write_text(made[f"{engine}.lfts"])
    network, (engine, *_) = EXAMPLES["leafspine"]
    two_lids = dumps(ibsim_netlist(make_network(network)), (engine,), "-l", "1")
    (folder / f"leafspine-{engine}-lmc1.lfts").write_text(two_lids[f"{engine}.lfts"])


if __name__ == "__main__":
    main()
