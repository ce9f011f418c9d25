"""The exact worst case over a set of traffic: solved, proved, and checked apart."""

from obroute.restrictions.certificates import RestrictedWorst, check_restricted
from obroute.restrictions.matching import restricted_worst
from obroute.restrictions.worst import Restricted, RestrictedCase, restricted_cases

__all__ = [
    "Restricted",
    "RestrictedCase",
    "RestrictedWorst",
    "check_restricted",
    "restricted_cases",
    "restricted_worst",
]
