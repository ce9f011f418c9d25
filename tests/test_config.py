"""The study's configuration: what it accepts, what it makes, and how it says what is wrong."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
import yaml

from obroute import make_network, make_routing
from obroute.kinds.described import described_stores
from obroute.memory import design_megabytes, evaluation_megabytes
from obroute.routing.combination import interpolate
from obroute.specs import InputError
from obroute.study import read_study, schema

ROOT = Path(__file__).parents[1]
SMALL = {"networks": ["torus:{k}x{k}"], "radices": [3], "routings": ["dor"]}


def test_schema_file_is_in_step():
    """config/schema.json is what the model says; `make schema` mends it."""
    assert (ROOT / "config/schema.json").read_text() == schema() + "\n", "run `make schema`"


def test_results_readme_is_in_step():
    """results/README.md is what the array specifications say; `make schema` mends it."""
    assert (ROOT / "results/README.md").read_text() == described_stores(), "run `make schema`"


@pytest.mark.parametrize("file", ["config.yaml", "paper.yaml"])
def test_shipped_studies_are_valid(file):
    """Each shipped study fits the schema and every cell of it exists."""
    values = yaml.safe_load((ROOT / "config" / file).read_text())
    study = read_study(ROOT / "config" / file)
    assert len(study.cells("evaluations")) > 80
    as_json = json.loads(study.model_dump_json())
    jsonschema.validate(as_json, json.loads(schema()))
    assert set(values) <= set(as_json)


def test_default_study_is_the_promised_one():
    """Radices 3 to 16 of six routings, Table 1's network sampled 10,000 times; some designs.

    Besides, the papers' other readings on their networks, and a mesh.
    """
    study = read_study(ROOT / "config/config.yaml")
    cells, designs = study.cells("evaluations"), study.cells("designs")
    others = {cell.network for name, cell in cells.items() if name not in designs}
    assert others == {f"torus:{k}x{k}" for k in range(3, 17)} | {"mesh:8x8"}
    assert len(cells) - len(designs) == 14 * 6 + 7 + 2
    assert set(designs) <= set(cells)
    assert len(study.cells("trade_offs")) == 2
    assert cells["torus-9x9/romm"].settings.random_permutation_samples == 10_000
    assert cells["torus-8x8/romm"].settings.random_permutation_samples == 0


@pytest.mark.parametrize(
    "radices", [[3, 4, 5, 7], "3-5,7", "[3,4,5,7]", ["3-5", 7], "3,4,5,7", ["3", "4", "5-5", "7"]]
)
def test_radices_in_every_form(radices):
    """Lists, ranges and the text of the command line mean the same."""
    study = read_study({**SMALL, "radices": radices})
    assert list(study.network_names()) == [f"torus:{k}x{k}" for k in (3, 4, 5, 7)]


def test_further_sweeps_have_their_own_routings():
    """`also` adds networks with other routings, each cell once."""
    also = [
        {"networks": ["mesh:4x4"], "routings": ["o1turn"]},
        {"networks": ["torus:3x3"], "routings": ["dor", "romm:order=random", "romm"]},
    ]
    labels = [
        cell.label for cell in read_study({**SMALL, "also": also}).cells("evaluations").values()
    ]
    assert labels == ["torus:3x3 dor", "mesh:4x4 o1turn", "torus:3x3 romm"]


def test_patterns_count_where_they_are_defined():
    """A pattern is left out of cells on whose network it is not defined."""
    study = read_study({**SMALL, "radices": [3, 4], "patterns": ["tornado", "bit_reverse"]})
    cells = study.cells("evaluations")
    assert cells["torus-3x3/dor"].settings.patterns == ("tornado",)
    assert cells["torus-4x4/dor"].settings.patterns == ("tornado", "bit_reverse")


def test_sampling_for_named_networks_only():
    """Random permutations are drawn for the networks that are named."""
    sampling = {"samples": 7, "networks": ["torus:4x4"]}
    study = read_study({**SMALL, "radices": [3, 4], "random_permutations": sampling, "seed": 5})
    cells = study.cells("evaluations")
    assert cells["torus-4x4/dor"].words == [
        *("evaluate", "torus:4x4", "dor"),
        *("--random-permutations", "7", "--seed", "5"),
    ]
    assert cells["torus-3x3/dor"].words == ["evaluate", "torus:3x3", "dor"]


MINE = {
    "net.mine": "a,s\ns,a\nb,s\ns,b\n",
    "hosts, all": "a\nb\n",
    "routes.mine": "source,destination,probability,path\na,b,1,a s b\nb,a,1,b s a\n",
    "swap.mine": "a,b\nb,a\n",
}


def test_files_of_a_cell_are_its_inputs(tmp_path, monkeypatch):
    """Of its network, parts of its routing and traffic, in any folder and of any name."""
    monkeypatch.chdir(tmp_path)
    folder = Path("my files = all")
    folder.mkdir()
    for name, text in MINE.items():
        (folder / name.replace(", ", "-")).write_text(text, encoding="utf-8")
    sweep = {
        "networks": [f"{folder}/net.mine:terminals={folder}/hosts-all"],
        "routings": [f"1/2*{folder}/routes.mine+1/4*ecmp+1/4*table:{folder}/routes.mine"],
    }
    swap = f"permutation:{folder}/swap.mine"
    study = read_study(
        {**sweep, "patterns": [swap, "tornado"], "simulations": [{**sweep, "traffic": [swap]}]}
    )
    read = ["net.mine", "hosts-all", "routes.mine", "swap.mine"]
    for section in ("evaluations", "simulations"):
        (cell,) = study.cells(section).values()
        assert cell.depends.files == tuple(f"{folder}/{name}" for name in read)


@pytest.mark.parametrize(
    "routing", ["optimal", "1/2*dor+1/2*optimal", "2/3*ival+1/3*2turna:samples=5"]
)
def test_a_cell_depends_on_designs_inside_its_routing(routing: str):
    """Evaluated or simulated, it watches the code of designs and states a design's memory."""
    sweep = {"networks": "torus:8x8", "routings": [routing]}
    study = read_study(
        {**sweep, "simulations": [{**sweep, "traffic": ["tornado"]}], "stability": [sweep]}
    )
    plain = read_study({"networks": "torus:8x8", "routings": ["dor"]})
    (without,) = plain.cells("evaluations").values()
    needed = design_megabytes(make_network("torus:8x8"))
    assert "obroute.design.named" not in without.depends.modules
    assert without.megabytes < needed
    for section in ("evaluations", "simulations", "stability"):
        (cell,) = study.cells(section).values()
        assert "obroute.design.named" in cell.depends.modules
        assert cell.megabytes >= needed


def test_a_design_is_found_at_any_depth():
    """Of the parts as objects, whatever the combination is called."""
    inner = interpolate(make_routing("dor"), make_routing("optimal"), Fraction(1, 3))
    outer = interpolate(make_routing("valiant"), inner, Fraction(1, 2))
    outer.name = "mine"
    assert [part.name for part in outer.components()] == ["valiant", "dor", "optimal"]
    assert evaluation_megabytes(make_network("torus:8x8"), outer) >= design_megabytes(
        make_network("torus:8x8")
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"radixes": 3}, "unknown key 'radixes'; did you mean 'radices'?"),
        ({"also": [{"network": []}]}, "unknown key 'also.0.network'; did you mean 'networks'?"),
        ({"report": {"titel": ""}}, "unknown key 'report.titel'; did you mean 'title'?"),
        ({"random_permutations": {"sample": 3}}, "unknown key 'random_permutations.sample'"),
        ({"radices": ["a-b"]}, "'a-b' is no radix"),
        ({"radices": "1-3"}, "radix 1 is too small; expected at least 2"),
        ({"radices": []}, "give radices"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"study": "a/b"}, "study is 'a/b'"),
        ({"average_case": {"kind": "odd"}}, "average_case.kind is 'odd'"),
        ({"random_permutations": {"samples": 1, "networks": ["torus:9x8"]}}, "no network"),
        ({"report": {"pareto_network": "torus:8x9"}}, "no network 'torus:8x9'"),
        ({"networks": ["nowhere:3"]}, "unknown network 'nowhere'"),
    ],
)
def test_wrong_configuration_names_the_key(changes, message):
    """A wrong key or value is named, with what was expected."""
    with pytest.raises(InputError, match=r".") as raised:
        assert read_study({**SMALL, **changes}).sections
    assert message in str(raised.value)


def test_unreadable_file_is_named(tmp_path):
    """A file that is missing or is no YAML mapping says so."""
    for text, words in ((None, "cannot read"), ("a: [", "not YAML"), ("- a", "expected keys")):
        file = tmp_path / "study.yaml"
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text)
        with pytest.raises(InputError, match=words):
            read_study(file)
