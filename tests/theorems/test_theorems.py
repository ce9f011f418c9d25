"""Theorems on k-ary 2-cubes: held against pair loads that the routings derive, with no solver."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import obroute
from obroute import theorems
from obroute.certificates import CertificateError
from obroute.cli import app
from obroute.results import cell_dataset
from obroute.specs import InputError
from obroute.theorems import path_lengths, romm, separable, statement
from obroute.theorems.dimension_order import dor_load
from obroute.topologies.grid import Grid
from obroute.verification import confirmed, verify_stores

VALUES = yaml.safe_load(
    (Path(__file__).parents[1] / "papers" / "values.yaml").read_text(encoding="utf-8")
)
EXACT = {k: Fraction(v) for k, v in VALUES["computed"]["romm_random_order_2d"].items()}


def square_torus(radix: int) -> Grid:
    """Make the k-ary 2-cube."""
    network = obroute.make_network(f"torus:{radix}x{radix}")
    assert isinstance(network, Grid)
    return network


@pytest.mark.parametrize("routing", theorems.theorems)
@pytest.mark.parametrize("radix", [*range(3, 13), 15, 17])
def test_a_theorem_holds_on_the_pair_loads_of_the_routing(routing: str, radix: int) -> None:
    """Its traffic loads the channel with the lower bound, its potentials cover every pair."""
    network = square_torus(radix)
    theorem = theorems.theorems[routing]
    loads = obroute.make_routing(routing).pair_loads(network, statement.first_channel(network))
    found = theorem.certificate(radix).check(network, loads)
    claimed = theorem.bounds(radix)
    assert found.upper == claimed.upper
    # A tie in the rows adds to the permutation at k = 4, where it is 7/6 and 1 is claimed.
    assert found.lower == claimed.lower or (radix == 4 and found.lower == Fraction(7, 6))
    assert theorem.check(radix)


@pytest.mark.slow
@pytest.mark.parametrize("routing", ["romm", "romm:order=fixed", "dor", "o1turn", "ival"])
@pytest.mark.parametrize("radix", [19, 21, 24, 25, 33, 40, 49])
def test_a_theorem_holds_on_the_pair_loads_of_larger_cubes(routing: str, radix: int) -> None:
    """The same, beyond what a person would look at."""
    network = square_torus(radix)
    theorem = theorems.theorems[routing]
    loads = obroute.make_routing(routing).pair_loads(network, statement.first_channel(network))
    assert theorem.certificate(radix).check(network, loads) == theorem.bounds(radix)


@pytest.mark.parametrize("routing", theorems.theorems)
@pytest.mark.parametrize("radix", [3, 4, 5, 6, 8, 9])
def test_the_matching_finds_what_the_theorem_proves(routing: str, radix: int) -> None:
    """Over all channels: the one that the theorem is about has the worst case of all."""
    found = obroute.evaluate(square_torus(radix), routing).worst_case_load
    bounds = theorems.theorems[routing].bounds(radix)
    assert bounds.allow(found)
    assert bounds.exact in (found, None)


@pytest.mark.parametrize("radix", EXACT)
def test_known_exact_values_of_romm_are_what_the_theorem_allows(radix: int) -> None:
    """The closed form of odd k up to 99, the bracket of even k, both below 0.6 wide from k = 6."""
    bounds = theorems.theorems["romm"].bounds(radix)
    assert bounds.allow(EXACT[radix])
    assert (bounds.exact == EXACT[radix]) == (radix % 2 == 1)
    assert radix == 4 or bounds.upper - bounds.lower < Fraction(3, 5)


@pytest.mark.parametrize("radix", range(3, 14))
def test_the_pair_load_formula_of_romm_is_that_of_the_definition(radix: int) -> None:
    """Every pair of every class, ties and both ways round to the opposite row included."""
    network = square_torus(radix)
    loads = obroute.make_routing("romm").pair_loads(network, statement.first_channel(network))
    half = radix // 2
    expected = 0
    for i in range(1, half + 1):
        for j in range(1, half + 1):
            for y in range(half + 1 - radix, half + 1):
                for z in range(half + 1 - radix, half + 1):
                    ends = np.array([[1 - i, y], [j, z]]) % radix
                    source, destination = network.node_at(ends).tolist()
                    load = separable.romm_pair_load(radix, i, j, y, z)
                    assert loads.entry(source, destination) == load, (i, j, y, z)
                    expected += load != 0
    assert loads.nonzeros == expected


@pytest.mark.parametrize("radix", [3, 4, 7, 8, 13, 14, 22, 29])
def test_separable_potentials_cover_pair_by_pair_what_they_cover_by_class(radix: int) -> None:
    """The slow twin: every I, J, |y| and |z|, with no grouping."""
    potentials = romm.best_potentials(radix)
    half = radix // 2
    assert potentials.check() > 0
    for i in range(1, half + 1):
        for j in range(1, half + 1):
            for b in range(half + 1):
                for c in range(half + 1):
                    load = separable.romm_pair_load(radix, i, j, b, -c)
                    assert potentials.at(i, b) + potentials.at(j, c) >= load


@pytest.mark.parametrize("radix", [9, 10, 16, 21])
@pytest.mark.parametrize("part", ["inner", "g", "last"])
def test_potentials_that_are_a_little_smaller_are_refused(radix: int, part: str) -> None:
    """Take a millionth off one entry where it is tight: the class that it leaves is named."""
    potentials = romm.best_potentials(radix)
    entries = getattr(potentials, part)
    if entries is None:
        return
    refused = 0
    for place, entry in enumerate(entries):
        if entry == 0:
            continue
        smaller = [*entries[:place], entry - Fraction(1, 10**6), *entries[place + 1 :]]
        lowered = replace(potentials, **{part: smaller})
        covers = all(
            lowered.at(i, b) + lowered.at(j, c) >= separable.romm_pair_load(radix, i, j, b, -c)
            for i in range(1, radix // 2 + 1)
            for j in range(1, radix // 2 + 1)
            for b in range(radix // 2 + 1)
            for c in range(radix // 2 + 1)
        )
        if covers:
            continue
        refused += 1
        with pytest.raises(CertificateError, match="short"):
            lowered.check()
    assert refused


def test_no_routing_keeps_below_the_load_of_packets_sent_half_way_round() -> None:
    """Every routing in the registry, on a cube of each parity, all of them minimal or not."""
    for radix in (4, 5):
        for routing in ("dor", "romm", "rlb", "rlbth", "o1turn", "valiant", "ival", "ecmp"):
            found = obroute.evaluate(square_torus(radix), routing).worst_case_load
            assert found >= theorems.least_worst_case(radix), routing


@pytest.mark.parametrize("family", ["romm", "rlb", "rlbth", "valiant"])
@pytest.mark.parametrize("radix", [3, 4, 6, 7])
def test_a_random_order_is_never_worse_than_a_fixed_one(family: str, radix: int) -> None:
    """Its pair loads are the mean of those of a fixed order and of their mirror image."""
    network = square_torus(radix)
    random, fixed = (
        obroute.evaluate(network, f"{family}:order={order}").worst_case_load
        for order in ("random", "fixed")
    )
    assert random <= fixed <= 2 * random


@pytest.mark.parametrize("order", ["random", "fixed"])
@pytest.mark.parametrize("family", ["rlb", "rlbth"])
@pytest.mark.parametrize("radix", [3, 4, 5, 6, 8, 9])
def test_the_pair_loads_of_rlb_are_at_least_a_share_of_romms(
    family: str, order: str, radix: int
) -> None:
    """So RLB's fraction of capacity has no positive limit either."""
    network = square_torus(radix)
    share = Fraction(radix // 2 + 1, radix) ** 2
    balanced, minimal = (
        obroute.make_routing(f"{name}:order={order}") for name in (family, "romm")
    )
    for channel in (0, network.channel_count // 2):  # one along each dimension
        loads = balanced.pair_loads(network, channel)
        least = minimal.pair_loads(network, channel)
        entries = zip(least.rows.tolist(), least.columns.tolist(), strict=True)
        for (row, column), load in zip(entries, least.values.fractions(), strict=True):
            assert loads.entry(row, column) >= share * load
    worst = [obroute.evaluate(network, r).worst_case_load for r in (balanced, minimal)]
    assert worst[0] >= share * worst[1] >= worst[1] / 4


def test_the_best_worst_case_is_the_load_that_no_routing_keeps_below() -> None:
    """An optimum by linear programs, which know nothing of the theorem, for both parities."""
    for radix in (3, 4):
        found = obroute.evaluate(square_torus(radix), "optimal").worst_case_load
        assert found == theorems.least_worst_case(radix)


def test_large_radices_are_proved_in_seconds() -> None:
    """By classes of pairs alone: the pair loads of such a network are not asked for."""
    proof = theorems.prove("romm", 499)
    assert proof.network == ""
    assert float(proof.bounds.lower) == pytest.approx(883.7825786220758, rel=1e-15)
    assert proof.bounds.exact is not None


def test_the_command_prints_the_load_its_proof_and_what_was_checked() -> None:
    """Exact for odd k, a bracket for even k; JSON for programs."""
    odd = CliRunner().invoke(app, ["prove", "romm", "--radix", "9"])
    assert odd.exit_code == 0
    for expected in ("32/5 = 6.4", "25/144", "docs/methods/romm.md", "pair loads of torus:9x9"):
        assert expected in odd.output
    even = json.loads(CliRunner().invoke(app, ["prove", "romm", "--radix", "8", "--json"]).output)
    assert (even["worst_case_load"], even["lower"], even["upper"]) == (None, "9/2", "193/40")


@pytest.mark.parametrize(
    ("routing", "radix", "message"),
    [("rlb", 9, "no theorem about 'rlb'"), ("romm", 2, "expected 3 to"), ("dor", 10**9, "10000")],
)
def test_what_cannot_be_proved_is_one_line(routing: str, radix: int, message: str) -> None:
    """The routing or the radix is named, with what is expected."""
    with pytest.raises(InputError, match=message.replace("10000", "9999")):
        theorems.prove(routing, radix)


def test_verification_holds_a_cell_against_the_theorem(tmp_path: Path) -> None:
    """It says so; a cell of another network or routing has no theorem, and says nothing."""
    for network, routing in (
        ("torus:5x5", "romm"),
        ("torus:4x4", "romm"),
        ("torus:3x3x3", "ival"),
        ("hypercube:3", "dor"),
        ("hypercube:3", "valiant"),
        ("mesh:3x3", "romm"),
    ):
        name = f"{network}-{routing}".replace(":", "_")
        cell = cell_dataset(obroute.evaluate(network, routing))
        obroute.write_store(cell, tmp_path / f"{name}.zarr")
    found = {v.store.name: v.theorem for v in verify_stores(tmp_path)}
    assert found == {
        "hypercube_3-dor.zarr": "worst case as the theorem on dor proves for k = 2, n = 3",
        "hypercube_3-valiant.zarr": "",
        "mesh_3x3-romm.zarr": "",
        "torus_3x3x3-ival.zarr": "worst case as the theorem on ival proves for k = 3, n = 3",
        "torus_4x4-romm.zarr": "worst case within what the theorem on romm proves for k = 4",
        "torus_5x5-romm.zarr": "worst case as the theorem on romm proves for k = 5",
    }


@pytest.mark.parametrize("network", ["torus:5x5", "torus:4x4", "torus:5x5,bandwidth=2"])
def test_a_worst_case_that_the_theorem_excludes_is_wrong(network: str) -> None:
    """Whatever else the cell holds, the load recorded is not the routing's."""
    cell = cell_dataset(obroute.evaluate(network, "romm"))
    assert confirmed(cell)
    cell["worst_case_load_exact"].values[0] = "3"
    with pytest.raises(CertificateError, match="the theorem on romm proves"):
        confirmed(cell)


@pytest.mark.parametrize(
    "network",
    [
        *(f"torus:{'x'.join([str(k)] * n)}" for k, n in ((3, 1), (4, 1), (9, 1), (8, 1))),
        *(f"torus:{'x'.join([str(k)] * n)}" for k, n in ((3, 2), (6, 2), (3, 3), (4, 3), (5, 3))),
        "torus:3x3x3x3",
        "torus:4x4x4x4",
        *(f"hypercube:{n}" for n in range(1, 8)),
    ],
)
def test_dors_load_on_cubes_of_any_dimension_is_what_the_matching_finds(network: str) -> None:
    """Odd and even k, odd and even n, hypercubes."""
    made = obroute.make_network(network)
    assert isinstance(made, Grid)
    expected = dor_load(made.radices[0], len(made.radices))
    assert obroute.evaluate(made, "dor").worst_case_load == expected


@pytest.mark.parametrize("routing", path_lengths.ROUTINGS_WITH_LENGTHS)
@pytest.mark.parametrize("radix", [3, 4, 5, 6, 7, 8, 9, 10])
def test_mean_path_lengths_are_those_of_the_loads(routing: str, radix: int) -> None:
    """Uniform loads of all channels add up to the closed form, ties included."""
    found = obroute.evaluate(square_torus(radix), routing).mean_path_length
    assert found == theorems.mean_path_length(routing, radix)


@pytest.mark.parametrize(
    "row", [r for r in VALUES["computed"]["tori"] if r["network"] in ("torus:5x5", "torus:8x8")]
)
def test_mean_path_lengths_are_the_known_ones(row: dict[str, str]) -> None:
    """Values by enumerating every path."""
    name = obroute.make_routing(row["routing"]).name
    if name in path_lengths.ROUTINGS_WITH_LENGTHS:
        radix = int(row["network"][-1])
        assert theorems.mean_path_length(name, radix) == Fraction(row["mean_path_length"])


def test_ivals_length_over_shortest_goes_to_five_thirds() -> None:
    """5/3 - 1/(3k) for odd k; the SPAA 2003 paper's figure ends where it passes 1.64."""
    for radix in range(3, 99, 2):
        ratio = theorems.mean_path_length("ival", radix) / theorems.mean_path_length("dor", radix)
        assert ratio == Fraction(5, 3) - Fraction(1, 3 * radix)
    with pytest.raises(InputError, match="no closed form for the path length of rlbth"):
        theorems.mean_path_length("rlbth", 8)


def test_a_path_length_that_is_not_the_routings_is_wrong() -> None:
    """The closed form is held against the recorded one."""
    cell = cell_dataset(obroute.evaluate("torus:5x5", "ival"))
    assert confirmed(cell)
    cell["mean_path_length_exact"] = cell["mean_path_length_exact"].copy(data="4")
    with pytest.raises(CertificateError, match="mean_path_length: 4"):
        confirmed(cell)
