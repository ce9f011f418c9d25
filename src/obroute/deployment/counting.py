"""A bound on single paths by counting, proved exactly by a share at every node.

Let every pair have one path, and let no permutation load a channel of bandwidth b with more than
θ b. By Kőnig's theorem (for terminals of any size: total unimodularity) each channel then has
*owners*, sources and destinations that inject and eject at most θ b together, one of which is an
end of every pair on it. Follow the path of a pair (s, d) backwards from d for as long as d owns
its channels: it meets, at some node x, a channel into x that s owns, or s itself. So if P_x is
what is injected by the sources that own a channel into x or stand at x, and Q_x the same of
destinations, channels out and ejection, ::

    Σ_x P_x Q_x ≥ (what all sources inject) (what all destinations eject)

Let σ, τ be what stands at a node, p + q ≤ θ b the owners of a channel, and P̄, Q̄ bounds on what
owns the channels into and out of a node. For any shares λ_x in [0, 1] the product p q is at most
λ Q̄ p + (1 - λ) P̄ q, so that the sum is at most ::

    Σ_x σ_x τ_x + Σ_(x → y) θ b max(τ_y + λ_y Q̄_y,  σ_x + (1 - λ_x) P̄_x)

A load θ for which that is too little is one that no single paths have. The shares are the proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from obroute.network import Network

GRAIN = 2**20
"""Shares are rounded to one part of so many."""


@dataclass(frozen=True)
class Places:
    """Where terminals stand, and the channels that single paths share.

    A host with one channel in and one out stands at its switch, and its channels are left out:
    whatever crosses them is its own.
    """

    injected: tuple[Fraction, ...]
    ejected: tuple[Fraction, ...]
    channels: tuple[tuple[int, int, Fraction], ...]

    @classmethod
    def of(cls, network: Network) -> Places:
        """Return those of a network."""
        at = np.arange(network.node_count)
        alone = network.is_host & (np.bincount(network.tail, minlength=len(at)) == 1)
        alone &= np.bincount(network.head, minlength=len(at)) == 1
        out = np.flatnonzero(alone[network.tail])
        into = np.flatnonzero(alone[network.head])
        there = dict(zip(network.tail[out].tolist(), network.head[out].tolist(), strict=True))
        back = dict(zip(network.head[into].tolist(), network.tail[into].tolist(), strict=True))
        moved = [n for n in there if there[n] == back[n] and not alone[there[n]]]
        for node in moved:
            at[node] = there[node]
        amounts = []
        for nodes, given in (
            (network.sources, network.injection),
            (network.destinations, network.ejection),
        ):
            total = [Fraction(0)] * len(at)
            for node, amount in zip(at[nodes].tolist(), given.fractions(), strict=True):
                total[node] += amount
            amounts.append(tuple(total))
        kept = ~np.isin(network.tail, moved) & ~np.isin(network.head, moved)
        bandwidth = network.bandwidth.fractions()
        channels = tuple(
            (int(network.tail[c]), int(network.head[c]), bandwidth[c])
            for c in np.flatnonzero(kept).tolist()
        )
        return cls(amounts[0], amounts[1], channels)

    @property
    def pairs(self) -> Fraction:
        """What all sources inject times what all destinations eject."""
        return sum(self.injected, Fraction(0)) * sum(self.ejected, Fraction(0))

    def bandwidths(self) -> tuple[list[Fraction], list[Fraction]]:
        """Return the bandwidth into and out of each node."""
        into = [Fraction(0)] * len(self.injected)
        out = list(into)
        for tail, head, bandwidth in self.channels:
            out[tail] += bandwidth
            into[head] += bandwidth
        return into, out

    def covered(self, load: Fraction, shares: list[Fraction]) -> Fraction:
        """Return a bound on the pairs that paths of a worst-case load can join, by given shares.

        Raises
        ------
        ValueError
            If a share is none.
        """
        if len(shares) != len(self.injected) or not all(0 <= share <= 1 for share in shares):
            raise ValueError("expected a share between 0 and 1 for every node")
        into, out = self.bandwidths()
        total = sum((a * b for a, b in zip(self.injected, self.ejected, strict=True)), Fraction(0))
        for tail, head, bandwidth in self.channels:
            by_source = self.ejected[head] + shares[head] * load * out[head]
            by_destination = self.injected[tail] + (1 - shares[tail]) * load * into[tail]
            total += load * bandwidth * max(by_source, by_destination)
        return total

    def best_shares(self, load: Fraction) -> list[Fraction]:
        """Return shares that bound the pairs well: from a linear program in floats, rounded."""
        from scipy.optimize import linprog

        nodes, count = len(self.injected), len(self.channels)
        if not count:
            return [Fraction(0)] * nodes
        into, out = (np.array([float(b) for b in side]) for side in self.bandwidths())
        sigma, tau = (np.array(list(map(float, side))) for side in (self.injected, self.ejected))
        tail, head = (np.array([each[end] for each in self.channels]) for end in (0, 1))
        bandwidth = np.array([float(each[2]) for each in self.channels])
        theta, rows = float(load), np.arange(count)
        first = csr_array((theta * out[head], (rows, head)), shape=(count, nodes))
        second = csr_array((-theta * into[tail], (rows, tail)), shape=(count, nodes))
        minus = csr_array((-np.ones(count), (rows, rows)), shape=(count, count))
        from scipy.sparse import block_array

        solved = linprog(
            np.concatenate([np.zeros(nodes), theta * bandwidth]),
            A_ub=block_array([[first, minus], [second, minus]]),
            b_ub=np.concatenate([-tau[head], -sigma[tail] - theta * into[tail]]),
            bounds=[(0, 1)] * nodes + [(0, None)] * count,
        )
        found = solved.x[:nodes] if solved.status == 0 else np.full(nodes, 0.5)
        return [Fraction(round(GRAIN * min(max(v, 0.0), 1.0)), GRAIN) for v in found.tolist()]


def next_load(network: Network, at_least: Fraction, *, above: bool = False) -> Fraction:
    """Return the least load that single paths may have, at or above a number.

    What a permutation sends over a channel is a whole number of units of the terminals.

    Examples
    --------
    >>> from obroute import make_network
    >>> str(next_load(make_network("torus:4x4"), Fraction(6, 5)))
    '2'
    """
    unit = Fraction(1, math.lcm(network.injection.denominator, network.ejection.denominator))
    found = []
    for bandwidth in set(network.bandwidth.fractions()):
        step = unit / bandwidth
        whole = at_least / step
        count = math.floor(whole) + 1 if above else math.ceil(whole)
        found.append(count * step)
    return min(found)


def counting_bound(
    network: Network, at_least: Fraction, most: Fraction
) -> tuple[Fraction, list[Fraction]]:
    """Return a load that single paths have at least, with the shares that prove it.

    Parameters
    ----------
    network
        The network.
    at_least
        A load that is known to be a lower bound.
    most
        A load where to stop.

    Returns
    -------
    tuple
        The bound; and the shares that exclude the load before it, none where nothing was.

    Examples
    --------
    >>> from obroute import make_network
    >>> net = make_network("leafspine:leaves=10,hosts=9,spines=9")
    >>> str(counting_bound(net, Fraction(1), Fraction(9))[0])
    '3'
    """
    places, load = Places.of(network), next_load(network, at_least)
    proof: list[Fraction] = []
    while load < most:
        shares = places.best_shares(load)
        if places.covered(load, shares) >= places.pairs:
            break
        proof, load = shares, next_load(network, load, above=True)
    return load, proof
