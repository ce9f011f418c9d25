"""Conditions that an answer must meet, such as ``throughput >= 1/2``, for scripts that decide."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
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

        What the answer has in a list alone, as one over several sets of traffic does, must hold of
        every entry.

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
        for part, of_which in self._parts(answer):
            name, value = self._value(part, self.name)
            if _NAME.fullmatch(self.bound):
                other, bound = self._value(part, self.bound)
                beside = f", {other} {bound}"
            else:
                bound, beside = self._number(), ""
            if not _COMPARISONS[self.comparison](value, bound):
                raise RequirementError(
                    f"{self.text} does not hold{of_which}: {name} is {value}{beside}"
                )

    def _parts(self, answer: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
        """Return where the value is: the answer, or the entries of a list, with their names."""
        if not _meant(answer, self.name):
            for entries in _lists(answer):
                if all(_meant(entry, self.name) for entry in entries):
                    return [({**answer, **entry}, _of_which(entry)) for entry in entries]
        return [(answer, "")]

    def _number(self) -> Fraction:
        """Return the bound where it is a number."""
        if self.bound.endswith("%"):
            return parse_fraction(self.bound[:-1].strip()) / 100
        return parse_fraction(self.bound)

    def _value(self, answer: Mapping[str, Any], called: str) -> tuple[str, Fraction]:
        """Return the full name of a value, and the value."""
        meant = _meant(answer, called)
        if not meant:
            parts = [answer, *chain.from_iterable(_lists(answer))]
            known = {name for part in parts for name in _known(part)}
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
        value = answer[_known(answer)[meant[0]]]
        if value is None:
            raise InputError(
                f"--require {shown(self.text)}: {meant[0]} is not known here; leave it out"
            )
        return meant[0], Fraction(value)


def _known(answer: Mapping[str, Any]) -> dict[str, str]:
    """Return the key of each value that is exact, by its name."""
    exact = {key.removesuffix(EXACT): key for key in answer if key.endswith(EXACT)}
    return {key: key for key, value in answer.items() if type(value) is int} | exact


def _meant(answer: Mapping[str, Any], called: str) -> list[str]:
    """Return the values that a name may mean: its own, or those that end in it."""
    known = _known(answer)
    return [key for key in known if key == called] or [
        key for key in known if key.endswith(f"_{called}")
    ]


def _lists(answer: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """Return the lists of the answer whose entries have values by name."""
    lists = [value for value in answer.values() if isinstance(value, list) and value]
    return [found for found in lists if all(isinstance(entry, Mapping) for entry in found)]


def _of_which(entry: Mapping[str, Any]) -> str:
    """Say which entry of a list it is: the first words in it are its name."""
    words = (value for value in entry.values() if isinstance(value, str))
    return f" of {next(words, 'an entry')}"
