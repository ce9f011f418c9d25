"""Reports."""

TITLE = "Worst-case throughput of oblivious routing"
TABLE1_NETWORK = "torus:9x9"
"""The network of Table 1 of the technical report."""
