"""Networks from fat trees of htsim (``.topo``): tiers of switches by their radices and speeds.

``Nodes``, ``Tiers`` (2 or 3) and ``Podsize``; then, under ``Tier 0`` and so on, ``Radix_Down``,
``Radix_Up``, ``Downlink_speed_Gbps`` and, where several cables run in parallel, ``Bundle``. Every
switch of the middle tier is joined to every one below it in its pod; the switches of the top tier
stand in as many groups as a pod has middle switches, each joined to one in every pod. Hosts are
``h0``, ``h1``, …; they inject and eject what their link carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated

from obroute.cabling import Cabling
from obroute.importers.graph_files import TerminalFile, network_of
from obroute.importers.numbered_lines import MOST_NODES, lines_of
from obroute.importers.registry import importers
from obroute.network import Network
from obroute.reading import Head, Rate
from obroute.specs import InputError, Parameter, parse_integer, parse_positive_fraction
from obroute.topologies.sizes import Size

_GENERAL = ("nodes", "tiers", "podsize")
_OF_TIER = ("radix_down", "radix_up", "bundle")
_LEFT_OUT = (
    "oversubscribed", "queue_up", "queue_down", "switch_latency_ns", "downlink_latency_ns"
)  # fmt: skip
_SPEED = "downlink_speed_gbps"


def _is_htsim(head: Head) -> bool:
    words = [line.split()[0].lower() for line in head.lines[:3]]
    return words[:1] == ["nodes"] and ("tiers" in words or "podsize" in words)


@importers.register(
    "htsim",
    "fat trees of htsim",
    recognise=_is_htsim,
    endings=("topo",),
    small=(
        "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\n"
        "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\n",
    ),
)
def htsim(
    file: Annotated[FilePath, Parameter("the .topo file", FilePath)],
    terminals: TerminalFile = None,
) -> Network:
    """Read a fat tree from a file of htsim; see the module."""
    plan = _Plan.read(file)
    nodes, leaves, middle, top = plan.nodes, plan.leaves, plan.middle, plan.top
    inner_cables = plan.pods * middle * plan.up[1] if top else 0
    cables = nodes + plan.pods * leaves * plan.up[0] + inner_cables
    Size(nodes + plan.pods * (leaves + middle) + top, 2 * cables).check()
    cabling = Cabling(file, "a fat tree of htsim")
    cabling.hosts = [cabling.node(f"h{host}") for host in range(nodes)]
    edges = [cabling.node(f"tor{leaf}") for leaf in range(plan.pods * leaves)]
    inner = [cabling.node(f"agg{switch}") for switch in range(plan.pods * middle)]
    cores = [cabling.node(f"core{switch}") for switch in range(top)]
    for host in range(nodes):
        cabling.cable(host, edges[host // plan.down[0]], plan.rates[0])
    for leaf, edge in enumerate(edges):
        for place in range(middle):
            for _ in range(plan.bundle[1]):
                cabling.cable(edge, inner[leaf // leaves * middle + place], plan.rates[1])
    for switch, one in enumerate(inner):
        for core in cores[switch % middle :: middle]:
            for _ in range(plan.bundle[2]):
                cabling.cable(one, core, plan.rates[2])
    return network_of(cabling, terminals)


@dataclass(frozen=True)
class _Plan:
    """How many of what there are, and the radices and speeds of each tier."""

    nodes: int
    pods: int
    leaves: int
    """Switches of the lowest tier in a pod."""
    middle: int
    """Switches of the middle tier in a pod."""
    top: int
    down: Sequence[int]
    up: Sequence[int]
    bundle: Sequence[int]
    rates: Sequence[Rate]

    @classmethod
    def read(cls, file: FilePath) -> _Plan:
        """Read a file, and hold what it says against itself."""
        said, tiers = _read(file)
        count = said["tiers"]
        if count not in (2, 3) or sorted(tiers) != list(range(count)):
            raise InputError(f"{file}: {count} tiers, and {len(tiers)} described; expected 2 or 3")
        rates = [_speed(file, tier, tiers[tier]) for tier in range(count)]
        whole = [_whole(file, tier, tiers[tier], tier < count - 1) for tier in range(count)]
        down, up, bundle = ([found[key] for found in whole] for key in _OF_TIER)
        nodes, pod = said["nodes"], said["podsize"] if count == 3 else said["nodes"]
        pods, leaves, middle = nodes // pod, pod // down[0], up[0] // bundle[1]
        core = up[1] // bundle[2] if count == 3 else 0  # switches that one is joined to
        expected = [
            ("Nodes", nodes, "a multiple of Podsize", pods * pod),
            ("Podsize", pod, "a multiple of Radix_Down of tier 0", leaves * down[0]),
            ("Radix_Up of tier 0", up[0], "a multiple of Bundle of tier 1", middle * bundle[1]),
            ("Radix_Down of tier 1", down[1], "cables to each leaf", leaves * bundle[1]),
        ]
        if count == 3:
            expected += [
                ("Radix_Up of tier 1", up[1], "a multiple of Bundle of tier 2", core * bundle[2]),
                ("Radix_Down of tier 2", down[2], "cables to each pod", pods * bundle[2]),
            ]
        for what, value, should, right in expected:
            if value != right or not value:
                raise InputError(f"{file}: {what} is {value}; expected {should}: {right or 1}")
        return cls(nodes, pods, leaves, middle, core * middle, down, up, [*bundle, 1], rates)


def _speed(file: FilePath, tier: int, found: dict[str, str]) -> Rate:
    try:
        return Rate(parse_positive_fraction(found.get(_SPEED, "")), has_unit=True)
    except InputError as error:
        raise InputError(f"{file}: {_SPEED} of tier {tier}: {error}") from None


def _whole(file: FilePath, tier: int, found: dict[str, str], has_more: bool) -> dict[str, int]:
    usual = {"bundle": "1"} if has_more else {"bundle": "1", "radix_up": "1"}
    whole = {}
    for key in _OF_TIER:
        try:
            whole[key] = parse_integer(1, MOST_NODES)({**usual, **found}.get(key, "0"))
        except InputError as error:
            raise InputError(f"{file}: {key} of tier {tier}: {error}") from None
    return whole


def _read(file: FilePath) -> tuple[dict[str, int], dict[int, dict[str, str]]]:
    """Return what holds for all, and for each tier."""
    said = dict.fromkeys(_GENERAL, 0)
    tiers: dict[int, dict[str, str]] = {}
    for line in lines_of(file, "a .topo file of htsim"):
        key, *values = line.text.lower().split()
        if len(values) != 1:
            raise line.wrong("expected a word and a number")
        if key == "tier":
            here = tiers.setdefault(line.whole(values[0], 3), {})
        elif key in _GENERAL:
            said[key] = line.whole(values[0])
        elif key not in (*_OF_TIER, _SPEED, *_LEFT_OUT) or not tiers:
            known = _GENERAL if not tiers else (*_OF_TIER, _SPEED, *_LEFT_OUT)
            raise line.wrong(f"expected one of {', '.join(known)}, or Tier 0")
        else:
            here[key] = values[0]
    missing = [key for key, value in said.items() if not value]
    if missing:
        raise InputError(f"{file} says no {missing[0].capitalize()}; expected at least one")
    return said, tiers
