"""Who collides where: the critical channel of a cell, and the pairs of the worst case on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import xarray as xr

from obroute.experiments.evaluation.store import critical_focus
from obroute.importers import make_network
from obroute.network import Network
from obroute.rational import SparseRationalMatrix, brief
from obroute.results.stores import finding_files
from obroute.routing import routings
from obroute.specs import InputError

MOST_CHANNELS = 10


def network_of(cell: xr.Dataset) -> Network | None:
    """Return the network of a cell by its name; None where that is no name of one."""
    try:
        with finding_files(cell):
            return make_network(cell.attrs["network"])
    except InputError:
        return None


@dataclass(frozen=True)
class Collision:
    """A pair of the worst traffic that uses the critical channel, by the numbers of its nodes.

    ``load`` is what it adds (packets per cycle), ``amount`` what it sends.
    """

    source: int
    destination: int
    amount: Fraction
    load: Fraction


@dataclass(frozen=True)
class CriticalChannel:
    """What a cell says of the channel that traffic can load most.

    Parameters
    ----------
    cell
        The dataset of an evaluation.
    made
        Its network, where that has been made before.
    """

    cell: xr.Dataset
    made: Network | None = None

    @cached_property
    def focus(self) -> int:
        """Its position among the focus channels."""
        return critical_focus(self.cell)

    @cached_property
    def channel(self) -> int:
        """Its number."""
        return int(self.cell["focus_channel"].values[self.focus])

    @cached_property
    def network(self) -> Network | None:
        """The network, where its name still makes it."""
        made = self.made or network_of(self.cell)
        whole = made is not None and made.channel_count == self.cell.sizes["channel"]
        return made if whole else None

    @property
    def load(self) -> Fraction:
        """Its worst-case load (packets per cycle over bandwidth)."""
        return Fraction(str(self.cell["worst_case_load_exact"].values[self.focus]))

    @property
    def bandwidth(self) -> Fraction:
        """Its bandwidth (packets per cycle)."""
        return Fraction(str(self.cell["bandwidth_exact"].values[self.channel]))

    def node(self, node: int) -> str:
        """Return what a node is called."""
        return str(node) if self.network is None else self.network.describe(node)

    def name(self, channel: int) -> str:
        """Return what a channel is called, by its ends."""
        if self.network is not None:
            return self.network.describe_channel(channel)
        return f"{int(self.cell['tail'][channel])} → {int(self.cell['head'][channel])}"

    @property
    def permutation(self) -> list[int]:
        """The node that each source sends to; empty where a source sends to several."""
        found: list[int] = self.cell["worst_permutation"].values[self.focus].tolist()
        return found if min(found, default=-1) >= 0 else []

    def traffic(self) -> Iterator[tuple[int, int, Fraction]]:
        """Yield the worst traffic: source, destination and packets per cycle, by position."""
        position = {int(node): place for place, node in enumerate(self.cell["destination"].values)}
        if self.permutation:
            for source, node in enumerate(self.permutation):
                yield source, position[node], Fraction(1)
        elif "flow_focus" in self.cell:
            for flow in np.flatnonzero(self.cell["flow_focus"].values == self.focus).tolist():
                source, destination = (
                    int(self.cell[f"flow_{end}"].values[flow]) for end in ("source", "destination")
                )
                yield (
                    source,
                    destination,
                    Fraction(str(self.cell["flow_amount_exact"][flow].item())),
                )

    @cached_property
    def collisions(self) -> list[Collision]:
        """The pairs that use the channel in the worst case, the heaviest first.

        Empty where the store holds no pair loads. They add up to load times bandwidth.
        """
        if "pair_load_focus" not in self.cell:
            return []
        cell = self.cell
        chosen = cell["pair_load_focus"].values == self.focus
        denominator = int(str(cell["pair_load_denominator"].values[self.focus]))
        loads = {
            (source, destination): Fraction(int(numerator), denominator)
            for source, destination, numerator in zip(
                cell["pair_load_source"].values[chosen].tolist(),
                cell["pair_load_destination"].values[chosen].tolist(),
                cell["pair_load_numerator"].values[chosen].tolist(),
                strict=True,
            )
        }
        sources, destinations = cell["source"].values, cell["destination"].values
        found = [
            Collision(int(sources[s]), int(destinations[d]), amount, amount * loads[s, d])
            for s, d, amount in self.traffic()
            if (s, d) in loads
        ]
        return sorted(found, key=lambda one: (-one.load, one.source))

    @cached_property
    def derived_collisions(self) -> list[Collision]:
        """The same, derived anew from the routing where the store holds no pair loads.

        Empty where the network or the routing cannot be made again by its name.
        """
        if self.collisions or self.network is None:
            return self.collisions
        try:
            with finding_files(self.cell):
                routing = routings.create(str(self.cell.attrs["routing"]))
        except InputError:
            return []
        loads: SparseRationalMatrix = routing.pair_loads(self.network, self.channel)
        sources, destinations = self.cell["source"].values, self.cell["destination"].values
        sent = list(self.traffic())
        added = loads.entries(
            np.array([s for s, _, _ in sent]), np.array([d for _, d, _ in sent])
        ).fractions()
        found = [
            Collision(int(sources[s]), int(destinations[d]), amount, amount * load)
            for (s, d, amount), load in zip(sent, added, strict=True)
            if load
        ]
        return sorted(found, key=lambda one: (-one.load, one.source))

    def most_loaded(self, most: int = MOST_CHANNELS) -> list[tuple[int, str, str]]:
        """Return the channels that traffic can load most, with how much, and how that is known.

        *solved*: this is their own worst case. *by symmetry*: it is that of a channel that is
        solved. *bound*: no traffic loads them more.
        """
        cell = self.cell
        focus = cell["channel_focus"].values
        known = [Fraction(str(load)) for load in cell["worst_case_load_exact"].values]
        bounds = cell["channel_bound"].values if "channel_bound" in cell else np.zeros(len(focus))
        height = np.where(
            focus >= 0, np.array([float(load) for load in known])[focus], bounds.astype(float)
        )
        solved = set(cell["focus_channel"].values.tolist())
        found = []
        for channel in np.argsort(-height, kind="stable")[:most].tolist():
            if focus[channel] < 0:
                found.append((channel, f"{height[channel]:.5g}", "bound"))
            else:
                how = "solved" if channel in solved else "by symmetry"
                found.append((channel, brief(known[focus[channel]]), how))
        return found
