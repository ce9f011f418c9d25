"""Channels of a network, each solved and certified from its exact pair loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from obroute.block_certificates import check_each
from obroute.block_matching import solved_together, worst_case_of_each
from obroute.certificates import WorstCase, check_certificate
from obroute.matching import worst_case
from obroute.network import Network
from obroute.pair_load_blocks import PairLoadBlocks
from obroute.quotient_certificates import check_quotients
from obroute.quotient_matching import worst_case_of_quotients
from obroute.rational import SparseRationalMatrix
from obroute.routing import Routing


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


def check_worst_case(network: Network, worst: WorstCase, pair_loads: SparseRationalMatrix) -> None:
    """Check a certificate against pair loads; raise :class:`CertificateError` if it fails."""
    own = pair_loads, worst.source_potentials, worst.destination_potentials
    check = check_quotients if any(numbers.is_wide for numbers in own) else check_certificate
    check(worst, pair_loads, network.injection, network.ejection)


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
    matrices = routing.pair_loads_of_each(network, channels)
    return [
        ChannelResult(
            worst=worst,
            normalized_load=worst.load / network.bandwidth.fraction(worst.channel),
            uniform_load=pair_loads.weighted_sum(rows, columns),
            multiplicity=1,
            certified=True,
            pair_loads=pair_loads,
        )
        for worst, pair_loads in zip(
            _proved_worst_cases(network, channels, matrices), matrices, strict=True
        )
    ]


def _proved_worst_cases(
    network: Network, channels: Sequence[int], matrices: Sequence[SparseRationalMatrix]
) -> list[WorstCase]:
    """Solve and check channels, those together that can be."""
    terminals = network.injection, network.ejection
    found: dict[int, WorstCase] = {}
    together = solved_together(matrices, *terminals)
    if len(together) > 1:
        blocks = PairLoadBlocks.of(
            [matrices[place] for place in together], [channels[place] for place in together]
        )
        solved = worst_case_of_each(blocks, *terminals)
        check_each(solved, *terminals)
        found = {place: solved.checked(number) for number, place in enumerate(together)}
    for place, (channel, pair_loads) in enumerate(zip(channels, matrices, strict=True)):
        if place not in found:
            solve = worst_case_of_quotients if pair_loads.is_wide else worst_case
            found[place] = solve(pair_loads, *terminals, channel)
            check_worst_case(network, found[place], pair_loads)
    return [found[place] for place in range(len(matrices))]
