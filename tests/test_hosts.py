"""Host links: where they limit the guarantee, and what is behind them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.support.datasets import cell_dataset

from obroute import Network, evaluate, make_network, make_routing
from obroute.experiments.evaluation import Evaluation, EvaluationSettings
from obroute.exporters.ibsim_netlist import ibsim_netlist
from obroute.kinds.stores import write_store
from obroute.solved_channels import solve_channels
from obroute.verification import verify_stores


def behind(network: Network, routing: str) -> Fraction:
    """Solve every channel of no host, one after the other."""
    inner = ~(network.is_host[network.tail] | network.is_host[network.head])
    found = solve_channels(network, make_routing(routing), np.flatnonzero(inner).tolist())
    return max(result.normalized_load for result in found)


@pytest.mark.parametrize(
    ("hosts", "spines", "load"), [(2, 4, "1/2"), (4, 4, "1"), (3, 2, None), (4, 5, "4/5")]
)
def test_a_guarantee_that_a_host_link_limits_has_what_is_behind(
    hosts: int, spines: int, load: str | None, tmp_path: Path
) -> None:
    """With symmetry, and by bounds where the same fabric is from a file and has none."""
    family = make_network(f"leafspine:leaves=5,hosts={hosts},spines={spines}")
    (tmp_path / "fabric.net").write_text(ibsim_netlist(family))
    file = make_network(str(tmp_path / "fabric.net"))
    for network in (family, file):
        found = evaluate(network, make_routing("ecmp"))
        if load is None:
            assert (found.worst_case_load, found.behind_hosts) == (Fraction(3, 2), None)
            continue
        assert found.worst_case_load == 1
        assert found.behind_hosts is not None
        assert found.behind_hosts.certified
        assert found.behind_hosts.normalized_load == Fraction(load)
        assert found.behind_hosts.normalized_load == behind(network, "ecmp")
        channel = found.behind_hosts.worst.channel
        assert not network.is_host[[network.tail[channel], network.head[channel]]].any()


def test_routers_have_no_host_links() -> None:
    """A terminal beside a terminal is no host, however few channels it has."""
    for name in ("mesh:2x3", "complete:4", "ring:2"):
        network = make_network(name)
        assert not network.is_host.any()
        assert evaluate(network, make_routing("ecmp")).behind_hosts is None


def test_a_host_of_two_ports_is_limited_by_neither() -> None:
    """It sends on both; a fast host on a slow link is what limits a star."""
    ends = [(0, 2), (0, 3), (1, 2), (1, 3)]
    tail, head = zip(*ends, *((b, a) for a, b in ends), strict=True)
    dual = Network("dual", 4, tail, head, sources=[0, 1], destinations=[0, 1])
    found = evaluate(dual, make_routing("ecmp"))
    assert (found.worst_case_load, found.behind_hosts) == (Fraction(1, 2), None)
    assert dual.is_host.tolist() == [True, True, False, False]


def test_stores_and_answers_name_what_is_behind(tmp_path: Path) -> None:
    """In words, as JSON and in the store, whose verification finds it anew."""
    found = evaluate(make_network("leafspine:leaves=2,hosts=2,spines=4"), make_routing("ecmp"))
    kind, settings = Evaluation(), EvaluationSettings()
    rows = dict(next(iter(kind.shown(found, settings, 0))).rows)
    assert rows["limited by"] == "the host link of host0, whatever the routing"
    assert rows["behind the hosts"] == "1/2, on leaf0 → spine0"
    answer = kind.to_json(found, settings, 0)
    assert (answer["limited_by_host"], answer["load_behind_hosts_exact"]) == (True, "1/2")
    assert answer["channel_behind_hosts"]["tail_name"] == "leaf0"
    dataset = cell_dataset(found)
    assert dataset["load_behind_hosts_exact"].item() == "1/2"
    write_store(dataset, tmp_path / "cell.zarr")
    (verified,) = verify_stores(tmp_path / "cell.zarr")
    assert verified.certificates


def test_a_star_of_many_hosts_has_no_channel_but_theirs() -> None:
    """One switch: what is left without hosts has no channel, and none is bounded by loads."""
    hosts = np.arange(1, 41)
    switch = np.zeros_like(hosts)
    ends = np.concatenate([hosts, switch]), np.concatenate([switch, hosts])
    star = Network("star", 41, *ends, sources=hosts, destinations=hosts)
    assert evaluate(star, "ecmp").worst_case_load == 1
