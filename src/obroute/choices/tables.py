"""Tables of routings."""

from typing import Literal

Table = Literal["paths", "flows", "next_channels"]
"""What a table of a routing lists."""
TABLE: Table = "paths"
