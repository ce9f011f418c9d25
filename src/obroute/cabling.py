"""What a file says of a network, put together line by line, whatever its format."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from obroute.rational import RationalArray
from obroute.reading import Rate, over_one_denominator, rate_text
from obroute.specs import InputError

Array = NDArray[Any]
ONE = Rate(Fraction(1), has_unit=False)
"""The bandwidth of a channel that says none."""
MOST_LISTED = 4
"""How many speeds, or things left out, are listed."""


@dataclass
class Cabling:
    """Nodes, channels and terminals as a file lists them.

    Hosts stand in a file in two ways. Those at a router (:attr:`units`) are its terminal: it
    injects and ejects a packet per cycle for each. Those that are nodes with links of their own
    (:attr:`hosts`) inject and eject what these carry. Where a file knows of neither, every node is
    a terminal of one unit.

    Parameters
    ----------
    file
        Where it is from, for errors.
    form
        What the file is, for people.
    """

    file: FilePath | str
    form: str
    names: list[str] = field(default_factory=list)
    tails: array[int] = field(default_factory=lambda: array("q"))
    heads: array[int] = field(default_factory=lambda: array("q"))
    rates: list[Rate] = field(default_factory=list)
    rate_of: array[int] = field(default_factory=lambda: array("q"))
    ports: dict[int, str] = field(default_factory=dict)
    units: dict[int, int | Fraction] = field(default_factory=dict)
    hosts: list[int] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    number_of: dict[str, int] = field(default_factory=dict)
    _number_of: dict[int, int] = field(default_factory=dict, repr=False)

    def node(self, name: str) -> int:
        """Return the number of a node, a new one if it has not been named before."""
        number = self.number_of.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number

    def channel(self, tail: int, head: int, rate: Rate = ONE, port: str = "") -> None:
        """Take a channel, one way."""
        if port:
            self.ports[len(self.tails)] = port
        self.tails.append(tail)
        self.heads.append(head)
        self.rate_of.append(self._rate(rate))

    def cable(self, one: int, other: int, rate: Rate = ONE, port: str = "") -> None:
        """Take a cable: a channel each way."""
        self.channel(one, other, rate, port)
        self.channel(other, one, rate, port)

    def channels(self, tails: Array, heads: Array, rates: Sequence[Rate], rate_of: Array) -> None:
        """Take many channels at once: their ends, and which of some rates each has."""
        place = np.array([self._rate(rate) for rate in rates], dtype=np.int64)
        for taken, more in (
            (self.tails, tails),
            (self.heads, heads),
            (self.rate_of, place[rate_of]),
        ):
            taken.frombytes(np.ascontiguousarray(more, dtype=np.int64).view(np.uint8).data)

    def _rate(self, rate: Rate) -> int:
        """Return the number of a rate: many channels have one and the same."""
        number = self._number_of.setdefault(id(rate), len(self.rates))
        if number == len(self.rates):
            self.rates.append(rate)
        return number

    def left_out(self, what: Iterable[str]) -> None:
        """Say what the file has and the network has not."""
        listed = list(dict.fromkeys(what))
        if listed:
            more = f" and {len(listed) - MOST_LISTED} more" if len(listed) > MOST_LISTED else ""
            self.notes.append(("left out", ", ".join(listed[:MOST_LISTED]) + more))

    def fields(self, terminals: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the network by its fields.

        Parameters
        ----------
        terminals
            Its terminals as fields of a network, where another file lists them.

        Raises
        ------
        InputError
            If it has no channel, or some speeds have units and some not.
        """
        if not self.tails:
            raise InputError(f"{self.file} is {self.form} without a link; expected at least one")
        names, renumbered = self.numbered()
        which = np.frombuffer(self.rate_of, dtype=np.int64)
        bandwidths, base = self._bandwidths(which)
        over_one_denominator(self.file, bandwidths)
        if terminals is None:
            terminals = self._terminals([bandwidths[k] for k in which.tolist()], renumbered)
        return {
            "name": str(self.file),
            "node_count": len(names),
            "tail": renumbered[self.tails],
            "head": renumbered[self.heads],
            "bandwidth": RationalArray.from_fractions(bandwidths).take(which),
            "labels": tuple(names),
            "ports": self._ports(),
            "read_as": (("read as", self.form), *base, *self.notes),
            **terminals,
        }

    def numbered(self) -> tuple[list[str], Array]:
        """Return the names in the order of nodes, and the node that each number stands for.

        Whole numbers from 0 without a gap are the node numbers.
        """
        count = len(self.names)
        if {str(number) for number in range(count)} == set(self.names):
            return [str(n) for n in range(count)], np.array([int(name) for name in self.names])
        return self.names, np.arange(count)

    def _ports(self) -> tuple[str, ...] | None:
        if not self.ports:
            return None
        return tuple(self.ports.get(channel, "") for channel in range(len(self.tails)))

    def _bandwidths(self, which: Array) -> tuple[list[Fraction], list[tuple[str, str]]]:
        """Return packets per cycle of each speed, and what a packet per cycle is."""
        with_unit = [rate.has_unit for rate in self.rates]
        amounts = [rate.amount for rate in self.rates]
        if not any(with_unit):
            return amounts, []
        if not all(with_unit):
            place = int(np.argmin(np.array(with_unit)[which]))
            ends = f"{self.names[self.tails[place]]} → {self.names[self.heads[place]]}"
            raise InputError(
                f"{self.file}: the bandwidth of {ends} has no unit ({amounts[which[place]]}), and "
                "that of others has one; write all with units, or take none: "
                f"{self.file}:bandwidth=none"
            )
        base = self._base(amounts, which)
        channels: Counter[Fraction] = Counter()
        for amount, count in zip(amounts, np.bincount(which).tolist(), strict=True):
            channels[amount] += count
        counted = sorted(channels.items())
        speeds = [f"{count} of {rate_text(speed)}" for speed, count in counted[:MOST_LISTED]]
        more = f" and {len(counted) - MOST_LISTED} speeds more" * (len(counted) > MOST_LISTED)
        said = [
            ("speeds", f"channels: {', '.join(speeds)}{more}"),
            ("a packet per cycle", rate_text(base)),
        ]
        return [amount / base for amount in amounts], said

    def _base(self, amounts: Sequence[Fraction], which: Array) -> Fraction:
        """Return the speed that is called one: of the slowest link of a host, or of all."""
        of_hosts = which[np.isin(self.tails, self.hosts)] if self.hosts else which
        taken: list[int] = np.unique(of_hosts if of_hosts.size else which).tolist()
        return min(amounts[number] for number in taken)

    def _terminals(self, bandwidths: Sequence[Fraction], renumbered: Array) -> dict[str, Any]:
        amounts: list[dict[int, Fraction]] = [{}, {}]
        if self.hosts:
            for ends, amount in zip((self.tails, self.heads), amounts, strict=True):
                at_hosts = dict.fromkeys(self.hosts, Fraction(0))
                for end, bandwidth in zip(ends, bandwidths, strict=True):
                    if end in at_hosts:
                        at_hosts[end] += bandwidth
                amount.update((host, sent) for host, sent in at_hosts.items() if sent)
        elif self.units:
            for amount in amounts:
                amount.update((r, Fraction(units)) for r, units in self.units.items() if units)
        else:
            return {}
        sources, destinations = (sorted(amount, key=lambda n: renumbered[n]) for amount in amounts)
        return {
            "sources": renumbered[np.array(sources, dtype=np.int64)],
            "injection": RationalArray.from_fractions(amounts[0][n] for n in sources),
            "destinations": renumbered[np.array(destinations, dtype=np.int64)],
            "ejection": RationalArray.from_fractions(amounts[1][n] for n in destinations),
        }
