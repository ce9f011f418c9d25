"""Commands about files of networks: what one says, written in another format; routings written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from obroute.choices.tables import TABLE, Table
from obroute.cli.arguments import NetworkName, RoutingName
from obroute.cli.output import Json, out, print_json, print_rows, tell_what_will_be_read
from obroute.specs import InputError


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(convert)
    app.command()(export)


def convert(
    network: NetworkName,
    output: Annotated[
        Path | None, typer.Argument(help="Where to write it; its ending is the format.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="csv, graphml, node_link, booksim, ibsim or sst.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Say what the file of a network was understood to be, and write it in another format."""
    from obroute.exporters.registry import exporter_of, write_network
    from obroute.importers import make_network
    from obroute.importers.description import described

    if output is not None:
        exporter_of(output, form)
    if not as_json:
        tell_what_will_be_read(network)
    made = make_network(network)
    written = write_network(made, output, form) if output is not None else []
    if as_json:
        print_json(
            {
                "network": made.name,
                "read": dict(described(made)),
                "written": [str(place) for place in written],
            }
        )
        return
    rows = described(made)
    rows += [("written", str(place)) for place in written]
    if len(written) > 1:
        rows.append(("read again as", f"{written[0]}:terminals={written[1]}"))
    print_rows(made.name, rows)


def export(
    network: NetworkName,
    routing: RoutingName,
    output: Annotated[Path, typer.Argument(help="Where to write its table (.csv, .json, .lfts).")],
    table: Annotated[
        str,
        typer.Option(
            help="paths, flows, next_channels, sst: paths as SST's merlin has them, or lft: "
            "forwarding tables for OpenSM."
        ),
    ] = TABLE,
) -> None:
    """Write the table of a routing, for switches, simulators, or to read it again."""
    from obroute.importers import make_network
    from obroute.routing import routings
    from obroute.routing.written import SUFFIXES, routing_rows, write_rows
    from obroute.routing.written_lft import write_lft
    from obroute.routing.written_sst import write_sst

    tables: tuple[Table, ...] = get_args(Table)
    expected = {"sst": (".json",), "lft": (".lfts", ".dump")}.get(table, SUFFIXES)
    if output.suffix not in expected:
        raise InputError(f"{output}: expected a name that ends in {' or '.join(expected)}")
    made, chosen = make_network(network), routings.create(routing)
    if table == "sst":
        write_sst(made, chosen, output)
    elif table == "lft":
        write_lft(made, chosen, output)
    elif table in tables:
        write_rows(list(routing_rows(made, chosen, tables[tables.index(table)])), output)
    else:
        raise InputError(f"--table {table}: expected {', '.join(tables)}, sst or lft")
    out.print(f"{chosen.name} on {made.name}: {table} written to {output}")
