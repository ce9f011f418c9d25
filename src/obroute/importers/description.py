"""What was understood of a file, for people."""

from __future__ import annotations

import numpy as np

from obroute.network import Network


def described(network: Network) -> list[tuple[str, str]]:
    """Return what was understood of the file of a network: labels and words.

    Examples
    --------
    >>> described(Network("ring", 3, [0, 1, 2], [1, 2, 0]))
    [('nodes', '3, all of them terminals'), ('links', '3 channels, all one way')]
    """
    rows = dict(network.read_as)
    form = {"read as": rows.pop("read as")} if "read as" in rows else {}
    counted = {"nodes": _nodes(network), "links": _links(network)}
    return [*form.items(), *counted.items(), *rows.items()]


def in_one_line(network: Network) -> str:
    """Return the same as a sentence, led by the network's file.

    >>> in_one_line(Network("ring", 3, [0, 1, 2], [1, 2, 0]))
    'read ring: nodes: 3, all of them terminals; links: 3 channels, all one way'
    """
    rows = described(network)
    words = [text if label == "read as" else f"{label}: {text}" for label, text in rows]
    return f"read {network.family}: {'; '.join(words)}"


def _nodes(network: Network) -> str:
    ends = np.union1d(network.sources, network.destinations)
    units = network.total_injection
    all_of = "all of them" if len(ends) == network.node_count else f"{len(ends)} of them"
    injecting = "" if network.has_unit_terminals else f" that inject {units} packets per cycle"
    return f"{network.node_count}, {all_of} terminals{injecting}"


def _links(network: Network) -> str:
    count = network.channel_count
    one_way = int((network.channels_between(network.head, network.tail) < 0).sum())
    if one_way == count:
        return f"{count} channels, all one way"
    if one_way:
        return f"{count} channels, {one_way} of them one way"
    return f"{count // 2} cables" if count % 2 == 0 else f"{count} channels"
