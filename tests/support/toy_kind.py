"""A kind of experiment in one file, as somebody else's package would bring it: longest paths.

It has settings, a run, arrays, a summary, a table and a section of the report. The
test of it installs it as a plugin: nothing in obroute knows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import xarray as xr
from pydantic import Field

from obroute.kinds.answers import Contents, Shown
from obroute.kinds.contract import Experiment
from obroute.kinds.registry import experiments
from obroute.kinds.settings import Settings
from obroute.network import Network
from obroute.results.arrays import CASE, HOPS, ArraySpec, Specs
from obroute.routing import Routing
from obroute.tasks import TaskRunner
from obroute.views import Paragraph, Rows, Section, StudyData, sections, tables


class LongestSettings(Settings):
    """How far to look."""

    sources: int = Field(default=0, ge=0, description="Sources to look at; 0 for all.")


@experiments.register("longest", "the longest path of a routing from each source")
class Longest(Experiment[LongestSettings, dict[str, Any]]):
    """The longest path of a routing from each source."""

    name = "longest"
    section = "longest_paths"
    gathered = "longest_paths"
    title = "Longest paths"
    command = "longest"
    purpose = "Find the longest path of a routing from each source."
    about = "The longest path of each routing."
    settings = LongestSettings

    def run(
        self,
        network: Network,
        routing: Routing | None,
        settings: LongestSettings,
        run: TaskRunner,
    ) -> dict[str, Any]:
        """Look at every path."""
        assert routing is not None
        sources = network.sources[: settings.sources or None].tolist()
        return {
            "network": network,
            "routing": routing,
            "sources": sources,
            "hops": [_longest(network, routing, source) for source in sources],
        }

    def shown(
        self, answer: dict[str, Any], settings: LongestSettings, seconds: float
    ) -> Iterator[Shown]:
        """Yield the longest of all."""
        title = f"{answer['routing'].name} on {answer['network'].name}"
        yield Shown(title, [("longest path", f"{max(answer['hops'])} hops")])

    def to_json(
        self, answer: dict[str, Any], settings: LongestSettings, seconds: float
    ) -> dict[str, Any]:
        """Return the longest path of each source."""
        return {"network": answer["network"].name, "longest_path": answer["hops"]}

    def arrays(self) -> Specs:
        """Return the arrays of a store."""
        return {"longest_path": ArraySpec(("source",), "integer", "hops of the longest", HOPS)}

    def contents(self, answer: dict[str, Any], settings: LongestSettings) -> Contents:
        """Return the longest path of each source."""
        arrays = {"longest_path": np.array(answer["hops"])}
        labels = {"source": np.array(answer["sources"])}
        return Contents(answer["network"], answer["routing"].name, arrays, labels)

    def summary(self) -> Specs:
        """Return the arrays of all of them gathered."""
        return {"longest_path": ArraySpec(CASE, "integer", "hops of the longest path", HOPS)}

    def summarize(self, cell: xr.Dataset) -> Mapping[str, Any]:
        """Return the longest path of all."""
        return {"longest_path": cell["longest_path"].values.max()}


def _longest(network: Network, routing: Routing, source: int) -> int:
    return max(
        len(path)
        for destination in network.destinations.tolist()
        for _, path in routing.paths(network, source, destination)
    )


@tables.register("longest", "The longest path of every routing.", needs=(Longest.section,))
def longest_table(data: StudyData) -> Rows:
    """Return a row a network and routing."""
    return Rows(["network", "routing", "longest_path"], list(_rows(data)))


@sections.register("longest", needs=(Longest.section,))
def longest_section(data: StudyData) -> Section:
    """Say the longest path of each routing."""
    said = [f"{row['routing']} on {row['network']}: {row['longest_path']}" for row in _rows(data)]
    return Section("Longest paths", "longest", [Paragraph(f"In hops: {'; '.join(said)}.")])


def _rows(data: StudyData) -> Iterator[dict[str, Any]]:
    dataset = data[Longest.section]
    for network in dataset["network"].values:
        for routing in dataset["routing"].values:
            place = {"network": network, "routing": routing}
            if dataset["present"].sel(place).item():
                hops = dataset["longest_path"].sel(place).item()
                yield {**place, "longest_path": hops}
