"""Names that anybody may have given, made safe for where they appear.

A name is text that a user chose: of a file, a node, a network. It may hold any character, and goes
to terminals, figures, file systems and the command lines of jobs.
"""

from __future__ import annotations

import hashlib
import re

from obroute.specs import InputError, is_file

_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""What ends a line, drives a terminal, turns the direction of writing, or is no character."""
_REFUSED = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What no name may hold: of these, what no table, figure or page can hold."""
LONGEST_SHOWN = 200
LONGEST_IN_A_MESSAGE = 600
LONGEST_FILE_NAME = 100


def printable(text: str) -> str:
    r"""Return text for one line of a terminal, what would drive it written as an escape.

    >>> print(printable("a\x1b[31mb\nc"))
    a\x1b[31mb\nc
    """
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def shortened(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Return text for a message, the middle left out where it is very long.

    >>> shortened("torus:8x8"), len(shortened("9" * 4000)) < 250
    ('torus:8x8', True)
    """
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}… ({len(text) - 2 * half} characters) …{text[-half:]}"


def in_a_line(value: object) -> str:
    r"""Return a value for a message of one line, whatever it holds and however long it is.

    >>> print(in_a_line("no\nway"))
    no\nway
    """
    return printable(shortened(str(value), LONGEST_IN_A_MESSAGE))


def check_name(name: str, what: str) -> None:
    r"""Refuse a name that cannot be shown as it is.

    Parameters
    ----------
    name, what
        The name, and what it is of, for the error.

    Raises
    ------
    InputError
        If it has a control character other than a tab, or half of a character.

    Examples
    --------
    >>> check_name("São Paulo", "node")
    >>> check_name("a\nb", "node")
    Traceback (most recent call last):
    obroute.specs.InputError: node 'a\nb' has the control character \n in its name; rename it
    """
    found = _REFUSED.search(name)
    if found:
        raise InputError(
            f"{what} '{printable(shortened(name))}' has the control character "
            f"{printable(found[0])} in its name; rename it"
        )


def stripped(name: str) -> str:
    """Return a name without the blanks around it, which never belong to one.

    Raises
    ------
    InputError
        If there is a file whose name has them: another would be read in its place.
    """
    if name != name.strip() and is_file(name):
        raise InputError(f"the file '{name}' has a blank at an end of its name; rename it")
    return name.strip()


def as_word(name: str) -> str:
    """Return a name as a word of a command, which no option begins like.

    >>> as_word("edges.csv"), as_word("-x.csv")
    ('edges.csv', './-x.csv')
    """
    return f"./{name}" if name.startswith("-") else name


_KEPT = "A-Za-z0-9._"
FILE_NAME = rf"[{_KEPT}-]+"
"""The pattern of all that :func:`file_name` gives, as Snakemake's wildcards have it."""


def file_name(name: str) -> str:
    """Return a name for files and folders; different names have different ones.

    What is no letter, digit, dot or underscore becomes a dash. Where the name cannot be told from
    that any more, a digest of it is added after two dashes, which stand nowhere else.

    >>> file_name("torus:8x8"), file_name("romm:order=fixed"), file_name("inputs/edges.csv")
    ('torus-8x8', 'romm-order-fixed', 'inputs-edges.csv')
    >>> file_name("漢.csv"), file_name("字.csv")
    ('csv--f15ef6f3938c', 'csv--99807fba91ad')
    """
    plain = re.sub(rf"[^{_KEPT}]+", "-", name).strip("-.")
    if plain and name == _name_of(plain) and len(plain) <= LONGEST_FILE_NAME:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{plain[:LONGEST_FILE_NAME] or 'name'}--{digest}"


def _name_of(plain: str) -> str:
    """Return the name that is meant where a file name has no digest.

    That of a file, a dash for each folder, or of a family with a value and keywords.

    >>> [_name_of(plain) for plain in ("torus-4x3-bandwidth-2", "romm-order-fixed", "a-b.csv")]
    ['torus:4x3,bandwidth=2', 'romm:order=fixed', 'a/b.csv']
    """
    if "." in plain:
        return plain.replace("-", "/")
    word, *pieces = plain.split("-")
    first = pieces[:1] if len(pieces) % 2 else []
    keyed = ["=".join(pair) for pair in zip(*[iter(pieces[len(first) :])] * 2, strict=True)]
    return word + ":" * bool(pieces) + ",".join(first + keyed)
