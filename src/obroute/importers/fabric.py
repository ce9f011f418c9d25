"""InfiniBand fabrics: switches, end ports and cables, whichever file they are read from.

A switch is a node; so is every connected port of a channel adapter, which is what has an address
and a line of its own: an adapter of two connected ports is two end ports, between which it passes
nothing on. End ports are the terminals, switches are none. A node is called by its description,
those that would be called alike by the port after it (``node7 HCA-1/2``), or else by their GUID.

Bandwidths are in units of the slowest link of an end port, and what an end port injects and ejects
is what its own link carries. The data rate of a link is its width times what a lane carries after
its line code: SDR 2, DDR 4, QDR 8, FDR10 10, FDR 150/11, EDR 25, HDR 50, NDR 100 and XDR 200 Gb/s.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as FilePath
from types import MappingProxyType

import numpy as np

from obroute.names import printable
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.reading import LANES, over_one_denominator, rate_text, read_text
from obroute.specs import InputError, parse_choice, shown

_SIGNALS = MappingProxyType(
    {
        "SDR": ("2.5",),
        "DDR": ("5", "5.0"),
        "QDR": ("10", "10.0"),
        "FDR10": ("FDR10", "10.3125"),
        "FDR": ("14", "14.0625"),
        "EDR": ("25", "25.78125"),
        "HDR": ("50", "53.125"),
        "NDR": ("100", "106.25"),
        "XDR": ("200", "212.5"),
    }
)
"""The Gb/s on the wire of a lane, by which some files call it."""
WIDTHS = (1, 2, 4, 8, 12)
LONGEST_LINE = 2000
AGGREGATION = "Aggregation Node"
"""In the description of what a switch computes reductions with: an adapter, and no host."""
parse_rates = parse_choice("read", "alike")
RATES = "read, or alike: every link the same, whatever the file says"


def lane_of(signal: str) -> str:
    """Return the name of a lane by the speed of its signal, nothing where there is none.

    >>> lane_of("25"), lane_of("??")
    ('EDR', '')
    """
    return next((lane for lane, speeds in _SIGNALS.items() if signal in speeds), "")


def link_rate(width: str, lane: str) -> Fraction | None:
    """Return the Gb/s of a link, None where its width or lane is not known.

    >>> str(link_rate("4", "EDR"))
    '100'
    """
    known = width.isascii() and width.isdigit() and len(width) < 3 and int(width) in WIDTHS
    return int(width) * LANES[lane] if known and lane in LANES else None


@dataclass(frozen=True, eq=False)
class Fabric(Network):
    """A network read from a file of an InfiniBand fabric, whose ports have numbers and names.

    Parameters
    ----------
    is_switch
        Of each node.
    descriptions, guids
        Of each node: what it calls itself, and the GUID of a switch or of an end port; 0 where
        the file has none.
    lids, lid_counts
        The first LID of each node and how many it has, 0 where the file has none.
    node_guids
        The GUID of the switch or adapter that each node is or is a port of; 0 where the file has
        none.
    out_port, in_port
        The port of its tail that each channel leaves by, and that of its head where it ends.
    unit
        What a bandwidth of 1 is in Gb/s, None where the file does not say.
    """

    is_switch: tuple[bool, ...] = ()
    descriptions: tuple[str, ...] = ()
    guids: tuple[int, ...] = ()
    node_guids: tuple[int, ...] = ()
    lids: tuple[int, ...] = ()
    lid_counts: tuple[int, ...] = ()
    out_port: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    in_port: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    unit: Fraction | None = None


@dataclass
class _Port:
    guid: int = 0
    lid: int = 0
    lid_count: int = 0
    far: tuple[str, int] | None = None
    rate: Fraction | None = None
    line: int = 0


@dataclass
class _Device:
    kind: str
    description: str
    guid: int = 0
    lid: int = 0
    lid_count: int = 0
    ports: dict[int, _Port] = field(default_factory=dict)


class FabricReader:
    """What a reader of a file tells of a fabric, and the network that comes of it.

    Parameters
    ----------
    file
        The file, for errors.
    rates
        ``read`` or ``alike``.
    form
        What the file is, for people.

    Examples
    --------
    >>> reader = FabricReader(FilePath("x.net"))
    >>> for name, kind in (("s", "switch"), ("a", "host"), ("b", "host")):
    ...     reader.device(name, kind, name, 1)
    >>> reader.cable(("s", 1), ("a", 1), None, 2)
    >>> reader.cable(("s", 2), ("b", 1), None, 3)
    >>> reader.network().labels
    ('s', 'a', 'b')
    """

    def __init__(
        self, file: FilePath, rates: str = "read", form: str = "InfiniBand fabric"
    ) -> None:
        self.file = file
        self.form = form
        self.loops = 0
        self.rates = rates
        self.devices: dict[str, _Device] = {}

    def wrong(self, line: int, why: str) -> InputError:
        """Return an error that names the line."""
        return InputError(f"{self.file}: line {line} {why}")

    def lines(self, text: str | None = None) -> Iterator[tuple[int, str]]:
        """Yield the lines that say something, without blanks around them, and their numbers.

        Those of the file, unless its text is given.

        Raises
        ------
        InputError
            If one is longer than any in such a file.
        """
        text = read_text(self.file, self.form) if text is None else text
        for number, raw in enumerate(text.split("\n"), start=1):
            line = raw.strip()
            if len(line) > LONGEST_LINE:
                raise self.wrong(number, f"has {len(line):,} characters; expected one line a link")
            if line and not line.startswith("#"):
                yield number, line

    def device(
        self,
        key: str,
        kind: str,
        description: str,
        line: int,
        *,
        guid: int = 0,
        lid: int = 0,
        lid_count: int = 0,
    ) -> None:
        """Tell of a switch or a host, once.

        Raises
        ------
        InputError
            If it has been told of.
        """
        if key in self.devices:
            raise self.wrong(line, f"is a second node {shown(key)}; list each node once")
        self.devices[key] = _Device(kind, description, guid, lid, lid_count)

    def port(self, key: str, number: int) -> _Port:
        """Return a port of a device, to be told more of."""
        return self.devices[key].ports.setdefault(number, _Port())

    def cable(
        self, near: tuple[str, int], far: tuple[str, int], rate: Fraction | None, line: int
    ) -> None:
        """Tell of a cable as one end of it sees it, or both in turn.

        Raises
        ------
        InputError
            If that port was said to lead elsewhere.
        """
        port = self.port(*near)
        if port.far not in (None, far):
            assert port.far is not None
            raise self.wrong(
                line,
                f"has port {near[1]} of {shown(near[0])} lead to {_end(far)}, and line "
                f"{port.line} to {_end(port.far)}; a port has one cable",
            )
        port.far, port.line = far, line
        known = [each for each in (rate, port.rate) if each is not None]
        port.rate = min(known, default=None)

    def network(self) -> Fabric:
        """Return the fabric as a network.

        Raises
        ------
        InputError
            If the ends of a cable do not agree, a rate is not known or there are no hosts.
        """
        self._join()
        nodes = list(self._nodes())
        number_of: dict[tuple[str, int], int] = {}
        for number, (key, device, port) in enumerate(nodes):
            ports = device.ports if device.kind == "switch" else (port,)
            number_of.update({(key, each): number for each in ports})
        ends = [
            number
            for number, (_, device, _) in enumerate(nodes)
            if device.kind != "switch" and AGGREGATION not in device.description
        ]
        if not ends:
            raise InputError(
                f"{self.file} lists no host that is connected; expected channel adapters"
            )
        channels = [
            (number_of[key, each], number_of[port.far], each, port)
            for key, device in self.devices.items()
            for each, port in sorted(device.ports.items())
            if port.far is not None
        ]
        rates, unit = self._rates(channels, set(ends))
        over_one_denominator(self.file, rates)
        own = dict(zip((tail for tail, _, _, _ in channels), rates, strict=True))
        injection = RationalArray.from_fractions([own[end] for end in ends])
        parts = [device if device.kind == "switch" else device.ports[p] for _, device, p in nodes]
        return Fabric(
            str(self.file),
            len(nodes),
            np.array([tail for tail, _, _, _ in channels], dtype=np.int64),
            np.array([head for _, head, _, _ in channels], dtype=np.int64),
            bandwidth=RationalArray.from_fractions(rates),
            sources=np.array(ends, dtype=np.int64),
            injection=injection,
            destinations=np.array(ends, dtype=np.int64),
            ejection=injection,
            labels=_labels(nodes),
            ports=tuple(str(port) for _, _, port, _ in channels),
            is_switch=tuple(device.kind == "switch" for _, device, _ in nodes),
            descriptions=tuple(device.description for _, device, _ in nodes),
            guids=tuple(part.guid for part in parts),
            node_guids=tuple(device.guid for _, device, _ in nodes),
            lids=tuple(part.lid for part in parts),
            lid_counts=tuple(part.lid_count for part in parts),
            out_port=np.array([port for _, _, port, _ in channels], dtype=np.int64),
            in_port=np.array([told.far[1] for *_, told in channels if told.far], dtype=np.int64),
            unit=unit,
            read_as=tuple(self._understood(nodes, len(ends), rates, unit)),
        )

    def _understood(
        self,
        nodes: list[tuple[str, _Device, int]],
        ends: int,
        rates: list[Fraction],
        unit: Fraction | None,
    ) -> Iterator[tuple[str, str]]:
        """Yield what the file was understood to say, and what of it was left out."""
        yield "read as", self.form
        switches = sum(device.kind == "switch" for _, device, _ in nodes)
        adapters = len({key for key, device, _ in nodes if device.kind != "switch"})
        yield "hosts", f"{ends} end ports of {adapters} adapters, on {switches} switches"
        if unit is None:
            yield "speeds", "all links alike"
        else:
            counts = Counter(rates)
            listed = ", ".join(
                f"{counts[rate] // 2} of {rate_text(rate * unit)}" for rate in sorted(counts)
            )
            yield "speeds", f"cables: {listed}; 1 is {rate_text(unit)}, the slowest host's"
        aggregating = len(nodes) - switches - ends
        left = [f"{aggregating} aggregation nodes"] * bool(aggregating)
        left += [f"{self.loops} ends of cables that lead back to their node"] * bool(self.loops)
        if left:
            yield "left out", ", ".join(left)

    def _join(self) -> None:
        """Give the far end of each cable what the near end says, and drop loops."""
        for key, device in self.devices.items():
            for number, port in list(device.ports.items()):
                if port.far is None:
                    continue
                if port.far[0] not in self.devices:
                    raise self.wrong(
                        port.line, f"leads to {shown(port.far[0])}, of which there is no entry"
                    )
                if port.far[0] == key:
                    port.far = None  # a plug that loops back: nothing is routed over it
                    self.loops += 1
                    continue
                self.cable(port.far, (key, number), port.rate, port.line)

    def _nodes(self) -> Iterator[tuple[str, _Device, int]]:
        """Yield the switches and the connected end ports, in the order of the file."""
        for key, device in self.devices.items():
            if device.kind == "switch":
                yield key, device, 0
            else:
                for number, port in sorted(device.ports.items()):
                    if port.far is not None:
                        yield key, device, number

    def _rates(
        self, channels: list[tuple[int, int, int, _Port]], ends: set[int]
    ) -> tuple[list[Fraction], Fraction | None]:
        """Return bandwidths, and what 1 is; all are 1 where no rate is known."""
        known = [port.rate for _, _, _, port in channels if port.rate is not None]
        if self.rates == "alike" or not known:
            return [Fraction(1)] * len(channels), None
        unknown = next((port for _, _, _, port in channels if port.rate is None), None)
        if unknown is not None:
            raise self.wrong(
                unknown.line,
                "has a link of unknown width or speed, and others are known; write "
                f"{self.file}:rates=alike to take all links as alike",
            )
        unit = min(p.rate for tail, _, _, p in channels if tail in ends and p.rate is not None)
        return [rate / unit for rate in known], unit


def _end(end: tuple[str, int]) -> str:
    return f"port {end[1]} of {shown(end[0])}"


def _labels(nodes: list[tuple[str, _Device, int]]) -> tuple[str, ...]:
    """Call nodes by their descriptions, and apart from each other."""
    suffixes: list[Callable[[str, _Device, int], str]] = [
        lambda key, device, port: f"/{port}" if port else "",
        lambda key, device, port: f" ({_guid(device, port)})",
        lambda key, device, port: f" ({key})",
    ]
    labels = [printable(device.description or key) for key, device, _ in nodes]
    for suffix in suffixes:
        alike: dict[str, set[str]] = defaultdict(set)
        endings = [printable(suffix(*node)) for node in nodes]
        for label, ending in zip(labels, endings, strict=True):
            alike[label].add(ending)
        count = Counter(labels)
        labels = [
            label + ending if count[label] > 1 and len(alike[label]) > 1 else label
            for label, ending in zip(labels, endings, strict=True)
        ]
    return tuple(labels)


def _guid(device: _Device, port: int) -> str:
    guid = device.guid if device.kind == "switch" else device.ports[port].guid
    return f"{guid:#x}" if guid else "no GUID"
