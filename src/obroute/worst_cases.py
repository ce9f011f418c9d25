"""The worst case of a routing on a network: its focus channels, each solved and certified.

Every question about it is answered here, whoever asks: an evaluation, a design that is rounded, an
adversary that looks for a bad permutation. What checks designs on the full network
(:mod:`obroute.design.routing_check`) alone does it again, to share nothing with what it checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from obroute.certificates import WorstCase, check_certificate
from obroute.matching import worst_case
from obroute.network import Network
from obroute.rational import SparseRationalMatrix
from obroute.routing import Routing
from obroute.symmetry import FocusChannels, focus_channels
from obroute.tasks import TaskRunner, run_serially, things_a_task
from obroute.traffic import Traffic

SECONDS_PER_PAIR = 3e-7
"""Measured time of one pair of one channel, loads and matching together, to size batches."""
WORST_CASE = "worst_case"
"""What the traffic of a worst case is called."""


@dataclass(frozen=True)
class ChannelResult:
    """What the pair loads of one focus channel say.

    ``worst`` is the proved worst case; ``normalized_load`` its load over the channel's bandwidth;
    ``uniform_load`` the load under uniform traffic (packets per cycle); ``multiplicity`` the
    number of channels that this one stands for; ``certified`` whether the proof was checked
    against exact pair loads.
    """

    worst: WorstCase
    normalized_load: Fraction
    uniform_load: Fraction
    multiplicity: int
    certified: bool
    pair_loads: SparseRationalMatrix = field(repr=False)


@dataclass(frozen=True)
class WorstCases:
    """The worst case of a channel of every orbit, and with them that of the network.

    ``channels`` has a result for each of ``focus.channels``, in that order.
    """

    focus: FocusChannels
    channels: list[ChannelResult]

    @property
    def critical(self) -> ChannelResult:
        """The first channel whose worst case is the worst of all."""
        return max(self.channels, key=lambda result: result.normalized_load)

    @property
    def load(self) -> Fraction:
        """Largest load over bandwidth that any traffic puts on any channel."""
        return self.critical.normalized_load


def worst_cases(
    network: Network,
    routing: Routing,
    *,
    all_channels: bool = False,
    estimated_by: Routing | None = None,
    run: TaskRunner = run_serially,
) -> WorstCases:
    """Solve and certify the worst case of a routing on every channel that symmetry leaves.

    Parameters
    ----------
    network, routing
        Whose worst case.
    all_channels
        Solve every channel in place of one of each orbit.
    estimated_by
        A sample of the routing's paths, whose pair loads to take for those of the routing: no
        result is then certified. The orbits are the routing's, which a sample need not respect.
    run
        Where the tasks run.

    Raises
    ------
    InputError
        If the routing is not defined on the network.
    CertificateError
        If a worst case found is not proved.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> found = worst_cases(make_network("torus:9x9"), make_routing("romm"))
    >>> str(found.load), found.critical.certified, found.critical.multiplicity
    ('32/5', True, 324)
    """
    routing.check(network)
    focus = focus_channels(network, {} if all_channels else routing.symmetries(network))
    channels = focus.channels.tolist()
    pairs = len(network.sources) * len(network.destinations)
    size = things_a_task(pairs * SECONDS_PER_PAIR)
    batches = [channels[at : at + size] for at in range(0, len(channels), size)]
    solved = run(
        solve_channels,
        (network, routing if estimated_by is None else estimated_by),
        batches,
        "channels",
        [len(batch) for batch in batches],
    )
    results = [
        replace(result, multiplicity=multiplicity, certified=estimated_by is None)
        for result, multiplicity in zip(
            (result for batch in solved for result in batch),
            focus.multiplicity.tolist(),
            strict=True,
        )
    ]
    return WorstCases(focus, results)


def solve_channels(
    network: Network, routing: Routing, channels: Sequence[int]
) -> list[ChannelResult]:
    """Solve and certify the worst case of each given channel.

    Raises
    ------
    CertificateError
        If a worst case found is not proved.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> (found,) = solve_channels(make_network("ring:5"), make_routing("dor"), [0])
    >>> found.worst.permutation.tolist(), str(found.normalized_load), str(found.uniform_load)
    ([2, 0, 4, 3, 1], '2', '3/5')
    """
    rows, columns = network.uniform_weight()
    results = []
    for channel in channels:
        pair_loads = routing.pair_loads(network, channel)
        worst = worst_case(pair_loads, network.injection, network.ejection, channel)
        check_certificate(worst, pair_loads, network.injection, network.ejection)
        results.append(
            ChannelResult(
                worst=worst,
                normalized_load=worst.load / network.bandwidth.fraction(channel),
                uniform_load=pair_loads.weighted_sum(rows, columns),
                multiplicity=1,
                certified=True,
                pair_loads=pair_loads,
            )
        )
    return results


def worst_traffic(network: Network, worst: WorstCase) -> Traffic:
    """Return the traffic of a worst case.

    Examples
    --------
    >>> from obroute import make_network, make_routing
    >>> ring = make_network("ring:5")
    >>> worst_traffic(ring, worst_cases(ring, make_routing("dor")).critical.worst).fills_terminals
    True
    """
    shape = len(network.sources), len(network.destinations)
    amounts = SparseRationalMatrix.from_triplets(
        worst.sources, worst.destinations, worst.amounts, shape
    )
    return Traffic.of_amounts(network, amounts, WORST_CASE)
