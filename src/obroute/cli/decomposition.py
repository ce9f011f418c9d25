"""The command that writes traffic as a weighted list of permutations."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.cli.arguments import NetworkName
from obroute.cli.output import Json, out, print_json, print_rows
from obroute.delimited import csv_text
from obroute.kinds.shown import exact_json
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.birkhoff import Term
    from obroute.network import Network

MOST_ENTRIES = 300_000
"""Non-zero entries up to which a matrix is decomposed; it takes minutes from there on."""
COLUMNS = ("term", "weight", "source", "destination")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(decompose)


def decompose(
    network: NetworkName,
    traffic: Annotated[
        str, typer.Argument(help="Traffic: a pattern, or a file of a permutation or matrix.")
    ],
    terms: Annotated[int, typer.Option(min=0, help="Permutations to print, the heaviest.")] = 10,
    save: Annotated[Path | None, typer.Option(help="Write all of them here (.csv).")] = None,
    as_json: Json = False,
) -> None:
    """Write traffic as a weighted list of (partial) permutations, exactly."""
    from obroute.birkhoff import birkhoff, most_terms
    from obroute.importers import make_network
    from obroute.traffic import make_pattern
    from obroute.views import write_whole

    if save is not None and save.suffix != ".csv":
        raise InputError(f"--save {save}: expected a name that ends in .csv")
    made, pattern = make_network(network), make_pattern(traffic)
    amounts = pattern.amounts(made)
    if amounts.nonzeros > MOST_ENTRIES:
        raise InputError(
            f"{pattern.name} on {made.name} has {amounts.nonzeros} entries; expected at most "
            f"{MOST_ENTRIES}: take a smaller network"
        )
    entries = amounts.rows, amounts.columns, amounts.values.fractions()
    found = birkhoff(*entries, amounts.shape)
    bound = most_terms(*entries, amounts.shape)
    if save is not None:
        rows = [(str(n), *row) for n, term in enumerate(found) for row in _rows(made, term)]
        write_whole(save, csv_text([COLUMNS, *rows]).encode())
    if as_json:
        print_json(_json(made, pattern.name, found, bound))
        return
    total = sum(weight for weight, _ in found)
    print_rows(
        f"{pattern.name} on {made.name}",
        [
            ("entries", str(amounts.nonzeros)),
            ("permutations", f"{len(found)}, proved to be at most {bound}"),
            ("weights", f"sum to {total}, the largest row or column sum"),
        ],
    )
    for term in found[:terms]:
        ends = [f"{source} → {destination}" for _, source, destination in _rows(made, term)]
        out.print(f"{term[0]}: {', '.join(ends)}")
    if len(found) > terms:
        out.print(f"and {len(found) - terms} more")


def _rows(network: Network, term: Term) -> list[tuple[str, str, str]]:
    """Return weight, source and destination of every pair of a permutation."""
    weight, permutation = term
    return [
        (
            str(weight),
            network.describe(int(network.sources[row])),
            network.describe(int(network.destinations[column])),
        )
        for row, column in enumerate(permutation.tolist())
        if column >= 0
    ]


def _json(network: Network, traffic: str, found: list[Term], bound: int) -> dict[str, Any]:
    return {
        "network": network.name,
        "traffic": traffic,
        "terms": len(found),
        "most_terms": bound,
        **exact_json("weight", sum((weight for weight, _ in found), Fraction(0))),
        "permutations": [
            {
                **exact_json("weight", weight),
                "destinations": [
                    None if column < 0 else int(network.destinations[column])
                    for column in permutation.tolist()
                ],
            }
            for weight, permutation in found
        ],
    }
