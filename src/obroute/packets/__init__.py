"""Packets that queue: permutations routed in steps, off line, by looping, and at their worst.

In one step every channel carries as many packets as its bandwidth says, one where nothing else is
said, and the others wait. Butterflies and Beneš networks are families of
:mod:`obroute.topologies`, bit fixing and Valiant's two phases are routings like any other; here is
what holds of packets, not of loads.
"""

IN_PHASES = " in phases"
"""What follows the name of a routing whose two phases were run one after the other."""
