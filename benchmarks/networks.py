"""Networks without symmetry, drawn alike for benchmarks and tests."""

from __future__ import annotations

import networkx as nx
import numpy as np

from obroute import Network


def regular(nodes: int, degree: int = 8) -> Network:
    """Return networkx's random regular network of seed 1."""
    edges = np.array(nx.random_regular_graph(degree, nodes, seed=1).edges)
    tail, head = np.concatenate([edges, edges[:, ::-1]]).T
    return Network(f"{degree}-regular, {nodes} nodes", nodes, tail, head)


def broken_torus(radix: int, failed: int) -> Network:
    """Return a torus with some failed cables, drawn with seed 1."""
    nodes = np.arange(radix**2).reshape(radix, radix)
    cables = np.concatenate(
        [np.stack([nodes.ravel(), np.roll(nodes, -1, axis).ravel()], axis=1) for axis in (0, 1)]
    )
    cables = np.sort(cables, axis=1)
    cables = cables[np.lexsort((cables[:, 1], cables[:, 0]))]
    drawn = np.random.default_rng(1).choice(len(cables), failed, replace=False)
    cables = np.delete(cables, drawn, axis=0)
    tail, head = np.concatenate([cables, cables[:, ::-1]]).T
    return Network(f"{radix}x{radix} torus, {failed} cables failed", radix**2, tail, head)
