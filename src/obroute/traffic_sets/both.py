"""The traffic that is in two sets: few pairs between racks, say."""

from __future__ import annotations

from typing import Annotated

from obroute.dependencies import Dependencies
from obroute.network import Network
from obroute.specs import Parameter
from obroute.traffic_sets.contract import TrafficSet, traffic_sets
from obroute.traffic_sets.limits import Limits


def _parse_set(text: str) -> TrafficSet:
    bracketed = text.startswith("(") and text.endswith(")")
    return traffic_sets.create(text[1:-1] if bracketed else text)


def _set_text(one: TrafficSet) -> str:
    return f"({one.name})" if "," in one.name else one.name


Part = Annotated[
    TrafficSet,
    Parameter("a set of traffic, in round brackets where it has a comma", _parse_set, _set_text),
]


@traffic_sets.register(
    "both",
    "traffic that is in two sets",
    defined_for="networks on which both are",
    examples=("both:first=pairs:4,second=between:rack",),
    small=("both:first=pairs:2,second=limited:1/2",),
)
class Both(TrafficSet):
    """The bounds of two sets together."""

    def __init__(self, *, first: Part, second: Part) -> None:
        self.first, self.second = first, second
        self.files = tuple(dict.fromkeys((*first.files, *second.files)))

    def limits(self, network: Network) -> Limits:
        """Return what both allow."""
        return self.first.limits(network).also(self.second.limits(network))

    def depends_on(self) -> Dependencies:
        """Return what the parts depend on, and itself."""
        parts = (self.first.depends_on(), self.second.depends_on())
        return Dependencies.union((*parts, super().depends_on()))
