"""The document of a proof: the network, the table of flows, and what proves the worst case."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from obroute.certificates import CertificateError, WorstCase
from obroute.generators import Generators
from obroute.network import Network
from obroute.proofs import check_proof
from obroute.proofs.tables import PairTable, whole_numbers
from obroute.routing import Routing

FORMAT = "obroute proof 1"
MOST_FLOWS = 2_000_000
"""Flows that a file has at most, unless a user says otherwise: some 25 MB."""


def proof_document(
    network: Network, routing: Routing, worst: Iterable[WorstCase], flows: PairTable, unit: int
) -> dict[str, Any]:
    """Return the proof of the worst case of a table of flows.

    Parameters
    ----------
    network, routing
        What the table was made of; its symmetries carry the proved channels to the others.
    worst
        The proved worst cases of channels, one of each orbit at least.
    flows, unit
        The table, and the unit to give it in.
    """
    worst = list(worst)
    symmetries = {} if len(worst) == network.channel_count else routing.symmetries(network)
    loads = [one.load / network.bandwidth.fraction(one.channel) for one in worst]
    names = {} if network.labels is None else {"nodes": list(network.labels)}
    return {
        "format": FORMAT,
        "claims": {
            "worst_case_load": str(max(loads, default=Fraction(0))),
            "mean_path_length": str(_mean_path_length(network, flows)),
        },
        "network": _network(network),
        "flows": {"denominator": unit, "of_pairs": flows.whole(unit)},
        "symmetries": _symmetries(network, symmetries),
        "channels": [_channel(one) for one in worst],
        "path_set": "all",
        "bounds": [],
        "unverified": {
            "network": network.name,
            "routing": routing.name,
            **names,
            "made_by": f"obroute {version('obroute')}",
        },
    }


def _network(network: Network) -> dict[str, Any]:
    given = network.bandwidth, network.injection, network.ejection
    unit = math.lcm(*(values.denominator for values in given))
    bandwidth, injection, ejection = (whole_numbers(values, unit) for values in given)
    return {
        "nodes": network.node_count,
        "denominator": unit,
        "channels": _rows(network.tail.tolist(), network.head.tolist(), bandwidth),
        "sources": _rows(network.sources.tolist(), injection),
        "destinations": _rows(network.destinations.tolist(), ejection),
    }


def _rows(*columns: list[int]) -> list[list[int]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _symmetries(network: Network, symmetries: Generators) -> list[dict[str, list[int]]]:
    return [
        {"nodes": image.tolist(), "channels": network.channel_image(image).tolist()}
        for image in symmetries.values()
    ]


def _channel(worst: WorstCase) -> dict[str, Any]:
    given = worst.amounts, worst.source_potentials, worst.destination_potentials
    unit = math.lcm(*(values.denominator for values in given))
    amounts, u, v = (whole_numbers(values, unit) for values in given)
    return {
        "channel": worst.channel,
        "denominator": unit,
        "traffic": _rows(worst.sources.tolist(), worst.destinations.tolist(), amounts),
        "source_potentials": u,
        "destination_potentials": v,
    }


def _mean_path_length(network: Network, flows: PairTable) -> Fraction:
    total = Fraction(0)
    for place, (destinations, _, values) in enumerate(flows.rows):
        hops = values.times(network.ejection.take(destinations)).sum()
        total += hops * network.injection.fraction(place)
    return total / network.injection.sum() / network.ejection.sum()


def proved_text(document: Mapping[str, Any]) -> str:
    """Return a document as text, which the program that checks it has found nothing wrong with.

    Raises
    ------
    CertificateError
        Says what is.
    """
    text = written(document)
    try:
        check_proof.check(check_proof.parsed(text), math.inf)  # type: ignore[no-untyped-call]
    except check_proof.Wrong as error:
        raise CertificateError(f"the proof does not hold: {error}") from None
    return text


def written(document: Mapping[str, Any]) -> str:
    """Return a document as text: the same for the same document, a part or source a line.

    >>> print(written({"format": "obroute proof 1", "bounds": []}), end="")
    {
    "format": "obroute proof 1",
    "bounds": []
    }
    """
    return "{\n" + ",\n".join(_part(*item) for item in document.items()) + "\n}\n"


def _part(name: str, value: Any) -> str:
    """Write a part: the entries of lists, and of the lists in objects, a line each."""
    if isinstance(value, list) and value:
        return f"{json.dumps(name)}: [\n" + ",\n".join(map(_lines, value)) + "\n]"
    return f"{json.dumps(name)}: {_lines(value)}"


def _lines(value: Any) -> str:
    if isinstance(value, dict) and value:
        return "{" + ", ".join(_in_object(*item) for item in value.items()) + "}"
    return json.dumps(value)


def _in_object(name: str, value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        rows = ",\n".join(map(json.dumps, value))
        return f"{json.dumps(name)}: [\n{rows}\n]"
    return f"{json.dumps(name)}: {json.dumps(value)}"


def checker_source() -> str:
    """Return the source of the program that checks a document.

    >>> checker_source().splitlines()[0]
    '#!/usr/bin/env python3'
    """
    return files("obroute.proofs").joinpath("check_proof.py").read_text(encoding="utf-8")
