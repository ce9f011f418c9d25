"""Routings of a network beside each other, ranked by what they guarantee."""

from obroute.league.comparing import League, compared, ends_of, engines_of, made_of
from obroute.league.standings import Standing, ranked, share_of, standing

__all__ = [
    "League",
    "Standing",
    "compared",
    "ends_of",
    "engines_of",
    "made_of",
    "ranked",
    "share_of",
    "standing",
]
