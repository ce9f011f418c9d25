"""What the readers of graph files share: parameters, and a graph made a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any

from obroute.cabling import Cabling
from obroute.graphs import cabling_of
from obroute.importers.terminals import read_terminals
from obroute.network import Network
from obroute.specs import InputError, Parameter

if TYPE_CHECKING:
    import networkx as nx

BandwidthOf = Annotated[
    str,
    Parameter("the attribute of links that is their bandwidth, none, or auto: by its name", str),
]
TerminalFile = Annotated[
    FilePath | None, Parameter("file of node[,injection[,ejection]]", FilePath)
]


def network_of(
    cabling: Cabling, terminals: FilePath | None, listed: dict[str, Any] | None = None
) -> Network:
    """Return the network of a cabling, with the terminals of a file if one is given.

    Parameters
    ----------
    cabling
        What the file of the network says.
    terminals
        The file of terminals.
    listed
        The terminals that the file of the network itself lists, by fields.
    """
    if terminals is not None:
        names, _ = cabling.numbered()
        numbers = {name: number for number, name in enumerate(names)}
        listed = read_terminals(terminals, numbers, FilePath(cabling.file))
    return Network(**cabling.fields(listed))


def network_of_graph(
    file: FilePath,
    form: str,
    read: Callable[[], nx.Graph],
    bandwidth: str,
    terminals: FilePath | None,
) -> Network:
    """Return the network of a file that networkx reads.

    Parameters
    ----------
    file, form
        The file, and what it is, for people.
    read
        Reads it with networkx; whatever that stumbles over is told in one line.
    bandwidth, terminals
        As the user gives them.

    Raises
    ------
    InputError
        If networkx cannot read it, or the graph is no network.
    """
    try:
        graph = read()
    except InputError:
        raise
    except RecursionError:
        raise InputError(f"{file}: nested too deep; expected a few levels") from None
    except MemoryError:
        raise
    except Exception as error:  # of any kind, for it is a parser's
        why = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{file} is no {form} that networkx reads: {why[:200]}") from None
    if not graph.number_of_nodes():
        raise InputError(f"{file} is {form} without a node; expected a network")
    cabling, listed = cabling_of(graph, form, file, bandwidth)
    return network_of(cabling, terminals, listed)
