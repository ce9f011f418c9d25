"""True tables of OpenSM without hardware: its engines on fabrics that ``ibsim`` simulates."""

from obroute.opensm.simulator import (
    ENGINES,
    FABRIC,
    PACKAGES,
    PROGRAMS,
    check_installed,
    dumps,
    missing,
    programs,
    route,
    simulated,
)

__all__ = [
    "ENGINES",
    "FABRIC",
    "PACKAGES",
    "PROGRAMS",
    "check_installed",
    "dumps",
    "missing",
    "programs",
    "route",
    "simulated",
]
