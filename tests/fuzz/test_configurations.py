"""Studies: refused in a line, or read, with the cells that their values say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import strategies as st
from tests.fuzz import drawn
from tests.fuzz.explore import EXTENTS, explore
from tests.support.hostile import FILES, NUMBERS, TEXTS, lay
from tests.support.rule import LONGEST_LINE, limits, run

from obroute import InputError
from obroute.study import read_study, schema

GOOD: dict[str, Any] = {
    "study": "small",
    "networks": ["torus:{k}x{k}"],
    "radices": "3-4",
    "routings": ["dor", "ival"],
    "also": [{"networks": ["hypercube:2"], "routings": ["ecmp"]}],
}
TEXT = yaml.safe_dump(GOOD)


def _keys(node: Any) -> set[str]:
    """Give every key that a schema knows, at any depth."""
    if isinstance(node, list):
        return set().union(*map(_keys, node))
    if not isinstance(node, dict):
        return set()
    return set(node.get("properties", ())) | set().union(*map(_keys, node.values()), set())


KEYS = sorted(_keys(yaml.safe_load(schema())))
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**12),
    st.floats(),
    st.sampled_from([*NUMBERS, *TEXTS]),
    st.sampled_from(["torus:3x3", "dor", "3-4", "4", "torus:{k}", "{k}", "ecmp", "3-", "4-3"]),
    st.dates(),
    st.binary(max_size=4),
    drawn.TEXT,
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | drawn.TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def studies(draw: st.DrawFn) -> dict[Any, Any]:
    """Draw a good study with some values replaced, added and left out."""
    study: dict[Any, Any] = dict(GOOD)
    for _ in range(draw(st.integers(1, 3))):
        key = draw(st.one_of(st.sampled_from(KEYS), st.sampled_from(list(GOOD)), drawn.TEXT))
        if draw(st.booleans()) or key not in study:
            study[key] = draw(VALUES)
        else:
            del study[key]
    return study


def test_keys_of_every_kind_take_part() -> None:
    """They are those of the schema, whatever kinds there are."""
    assert {"networks", "routings", "designs", "simulations", "seed"} <= set(KEYS)


@pytest.mark.parametrize("times", EXTENTS)
def test_values_are_refused_in_a_line_or_make_cells(times: int) -> None:
    """Of a mapping, as Snakemake hands it over."""

    def check(values: dict[Any, Any]) -> None:
        with limits():
            try:
                cells = [c for part in read_study(values).sections.values() for c in part.values()]
            except InputError as error:
                said = str(error)
            else:
                said = ""
        assert len(said) <= LONGEST_LINE
        if said:
            return
        assert cells
        assert len({cell.store for cell in cells}) == len(cells)
        for cell in cells:
            assert cell.store.parent.parent.parent.name == values.get("study", "default")

    explore(check, 150 * times, values=studies())


@pytest.mark.parametrize("times", EXTENTS)
def test_a_file_is_refused_in_a_line_or_its_cells_are_listed(times: int, tmp_path: Path) -> None:
    """With one line a cell."""

    def check(content: bytes) -> None:
        (tmp_path / "study.yaml").write_bytes(content)
        found = run(tmp_path, "check", "study.yaml")
        assert found.status in (0, 2)
        if found.status == 0:
            *cells, last = found.printed.splitlines()
            assert last.startswith(f"{len(cells)} cells in study ")

    written = studies().map(lambda values: yaml.dump(values, allow_unicode=True).encode())
    explore(check, 60 * times, content=st.one_of(drawn.mangled([TEXT]), written))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    """Pipes, folders, what never ends, what is no UTF-8."""
    lay(tmp_path, FILES)
    for name in FILES:
        assert run(tmp_path, "check", "--", name).status == 2
