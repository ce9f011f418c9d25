"""The worst case over sets of traffic, on the command line."""

from __future__ import annotations

import json

from obroute.kinds.registry import kinds

OVER = ("evaluate", "torus:4x4", "dor", "--traffic-set", "pairs:2", "--traffic-set", "within:2x2")


def test_a_part_for_each_set_and_a_store_that_verifies(obroute, tmp_path):
    """With the traffic and the channel."""
    store = tmp_path / "over.zarr"
    status, out, _ = obroute(*OVER, "--save", str(store))
    assert status == 0
    assert "dor on torus:4x4, pairs:2" in out
    assert "dor on torus:4x4, within:2x2" in out
    status, out, _ = obroute("verify", str(store))
    assert (status, "2 certificates" in out) == (0, True)
    status, out, _ = obroute(*OVER, "--json")
    found = json.loads(out)["traffic_sets"]
    assert [one["worst_case_load_exact"] for one in found] == ["3/2", "1"]


def test_options_and_files_of_other_kinds_are_refused(obroute, tmp_path):
    """In a line that says which."""
    for more in (["--pattern", "tornado"], ["--worst", str(tmp_path / "worst.csv")]):
        status, _, told = obroute(*OVER, *more)
        assert status == 2
        assert f"{more[0]} is not for restricted" in told
    status, _, told = obroute("evaluate", "torus:4x4", "dor", "--traffic-set", "pear:2")
    assert (status, "did you mean 'pairs'" in told) == (2, True)


def test_sets_are_listed(obroute):
    """With what they mean."""
    status, out, _ = obroute("list", "traffic-sets")
    assert (status, "pairs:pairs" in out) == (0, True)


def test_a_cell_over_any_traffic_is_no_evaluation():
    """Its command says the set, though that is the default."""
    kind = kinds()["restricted"]
    words = kind.words("ring:4", "dor", kind.settings())
    assert words == ["evaluate", "ring:4", "dor", "--traffic-set", "any"]
