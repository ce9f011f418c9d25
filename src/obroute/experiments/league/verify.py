"""A stored league checked: every routing made and evaluated anew, each worst case certified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import xarray as xr

from obroute.experiments.league.store import contents, run_league
from obroute.kinds.answers import Rederived
from obroute.network import Network
from obroute.routing import Routing
from obroute.tasks import run_serially

if TYPE_CHECKING:
    from obroute.experiments.league import LeagueSettings


def rederive(
    cell: xr.Dataset, network: Network, routing: Routing | None, settings: LeagueSettings
) -> Rederived:
    """Return what a league must hold, which nothing of the store is taken for.

    OpenSM makes the tables of its engines again; a certificate is that of a channel.
    """
    answer = run_league(network, settings, run_serially)
    proved = sum(one.certified for found in answer.evaluations.values() for one in found.channels)
    return Rederived(contents(answer, settings), proved)
