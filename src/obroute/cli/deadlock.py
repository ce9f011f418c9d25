"""The command about deadlock: a proof, or a cycle of channels."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.cli.arguments import NetworkName, RoutingNameOrPaths
from obroute.cli.output import Json, out, print_json, print_rows
from obroute.delimited import csv_text
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.deadlock import PathSet, Verdict
    from obroute.network import Network

COLUMNS = ("source", "destination", "probability", "path", "virtual_channels")


class Paths(StrEnum):
    """Sets of paths that no routing need give probabilities."""

    TWO_TURN = "two_turn"


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(deadlock)


def deadlock(
    network: NetworkName,
    routing: RoutingNameOrPaths = None,
    vcs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Virtual channels of each channel; 1 if not given, or as many as the routing "
            "itself tells.",
        ),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            help="single, dateline, phases, hops or found; what the routing tells itself, else "
            "the first that proves it, if not given."
        ),
    ] = None,
    paths: Annotated[
        Paths | None, typer.Option(help="Judge every path of this kind: two_turn.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the virtual channels of each path here (CSV).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove a routing free of deadlock with virtual channels, or show a cycle of channels."""
    from obroute.deadlock import PathSet, check_deadlock
    from obroute.importers import make_network
    from obroute.routing import routings

    if (routing is None) is (paths is None):
        raise InputError(
            "expected a routing, or --paths two_turn for every path of at most two turns; "
            + ("neither is given" if routing is None else f"both are given, leave out '{routing}'")
        )
    start = time.perf_counter()
    made = make_network(network)
    given = PathSet.two_turn(made) if routing is None else routings.create(routing)
    found = check_deadlock(made, given, vcs, scheme)
    judged = found.assignment.paths
    seconds = time.perf_counter() - start
    saved = save if found.deadlock_free else None
    if saved is not None:
        _write_assignment(found, saved)
    if as_json:
        answer = _verdict_json(made, judged, found, paths)
        saved_name = None if saved is None else str(saved)
        print_json({**answer, "saved": saved_name, "seconds": round(seconds, 3)})
    else:
        _print_verdict(made, judged, found, seconds)
        if save is not None and saved is None:
            out.print(f"nothing is proved, so {save} is not written")
    if not found.deadlock_free:
        raise typer.Exit(1)


def _write_assignment(found: Verdict, file: Path) -> None:
    from obroute.routing.hops import path_steps, path_text
    from obroute.writing import write_whole

    network = found.assignment.paths.network
    rows = [list(COLUMNS)]
    for probability, path, hops in found.assignment.rows():
        steps = path_steps(network, path)
        chance = "" if probability is None else str(probability)
        virtual = " ".join(map(str, hops))
        rows.append([steps[0][0], steps[-1][0], chance, path_text(steps), virtual])
    write_whole(file, csv_text(rows).encode())


def _verdict_json(
    network: Network, judged: PathSet, found: Verdict, paths: Paths | None
) -> dict[str, Any]:
    return {
        "network": network.name,
        "routing": judged.name if paths is None else None,
        "paths": None if paths is None else paths.value,
        "path_count": len(judged),
        "vcs": found.virtual_channels,
        "scheme": found.scheme,
        "deadlock_free": found.deadlock_free,
        "virtual_channels_needed": found.virtual_channels_needed,
        "dependencies": len(found.graph),
        "cycle": [
            {
                "tail": int(network.tail[channel]),
                "head": int(network.head[channel]),
                "tail_name": network.describe(int(network.tail[channel])),
                "head_name": network.describe(int(network.head[channel])),
                "port": network.port(channel),
                "channel": channel,
                "virtual_channel": virtual,
            }
            for channel, virtual in found.cycle
        ]
        or None,
    }


def _print_verdict(network: Network, judged: PathSet, found: Verdict, seconds: float) -> None:
    from obroute.deadlock import TOLD

    needed = found.virtual_channels_needed
    given = f"{found.virtual_channels} given"
    told = found.scheme == TOLD
    if told:
        need = f"{found.virtual_channels} used"
    elif needed is None:
        need = f"none suffice by this scheme; {given}"
    else:
        need = f"{needed} needed by this scheme; {given}"
    rows = [
        (
            "free of deadlock",
            "yes, proved: no cycle of dependencies"
            if found.deadlock_free
            else f"no: a cycle of {len(found.cycle)} virtual channels"
            if told
            else f"not by this scheme: a cycle of {len(found.cycle)} virtual channels"
            if found.virtual_channels > 1
            else "no: every packet is on the one virtual channel, in a cycle of "
            f"{len(found.cycle)}",
        ),
        ("scheme", found.scheme),
        ("virtual channels", need),
        ("paths", str(len(judged))),
        ("dependencies", str(len(found.graph))),
        ("seconds", f"{seconds:.2f}"),
    ]
    print_rows(f"{judged.name} on {network.name}", rows)
    if found.cycle:
        out.print("cycle: channel, virtual channel; each waits for the next")
        for channel, virtual in found.cycle:
            out.print(f"  {network.describe_channel(channel)}, {virtual}")
