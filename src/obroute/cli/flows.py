"""The command that says who uses a channel, and who shares one with a pair."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from obroute.cli.arguments import NetworkName, RoutingName
from obroute.delimited import csv_text
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.breakdown import Flow
    from obroute.network import Network
    from obroute.routing import Routing

ON_CHANNEL = ("source", "destination", "load_exact", "load")
WITH_PAIR = ("tail", "head", "port", "own_load_exact", *ON_CHANNEL)
CHANNELS = ("tail", "head", "port", "pairs", *ON_CHANNEL[2:])


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(flows)


def flows(
    network: NetworkName,
    routing: RoutingName,
    channel: Annotated[
        str | None,
        typer.Option(metavar="TAIL,HEAD", help="Who uses this channel; HEAD#PORT if parallel."),
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(
            "--with", metavar="SOURCE,DESTINATION", help="Who shares a channel with this pair."
        ),
    ] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Only so many rows.")] = None,
) -> None:
    """Say as CSV who uses a channel, who shares one with a pair, or which channels carry most."""
    from obroute.importers import make_network
    from obroute.progress import spoken
    from obroute.routing import routings

    if channel is not None and beside is not None:
        raise InputError("--channel and --with are two questions; ask one at a time")
    made, chosen = make_network(network), routings.create(routing)
    chosen = chosen.on(made)
    chosen.check(made)
    with spoken():
        if channel is not None:
            rows = _on_channel(made, chosen, channel)
        elif beside is not None:
            rows = _with_pair(made, chosen, beside)
        else:
            rows = _channels(made, chosen)
        listed = list(rows)
    sys.stdout.write(csv_text(listed if top is None else listed[: top + 1]))


def _on_channel(network: Network, routing: Routing, words: str) -> Iterator[Sequence[str]]:
    from obroute.breakdown import channel_flows

    yield ON_CHANNEL
    ends, _, port = words.partition("#")
    found = network.channel(*_two_nodes(network, ends, "--channel"), port or None)
    for flow in channel_flows(network, routing, found):
        yield _cells(network, flow)


def _with_pair(network: Network, routing: Routing, words: str) -> Iterator[Sequence[str]]:
    from obroute.breakdown import flows_beside

    yield WITH_PAIR
    pair = _two_nodes(network, words, "--with")
    for own, others in flows_beside(network, routing, *pair).items():
        for other in others:
            yield *_ends(network, own.channel), str(own.load), *_cells(network, other)


def _channels(network: Network, routing: Routing) -> Iterator[Sequence[str]]:
    from obroute.progress import count

    yield CHANNELS
    found = []
    with count("channels", network.channel_count) as done:
        for channel in range(network.channel_count):
            loads = routing.pair_loads(network, channel)
            found.append((loads.sum(), loads.nonzeros, channel))
            done(1)
    for load, pairs, channel in sorted(found, key=lambda one: (-one[0], one[2])):
        yield *_ends(network, channel), str(pairs), str(load), f"{float(load):.9g}"


def _two_nodes(network: Network, words: str, option: str) -> tuple[int, int]:
    """Return two nodes by their names, with a comma between; names may have commas too."""
    parts = words.split(",")
    for place in range(1, len(parts)):
        names = ",".join(parts[:place]), ",".join(parts[place:])
        if all(map(network.has_node, names)):
            return network.node_named(names[0]), network.node_named(names[1])
    nodes = ", ".join(map(network.describe, range(min(3, network.node_count))))
    raise InputError(
        f"{option} {words}: expected two nodes of {network.name} with a comma between, which are "
        f"called {nodes}, …"
    )


def _ends(network: Network, channel: int) -> tuple[str, str, str]:
    ends = int(network.tail[channel]), int(network.head[channel])
    return network.describe(ends[0]), network.describe(ends[1]), network.port(channel) or ""


def _cells(network: Network, flow: Flow) -> tuple[str, ...]:
    ends = network.describe(flow.source), network.describe(flow.destination)
    return *ends, str(flow.load), f"{float(flow.load):.9g}"
