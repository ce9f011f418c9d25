"""JSON that a user wrote, and what YAML may be as well: every key once, no value without bound.

JSON is read by its library, whose ways to fail are all told as one line here. A decimal in it is
read exactly.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from obroute.specs import InputError, parse_fraction, parse_whole, shown

MOST_LEVELS = 50
"""How deep lists and keys may be nested in YAML."""
MOST_VALUES = 100_000
"""How many values and keys YAML may have, those that it refers to counted again each time."""
MOST_OF_A_NUMBER = 1000
"""Characters of a number in YAML."""
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(file: Path, text: str) -> Any:
    """Return what JSON text of a file says; a number with a point is a :class:`~decimal.Decimal`.

    Raises
    ------
    InputError
        If it is no JSON, a key comes twice, or a number or the nesting is beyond bounds.
    """
    return parse_json(text, str(file))


def parse_json(text: str, origin: str) -> Any:
    """Return what JSON text says; see :func:`read_json`.

    Raises
    ------
    InputError
        As :func:`read_json` does, with the origin named.

    Examples
    --------
    >>> parse_json('{"share": 0.1}', "x.json")
    {'share': Decimal('0.1')}
    """
    try:
        found = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_decimal,
            parse_int=parse_whole,
            parse_constant=_no_constant,
        )
        if _ESCAPED_SURROGATE.search(text):
            check_text(found)
    except json.JSONDecodeError as error:
        raise InputError(f"{origin}: not JSON: {error}") from None
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None
    except RecursionError:
        raise InputError(f"{origin}: nested too deep; expected a few levels") from None
    return found


def _decimal(text: str) -> Decimal:
    parse_fraction(text)  # within the bounds of numbers
    return Decimal(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise InputError(f"the key {shown(twice)} comes twice in one object; give it once")
    return found


def _no_constant(word: str) -> NoReturn:
    raise InputError(f"{word} is no number of JSON; expected a finite one")


def check_text(found: Any) -> None:
    """Refuse half a character, which no file and no terminal can have."""
    if isinstance(found, str):
        try:
            found.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{shown(found)} holds half a character (a lone surrogate); expected whole ones"
            ) from None
    elif isinstance(found, dict):
        for key, value in found.items():
            check_text(key)
            check_text(value)
    elif isinstance(found, list):
        for value in found:
            check_text(value)
