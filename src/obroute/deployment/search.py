"""Local search: from one routing to the next, for as long as asked.

A move takes a channel with the worst load, and a pair of a permutation that loads it so, and leads
the pair another way. It is kept if all is at least as good as it was some moves before (late
acceptance, Burke and Bykov 2017). A search is drawn from a seed, and its length is counted in
moves, so that it ends alike everywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

from obroute.deployment.images import Images
from obroute.deployment.loads import GRAIN, Score, SearchLoads
from obroute.deployment.restrictions import Restriction
from obroute.network import Network
from obroute.routing import Routing

State = TypeVar("State")
Change = TypeVar("Change")

LATE = 25
"""How many moves back a move is compared with."""


class Search(ABC, Generic[State, Change]):
    """A routing of a restriction that moves change.

    Parameters
    ----------
    network, restriction
        Of what.
    images
        The symmetries that the routing keeps.
    seed
        Of the draws.
    """

    def __init__(
        self, network: Network, restriction: Restriction, images: Images, seed: int
    ) -> None:
        self.network, self.restriction, self.images = network, restriction, images
        self.random = np.random.default_rng(seed)
        self.loads = SearchLoads(network, images)

    @abstractmethod
    def begin(self, routing: Routing | None) -> None:
        """Take a routing of the restriction that keeps the images, or make one."""

    @abstractmethod
    def move(self, channel: int, source: int, destination: int) -> Change | None:
        """Lead a pair (positions) another way past a channel; return what undoes it, or None."""

    @abstractmethod
    def undo(self, change: Change) -> None:
        """Undo a move."""

    @abstractmethod
    def keep(self) -> State:
        """Return what :meth:`routing` needs of the present state."""

    @abstractmethod
    def routing(self, kept: State, name: str) -> Routing:
        """Return the routing of a state that was kept."""

    def run(self, moves: int, enough: float) -> tuple[float, State]:
        """Make so many moves, or until a load is reached; return the best load and its state."""
        score = best = self.loads.score()
        kept = self.keep()
        late: list[Score] = [score] * LATE
        for number in range(moves):
            if best[0] <= enough + 1 / GRAIN:
                break
            worst = np.flatnonzero(self.loads.values >= score[0])
            orbit = int(self.random.choice(worst))
            rows, columns = self.loads.busy_pairs(orbit)
            which = int(self.random.integers(len(rows)))
            change = self.move(
                *self._first(self.loads.first[orbit], int(rows[which]), int(columns[which]))
            )
            if change is None:
                continue
            then = self.loads.score()
            if then <= score or then <= late[number % LATE]:
                score = then
                if score < best:
                    best, kept = score, self.keep()
            else:
                self.undo(change)
            late[number % LATE] = score
        return best[0], kept

    def _first(self, channel: int, source: int, destination: int) -> tuple[int, int, int]:
        """Return the image of a channel and a pair whose destination is the first of its orbit."""
        images = self.images
        element = int(np.argmin(images.destinations[:, destination]))
        return (
            int(images.channels[element, channel]),
            int(images.sources[element, source]),
            int(images.destinations[element, destination]),
        )
