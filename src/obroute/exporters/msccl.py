"""All-to-all by the paths of a routing, as the XML that MSCCL and its kin read.

Each rank is a terminal. Its block for another is cut into chunks, so many that each path of the
pair gets its share. A rank has a thread block for every channel out of it, which sends, and for
every channel into it, which receives; chunks on the way lie in scratch space. Steps are in the
order of their hop, then source, destination and path: both ends of a channel see them alike,
and a send depends on one receive of an earlier hop, so that nothing waits in a circle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from xml.sax.saxutils import quoteattr

from obroute.network import Network
from obroute.rational import least_common_denominator
from obroute.routing.contract import Routing
from obroute.routing.path_lists import pairs_of, path_distributions
from obroute.specs import InputError

MOST_CHUNKS = 1024
"""Chunks that the block of a pair may be cut into."""
MOST_AT_ONCE = 71
"""Chunks that MSCCL moves in one step."""
MOST_STEPS = 256
"""Steps that MSCCL reads of a thread block."""
MOST_RANKS = 1024


@dataclass
class _Block:
    """A thread block: the ranks it sends to and receives from, its channel, and its steps."""

    send: int
    receive: int
    channel: int
    steps: list[dict[str, object]] = field(default_factory=list)


def msccl_text(network: Network, routing: Routing) -> str:
    """Return the schedule of an all-to-all by the paths of a routing.

    Raises
    ------
    InputError
        If a node is no terminal of one unit, the shares of paths need too many chunks, or a
        channel carries them in more steps than are read.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> text = msccl_text(make_network("ring:3"), make_routing("dor"))
    >>> text.splitlines()[0].split()[:2], text.count("<tb ")
    (['<algo', 'name="dor'], 15)
    """
    _check(network)
    count = network.node_count
    shares = {
        (source, destination): sorted(paths.items())
        for source, destination, paths in path_distributions(routing, network, pairs_of(network))
    }
    chunks = least_common_denominator(p for listed in shares.values() for _, p in listed)
    if chunks > MOST_CHUNKS:
        raise InputError(
            f"the paths of {routing.name} have shares over {chunks}; a schedule cuts a block into "
            f"at most {MOST_CHUNKS} chunks: round the routing, or take one of simpler shares"
        )
    ranks = [_blocks_of(network, rank) for rank in range(count)]
    numbers = [{key: number for number, key in enumerate(blocks)} for blocks in ranks]
    scratch = [0] * count
    heads = network.head.tolist()
    received: dict[tuple[int, int, int, int], int] = {}
    for move in sorted(_moves(shares, heads, chunks, scratch)):
        hop, source, destination, path, channel, before, place, there, amount = move
        tail, head = int(network.tail[channel]), heads[channel]
        after = (-1, -1)
        if hop:  # what is sent on has been received
            step = received[hop - 1, source, destination, path]
            after = numbers[tail]["receive", before], step
            ranks[tail]["receive", before].steps[step]["hasdep"] = 1
        ranks[tail]["send", channel].steps.append(_step("s", place, there, amount, after))
        taken = ranks[head]["receive", channel].steps
        received[hop, source, destination, path] = len(taken)
        taken.append(_step("r", place, there, amount))
    for rank, blocks in enumerate(ranks):
        for first, amount in _pieces(chunks):
            own = rank * chunks + first
            blocks["copy", rank].steps.append(_step("cpy", ("i", own), ("o", own), amount))
    _check_steps(network, routing, ranks)
    return _xml(network, routing, ranks, chunks, scratch)


def _check(network: Network) -> None:
    every = list(range(network.node_count))
    unit = network.has_unit_terminals
    if not unit or network.sources.tolist() != every or network.destinations.tolist() != every:
        raise InputError(
            f"{network.name}: a schedule is for networks in which every node is a rank that "
            "injects and ejects one packet per cycle"
        )
    if network.node_count > MOST_RANKS:
        raise InputError(
            f"{network.name} has {network.node_count} ranks; a schedule is for at most "
            f"{MOST_RANKS}"
        )


def _check_steps(
    network: Network, routing: Routing, ranks: list[dict[tuple[str, int], _Block]]
) -> None:
    for blocks in ranks:
        for (_, channel), block in blocks.items():
            if len(block.steps) > MOST_STEPS:
                raise InputError(
                    f"the schedule of {routing.name} on {network.name} has {len(block.steps)} "
                    f"steps on the channel {network.describe_channel(channel)}; MSCCL reads at "
                    f"most {MOST_STEPS}: take a routing of fewer paths, or a smaller network"
                )


def _pieces(chunks: int) -> Iterator[tuple[int, int]]:
    """Yield the first of the chunks that are moved in each step, and how many."""
    for first in range(0, chunks, MOST_AT_ONCE):
        yield first, min(MOST_AT_ONCE, chunks - first)


def _blocks_of(network: Network, rank: int) -> dict[tuple[str, int], _Block]:
    """Return the thread blocks of a rank, by what they do and the channel that they use."""
    found = {}
    for channel in range(network.channel_count):
        tail, head = int(network.tail[channel]), int(network.head[channel])
        port = network.parallel_channels(tail, head).index(channel)
        if tail == rank:
            found["send", channel] = _Block(head, -1, port)
        if head == rank:
            found["receive", channel] = _Block(-1, tail, port)
    found["copy", rank] = _Block(-1, -1, 0)
    return found


Place = tuple[str, int]
"""A buffer (``i`` input, ``o`` output, ``s`` scratch) and the first chunk in it."""
Move = tuple[int, int, int, int, int, int, Place, Place, int]
"""Hop, source, destination, piece of a path; channel and the one before; from, to; chunks."""


def _moves(
    shares: dict[tuple[int, int], list[tuple[tuple[int, ...], Fraction]]],
    heads: list[int],
    chunks: int,
    scratch: list[int],
) -> list[Move]:
    """Return every move of chunks over a channel; scratch space is given out on the way."""
    found: list[Move] = []
    for (source, destination), listed in shares.items():
        first = 0
        pieces = [(path, n) for path, share in listed for _, n in _pieces(int(share * chunks))]
        for number, (path, amount) in enumerate(pieces):
            place: Place = ("i", destination * chunks + first)
            for hop, channel in enumerate(path):
                there: Place = ("o", source * chunks + first)
                if hop < len(path) - 1:
                    rank = heads[channel]
                    there = ("s", scratch[rank])
                    scratch[rank] += amount
                before = path[hop - 1] if hop else -1
                move = (hop, source, destination, number, channel, before, place, there, amount)
                found.append(move)
                place = there
            first += amount
    return found


def _step(
    kind: str, source: Place, target: Place, count: int, after: tuple[int, int] = (-1, -1)
) -> dict[str, object]:
    return {
        "type": kind,
        "srcbuf": source[0],
        "srcoff": source[1],
        "dstbuf": target[0],
        "dstoff": target[1],
        "cnt": count,
        "depid": after[0],
        "deps": after[1],
        "hasdep": 0,
    }


def _xml(
    network: Network,
    routing: Routing,
    ranks: list[dict[tuple[str, int], _Block]],
    chunks: int,
    scratch: list[int],
) -> str:
    count = network.node_count
    ports = 1 + max(block.channel for blocks in ranks for block in blocks.values())
    name = quoteattr(f"{routing.name} on {network.name}")
    lines = [
        f'<algo name={name} proto="Simple" nchannels="{ports}" nchunksperloop="{count * chunks}" '
        f'ngpus="{count}" coll="alltoall" inplace="0" outofplace="1" minBytes="0" maxBytes="0">'
    ]
    for rank, blocks in enumerate(ranks):
        lines.append(
            f'  <gpu id="{rank}" i_chunks="{count * chunks}" o_chunks="{count * chunks}" '
            f's_chunks="{scratch[rank]}">'
        )
        for number, block in enumerate(blocks.values()):
            lines.append(
                f'    <tb id="{number}" send="{block.send}" recv="{block.receive}" '
                f'chan="{block.channel}">'
            )
            lines += [
                f'      <step s="{place}" '
                + " ".join(f'{key}="{value}"' for key, value in step.items())
                + "/>"
                for place, step in enumerate(block.steps)
            ]
            lines.append("    </tb>")
        lines.append("  </gpu>")
    return "\n".join([*lines, "</algo>"]) + "\n"
