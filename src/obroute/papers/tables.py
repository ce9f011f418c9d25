"""The papers' numbers as tables: Table 1 of the technical report, and every number beside ours."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Annotated

import xarray as xr

from obroute.choices.reports import TABLE1_NETWORK
from obroute.papers.comparison import Comparison, compare
from obroute.papers.measures import measures
from obroute.papers.published import (
    SPAA_NETWORK,
    TABLE1_ROWS,
    Published,
    published,
)
from obroute.papers.stores import Cells, Stores
from obroute.specs import InputError, suggestion
from obroute.trends.trade_offs import curves
from obroute.trends.values import network_names, routing_names
from obroute.views import Rows, StudyData, tables


@dataclass(frozen=True)
class Table1Entry:
    """Our throughput of one row and routing of Table 1, as a fraction of capacity.

    ``ours_exact`` is empty where the study lacks it, and ``printed`` where the paper has no such
    entry: it has DOR and ROMM on the 9-ary 2-cube alone.
    """

    label: str
    network: str
    routing: str
    printed: str
    ours_exact: str
    ours: float


def table1(
    study: xr.Dataset, network: str = TABLE1_NETWORK, cells: Cells | None = None
) -> list[Table1Entry]:
    """Return the technical report's Table 1 for a network: row by row, a routing a column.

    Parameters
    ----------
    study
        A study that holds the network.
    network
        Its name.
    cells
        Cells by their names, to take uniform traffic from them where the study lacks it.

    Examples
    --------
    >>> import obroute
    >>> study = obroute.compare(["torus:9x9"], ["romm"], ["tornado"])
    >>> for entry in table1(study):
    ...     print(entry.label, entry.ours_exact or "-", entry.printed)
    Uniform - 1
    Bit-complement - 0.362
    Transpose - 0.556
    Tornado 5/18 0.278
    Worst of random permutations - 0.255
    Worst case 25/144 0.173
    """
    if network not in network_names(study):
        raise InputError(
            f"the study has no network '{network}'" + suggestion(network, network_names(study))
        )
    stores = Stores.of(study, cells=cells)
    printed = {
        (item.network, item.routing, item.label): item.printed
        for item in published()
        if item.where == "Table 1"
    }
    return [
        _entry(
            stores,
            Published("", "", "", label, "", quantity, network, routing, "", pattern),
            printed.get((network, routing, label), ""),
        )
        for label, quantity, pattern in TABLE1_ROWS
        for routing in routing_names(study)
        if stores.holds(network, routing)
    ]


def _entry(stores: Stores, item: Published, printed: str) -> Table1Entry:
    ours = measures[item.quantity](stores, item)
    return Table1Entry(
        item.label,
        item.network,
        item.routing,
        printed,
        "" if ours is None else str(ours),
        float("nan") if ours is None else float(ours),
    )


@tables.register(
    "table1",
    "Table 1 of the technical report, ours beside the printed values.",
    applies=lambda study, network: network in study.networks,
    cells=True,
)
def table1_rows(
    data: StudyData, network: Annotated[str, "Network of the table."] = TABLE1_NETWORK
) -> Rows:
    """Return :func:`table1`; no row if the network is missing."""
    study = data["evaluations"]
    found = table1(study, network, paper_cells(data)) if network in network_names(study) else []
    return Rows([f.name for f in fields(Table1Entry)], [asdict(entry) for entry in found])


@tables.register(
    "papers",
    "Every number that the papers print, ours beside it, a verdict, and why they differ.",
    uses=("designs", "trade_offs"),
    applies=lambda study: bool(study.networks & {SPAA_NETWORK, TABLE1_NETWORK}),
    cells=True,
)
def comparison_rows(data: StudyData) -> Rows:
    """Return :func:`~obroute.papers.comparison.compare`, a line a printed number."""
    return Rows([f.name for f in fields(Comparison)], [asdict(row) for row in compared(data)])


def compared(data: StudyData) -> list[Comparison]:
    """Return every published number that the data of a study cover, beside ours."""
    return compare(data["evaluations"], data.get("designs"), curves(data), paper_cells(data))


def paper_cells(data: StudyData) -> dict[str, xr.Dataset]:
    """Return the cells of the papers' networks that are there, for their samples."""
    known = {SPAA_NETWORK, TABLE1_NETWORK} & set(network_names(data["evaluations"]))
    names = data["evaluations"]["cell"].sel(network=sorted(known)).values.ravel().tolist()
    there = set(data.readable_cells("evaluations"))
    return {name: data.cell("evaluations", name) for name in names if name in there}
