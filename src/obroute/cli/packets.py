"""Commands about packets that queue: adversary, benes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Any

import typer

from obroute.cli.arguments import NetworkName, RoutingName
from obroute.cli.output import Json, out, print_json, print_rows
from obroute.kinds.shown import exact_json


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(adversary)
    app.command()(benes)


def adversary(
    network: NetworkName,
    routing: RoutingName,
    as_json: Json = False,
) -> None:
    """Find bad permutations: Borodin and Hopcroft's, and the exact worst of the matching."""
    from obroute.importers import make_network
    from obroute.packets.adversary import borodin_hopcroft, greedy_lower_bounds
    from obroute.routing import routings
    from obroute.routing.bit_fixing import is_hypercube
    from obroute.worst_cases import worst_cases

    made, chosen = make_network(network), routings.create(routing)
    chosen.check(made)
    witness = borodin_hopcroft(made, chosen)
    worst = worst_cases(made, chosen).critical
    bounds = (
        greedy_lower_bounds(made)
        if is_hypercube(made) and chosen.name in ("dor", "bit_fixing")
        else []
    )
    witness_nodes = made.destinations[witness.permutation].tolist()
    permutation = worst.worst.permutation
    worst_nodes = None if permutation is None else made.destinations[permutation].tolist()
    if as_json:
        print_json(
            {
                "network": made.name,
                "routing": chosen.name,
                "borodin_hopcroft": {
                    "guaranteed_pairs": witness.guaranteed_pairs,
                    "guaranteed_steps": witness.guaranteed_steps,
                    "pairs": witness.pairs,
                    "load": witness.load,
                    "steps_at_least": witness.steps,
                    "channel": _ends(made, witness.channel),
                    "permutation": witness_nodes,
                },
                "exact_worst": {
                    **exact_json("load", worst.normalized_load),
                    "channel": _ends(made, worst.worst.channel),
                    "permutation": worst_nodes,
                },
                "greedy_bounds": [_bound_json(bound) for bound in bounds],
            }
        )
        return
    rows = [
        (
            "Borodin and Hopcroft",
            f"{witness.pairs} pairs through one channel (the proof promises "
            f"{witness.guaranteed_pairs} through some link); at least {_steps(witness.steps)}",
        ),
        (
            "exact worst permutation",
            f"{worst.normalized_load} packets on one channel for each that it sends in a step, so "
            f"at least {_steps(math.ceil(worst.normalized_load))}",
        ),
        *(
            (
                bound.pattern,
                f"at least {_steps(bound.averaging)} by the notes' average, "
                f"{math.ceil(bound.load)} by its heaviest channel",
            )
            for bound in bounds
        ),
    ]
    print_rows(f"{chosen.name} on {made.name}", rows)
    for title, nodes in (
        ("Borodin and Hopcroft's permutation", witness_nodes),
        ("exact worst permutation", worst_nodes),
    ):
        out.print(title)
        out.print(str(nodes))


def _steps(count: int) -> str:
    return f"{count} step{'' if count == 1 else 's'}"


def _ends(network: Any, channel: int) -> dict[str, Any]:
    return {
        "tail": int(network.tail[channel]),
        "head": int(network.head[channel]),
        "port": network.port(channel),
    }


def _bound_json(bound: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for key, value in vars(bound).items():
        shown |= exact_json(key, value) if isinstance(value, Fraction) else {key: value}
    return shown


def benes(
    dimensions: Annotated[int, typer.Argument(min=1, help="n: the network has 2^n inputs.")],
    permutation: Annotated[
        str, typer.Option(help="File of destinations, or a pattern: bit_reverse, transpose, …")
    ],
    as_json: Json = False,
) -> None:
    """Find vertex-disjoint paths through a Beneš network for a permutation, by looping."""
    from obroute.importers import make_network
    from obroute.packets.benes import (
        benes_rows,
        check_disjoint,
        check_schedule,
        offline_schedule,
    )
    from obroute.traffic import make_pattern

    cube = make_network(f"hypercube:{dimensions}")
    destinations = make_pattern(permutation).permutation(cube)
    rows = benes_rows(destinations)
    check_disjoint(rows, destinations)
    steps = check_schedule(offline_schedule(destinations), destinations)
    if as_json:
        print_json(
            {
                "dimensions": dimensions,
                "inputs": len(destinations),
                "disjoint": True,
                "offline_steps": steps,
                "rows": rows.tolist(),
            }
        )
        return
    print_rows(
        f"Beneš network of dimension {dimensions}, {permutation}",
        [
            ("inputs", str(len(destinations))),
            ("vertex-disjoint", "yes, checked"),
            (
                "off-line schedule on the hypercube",
                f"{steps} steps of at most {2 * dimensions - 1}",
            ),
        ],
    )
    if len(destinations) <= 64:
        out.print("rows of each path, level by level")
        for path in rows.tolist():
            out.print(f"  {path}")
