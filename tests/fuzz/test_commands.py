"""Every command with any words: it does what it is for, or says in a line why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.fuzz import drawn
from tests.fuzz.explore import EXTENTS, explore
from tests.support.effort import few
from tests.support.hostile import FILES, NUMBERS, TEXTS, Link, lay
from tests.support.rule import run

COMMANDS = tuple(drawn.commands())
STARTED = (("sweep",), ("cluster", "local"), ("cluster", "slurm"))
"""What starts processes where it is asked rightly; it is asked wrongly here."""
QUICK = (("evaluate",), ("convert",), ("table", "summary"), ("verify",))
SAFE = {name: content for name, content in FILES.items() if not isinstance(content, Link)}
"""A command may write where it is told; no link leads out of the folder."""
SMALL = ("ring:3", "torus:3x3", "hypercube:2", "complete:3", "butterfly:1", "net.csv")
GOOD = (
    *SMALL,
    "dor",
    "ecmp",
    "romm",
    "1/2*dor+1/2*ival",
    "uniform",
    "tornado",
    "x.zarr",
    "results",
    "study.yaml",
    "out.csv",
    "out.png",
    "out.zarr",
    "1",
    "2",
    "1/2",
    "networks",
    "routings",
    "worst_case",
    "capacity",
    "minimal",
    "1,0",
)
WORDS = st.one_of(
    st.sampled_from(GOOD),
    st.sampled_from(GOOD),
    st.sampled_from(GOOD),
    st.sampled_from([name for name in SAFE if "/" not in name]),
    st.sampled_from([word for word in (*NUMBERS, *TEXTS) if "/" not in word]),
    drawn.TEXT,
)
STUDY = "networks: [torus:3x3]\nroutings: [dor]\n"


@st.composite
def asked(draw: st.DrawFn, command: Any) -> list[str]:
    """Draw words of a command: what it takes, mostly, and anything."""
    words: list[str] = []
    for parameter in command.params:
        taken = (parameter.required and draw(st.integers(0, 9))) or draw(st.integers(0, 3)) == 0
        if not taken:
            continue
        option = parameter.opts[0] if parameter.opts[0].startswith("-") else ""
        if option:
            words.append(option)
        if not getattr(parameter, "is_flag", False):
            words.append(draw(_values(parameter.name)))
    if draw(st.integers(0, 5)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(WORDS))
    return words


def _values(name: str) -> st.SearchStrategy[str]:
    """Give values by what a parameter is called, where that says something; else any."""
    if name in ("network", "other"):
        return st.one_of(st.sampled_from(SMALL), st.sampled_from(SMALL), WORDS)
    if name == "routing":
        return st.one_of(st.sampled_from(["dor", "ecmp", "romm"]), WORDS)
    if name == "output":
        return st.sampled_from(["out.csv", "out.png", "out.svg", "out.html", "folder.csv", "out"])
    return WORDS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with a network, a study, its results, and files that are none."""
    made = tmp_path_factory.mktemp("commands")
    lay(made, {**SAFE, "net.csv": "a,b\nb,a\n", "study.yaml": STUDY})
    store = "results/evaluations/ring-3/dor.zarr"
    assert run(made, "evaluate", "ring:3", "dor", "--quiet", "--save", store).status == 0
    gather = ("gather", "ring-3/dor.zarr", "--folder", "results/evaluations")
    assert run(made, *gather, "--output", "results/evaluations.zarr").status == 0
    assert run(made, "evaluate", "ring:3", "dor", "--quiet", "--save", "x.zarr").status == 0
    return made


@pytest.mark.parametrize("times", EXTENTS)
@pytest.mark.parametrize(
    ("words", "command"),
    few(COMMANDS, [known for known in COMMANDS if known[0] in QUICK]),
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_a_command_keeps_the_rule(
    words: tuple[str, ...], command: Any, times: int, folder: Path
) -> None:
    """Whatever it is asked."""

    def check(asked: list[str]) -> None:
        wrong = ["--no-such-option", "x"] if words in STARTED[1:] else []
        if words in STARTED and not wrong:  # all but the place is Snakemake's to refuse
            asked = [f"none/{word}" for word in asked[:1] or ["such"]]
        run(folder, *words, *wrong, *asked)

    explore(check, 6 * times, asked=asked(command))


def test_a_word_that_is_no_command_is_refused(folder: Path) -> None:
    """As is no word at all."""
    for word in ("", "evaluat", "--version-of-it", "\x1b[31m", "x" * 3000):
        assert run(folder, word).status == 2
