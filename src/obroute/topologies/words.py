"""Kautz and de Bruijn digraphs: a node is a word, and a channel drops a letter and adds one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from obroute.generators import Generator, Generators, Symmetry
from obroute.network import Network
from obroute.rational import IntArray, RationalArray
from obroute.specs import InputError, Parameter, cut, parse_integer
from obroute.topologies.registry import Bandwidth, Hosts, hosts_at, networks
from obroute.topologies.sizes import Size, power, product

Degree = Annotated[int, Parameter("channels out of every node", parse_integer(2))]


@dataclass(frozen=True)
class Alphabet:
    """The words of one length, in alphabetical order.

    Parameters
    ----------
    letters
        How many letters there are.
    length
        Letters of a word.
    repeats
        Whether a letter may follow itself.

    Examples
    --------
    >>> Alphabet(3, 2, repeats=False).words().tolist()
    [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    """

    letters: int
    length: int
    repeats: bool

    @property
    def onwards(self) -> int:
        """How many letters may follow one."""
        return self.letters if self.repeats else self.letters - 1

    def size(self) -> Size:
        """Return how many nodes and channels their digraph has.

        >>> Alphabet(3, 4, repeats=False).size(), Alphabet(2, 4, repeats=True).size()
        (Size(nodes=24, channels=48), Size(nodes=16, channels=30))
        """
        nodes = product([self.letters, power(self.onwards, self.length - 1)])
        return Size(nodes, product([nodes, self.onwards]) - self.letters * self.repeats)

    @property
    def _places(self) -> IntArray:
        return self.onwards ** np.arange(self.length - 1, -1, -1, dtype=np.int64)

    def words(self) -> IntArray:
        """Return all words, words × letters."""
        found = np.arange(self.letters * self._places[0])[:, None] // self._places
        found[:, 1:] %= self.onwards
        if not self.repeats:  # so far the place among the letters that are not the one before
            for place in range(1, self.length):
                found[:, place] += found[:, place] >= found[:, place - 1]
        return found

    def number(self, words: IntArray) -> IntArray:
        """Return the place of each word in the order."""
        among = words.copy()
        if not self.repeats:
            among[:, 1:] -= words[:, 1:] > words[:, :-1]
        return np.asarray(among @ self._places, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class WordGraph(Network):
    """A digraph of words; the letters of a node are its coordinates."""

    size_is: ClassVar[str] = "diameter D"

    alphabet: Alphabet = Alphabet(2, 1, repeats=True)

    @classmethod
    def build(cls, name: str, alphabet: Alphabet, hosts: int, bandwidth: Fraction) -> WordGraph:
        """Lay out the words, and a channel from each to those that begin as it goes on."""
        words = alphabet.words()
        tail = np.repeat(np.arange(len(words)), alphabet.onwards)
        last = np.tile(np.arange(alphabet.onwards), len(words))
        if alphabet.length == 1:
            head = last if alphabet.repeats else last + (last >= tail)
        else:  # words with all letters but the last in common stand side by side
            begun = alphabet.number(np.concatenate([words[:, 1:], words[:, -1:] * 0], axis=1))
            head = (begun - begun % alphabet.onwards)[tail] + last
        apart = tail != head
        return cls(
            name,
            len(words),
            tail[apart],
            head[apart],
            bandwidth=RationalArray.full(int(apart.sum()), bandwidth),
            coordinates=words,
            connected=True,
            alphabet=alphabet,
            **hosts_at(np.arange(len(words)), hosts),
        )

    @property
    def size(self) -> int:
        """The length of the words, which is the diameter."""
        return self.alphabet.length

    def automorphisms(self) -> Generators:
        """Return an exchange of two letters and a cycle of all: every permutation of letters."""
        assert self.coordinates is not None
        exchange = np.arange(self.alphabet.letters)
        exchange[[0, 1]] = [1, 0]
        cycle = np.roll(np.arange(self.alphabet.letters), -1)
        found = {Generator(Symmetry.RELABELLING, (0, 1)): exchange}
        if self.alphabet.letters > 2:  # of two, the exchange is all
            found[Generator(Symmetry.RELABELLING)] = cycle
        return {
            generator: self.alphabet.number(image[self.coordinates])
            for generator, image in found.items()
        }


@networks.register(
    "kautz",
    "Kautz digraph: words in which no letter follows itself; channels one way",
    size=lambda d, D: Alphabet(d + 1, D, repeats=False).size(),
    examples=("kautz:d=2,D=4",),
    small=("kautz:d=2,D=2,hosts=2",),
)
def kautz(
    *,
    d: Degree,
    D: Annotated[int, Parameter("letters of a word, the diameter", parse_integer(1))],
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> WordGraph:
    """Return K(d, D): words of D letters out of d + 1, none of which follows itself.

    (Kautz 1968; the shortest path between two nodes is the only one.)

    >>> graph = kautz(d=2, D=4)
    >>> graph.node_count, graph.channel_count
    (24, 48)
    """
    return WordGraph.build("Kautz", Alphabet(d + 1, D, repeats=False), hosts, bandwidth)


@networks.register(
    "de_bruijn",
    "de Bruijn digraph: all words of some letters, loops left out; channels one way",
    size=lambda d, n: Alphabet(d, n, repeats=True).size(),
    examples=("de_bruijn:d=2,n=4",),
    small=("de_bruijn:d=2,n=3",),
)
def de_bruijn(
    *,
    d: Annotated[int, Parameter("letters", parse_integer(2))],
    n: Annotated[int, Parameter("letters of a word, the diameter", parse_integer(1))],
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> WordGraph:
    """Return B(d, n): words of n letters out of d, loops left out.

    (de Bruijn 1946; the shortest path between two nodes is the only one.)

    >>> graph = de_bruijn(d=2, n=4)
    >>> graph.node_count, graph.channel_count
    (16, 30)
    """
    return WordGraph.build("de Bruijn", Alphabet(d, n, repeats=True), hosts, bandwidth)


class GeneralizedKautz(Network):
    """A Kautz digraph of any number of nodes."""

    size_is = "nodes n"

    @property
    def size(self) -> int:
        """The number of nodes."""
        return self.node_count


def _generalized_size(d: int, n: int) -> Size:
    common = math.gcd(d + 1, n)
    return Size(n, n * d - common * (d // common))


@networks.register(
    "generalized_kautz",
    "generalised Kautz digraph of any number of nodes, loops left out; channels one way",
    size=_generalized_size,
    examples=("generalized_kautz:d=3,n=20",),
    small=("generalized_kautz:d=2,n=7",),
)
def generalized_kautz(
    *,
    d: Degree,
    n: Annotated[int, Parameter("nodes", parse_integer(3))],
    hosts: Hosts = 1,
    bandwidth: Bandwidth = Fraction(1),
) -> GeneralizedKautz:
    """Return the digraph of channels from i to -d·i - j modulo n, for j = 1 … d.

    (Imase and Itoh 1983; with n = d^D + d^(D-1) it is K(d, D).)

    Raises
    ------
    InputError
        If there are no more nodes than channels out of one.

    Examples
    --------
    >>> graph = generalized_kautz(d=3, n=20)
    >>> graph.node_count, graph.channel_count
    (20, 60)
    """
    if n <= d:
        raise InputError(f"n is {cut(str(n))}; expected more nodes than d = {cut(str(d))}")
    tail = np.repeat(np.arange(n), d)
    head = (-d * tail - np.tile(np.arange(1, d + 1), n)) % n
    apart = tail != head
    return GeneralizedKautz(
        "generalised Kautz",
        n,
        tail[apart],
        head[apart],
        bandwidth=RationalArray.full(int(apart.sum()), bandwidth),
        connected=True,
        **hosts_at(np.arange(n), hosts),
    )
