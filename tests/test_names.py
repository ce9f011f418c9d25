"""Names of any characters: shown, stored in files of their own, and passed to jobs."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from obroute import InputError, Network, make_network, make_pattern, make_routing, names
from obroute.names import as_word, check_name, file_name, printable, shortened, stripped
from obroute.study import read_study

TEXT = st.text(st.characters(), max_size=20)
LIKE_A_NAME = st.text("ab1.:,=/-_ *+漢字", max_size=8)
NASTY = [
    "-x.csv",
    "x{a}.csv",
    "x<b>.csv",
    "star*.csv",
    "que?.csv",
    "[br].csv",
    "my edges.csv",
    "edges.csv",
    "two  blanks.csv",
    "q'uote.csv",
    'd"q.csv',
    "se;mi&amp.csv",
    "back`tick$HOME.csv",
    "m$\\frac{$.csv",
    "漢.csv",
    "字.csv",
    "a#b%20.csv",
    "col:on.csv",
    "eq=1.csv",
    "<script>.csv",
]


@given(TEXT)
def test_what_is_printed_drives_no_terminal(text: str) -> None:
    """No control character, no end of a line, nothing that turns or breaks text."""
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") for mark in shown)
    assert not any(unicodedata.bidirectional(mark) in ("RLO", "LRO", "RLI") for mark in shown)
    assert printable(shown) == shown
    shown.encode()


@given(st.text(min_size=0, max_size=1000), st.integers(10, 300))
def test_what_is_long_is_shortened(text: str, longest: int) -> None:
    """Both ends stay."""
    shown = shortened(text, longest)
    assert len(shown) <= longest + 40
    assert shown == text or (shown[:5] == text[:5] and shown[-5:] == text[-5:])


@given(st.one_of(TEXT, LIKE_A_NAME), st.one_of(TEXT, LIKE_A_NAME))
@example("漢.csv", "字.csv")
@example("a-b.csv", "a/b.csv")
@example("torus:8x8", "torus-8x8")
@example("romm:order=fixed", "romm:order,fixed")
@example("a" * 300, "a" * 301)
@example("..", ".")
@example("漢", "")
def test_different_names_never_share_a_file(first: str, second: str) -> None:
    """Nor does one that is called as the file of the other is."""
    assert (file_name(first) == file_name(second)) == (first == second)
    assert (file_name(file_name(first)) == file_name(first)) == (file_name(first) == first)


@given(st.one_of(TEXT, LIKE_A_NAME))
def test_file_names_are_plain_and_short(name: str) -> None:
    """Whatever the name: no folder, no option, nothing hidden, nothing that a shell reads."""
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", file_name(name))
    assert len(file_name(name)) < 120


@pytest.mark.parametrize("study", ["config", "paper"])
def test_cells_of_our_studies_fit_the_pattern_of_the_workflow(study: str) -> None:
    """Of every section: what does not is no job."""
    found = read_study(Path(__file__).parents[1] / f"config/{study}.yaml")
    for cells in found.sections.values():
        for cell in cells:
            assert re.fullmatch(f"{names.FILE_NAME}/{names.FILE_NAME}", cell)


@given(st.from_regex(r"[a-z0-9_]+(:[a-z0-9_]+)?(,[a-z]+=[a-z0-9_]+)*", fullmatch=True))
def test_plain_names_of_families_have_plain_file_names(name: str) -> None:
    """A family with a value and keywords has no digest."""
    if ":" in name or "," not in name:
        assert ("--" in file_name(name)) == (len(name) > names.LONGEST_FILE_NAME)


def test_a_node_of_control_characters_is_refused() -> None:
    """From a file or by hand; letters of every script are not."""
    for name in ("a\nb", "a\x1b[31m", "a\x85b", "\x00", "\ud800"):
        with pytest.raises(InputError, match=r"has the control character .* in its name; rename"):
            Network("pair", 2, [0, 1], [1, 0], labels=("c", name))
        with pytest.raises(InputError, match="port of pair"):
            Network("pair", 2, [0, 1], [1, 0], ports=(name, "c"))
    Network("pair", 2, [0, 1], [1, 0], labels=("São Paulo", "東京 زنگنه"))
    Network("pair", 2, [0, 1], [1, 0], labels=("a\tb", "a\u2028\u202eb"))
    check_name("می\u200cخواهم", "node")


@pytest.fixture
def nasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give a folder of two nodes by each name, each with another bandwidth."""
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(NASTY, start=1):
        Path(name).write_text(f"a,b,{number}\nb,a,{number}\n")
    return NASTY


def test_a_file_of_any_name_is_that_file(nasty: list[str], obroute) -> None:
    """By the name that it has, in Python and as a word of a command."""
    for number, name in enumerate(nasty, start=1):
        network = make_network(name)
        assert (network.name, network.files) == (name, (name,))
        assert make_network(as_word(name)).name == name
        assert network.bandwidth.fraction(0) == number
        status, printed, _ = obroute("evaluate", as_word(name), "ecmp")
        assert status == 0
        assert f"ecmp on {name}\n" in printed


def test_cells_of_files_of_any_name_depend_on_them(nasty: list[str]) -> None:
    """On no other, with stores of their own, and commands that name no option."""
    study = read_study({"networks": nasty, "routings": ["ecmp"]})
    cells = list(study.cells("evaluations").values())
    assert [cell.network for cell in cells] == nasty
    assert [cell.depends.files for cell in cells] == [(name,) for name in nasty]
    assert len({cell.store for cell in cells}) == len(nasty)
    assert not any(word.startswith("-") for cell in cells for word in cell.words[:3])


@pytest.mark.parametrize("make", [make_network, make_routing, make_pattern])
def test_a_file_with_blanks_at_its_ends_is_not_another(make, tmp_path, monkeypatch) -> None:
    """It is refused where the blanks would have been left out; blanks alone do no harm."""
    monkeypatch.chdir(tmp_path)
    text = "source,destination,probability,path\na,b,1,a b\n" if make is make_routing else "a,b\n"
    for name in ("edges.csv", " edges.csv", "edges.csv "):
        Path(name).write_text(text)
    for name in (" edges.csv", "edges.csv "):
        with pytest.raises(InputError, match=f"the file '{name}' has a blank at an end"):
            make(name)
    assert stripped("\tedges.csv ") == "edges.csv"


@pytest.mark.parametrize("name", ["a\nb.csv", "a\x1b[31m.csv", "a\x85b.csv"])
def test_a_file_of_control_characters_is_refused_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, obroute
) -> None:
    """Before a cell is made of it."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("a,b\nb,a\n")
    Path("study.yaml").write_text(yaml.safe_dump({"networks": [name], "routings": ["ecmp"]}))
    for words in (["evaluate", name, "ecmp"], ["check", "study.yaml"], ["status", "study.yaml"]):
        status, printed, line = obroute(*words)
        assert (status, printed) == (2, "")
        assert line.count("\n") == 1
        assert "has the control character" in line
        assert printable(line[:-1]) == line[:-1]


@pytest.mark.parametrize("folder", ["-r", "a{b}", "a<b>c", "a*", "a\nb", ""])
def test_a_folder_of_results_is_no_pattern(folder: str) -> None:
    """Snakemake would take it for one."""
    with pytest.raises(InputError, match=r"results is .*: expected the name of a folder without"):
        read_study({"networks": ["ring:3"], "routings": ["dor"], "results": folder})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(name=st.text(st.characters(exclude_characters="/\x00"), min_size=1, max_size=12))
def test_a_file_of_any_characters_is_read_or_refused(name, tmp_path, monkeypatch, obroute) -> None:
    """In one line, and never another file than that."""
    monkeypatch.chdir(tmp_path)
    try:
        Path(f"{name}.csv").write_text("a,b\nb,a\n")
    except (OSError, UnicodeEncodeError):
        return
    status, printed, line = obroute("evaluate", as_word(f"{name}.csv"), "ecmp", "--json")
    assert status in (0, 2)
    assert line.count("\n") == (status == 2)
    assert ("worst_case_load" in printed) == (status == 0)
