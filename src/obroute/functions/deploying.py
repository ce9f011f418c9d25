"""The best routing that switches can carry out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from obroute.choices.deployments import RestrictionKind
from obroute.experiments.deployment import DeploymentSettings
from obroute.functions.arguments import public, remember, settings_among
from obroute.functions.making import make_network
from obroute.network import Network

if TYPE_CHECKING:
    from obroute.deployment import Deployment

_DEPLOYMENT = DeploymentSettings()


@public(DeploymentSettings)
def deploy(
    network: str | Path | Network,
    *,
    restriction: RestrictionKind = _DEPLOYMENT.restriction,
    weight: int = _DEPLOYMENT.weight,
    segments: int = _DEPLOYMENT.segments,
    virtual_channels: int | None = _DEPLOYMENT.virtual_channels,
    moves: int = _DEPLOYMENT.moves,
    seed: int = _DEPLOYMENT.seed,
    steps: int = _DEPLOYMENT.steps,
    without_best: bool = _DEPLOYMENT.without_best,
) -> Deployment:
    """Find the best routing under what switches can do, in a proved interval.

    Parameters
    ----------
    network
        By name, by file or as an object.

    Returns
    -------
    Deployment
        Its ``routing`` is one like any other: :func:`evaluate` takes it. No routing of the
        restriction has a worst-case load below ``lower``, and this one has ``load``.

    Raises
    ------
    InputError
        If no routing obeys the restriction on the network.

    Examples
    --------
    >>> import obroute
    >>> found = obroute.deploy("ring:6", restriction="single_path")
    >>> str(found.lower), str(found.load), found.is_best
    ('2', '2', True)
    >>> obroute.evaluate("ring:6", found.routing).worst_case_load
    Fraction(2, 1)
    """
    from obroute.experiments.deployment.store import run_deployment

    settings = settings_among(DeploymentSettings, deploy, locals())
    return remember(run_deployment(make_network(network), settings), settings)
