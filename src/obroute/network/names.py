"""The names of a network's nodes: labels, coordinates or numbers."""

from __future__ import annotations

from functools import cached_property

from obroute.rational import IntArray
from obroute.specs import InputError, shown


class NamedNodes:
    """Nodes with names; the fields are those of :class:`~obroute.network.Network`."""

    name: str
    node_count: int
    labels: tuple[str, ...] | None
    coordinates: IntArray | None

    def describe(self, node: int) -> str:
        """Return the node's label, coordinates or number, for messages and drawings."""
        if self.labels is not None:
            return self.labels[node]
        if self.coordinates is not None:
            return "(" + ",".join(str(c) for c in self.coordinates[node]) + ")"
        return str(node)

    def node_name(self, node: int) -> str:
        """Return the node's label or number, which files and :meth:`node_named` know it by."""
        return str(node) if self.labels is None else self.labels[node]

    @cached_property
    def _node_by_name(self) -> dict[str, int]:
        names = {str(node): node for node in range(self.node_count)}
        if self.labels is not None:
            names = {label: node for node, label in enumerate(self.labels)}
        elif self.coordinates is not None:
            names.update({self.describe(node): node for node in range(self.node_count)})
        return names

    def has_node(self, name: str) -> bool:
        """Say whether :meth:`node_named` knows a name."""
        return self._find_node(name) is not None

    def node_named(self, name: str) -> int:
        """Return the node of that label, number or ``(coordinates)``.

        Raises
        ------
        InputError
            If no node is called so.
        """
        node = self._find_node(name)
        if node is None:
            raise InputError(f"{self.name} has no node {shown(name)}")
        return node

    def _find_node(self, name: str) -> int | None:
        known = self._node_by_name
        node = known.get(name, known.get(name.strip()))
        if node is None and self.coordinates is not None:
            node = known.get(name.replace(" ", ""))
        return node
