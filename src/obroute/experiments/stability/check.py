"""A stored stable rate checked: ideal rates anew, and both ends of each interval again."""

from __future__ import annotations

import json

import xarray as xr

from obroute.certificates import CertificateError
from obroute.importers import make_network
from obroute.kinds.comparing import compare_entry, compare_exact
from obroute.packets.expected import Expectation, expectation
from obroute.packets.relations import traffic_named
from obroute.packets.stability import STABLE, UNSTABLE, LoadPoint, load_point
from obroute.routing import routings
from obroute.traffic import Traffic


def verify_stability(stability: xr.Dataset) -> int:
    """Derive the ideal rates anew, and simulate both ends of each interval and a rate again."""
    network = make_network(stability.attrs["network"])
    routing = routings.create(stability.attrs["routing"])
    settings = json.loads(stability.attrs["settings"])
    for position, name in enumerate(stability["traffic"].values.tolist()):
        traffic = traffic_named(network, routing, name)
        expected = expectation(network, routing, traffic, settings["half_duplex"])
        compare_exact(stability, "ideal_rate", expected.ideal, position)
        compare_entry(stability, "critical_channels", (position,), int(expected.critical.sum()))
        stable, unstable = (
            float(stability[end].values[position]) for end in ("stable_rate", "unstable_rate")
        )
        if not 0 <= stable <= unstable <= 1:
            raise CertificateError(f"stable_rate[{position}]: the rates are not in order")

        def again(
            rate: float, steps: str, traffic: Traffic = traffic, known: Expectation = expected
        ) -> LoadPoint:
            where = network, routing, traffic, rate, settings[steps]
            return load_point(
                *where,
                settings["seed"],
                settings["queue"],
                half_duplex=settings["half_duplex"],
                expected=known,
            )

        for end, rate, verdict in (
            ("stable_rate", stable, STABLE),
            ("unstable_rate", unstable, UNSTABLE),
        ):
            if 0 < rate < 1 and again(rate, "steps").verdict != verdict:
                raise CertificateError(f"{end}[{position}]: {rate:g} is not shown to be {verdict}")
        for place, rate in enumerate(stability["rate"].values.tolist()[:1]):
            for curve, value in vars(again(rate, "curve_steps")).items():
                if curve in stability and stability[curve].dims == ("traffic", "rate"):
                    compare_entry(stability, curve, (position, place), value)
    return 0
