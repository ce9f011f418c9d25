"""Conditions that an answer must meet, such as ``throughput >= 1/2``, for scripts that decide."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from obroute.specs import InputError, RequirementError, parse_fraction, shown, suggestion

_COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_CONDITION = re.compile(r"\s*(\w+)\s*(>=|<=|==|=|>|<)\s*([^<>=]+?)\s*")
_NAME = re.compile(r"[A-Za-z_]\w*")
EXACT = "_exact"
"""What follows the name of a value in the name of the same as a fraction."""


@dataclass(frozen=True)
class Requirement:
    """A value of an answer compared with a number, or with another value.

    Parameters
    ----------
    text
        The condition as it was given.
    name, comparison, bound
        A value of the answer, ``>=``, ``<=``, ``==``, ``>`` or ``<``, and a fraction, decimals,
        percents, or another value of the answer.
    """

    text: str
    name: str
    comparison: str
    bound: str

    @classmethod
    def read(cls, text: str) -> Requirement:
        """Read a condition.

        Raises
        ------
        InputError
            If it is none.

        Examples
        --------
        >>> Requirement.read("throughput >= 1/2").bound
        '1/2'
        """
        found = _CONDITION.fullmatch(text)
        if found is None:
            raise InputError(
                f"--require {shown(text)}: expected a value, a comparison and a number, such as "
                "'throughput >= 1/2'"
            )
        comparison = "==" if found[2] == "=" else found[2]
        made = cls(text.strip(), found[1], comparison, found[3])
        if not _NAME.fullmatch(made.bound):
            made._number()
        return made

    def check(self, answer: Mapping[str, Any]) -> None:
        """Compare exactly.

        Parameters
        ----------
        answer
            Values by name as a kind prints them for programs: each under ``NAME_exact``, or a
            whole number.

        Raises
        ------
        InputError
            If there is no such value, several are called so, or it is not known exactly.
        RequirementError
            If the condition does not hold.

        Examples
        --------
        >>> Requirement.read("throughput >= 1/2").check({"worst_case_throughput_exact": "4/9"})
        Traceback (most recent call last):
        obroute.specs.RequirementError: throughput >= 1/2 does not hold: ... is 4/9
        """
        name, value = self._value(answer, self.name)
        if _NAME.fullmatch(self.bound):
            other, bound = self._value(answer, self.bound)
            beside = f", {other} {bound}"
        else:
            bound, beside = self._number(), ""
        if not _COMPARISONS[self.comparison](value, bound):
            raise RequirementError(f"{self.text} does not hold: {name} is {value}{beside}")

    def _number(self) -> Fraction:
        """Return the bound where it is a number."""
        if self.bound.endswith("%"):
            return parse_fraction(self.bound[:-1].strip()) / 100
        return parse_fraction(self.bound)

    def _value(self, answer: Mapping[str, Any], called: str) -> tuple[str, Fraction]:
        """Return the full name of a value, and the value."""
        exact = {key.removesuffix(EXACT): key for key in answer if key.endswith(EXACT)}
        whole = {key: key for key, value in answer.items() if type(value) is int}
        known = whole | exact
        meant = [key for key in known if key == called] or [
            key for key in known if key.endswith(f"_{called}")
        ]
        if not meant:
            raise InputError(
                f"--require {shown(self.text)}: there is no value {shown(called)}"
                + suggestion(called, sorted(known))
            )
        if len(meant) > 1:
            raise InputError(
                f"--require {shown(self.text)}: {called} may be {' or '.join(sorted(meant))}; "
                "say which"
            )
        if answer.get("certified") is False:
            raise InputError(
                f"--require {shown(self.text)}: {meant[0]} is estimated here, not proved; leave "
                "out --sampled-paths"
            )
        value = answer[known[meant[0]]]
        if value is None:
            raise InputError(
                f"--require {shown(self.text)}: {meant[0]} is not known here; leave it out"
            )
        return meant[0], Fraction(value)
