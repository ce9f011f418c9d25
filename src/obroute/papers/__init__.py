"""The source papers: their printed numbers as data, and one comparator that sets ours beside them.

:mod:`obroute.papers.published` holds the numbers, ``measures``, ``designed`` and ``computed`` say
how each quantity is read from a study, its designs and curves, and
:mod:`obroute.papers.comparison` gives each number one verdict.
"""

from __future__ import annotations

from obroute.choices.reports import TABLE1_NETWORK
from obroute.papers.published import (
    SPAA_NETWORK,
    Published,
    published,
    published_number,
    sources,
)

__all__ = [
    "SPAA_NETWORK",
    "TABLE1_NETWORK",
    "Published",
    "published",
    "published_number",
    "sources",
]
