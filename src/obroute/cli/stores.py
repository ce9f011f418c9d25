"""Commands about stores and studies: verify, gather, status, check, schema, list."""

from __future__ import annotations

import sys
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from obroute.cli.output import Json, Terminal, out, print_json
from obroute.kinds.sweep import CONFIGURATION
from obroute.names import printable
from obroute.progress import aside, count, spoken
from obroute.registry import Registry
from obroute.specs import InputError

if TYPE_CHECKING:
    from obroute.verification import Verified

STYLES = {"done": "green", "missing": "yellow", "failed": "red", "damaged": "red", "stale": "cyan"}
MOST_LINES = 10
"""Stores that `verify` tells one by one."""
WIDE = 1000
"""Columns that a table may take where it is not printed on a terminal."""


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(verify)
    app.command()(gather)
    app.command()(status)
    app.command()(check)
    app.command()(schema)
    app.command("list")(list_registered)


def verify(
    store: Annotated[Path, typer.Argument(help="A store, or a folder of stores.")],
    each: Annotated[
        bool,
        typer.Option("--each", help=f"A line a store; without it, up to {MOST_LINES} stores."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check every certificate of a store again, or of all stores below a folder."""
    from obroute.kinds.comparing import on_trust_of
    from obroute.verification import find_stores, verify_stores

    stores = find_stores(store)
    one_by_one = each or len(stores) <= MOST_LINES
    checked = []
    with spoken(), count("stores", len(stores)) as done:
        for verified in verify_stores(store):
            checked.append(verified)
            done(1)
            if not as_json and (one_by_one or verified.gathered is not None):
                with aside():
                    out.print(_in_order(verified))
    if len(checked) > 1 and not as_json:
        number_of = Counter(one.kind for one in checked)
        certificates = sum(one.certificates for one in checked)
        out.print(
            f"{len(checked)} stores in order, {certificates} certificates: "
            + ", ".join(f"{number} {kind}" for kind, number in sorted(number_of.items()))
        )
    on_trust = {kind: on_trust_of(kind) for kind in sorted({one.kind for one in checked})}
    told = [f"{', '.join(names)} ({kind})" for kind, names in on_trust.items() if names]
    if told and not as_json:
        out.print(f"taken as recorded, as nobody can know them: {'; '.join(told)}")
    if as_json:
        told_of = [
            {
                "store": str(v.store),
                "kind": v.kind,
                "certificates": v.certificates,
                "theorem": v.theorem or None,
                "gathered_from": v.gathered_from,
                "gathered": v.gathered and vars(v.gathered),
                "taken_as_recorded": on_trust[v.kind],
            }
            for v in checked
        ]
        print_json({"verified": True, "stores": told_of})


def _in_order(verified: Verified) -> str:
    """Say what was checked in one store."""
    count = f", {verified.certificates} certificates" if verified.certificates else ""
    theorem = f", {verified.theorem}" if verified.theorem else ""
    if verified.gathered is not None:
        count = f", {verified.gathered.words}"
    return f"{verified.store}: {verified.kind} store in order{count}{theorem}"


class Kind(StrEnum):
    """What can be listed."""

    NETWORKS = "networks"
    ROUTINGS = "routings"
    PATTERNS = "patterns"
    TRAFFIC_SETS = "traffic-sets"
    COLLECTIVES = "collectives"
    EXPERIMENTS = "experiments"


def list_registered(
    kind: Annotated[Kind, typer.Argument(help="What to list.")], as_json: Json = False
) -> None:
    """List the networks, routings, patterns or sets of traffic that exist, and parameters."""
    from obroute.collectives import collectives
    from obroute.importers import importers
    from obroute.kinds.registry import experiments
    from obroute.routing import routings
    from obroute.topologies import networks
    from obroute.traffic import patterns
    from obroute.traffic_sets import traffic_sets

    registries: dict[Kind, list[Registry[Any]]] = {
        Kind.NETWORKS: [networks, importers],
        Kind.ROUTINGS: [routings],
        Kind.PATTERNS: [patterns],
        Kind.TRAFFIC_SETS: [traffic_sets],
        Kind.COLLECTIVES: [collectives],
        Kind.EXPERIMENTS: [experiments],
    }
    entries = [entry for registry in registries[kind] for entry in registry]
    if as_json:
        print_json(
            [
                {
                    "name": entry.name,
                    "usage": entry.usage(),
                    "summary": entry.summary,
                    "defined_for": entry.defined_for,
                    "aliases": list(entry.aliases),
                    "examples": list(entry.examples),
                    "parameters": [
                        {
                            "name": parameter.name,
                            "meaning": parameter.meaning,
                            "default": None if parameter.required else str(parameter.default),
                        }
                        for parameter in entry.parameters
                    ],
                }
                for entry in entries
            ]
        )
        return
    for entry in entries:
        out.print(f"{entry.usage()}", style="bold")
        out.print(f"    {entry.summary}")
        if entry.defined_for:
            out.print(f"    defined for {entry.defined_for}")
        if entry.aliases:
            out.print(f"    also called {', '.join(entry.aliases)}")
        if entry.examples:
            out.print(f"    such as {', '.join(entry.examples)}")
        for parameter in entry.parameters:
            default = "" if parameter.required else f" (default {parameter.default})"
            out.print(f"    {parameter.name}: {parameter.meaning}{default}")


def status(
    config: Annotated[Path, typer.Argument(help="The study's YAML file.")] = CONFIGURATION,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Follow the sweep that runs in this folder, to its end."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what of a study is done, missing, failed, damaged or stale, and why."""
    from obroute.status import STATES, stores_of_no_cell, study_status
    from obroute.study import read_study

    study = read_study(config)
    if watch:
        from obroute.cli.watching import follow

        if as_json:
            raise InputError("--watch is for eyes; leave out --json, or ask without --watch")
        follow(study)
        return
    found = list(study_status(study))
    left = stores_of_no_cell(study)
    counted = Counter(one.state for one in found)
    counts = {state: counted[state] for state in STATES}
    if as_json:
        print_json(
            {
                "study": study.study,
                "folder": str(study.folder),
                "counts": counts,
                "stores": [{**vars(one), "store": str(one.store)} for one in found],
                "stores_of_no_cell": list(map(str, left)),
            }
        )
        return
    from rich.table import Table
    from rich.text import Text

    table = Table("section", "cell", "state", "why", box=None, pad_edge=False)
    for one in found:
        state = Text(one.state, STYLES[one.state])
        name, reason = (Text(printable(text)) for text in (one.name, one.reason))
        table.add_row(Text(one.section), name, state, reason)
    # One line a store where nobody watches, so that `grep` finds a cell with its reason.
    (out if out.is_terminal else Terminal(width=WIDE)).print(table, soft_wrap=False)
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    out.print(f"study {study.study}: {told}")
    if left:
        folders = dict.fromkeys(str(store.relative_to(study.folder).parts[0]) for store in left)
        out.print(
            f"{len(left)} stores in {study.folder} are of no cell of this study, left by an "
            f"earlier configuration or an earlier obroute: {', '.join(folders)}; nothing reads "
            "them, remove them when you like"
        )


def gather(
    cells: Annotated[list[str], typer.Argument(help="Names of cell stores below the folder.")],
    folder: Annotated[Path, typer.Option(help="The folder of the cells.")],
    output: Annotated[Path, typer.Option("--output", help="The store to write.")],
    study: Annotated[str, typer.Option(help="Name of the study, for the record.")] = "",
) -> None:
    """Gather cell stores of one kind into one store that xarray opens in one call."""
    from obroute.kinds.stores import gathered, read_store, write_store

    datasets = {}
    with spoken(), count("stores", len(cells)) as done:
        for name in cells:
            datasets[name] = read_store(folder / name)
            done(1)
    kind = next(iter(datasets.values())).attrs["kind"]
    write_store(gathered(kind, datasets, study), output)


def schema(
    stores: Annotated[
        bool, typer.Option("--stores", help="The arrays of the stores, as Markdown.")
    ] = False,
) -> None:
    """Print the JSON schema of a study's configuration, or what the stores hold."""
    from obroute.kinds.described import described_stores
    from obroute.study import schema as study_schema

    sys.stdout.write(described_stores() if stores else study_schema() + "\n")


def check(
    config: Annotated[Path, typer.Argument(help="The study's YAML file.")] = CONFIGURATION,
    lines: Annotated[
        bool, typer.Option("--commands", help="The command of every cell, to paste.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a study's configuration and list its cells."""
    from obroute.study import read_study

    study = read_study(config)
    cells = [cell for cells in study.sections.values() for cell in cells.values()]
    if as_json:
        print_json(
            {
                "study": study.study,
                "cells": [
                    {
                        "section": cell.kind.section,
                        "network": cell.network,
                        "routing": cell.called,
                        "store": str(cell.store),
                        "command": cell.command,
                    }
                    for cell in cells
                ],
            }
        )
        return
    for cell in cells:
        out.print(cell.command if lines else f"{cell.kind.section}: {cell.label}")
    if not lines:
        out.print(f"{len(cells)} cells in study {study.study}")
