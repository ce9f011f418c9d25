"""All-to-all: published values, both proofs against each other, and schedules that are run."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter, deque
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linprog
from tests.support.random_networks import digraphs, fabrics

import obroute
from obroute.all_to_all import checked_bound, proved_by
from obroute.exporters.msccl import msccl_text
from obroute.specs import CertificateError, InputError

PUBLISHED = {
    ("kautz:d=2,D=2", "ecmp"): ("5", "13/3"),
    ("kautz:d=2,D=3", "ecmp"): ("15", "43/3"),
    ("kautz:d=2,D=4", "ecmp"): ("45", "389/10"),
    ("kautz:d=3,D=2", "ecmp"): ("7", None),
    ("torus:4x4x8", "dor"): ("128", "128"),
    ("twisted_torus:fcc=4", "ecmp"): ("220/3", "220/3"),
}


@pytest.mark.parametrize(("network", "routing"), PUBLISHED)
def test_published_values(network, routing):
    """Kautz digraphs, and slices of a TPU pod, whose twist gains 96/55."""
    found = obroute.alltoall(network, routing)
    time, least = PUBLISHED[network, routing]
    assert str(found.time) == time
    assert least is None or str(found.least_time) == least
    assert checked_bound(found.network, found.lengths) == found.least_load


def test_the_twist_of_a_slice_gains_what_is_published():
    """FCC(4) against the straight box of as many chips."""
    straight, twisted = (
        obroute.alltoall(n, "ecmp") for n in ("torus:4x4x8", "twisted_torus:fcc=4")
    )
    assert straight.least_load / twisted.least_load == Fraction(96, 55)


def twin(network: obroute.Network) -> float:
    """Return the least load of uniform traffic, as the plain program of all pairs has it."""
    channels, nodes, sources = network.channel_count, network.node_count, len(network.sources)
    rows, columns = (part.to_float() for part in network.uniform_weight())
    columns_count = sources * channels + 1
    balance = np.zeros((sources * nodes, columns_count))
    supply = np.zeros(sources * nodes)
    capacity = np.zeros((channels, columns_count))
    for place, source in enumerate(network.sources.tolist()):
        for channel in range(channels):
            column = place * channels + channel
            balance[place * nodes + network.tail[channel], column] += 1
            balance[place * nodes + network.head[channel], column] -= 1
            capacity[channel, column] = 1
        supply[place * nodes + source] += rows[place] * columns.sum()
        for end, destination in enumerate(network.destinations.tolist()):
            supply[place * nodes + destination] -= rows[place] * columns[end]
    capacity[:, -1] = -network.bandwidth.to_float()
    cost = np.zeros(columns_count)
    cost[-1] = 1
    found = linprog(cost, A_ub=capacity, b_ub=np.zeros(channels), A_eq=balance, b_eq=supply)
    return float(found.fun)


@settings(max_examples=25)
@given(fabrics() | digraphs())
def test_the_least_load_is_that_of_the_plain_program(network):
    """On networks that nobody drew; the routing that is named has it."""
    if network.injection.sum() != network.ejection.sum():
        return
    found = obroute.alltoall(network, "ecmp")
    assert float(found.least_load) == pytest.approx(twin(network), abs=1e-7)
    assert found.load >= found.least_load
    assert checked_bound(network, found.lengths) == found.least_load
    assert obroute.evaluate(network, found.best).uniform.load == found.least_load


def test_any_lengths_prove_no_more_than_the_least():
    """Both ways of counting agree, and lengths that are none are refused."""
    network = obroute.make_network("torus:3x4")
    least = obroute.alltoall(network, "dor").least_load
    generator = np.random.default_rng(3)
    for _ in range(20):
        lengths = generator.integers(0, 5, network.channel_count)
        assert proved_by(network, lengths) == checked_bound(network, lengths) <= least
    for wrong in (np.zeros(network.channel_count, dtype=int), -lengths):
        with pytest.raises(CertificateError, match="lengths"):
            checked_bound(network, wrong)


SCHEDULED = [
    ("ring:3", "dor"),
    ("torus:3x2", "romm"),
    ("kautz:d=2,D=2", "ecmp"),
    ("kautz:d=2,D=2", "optimal:objective=capacity"),
    ("torus:3x2", "1/50*dor+49/50*o1turn"),  # more chunks than MSCCL moves at once
]


@pytest.mark.parametrize(("network", "routing"), SCHEDULED)
def test_a_schedule_delivers_every_chunk_and_loads_channels_as_the_routing_does(network, routing):
    """Run by thread blocks that wait for each other, as a library runs it.

    MSCCL refuses a file with more than 71 chunks in a step, or 256 steps in a thread block.
    """
    net, chosen = obroute.make_network(network), obroute.make_routing(routing)
    algo = ET.fromstring(msccl_text(net, chosen))
    count, per_rank = net.node_count, int(algo.get("nchunksperloop"))
    chunks = per_rank // count
    memory = [{("i", place): (rank, place) for place in range(per_rank)} for rank in range(count)]
    pending = {
        (rank, int(block.get("id"))): (block, deque(block))
        for rank, gpu in enumerate(algo)
        for block in gpu
    }
    wires: dict[tuple[int, int, str], deque] = {}
    carried: Counter = Counter()
    done: dict[tuple[int, int], int] = Counter()
    moved = True
    while moved:
        moved = False
        for (rank, number), (block, steps) in pending.items():
            if not steps:
                continue
            step = steps[0]
            depends = int(step.get("depid"))
            if depends >= 0 and done[rank, depends] <= int(step.get("deps")):
                continue
            kind, amount = step.get("type"), int(step.get("cnt"))
            assert int(step.get("s")) < 256
            assert 0 < amount < 72
            source, target = int(step.get("srcoff")), int(step.get("dstoff"))
            held = memory[rank]
            if kind in ("s", "cpy"):
                data = [held[step.get("srcbuf"), source + k] for k in range(amount)]
            if kind == "s":
                wire = rank, int(block.get("send")), block.get("chan")
                wires.setdefault(wire, deque()).append(data)
                carried[wire] += amount
            elif kind == "r":
                wire = int(block.get("recv")), rank, block.get("chan")
                if not wires.get(wire):
                    continue
                data = wires[wire].popleft()
                assert len(data) == amount
            if kind in ("r", "cpy"):
                held.update({(step.get("dstbuf"), target + k): d for k, d in enumerate(data)})
            steps.popleft()
            done[rank, number] += 1
            moved = True
    assert not any(steps for _, steps in pending.values())
    for rank in range(count):
        for source in range(count):
            for k in range(chunks):
                assert memory[rank]["o", source * chunks + k] == (source, rank * chunks + k)
    largest = Fraction(max(carried.values()), chunks)
    assert largest == obroute.alltoall(net, chosen).time


def test_what_has_no_schedule_is_said_in_a_line():
    """Switches that are no ranks, shares of too many chunks, and too many steps."""
    with pytest.raises(InputError, match="every node is a rank"):
        msccl_text(
            obroute.make_network("leafspine:leaves=2,hosts=2,spines=2"),
            obroute.make_routing("ecmp"),
        )
    with pytest.raises(InputError, match="at most 1024 chunks"):
        msccl_text(
            obroute.make_network("ring:3"), obroute.make_routing("1/1025*dor+1024/1025*valiant")
        )
    with pytest.raises(InputError, match=r"has 616 steps on the channel .* at most 256"):
        msccl_text(obroute.make_network("torus:4x4"), obroute.make_routing("valiant"))
