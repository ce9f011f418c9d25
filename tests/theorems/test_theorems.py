"""Theorems on k-ary 2-cubes: held against pair loads that the routings derive, with no solver."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.support import cases
from tests.support.datasets import cell_dataset
from tests.support.published import COMPUTED
from typer.testing import CliRunner

import obroute
from obroute import theorems
from obroute.certificates import CertificateError
from obroute.cli import app
from obroute.experiments.evaluation.verify import confirmed
from obroute.specs import InputError
from obroute.theorems import path_lengths, romm, separable, statement
from obroute.theorems.dimension_order import dor_load
from obroute.topologies.grid import Grid
from obroute.verification import verify_stores

EXACT = {k: Fraction(v) for k, v in COMPUTED["romm_random_order_2d"].items()}


def square_torus(radix: int) -> Grid:
    """Make the k-ary 2-cube, each once."""
    network = cases.network_of(f"torus:{radix}x{radix}")
    assert isinstance(network, Grid)
    return network


def evaluated(radix: int, routing: str) -> obroute.Evaluation:
    """Evaluate a routing on the k-ary 2-cube, each once."""
    return cases.evaluated(f"torus:{radix}x{radix}", routing)


@pytest.mark.parametrize("routing", theorems.theorems)
def test_a_theorem_holds_on_the_pair_loads_of_the_routing(
    routing: str, subtests: pytest.Subtests
) -> None:
    """Its traffic loads the channel with the lower bound, its potentials cover every pair."""
    theorem = theorems.theorems[routing]
    for radix in (*range(3, 14), 15, 17):
        network = square_torus(radix)
        channel = statement.first_channel(network)
        loads = obroute.make_routing(routing).pair_loads(network, channel)
        with subtests.test(radix=radix):
            found = theorem.certificate(radix).check(network, loads)
            claimed = theorem.bounds(radix)
            assert found.upper == claimed.upper
            # A tie in the rows adds to the permutation at k = 4: it is 7/6, and 1 is claimed.
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
def test_the_matching_finds_what_the_theorem_proves(routing: str) -> None:
    """Over all channels: the one that the theorem is about has the worst case of all."""
    for radix in (3, 4, 5, 6, 8, 9):
        found = evaluated(radix, routing).worst_case_load
        bounds = theorems.theorems[routing].bounds(radix)
        assert bounds.allow(found), f"k = {radix}"
        assert bounds.exact in (found, None), f"k = {radix}"


def test_known_exact_values_of_romm_are_what_the_theorem_allows() -> None:
    """The closed form of odd k up to 99, the bracket of even k, both below 0.6 wide from k = 6."""
    for radix, exact in EXACT.items():
        bounds = theorems.theorems["romm"].bounds(radix)
        assert bounds.allow(exact), f"k = {radix}"
        assert (bounds.exact == exact) == (radix % 2 == 1), f"k = {radix}"
        assert radix == 4 or bounds.upper - bounds.lower < Fraction(3, 5), f"k = {radix}"


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
            found = evaluated(radix, routing).worst_case_load
            assert found >= theorems.least_worst_case(radix), routing


@pytest.mark.parametrize("family", ["romm", "rlb", "rlbth", "valiant"])
def test_a_random_order_is_never_worse_than_a_fixed_one(family: str) -> None:
    """Its pair loads are the mean of those of a fixed order and of their mirror image."""
    for radix in (3, 4, 6, 7):
        random, fixed = (
            evaluated(radix, f"{family}:order={order}").worst_case_load
            for order in ("random", "fixed")
        )
        assert random <= fixed <= 2 * random, f"k = {radix}"


@pytest.mark.parametrize("order", ["random", "fixed"])
@pytest.mark.parametrize("family", ["rlb", "rlbth"])
def test_the_pair_loads_of_rlb_are_at_least_a_share_of_romms(
    family: str, order: str, subtests: pytest.Subtests
) -> None:
    """So RLB's fraction of capacity has no positive limit either."""
    for radix in (3, 4, 5, 6, 8, 9):
        with subtests.test(radix=radix):
            check_share_of_romm(family, order, radix)


def check_share_of_romm(family: str, order: str, radix: int) -> None:
    """Compare pair by pair, and the worst cases."""
    network = square_torus(radix)
    share = Fraction(radix // 2 + 1, radix) ** 2
    names = [f"{name}:order={order}" for name in (family, "romm")]
    balanced, minimal = map(obroute.make_routing, names)
    for channel in (0, network.channel_count // 2):  # one along each dimension
        loads = balanced.pair_loads(network, channel)
        least = minimal.pair_loads(network, channel)
        entries = zip(least.rows.tolist(), least.columns.tolist(), strict=True)
        for (row, column), load in zip(entries, least.values.fractions(), strict=True):
            assert loads.entry(row, column) >= share * load
    worst = [evaluated(radix, name).worst_case_load for name in names]
    assert worst[0] >= share * worst[1] >= worst[1] / 4


def test_the_best_worst_case_is_the_load_that_no_routing_keeps_below() -> None:
    """An optimum by linear programs, which know nothing of the theorem, for both parities."""
    for radix in (3, 4):
        found = evaluated(radix, "optimal").worst_case_load
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
    exact = [even[f"{name}_exact"] for name in ("worst_case_load", "lower", "upper")]
    assert (even["worst_case_load"], exact) == (None, [None, "9/2", "193/40"])
    assert (even["lower"], even["upper"]) == (4.5, 193 / 40)
    fractions = [float(Fraction(text)) for text in even["fraction_of_capacity_exact"]]
    assert even["fraction_of_capacity"] == fractions


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


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
def test_dors_load_on_cubes_of_any_dimension_is_what_the_matching_finds(dimensions: int) -> None:
    """Odd and even k, odd and even n."""
    for k in {1: (3, 4, 8, 9), 2: (3, 6), 3: (3, 4, 5), 4: (3, 4)}[dimensions]:
        made = obroute.make_network(f"torus:{'x'.join([str(k)] * dimensions)}")
        found = obroute.evaluate(made, "dor").worst_case_load
        assert found == dor_load(k, dimensions), made.name


def test_dors_load_on_hypercubes_is_what_the_matching_finds() -> None:
    """They are cubes of radix 2."""
    for n in range(1, 8):
        found = obroute.evaluate(f"hypercube:{n}", "dor").worst_case_load
        assert found == dor_load(2, n), f"n = {n}"


@pytest.mark.parametrize("routing", path_lengths.ROUTINGS_WITH_LENGTHS)
def test_mean_path_lengths_are_those_of_the_loads(routing: str) -> None:
    """Uniform loads of all channels add up to the closed form, ties included."""
    for radix in range(3, 11):
        found = evaluated(radix, routing).mean_path_length
        assert found == theorems.mean_path_length(routing, radix), f"k = {radix}"


def test_mean_path_lengths_are_the_known_ones() -> None:
    """Values by enumerating every path."""
    compared = 0
    for row in COMPUTED["tori"]:
        name = obroute.make_routing(row["routing"]).name
        if row["network"] in ("torus:5x5", "torus:8x8") and (
            name in path_lengths.ROUTINGS_WITH_LENGTHS
        ):
            found = theorems.mean_path_length(name, int(row["network"][-1]))
            assert found == Fraction(row["mean_path_length"]), row
            compared += 1
    assert compared > 10


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
