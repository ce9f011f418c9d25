"""JSON and YAML: exact, every key once, and bounded."""

import json
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from obroute.reading import MOST_LEVELS, parse_json, parse_yaml
from obroute.specs import MOST_SHOWN, InputError, shown
from obroute.study import read_study

LINE = 300
"""Characters of an error at the most, but for lists of what is known."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 100_000, "nested too deep"),
        ("9" * 5000, "a number of 5,000 characters"),
        ("1e999999999", "too large or too small"),
        ("[1e-999999999]", "too large or too small"),
        ("NaN", "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' comes twice"),
        ('[{"x": {"' + "k" * 5000 + '": 1, "' + "k" * 5000 + '": 2}}]', "comes twice"),
        (r'["\ud800"]', "lone surrogate"),
        (r'{"\udfff": 1}', "lone surrogate"),
        ("", "not JSON"),
        ("[1,", "not JSON"),
    ],
)
def test_json_that_is_not_read_is_refused_in_a_line(text: str, message: str) -> None:
    """Whatever it is, and however long."""
    with pytest.raises(InputError, match=message) as caught:
        parse_json(text, "x.json")
    assert str(caught.value).startswith("x.json: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < LINE


def test_a_decimal_in_json_is_exact() -> None:
    """Beyond what a float has room for."""
    third = "0." + "3" * 40
    assert parse_json(f"[{third}]", "x") == [Decimal(third)]
    assert parse_json(r'["\ud83d\ude00"]', "x") == ["😀"]


STUDY = "networks: [ring:4]\nroutings: [dor]\n"
LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("study: 2024-13-45", "line 3: '2024-13-45' is no date; put it in quotes"),
        ('results: "\\ud800"', "line 3: .*lone surrogate"),
        ("results: " + "[" * 100_000, "line 3: nested more than 50 levels"),
        ("results:\n" + "- " * 100_000, "line 4: nested more than 50 levels"),
        ("results: " + "{a: " * 100_000, "line 3: nested more than 50 levels"),
        (LAUGHS, "line .*: more than 100,000 values"),
        ("x: &x [*x]", "line 3: .*refers to itself"),
        ("x: *y", "line 3: not YAML: found undefined alias"),
        ("seed: 1\nseed: 1", "line 4: the key 'seed' comes twice"),
        ("also: [{networks: a, networks: b}]", "line 3: the key 'networks' comes twice"),
        ("seed: " + "9" * 5000, "line 3: a number of 5,000 characters"),
        ("seed: 1" + ":59" * 100_000, "line 3: a number of"),
        ("seed: " + "9" * 999, "seed is .*expected less than"),
        ("1: 2", "1 is 1: Keys should be strings"),
        ("? [a]\n: 2", "line 3: not YAML"),
        ('seed: !!int ""', "line 3: '' is no int"),
        ("seed: !!bool x", "line 3: 'x' is no bool"),
        ("seed: !!python/object/apply:os.getcwd []", "line 3: not YAML: could not determine"),
        ("seed: .inf", "seed is inf: expected a finite"),
        ("seed: -1", "seed is -1: expected greater"),
        ("study: " + "x" * 5000, "study is .*at most 100 characters"),
        ("results: {a: " + "x" * 500_000 + "}", "results is .*expected a valid string"),
        ("radices: 3-10000000", "3-10000000 makes 9,999,998 radices; expected at most 1,000"),
        ("radices: [2-900, 2-900]", "2-900 makes 1,798 radices"),
        ("radices: 9-3", "9-3 runs backwards; expected 3-9"),
        ('radices: "' + "9" * 5000 + '"', "is no radix"),
        ("radices: ²", "'²' is no radix"),
        ("radices: 1", "radix 1 is too small"),
        ("x: [" + "a," * 200_000 + "]", "more than 100,000 values"),
        ("#" * 1_100_000, "more than 1 MB"),
    ],
)
def test_a_study_that_is_not_read_is_refused_in_a_line(
    text: str, message: str, tmp_path: Path
) -> None:
    """That names the file and the line or the key, and no more of a value than fits."""
    file = tmp_path / "c.yaml"
    file.write_text(STUDY + text)
    before = time.process_time()
    with pytest.raises(InputError, match=message) as caught:
        read_study(file)
    said = str(caught.value).removeprefix(str(file))
    assert "\n" not in said
    assert len(said) < LINE
    assert time.process_time() - before < 20


def test_a_study_of_too_many_cells_is_refused() -> None:
    """Before one of them is made."""
    study = read_study({"networks": ["ring:4"] * 1000, "routings": ["dor"] * 1000})
    with pytest.raises(InputError, match="more than 100,000 cells"):
        _ = study.sections


def test_references_and_merged_keys_stand_for_what_they_name() -> None:
    """An own key goes before a merged one, which is no key that comes twice."""
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: [*a, *a]"
    assert parse_yaml(text, "x") == yaml.safe_load(text)
    nested = "[" * (MOST_LEVELS - 1) + "]" * (MOST_LEVELS - 1)
    assert parse_yaml(nested, "x") == json.loads(nested)


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(plain)
def test_what_libraries_write_is_read_as_it_was(value: object) -> None:
    """JSON, and YAML in either style."""
    assert parse_json(json.dumps(value), "x") == value
    for flow in (True, False):
        assert parse_yaml(yaml.safe_dump(value, default_flow_style=flow), "x") == value


MARKS = "[]{},:&*!?-\"'|>#%@` \n\tax109.e<<~=é\\u\0"


@given(st.text(alphabet=st.sampled_from(MARKS), max_size=60))
def test_any_text_is_read_or_refused_in_a_line(text: str) -> None:
    """By either reader; what it takes is what its library takes."""
    found, said = read_or_said(parse_json, text)
    assert said or found == json.loads(text, parse_float=Decimal)
    found, said = read_or_said(parse_yaml, text)
    assert said or found == yaml.safe_load(text)


def read_or_said(read: Callable[[str, str], Any], text: str) -> tuple[Any, str]:
    """Return what is read, or the line that says why it is not."""
    try:
        return read(text, "x"), ""
    except InputError as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < LINE
    return None, said


@given(plain)
def test_a_value_in_an_error_is_short_and_on_a_line(value: object) -> None:
    """However deep, and however long."""
    for shows in (value, [value] * 1000, {"a": value}, str(value) * 100, 10**5000):
        assert len(shown(shows)) <= MOST_SHOWN
        assert "\n" not in shown(shows)
