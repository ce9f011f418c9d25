"""What can be deployed: cost and growth, beside the mixed-integer program in floats.

    python benchmarks/deployment.py

Each row is a process of its own: processor seconds, largest memory, and the interval of single
paths. The program is the one that a user would write: flows of all pairs within the owners of
channels, binary, for each load from 1 on (``docs/methods/deployment.md``), by HiGHS within two
minutes a load. What it excludes is a float's word.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, coo_array, csr_array, eye_array, kron

from obroute import Network, make_network
from obroute.deployment import Restriction, deploy

NETWORKS = (
    "ring:6",
    "mesh:3x3",
    "torus:3x3",
    "torus:4x4",
    "torus:6x6",
    "torus:8x8",
    "leafspine:leaves=6,hosts=4,spines=4",
    "leafspine:leaves=10,hosts=9,spines=9",
    "leafspine:leaves=16,hosts=16,spines=16",
)
LARGEST_OF_PROGRAMS = 16
SECONDS = 120


def by_program(network: Network) -> str:
    """Return the least load of single paths, by programs for one load after another."""
    channels, nodes = network.channel_count, network.node_count
    every = np.arange(channels)
    ends = np.concatenate([network.tail, network.head])
    signs = np.concatenate([np.ones(channels), -np.ones(channels)])
    incidence = csr_array((signs, (ends, np.tile(every, 2))), shape=(nodes, channels))
    pairs = [(s, d) for s in range(nodes) for d in range(nodes) if s != d]
    owners = 2 * nodes
    owned = coo_array(
        (
            np.ones(2 * len(pairs)),
            (
                np.repeat(np.arange(len(pairs)), 2),
                np.array([(s, nodes + d) for s, d in pairs]).ravel(),
            ),
        ),
        shape=(len(pairs), owners),
    )
    each = eye_array(channels)
    rows = block_array(
        [
            [kron(np.ones((1, owners)), each), None],
            [-kron(owned, each), eye_array(len(pairs) * channels)],
            [None, kron(eye_array(len(pairs)), incidence)],
        ]
    )
    sent = np.zeros((len(pairs), nodes))
    for row, (source, destination) in enumerate(pairs):
        sent[row, [source, destination]] = 1, -1
    free = -np.full((1 + len(pairs)) * channels, np.inf)
    whole = np.zeros(rows.shape[1])
    whole[: owners * channels] = 1
    for load in range(1, nodes):
        upper = np.concatenate([np.full(channels, load), np.zeros(len(pairs) * channels)])
        found = milp(
            np.zeros(rows.shape[1]),
            integrality=whole,
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(
                rows.tocsr(),
                np.concatenate([free, sent.ravel()]),
                np.concatenate([upper, sent.ravel()]),
            ),
            options={"time_limit": SECONDS},
        )
        if found.status == 0:
            return f"{load} (floats)"
        if found.status != 2:
            return f"no answer at {load}"
    return "none"


def run(name: str, method: str) -> None:
    """Print the interval, processor seconds and megabytes."""
    network = make_network(name)
    deploy(make_network("ring:4"), Restriction("single_path"), moves=8)
    start = time.process_time()
    if method == "program":
        answer = by_program(network)
    else:
        found = deploy(network, Restriction("single_path"))
        ends: list[Fraction] = [found.lower, found.load]
        answer = " to ".join(map(str, dict.fromkeys(ends)))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| `{name}` | {method} | {answer} | {seconds:.3g} | {peak:.0f} |")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run(*sys.argv[1:])
    else:
        for network in NETWORKS:
            for method in ("obroute", "program"):
                nodes = make_network(network).node_count
                if method == "obroute" or nodes <= LARGEST_OF_PROGRAMS:
                    subprocess.run([sys.executable, __file__, network, method], check=True)
