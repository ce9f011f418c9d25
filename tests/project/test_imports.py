"""How the modules lean on each other."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_no_modules_import_each_other() -> None:
    """Not in a circle of any length, and not inside functions; what type checkers see is free."""
    graph = grimp.build_graph("obroute", exclude_type_checking_imports=True)
    imported = {
        module: graph.find_modules_directly_imported_by(module) for module in graph.modules
    }
    TopologicalSorter(imported).prepare()  # raises, and names the modules of a circle
