"""How cost grows with the size of a network, beside a script in floats.

    python benchmarks/growth.py measure
    python benchmarks/growth.py draw

``measure`` writes ``growth.csv`` beside this file: processor seconds of the worst case of all
channels, exact and certified, and the largest memory of the process, each in a process of its own
(best of three, once above ten seconds, after a small one that loads the compiled code). ``draw``
makes the figure of the documentation from it.
"""

from __future__ import annotations

import csv
import resource
import subprocess
import sys
import time
from pathlib import Path

import large_tori
from irregular import fat_tree, float_script
from networks import regular

from obroute import Network, make_network, make_routing
from obroute.plots.style import save, style
from obroute.worst_cases import worst_cases

HERE = Path(__file__).parent
FIGURE = HERE.parent / "docs" / "methods" / "growth.svg"
NAMES = {
    "regular": "random 8-regular, ECMP",
    "fat_tree": "three-level fat tree, ECMP",
    "torus": "torus, ROMM, odd k",
}
SIZES = {
    "regular": (128, 256, 512, 1024, 2048, 4096),
    "fat_tree": (8, 12, 16, 24, 32, 40),
    "torus": (9, 15, 25, 49, 99, 199),
}
"""Nodes; ports of a switch; radices."""
LARGEST_OF_FLOATS = {"regular": 512, "fat_tree": 8, "torus": 99}
SEVERAL, LONG = 3, 10.0


def network_of(family: str, size: int) -> Network:
    """Return one of the networks."""
    if family == "regular":
        return regular(size)
    if family == "torus":
        return make_network(f"torus:{size}x{size}")
    half = size // 2
    return fat_tree(half, half, size, half, half)


def run(family: str, size: int, method: str) -> None:
    """Print processor seconds, megabytes and the terminals of one network by one method."""
    routing = "romm" if family == "torus" else "ecmp"
    small = network_of(family, SIZES[family][0])
    worst_cases(small if family != "torus" else make_network("torus:33x33"), make_routing(routing))
    network = network_of(family, size)

    def work() -> object:
        if method == "obroute":
            return worst_cases(network, make_routing(routing)).load
        return large_tori.by_floats(size) if family == "torus" else float_script(network)

    best = float("inf")
    for _ in range(SEVERAL):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
        if best > LONG:
            break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{best:.4g},{peak:.0f},{len(network.sources)}")


def measure() -> None:
    """Write the measurements."""
    with (HERE / "growth.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["family", "terminals", "method", "seconds", "megabytes"])
        for family, sizes in SIZES.items():
            for size in sizes:
                for method in ("obroute", "floats"):
                    if method == "floats" and size > LARGEST_OF_FLOATS[family]:
                        continue
                    done = subprocess.run(
                        [sys.executable, __file__, "run", family, str(size), method],
                        capture_output=True,
                        text=True,
                        check=True,
                    )
                    seconds, megabytes, terminals = done.stdout.split(",")
                    rows.writerow([family, int(terminals), method, seconds, megabytes])
                    file.flush()


def draw() -> None:
    """Draw seconds and memory over the number of terminals."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    with (HERE / "growth.csv").open() as file:
        rows = list(csv.DictReader(file))
    colours = dict(zip(NAMES, ("#0072b2", "#d55e00", "#009e73"), strict=True))
    with style():
        figure = Figure(figsize=(9.2, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        for family, name in NAMES.items():
            for method, line, marker in (("obroute", "-", "o"), ("floats", ":", "x")):
                mine = [r for r in rows if (r["family"], r["method"]) == (family, method)]
                terminals = [int(row["terminals"]) for row in mine]
                for axes, key in ((left, "seconds"), (right, "megabytes")):
                    axes.plot(
                        terminals,
                        [float(row[key]) for row in mine],
                        color=colours[family],
                        ls=line,
                        marker=marker,
                        ms=4,
                        lw=1.2,
                        label=name if method == "obroute" else f"{name}, in floats",
                    )
        for axes, title in ((left, "processor seconds"), (right, "memory of the process (MB)")):
            axes.set(xscale="log", yscale="log", title=title, xlabel="terminals")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FormatStrFormatter("%g"))
                axis.set_minor_formatter(NullFormatter())
            axes.grid(axis="both")
        right.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        save(figure, FIGURE)


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measure()
    elif sys.argv[1:] == ["draw"]:
        draw()
    else:
        run(sys.argv[2], int(sys.argv[3]), sys.argv[4])
