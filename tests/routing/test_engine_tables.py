"""The tables of OpenSM's engines as routings by name."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from obroute import InputError, evaluate, failures, make_network, make_routing, opensm
from obroute.exporters.ibsim_netlist import ibsim_netlist
from obroute.failures import repair_of
from obroute.opensm.named import EngineTable
from obroute.worst_cases import worst_cases

needs_opensm = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(opensm.missing()), reason=f"not installed: {opensm.missing()}"),
]


def test_an_engine_has_one_name_and_depends_on_the_programs() -> None:
    """Not on a file that would make it a table to keep after failures."""
    routing = make_routing("opensm:engine=updn")
    assert routing.name == "opensm:updn"
    assert make_routing("opensm:ftree,fallback=minhop").name == "opensm:ftree,fallback=minhop"
    assert routing.depends_on().files == opensm.programs()
    assert repair_of(make_network("ring:3"), routing) == "recomputed"
    with pytest.raises(InputError, match="upd"):
        make_routing("opensm:upd")


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything runs."""
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(InputError, match=r"opensm, .* is not installed; expected the programs"):
        evaluate("ring:5", "opensm:updn")


def test_what_is_no_fabric_is_refused() -> None:
    """Channels without one back."""
    with pytest.raises(InputError, match=r"is not defined on .*; it is defined for networks of"):
        make_routing("opensm:minhop").check(make_network("kautz:d=2,D=2"))


def test_hosts_of_a_node_are_told_apart() -> None:
    """Each has a table of its own: the network that has a node for each is named, and taken."""
    ring, routing = make_network("ring:4,hosts=2"), make_routing("opensm:minhop")
    with pytest.raises(InputError, match=r"a node for each, hosted:\(ring:4,hosts=2\)"):
        routing.check(ring)
    hosted = routing.network_for(ring)
    assert hosted.has_unit_terminals
    assert hosted.name == "hosted:(ring:4,hosts=2)"
    assert routing.network_for(hosted) is hosted
    assert ibsim_netlist(hosted) == ibsim_netlist(ring)


def test_ports_keep_their_numbers_where_cables_fail() -> None:
    """The netlist of what is left is that of the whole without the lines of the cable."""
    ring = make_network("ring:3")
    cable = np.flatnonzero((ring.tail < 2) & (ring.head < 2))
    before, after = ibsim_netlist(ring).splitlines(), ibsim_netlist(ring, cable).splitlines()
    gone = [line for line in before if line not in after]
    assert gone == ['[1] "(1)"[2]', '[2] "(0)"[1]']
    assert [line for line in before if line not in gone] == after
    with pytest.raises(InputError, match="fails alone; expected cables"):
        ibsim_netlist(ring, cable[:1])


class TestWithOpenSM:
    """What OpenSM makes of simulated fabrics."""

    pytestmark = needs_opensm

    @pytest.mark.parametrize(("engine", "load"), [("dor", 4), ("lash", 4), ("nue", 17)])
    def test_worst_cases_on_a_torus(self, engine: str, load: int) -> None:
        """As the tables have it that are read from files."""
        routing = make_routing(f"opensm:{engine}")
        assert evaluate("torus:8x8", routing).worst_case_load == load

    def test_a_table_is_that_of_the_files(self, tmp_path: Path) -> None:
        """Also of a network whose hosts are nodes, and for whoever gets the routing."""
        network = make_network("leafspine:leaves=3,hosts=2,spines=2")
        tables = opensm.route(network, tmp_path, ("minhop", "updn"))
        fabric = make_network(tmp_path / opensm.FABRIC)
        for engine, file in tables.items():
            routing = make_routing(f"opensm:{engine}")
            load = worst_cases(network, routing).load
            assert load == worst_cases(fabric, make_routing(file)).load
            again = pickle.loads(pickle.dumps(routing))
            assert again.tables == routing.tables != {}

    def test_it_is_made_anew_after_failures(self) -> None:
        """On no cable that failed, and leading everybody everywhere."""
        found = failures("ring:4", "opensm:minhop", links=1)
        assert found.sets == len(found.orbits) == 4
        for orbit in range(4):
            left = found.after(orbit)
            (network,), (routing,) = left.remains.networks, left.routings
            assert isinstance(routing, EngineTable)
            assert evaluate(network, routing).worst_case_load == found.results[orbit].load == 2

    def test_a_parted_fabric_has_a_subnet_manager_each(self) -> None:
        """Each part is routed from a host of its own."""
        found = failures("ring:4", "opensm:minhop", links=2)
        assert found.sets_that_cut == 6
        assert found.worst_load == 1

    def test_an_engine_that_cannot_go_on_is_named(self) -> None:
        """OpenSM goes on by minhop where that is asked for."""
        fabric = "leafspine:leaves=3,hosts=2,spines=2"
        with pytest.raises(InputError, match=r"cannot route .* without leaf. – spine. by ftree"):
            failures(fabric, "opensm:ftree", links=1)
        assert failures(fabric, "opensm:ftree,fallback=minhop", links=1).worst_load == 2
        with pytest.raises(InputError, match=r"cannot route torus:4x4 by ftree; expected another"):
            evaluate("torus:4x4", "opensm:ftree")
