"""Automorphisms at work: orbits of channels, sources and pairs, and orbits of whole flows.

An automorphism is given by the image of every node. The generators that a routing respects
(``routing.symmetries(network)``) span the group; nothing here needs the whole group.
"""

from obroute.symmetry.channels import (
    CanonicalSources,
    FocusChannels,
    canonical_sources,
    common_generators,
    focus_channels,
    orbits,
    orbits_of_channels,
)
from obroute.symmetry.groups import (
    Element,
    SymmetryGroup,
    can_find,
    declared_group,
    found_group,
    group_of,
    preserving,
    reversing,
    translations_group,
    trivial_group,
)
from obroute.symmetry.pairs import CanonicalPairs, spanning_generators
from obroute.symmetry.triples import Allowed, CanonicalPair, FocusPotentials, Reduction

__all__ = [
    "Allowed",
    "CanonicalPair",
    "CanonicalPairs",
    "CanonicalSources",
    "Element",
    "FocusChannels",
    "FocusPotentials",
    "Reduction",
    "SymmetryGroup",
    "can_find",
    "canonical_sources",
    "common_generators",
    "declared_group",
    "focus_channels",
    "found_group",
    "group_of",
    "orbits",
    "orbits_of_channels",
    "preserving",
    "reversing",
    "spanning_generators",
    "translations_group",
    "trivial_group",
]
