"""What files of traffic end in."""

TRAFFIC_SUFFIXES = (".csv", ".cm", ".noxim", ".rankfile")
"""Demands, htsim, Noxim's table of traffic, Open MPI."""
