"""Settings of every kind: one declaration gives words, record, schema and checks alike."""

from __future__ import annotations

import json
import typing

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from obroute.kinds.registry import kind_of_section, kinds, specs_of
from obroute.kinds.settings import Settings, is_flag, is_list, plain_type
from obroute.specs import InputError
from obroute.study import read_study

KINDS = list(kinds().values())
TEXTS = {
    "patterns": ["uniform", "tornado", "bit_reverse"],
    "traffic": ["uniform", "tornado", "worst_case"],
    "collectives": ["ring", "bruck", "bine"],
    "traffic_sets": ["any", "pairs:2", "within:3"],
    "paths": ["all", "minimal", "two_turn"],
    "name": ["mine", "a b", "--odd"],
    "locality": ["5/4", "3/2"],
    "load": ["2", "7/3"],
    "named": [],
    "old": ["dor", "romm:order=fixed"],
    "old_network": ["", "torus:3x3"],
    "routings": ["dor", "romm:order=fixed", "nowhere"],
    "without": ["0,1", "leaf0,spine1"],
}
"""Texts that fields take, where not every text is one."""


def values(name: str, info) -> st.SearchStrategy:
    """Return values that a field takes."""
    plain = plain_type(info)
    if is_flag(info):
        return st.booleans()
    if is_list(info):
        (kind, _) = typing.get_args(plain)
        entries = st.sampled_from(TEXTS[name]) if kind is str else st.floats(0.1, 1)
        fewest = bool(info.get_default(call_default_factory=True))
        return st.lists(entries, unique=True, min_size=fewest, max_size=3)
    if typing.get_origin(plain) is typing.Literal:
        return st.sampled_from(typing.get_args(plain))
    if plain is int:
        return st.integers(2, 10**5)
    if plain is float:
        return st.floats(0.001, 0.9)
    return st.sampled_from(TEXTS[name])


@st.composite
def asked(draw: st.DrawFn) -> Settings:
    """Draw a kind, and settings of it of which some are given."""
    kind = draw(st.sampled_from(KINDS))
    given_values = {}
    for name, (info, _) in kind.settings.fields().items():
        known = TEXTS.get(name, ["anything"]) or is_flag(info)
        if known and draw(st.booleans()):
            given_values[name] = draw(values(name, info))
    try:
        return kind.settings.read(given_values)
    except InputError:  # two that exclude each other
        reject()


@given(asked())
@settings(max_examples=200, deadline=None)
def test_words_say_the_settings_and_nothing_else(chosen: Settings) -> None:
    """Both directions: what a person pastes makes the same settings, and the same record."""
    again = type(chosen).from_words([*chosen.arguments(), *chosen.words()])
    assert again == chosen
    assert again.record() == chosen.record()
    assert json.loads(json.dumps(chosen.record())) == chosen.record()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_defaults_take_no_words_and_every_field_says_what_it_is(kind) -> None:
    """So that a line shows what was asked for."""
    assert kind.settings().words() == []
    words = [option.word for _, option in kind.settings.fields().values()]
    assert len(set(words)) == len(words)
    assert all(info.description for info, _ in kind.settings.fields().values())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_names_of_a_kind_lead_back_to_it(kind) -> None:
    """Its section, and the kinds of its two stores, whose arrays have meanings."""
    assert type(kind_of_section(kind.section)) is type(kind)
    for store in (kind.name, kind.gathered):
        assert all(spec.meaning for spec in specs_of(store).values())


def test_a_text_where_a_list_is_meant_is_a_list_of_one() -> None:
    """And an entry that comes twice counts once."""
    made = kinds()["evaluation"].settings
    assert made.read({"patterns": "tornado"}).patterns == ("tornado",)
    assert made.read({"patterns": ["tornado", "tornado"]}).patterns == ("tornado",)


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("evaluation", {"sed": 1}, "unknown key 'sed'; did you mean 'seed'?"),
        ("evaluation", {"seed": -1}, "seed is -1: expected greater than or equal to 0"),
        ("evaluation", {"matrix_kind": "mixtur"}, "did you mean 'mixture'?"),
        ("evaluation", {"patterns": ["tornad"]}, "unknown pattern 'tornad'"),
        ("evaluation", {"patterns": 3.5}, "patterns"),
        ("stability", {"rates": ["fast"]}, "rates.0 is 'fast'"),
        ("simulation", {"traffic": []}, "traffic is empty; expected at least 1"),
        ("design", {"locality": "0"}, "locality: 0 is not positive"),
        ("design", {"named": "dor"}, "'dor' is no design"),
        ("design", {"named": "2turn", "paths": "all"}, "says what to optimise"),
        ("trade_off", {"most_solves": 1}, "most_solves is 1"),
        ("trade_off", {"time_limit": float("inf")}, "time_limit is inf: expected a finite number"),
        ("ratio", {"time_limit": float("nan")}, "time_limit is nan: expected"),
        ("design", {"gap": float("inf")}, "gap is inf: expected a finite number"),
        ("stability", {"rates": [0.5, float("inf")]}, "rates.1 is inf: expected a finite number"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(kind: str, values: dict, message: str) -> None:
    """The field, the value, and what was expected."""
    with pytest.raises(InputError) as raised:
        kinds()[kind].settings.read(values)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_study_says_a_setting_for_all_or_for_one_entry() -> None:
    """The seed at the top holds where an entry has none."""
    section = {"networks": ["hypercube:2"], "routings": ["dor"], "traffic": ["transpose"]}
    own = section | {"networks": ["hypercube:4"], "seed": 7, "seeds": 2}
    cells = read_study({"simulations": [section, own], "seed": 3}).cells("simulations")
    found = {name: (c.settings.seed, c.settings.seeds) for name, c in cells.items()}
    assert found == {"hypercube-2/dor": (3, 10), "hypercube-4/dor": (7, 2)}
