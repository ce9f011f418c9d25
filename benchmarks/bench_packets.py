"""Packets × hops per second of the simulator, beside a plain event loop in Python.

As in :mod:`benchmarks.bench_worst_case`, all rows of a group compute the same thing, and the
fastest is 1.0. The column of hops per second is in the ``extra_info`` of ``--benchmark-json``,
and printed with ``-s``.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.support import simulation_twin

from obroute import make_network, make_pattern, make_routing
from obroute.packets.simulation import permutation_packets, relation_packets, simulate
from obroute.routing import Routing

SIMULATIONS = {
    "hypercube:10 transpose, greedy": ("hypercube:10", "dor", "transpose"),
    "hypercube:10 transpose, valiant": ("hypercube:10", "valiant", "transpose"),
    "torus:8x8 20-relation, romm": ("torus:8x8", "romm", 20),
}
LARGE = {
    "hypercube:16 random permutation, greedy": ("hypercube:16", "dor", "random_permutation"),
    "hypercube:16 transpose, valiant": ("hypercube:16", "valiant", "transpose"),
}


@cache
def _packets(network, routing, traffic):
    network, routing = make_network(network), make_routing(routing)
    if isinstance(traffic, int):
        return network, relation_packets(network, routing, traffic, seed=1)
    destinations = make_pattern(traffic).permutation(network)
    return network, permutation_packets(network, routing, destinations, seed=1)


def _record_speed(benchmark, hops):
    if benchmark.stats is None:  # --benchmark-disable
        return
    speed = hops / benchmark.stats.stats.min
    benchmark.extra_info["packet_hops_per_second"] = round(speed)
    print(f"\n{benchmark.group}, {benchmark.name}: {speed:.3g} packets × hops per second")


@pytest.mark.parametrize("by", ["obroute", "plain Python"])
@pytest.mark.parametrize("discipline", ["fifo", "random", "farthest"])
@pytest.mark.parametrize("case", SIMULATIONS)
def test_simulation(benchmark, case, discipline, by):
    """The same sampled paths and queue order; the result is the same in every number."""
    benchmark.group = f"simulation, {case}, {discipline}"
    network, packets = _packets(*SIMULATIONS[case])
    paths = [packets.paths.path(index) for index in range(len(packets))]
    bandwidths = [int(bandwidth) for bandwidth in network.bandwidth.fractions()]
    injected = packets.injected.tolist()

    def twin():
        return simulation_twin.simulate(paths, injected, bandwidths, discipline, 7)

    expected = simulate(network, packets, discipline, seed=7)  # compiles, too
    if by == "obroute":
        found = benchmark(simulate, network, packets, discipline, 7)
        assert found.delivered.tolist() == expected.delivered.tolist()
    else:
        delivered, crossings, longest, in_network = benchmark.pedantic(twin, rounds=1)
        assert delivered == expected.delivered.tolist()
        assert crossings == expected.channel_packets.tolist()
        assert longest == expected.channel_longest_queue.tolist()
        assert in_network == expected.in_network.tolist()
    _record_speed(benchmark, int(packets.paths.lengths.sum()))


@pytest.mark.parametrize("discipline", ["fifo", "random", "farthest"])
@pytest.mark.parametrize("case", LARGE)
def test_large_simulation(benchmark, case, discipline):
    """65,536 packets, too many for the plain loop to be quick."""
    benchmark.group = f"simulation, {case}"
    network, packets = _packets(*LARGE[case])
    run = benchmark.pedantic(simulate, (network, packets, discipline), rounds=3, warmup_rounds=1)
    assert run.steps < 64
    _record_speed(benchmark, int(packets.paths.lengths.sum()))


@pytest.mark.parametrize("method", ["all at once", "one at a time", "by enumeration"])
@pytest.mark.parametrize("routing", ["dor", "romm", "valiant", "ival"])
def test_sampling_paths(benchmark, routing, method):
    """200 paths on an 8-ary 2-cube: a batch, packet by packet, and from the listed paths."""
    benchmark.group = f"200 paths, torus:8x8 {routing}"
    network, made = make_network("torus:8x8"), make_routing(routing)
    generator = np.random.default_rng(3)
    sources, destinations = generator.integers(64, size=(2, 200))

    def all_at_once():
        return made.sample_paths(network, sources, destinations, np.random.default_rng(1))

    def one_at_a_time():
        # The default of the contract, which calls sample_path for each packet.
        return Routing.sample_paths(made, network, sources, destinations, np.random.default_rng(1))

    def by_enumeration():
        own = np.random.default_rng(1)
        return [
            Routing.sample_path(made, network, source, destination, own)
            for source, destination in zip(sources.tolist(), destinations.tolist(), strict=True)
        ]

    expected = all_at_once()
    if method == "by enumeration":
        lengths = [len(path) for path in benchmark.pedantic(by_enumeration, rounds=1)]
    else:
        run = all_at_once if method == "all at once" else one_at_a_time
        lengths = benchmark(run).lengths
    assert np.mean(lengths) == pytest.approx(expected.lengths.mean(), rel=0.2)
    if routing == "dor":
        assert np.array_equal(lengths, expected.lengths)
