"""The one way in to files that a user names: what no file, table or configuration may do.

Nothing else of obroute opens such a file. What is read is a regular file of a stated size, in
UTF-8 (:mod:`obroute.reading.files`); JSON and YAML say one thing once
(:mod:`obroute.reading.documents`). The reader of numbers is
:func:`obroute.specs.parse_fraction`, here too. Whatever is wrong is an
:class:`~obroute.specs.InputError` of one line.
"""

from obroute.reading.configurations import LARGEST_CONFIGURATION, parse_yaml, read_yaml
from obroute.reading.documents import MOST_LEVELS, MOST_VALUES, parse_json, read_json
from obroute.reading.files import (
    LARGEST_INPUT,
    SIZE_VARIABLE,
    check_regular,
    digest,
    largest,
    read_blocks,
    read_bytes,
    read_end,
    read_head,
    read_text,
)
from obroute.reading.heads import Head
from obroute.reading.markup import Element, check_xml_graph, read_xml
from obroute.reading.numbers import MOST_COMMON_DIGITS, over_one_denominator
from obroute.reading.rates import LANES, Rate, parse_rate, rate_text

__all__ = [
    "LANES",
    "LARGEST_CONFIGURATION",
    "LARGEST_INPUT",
    "MOST_COMMON_DIGITS",
    "MOST_LEVELS",
    "MOST_VALUES",
    "SIZE_VARIABLE",
    "Element",
    "Head",
    "Rate",
    "check_regular",
    "check_xml_graph",
    "digest",
    "largest",
    "over_one_denominator",
    "parse_json",
    "parse_rate",
    "parse_yaml",
    "rate_text",
    "read_blocks",
    "read_bytes",
    "read_end",
    "read_head",
    "read_json",
    "read_text",
    "read_xml",
    "read_yaml",
]
