"""The exact engine on networks without symmetry, beside the script that a user would write.

``python benchmarks/irregular.py`` prints a table: processor seconds (best of several, warm, in one
process) of the worst case of ECMP over all channels, exact and certified, and of the float script
below; then larger networks that the script does not finish, with the peak memory. Options name the
sizes: ``python benchmarks/irregular.py 128 256 --large 2048``.
"""

from __future__ import annotations

import argparse
import resource

import numpy as np
from networks import broken_torus, regular
from rich.console import Console
from rich.table import Table
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from timing import timed

import obroute
from obroute import Network
from obroute.routing.forwarding import ForwardingTable
from obroute.worst_cases import worst_cases

SEVERAL = 3


def float_script(network: Network) -> float:
    """Bound nothing: all pair loads of every channel in floats, and SciPy's assignment of each."""
    nodes = network.node_count
    ones = np.ones(network.channel_count)
    adjacency = csr_array((ones, (network.tail, network.head)), shape=(nodes, nodes))
    hops = shortest_path(adjacency, unweighted=True)
    counts = np.eye(nodes)
    for away in range(1, int(hops.max()) + 1):
        counts += np.where(hops == away, (counts * (hops == away - 1)) @ adjacency.toarray(), 0)
    ends = np.ix_(network.sources, network.destinations)
    worst = 0.0
    for u, v in zip(network.tail, network.head, strict=True):
        crossed = hops[:, [u]] + 1 + hops[v] == hops
        loads = np.where(crossed, counts[:, [u]] * counts[v] / counts, 0)[ends]
        rows, columns = linear_sum_assignment(loads, maximize=True)
        worst = max(worst, loads[rows, columns].sum())
    return worst


def fat_tree(hosts: int, leaves: int, pods: int, aggregations: int, spines: int) -> Network:
    """Return a three-level fat tree, hosts first: so many of each below or above the other."""
    leaf_count, aggregation_count = leaves * pods, aggregations * pods
    host_count = hosts * leaf_count
    host, leaf = np.arange(host_count), host_count + np.arange(leaf_count)
    aggregation = leaf[-1] + 1 + np.arange(aggregation_count)
    spine = aggregation[-1] + 1 + np.arange(aggregations * spines).reshape(aggregations, spines)
    cables = [np.stack([host, leaf[host // hosts]], axis=1)]
    for pod in range(pods):
        up = aggregation[pod * aggregations : (pod + 1) * aggregations]
        low = leaf[pod * leaves : (pod + 1) * leaves]
        cables.append(np.stack(np.broadcast_arrays(low[:, None], up), axis=-1).reshape(-1, 2))
        cables.append(np.stack(np.broadcast_arrays(up[:, None], spine), axis=-1).reshape(-1, 2))
    tail, head = np.concatenate([half for each in cables for half in (each, each[:, ::-1])]).T
    nodes = int(spine.max()) + 1
    return Network(
        f"fat tree, {host_count:,} hosts", nodes, tail, head, sources=host, destinations=host
    )


def d_mod_k(
    network: Network, hosts: int, leaves: int, pods: int, aggregations: int, spines: int
) -> ForwardingTable:
    """Return the table of a fat tree in which the destination's number chooses the way up."""
    leaf_count, aggregation_count = leaves * pods, aggregations * pods
    host_count = hosts * leaf_count
    d = np.arange(host_count, dtype=np.int32)
    leaf_of, pod_of = d // hosts, d // hosts // leaves
    base = host_count + leaf_count
    switches = np.arange(host_count, network.node_count)
    found = np.empty((len(switches), host_count), dtype=np.int32)
    leaf = np.arange(leaf_count)[:, None]
    up = base + leaf // leaves * aggregations + d % aggregations
    found[:leaf_count] = np.where(leaf_of == leaf, d, up)
    pod, place = np.divmod(np.arange(aggregation_count)[:, None], aggregations)
    over = base + aggregation_count + place * spines + d // aggregations % spines
    found[leaf_count : leaf_count + aggregation_count] = np.where(
        pod_of == pod, host_count + leaf_of, over
    )
    spine = np.arange(aggregations * spines)[:, None]
    found[leaf_count + aggregation_count :] = base + pod_of * aggregations + spine // spines
    for row, switch in enumerate(switches.tolist()):
        found[row] = network.channels_between(np.full(host_count, switch), found[row])
    return ForwardingTable("d-mod-k", switches, found)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("nodes", nargs="*", type=int, default=[128, 256, 512, 1024])
    parser.add_argument("--large", nargs="*", type=int, default=[2048, 4096])
    parser.add_argument("--no-fabrics", action="store_true")
    chosen = parser.parse_args()
    worst_cases(regular(70), obroute.make_routing("ecmp"))  # compiled, once
    console = Console()
    table = Table(
        "network", "obroute s", "float script s", "times faster", "worst-case load", box=None
    )
    for nodes in chosen.nodes:
        network = regular(nodes)
        ours, found = timed(lambda network=network: load_of(network), SEVERAL)
        theirs, nearly = timed(lambda network=network: float_script(network), 1)
        assert abs(float(found) - nearly) < 1e-9 * nearly
        table.add_row(
            network.name, f"{ours:.3f}", f"{theirs:.2f}", f"{theirs / ours:.0f}", str(found)
        )
    console.print(table)
    table = Table("network", "routing", "obroute s", "worst-case load", "peak MB so far", box=None)
    larger = [(regular(nodes), obroute.make_routing("ecmp")) for nodes in chosen.large]
    if not chosen.no_fabrics:
        larger.append((broken_torus(32, 10), obroute.make_routing("ecmp")))
        for shape in ((16, 16, 32, 16, 16), (32, 32, 16, 32, 32)):
            fabric = fat_tree(*shape)
            larger += [(fabric, obroute.make_routing("ecmp")), (fabric, d_mod_k(fabric, *shape))]
    for network, routing in larger:
        seconds, found = timed(lambda n=network, r=routing: fresh(n, r), 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        table.add_row(
            network.name, routing.name, f"{seconds:.2f}", f"{float(found):.10g}", f"{peak:,}"
        )
    console.print(table)


def load_of(network: Network) -> object:
    """Return the worst case of ECMP, with nothing remembered."""
    return worst_cases(network, obroute.make_routing("ecmp")).load


def fresh(network: Network, routing: obroute.Routing) -> object:
    """Return the worst case of a routing, with nothing remembered."""
    routing._memory.clear()
    return worst_cases(network, routing).load


if __name__ == "__main__":
    main()
