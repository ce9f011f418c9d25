"""The arguments that commands share, with the names that a shell completes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer


def network_names(incomplete: str) -> list[str]:
    """Return examples of networks that begin so; the shell itself completes names of files."""
    from obroute.topologies import networks

    return _begin(incomplete, (word for one in networks for word in one.examples or (one.name,)))


def routing_names(incomplete: str) -> list[str]:
    """Return routings that begin so, with the parameters of examples."""
    from obroute.routing import routings

    return _begin(incomplete, (word for one in routings for word in (one.name, *one.examples)))


def _begin(incomplete: str, words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word.startswith(incomplete.lower())})


_ROUTING = "Routing: dor, romm:order=fixed, routes.csv, 1/2*dor+1/2*ival"
NetworkName = Annotated[
    str,
    typer.Argument(
        help="Network: torus:9x9, hypercube:6, edges.csv, … (see `list`).",
        autocompletion=network_names,
    ),
]
RoutingName = Annotated[str, typer.Argument(help=f"{_ROUTING}.", autocompletion=routing_names)]
RoutingNameOrPaths = Annotated[
    str | None,
    typer.Argument(help=f"{_ROUTING}; none with --paths.", autocompletion=routing_names),
]
