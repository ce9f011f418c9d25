"""Forwarding tables of InfiniBand switches, in each form that programs print them in.

The files of ``tests/inputs/infiniband`` are OpenSM's, with two LIDs to a port (LMC 1).
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from obroute import InputError, evaluate, make_network, make_routing
from obroute.importers.fabric import Fabric
from obroute.routing import path_distribution
from obroute.routing.written_lft import lft_text

INPUTS = Path(__file__).parents[1] / "inputs" / "infiniband"
FORMS = ("lfts", "fts", "fdbs")


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    """Read the fabric with its GUIDs and LIDs."""
    network = make_network(str(INPUTS / "fabric.ibnetdiscover"))
    assert isinstance(network, Fabric)
    return network


def by_hand(fabric: Fabric, source: int, lid: int) -> list[str]:
    """Walk from a host to a LID through the lines of the dump, by nothing but its text."""
    tables: dict[int, dict[int, int]] = {}
    for line in (INPUTS / "minhop.lfts").read_text().splitlines():
        if found := re.search(r"guid 0x([0-9a-f]+) \(", line):
            rows = tables.setdefault(int(found[1], 16), {})
        elif line.startswith("0x"):
            rows[int(line[:6], 16)] = int(line[7:10])
    ends = {
        (int(tail), int(port)): int(head)
        for tail, port, head in zip(fabric.tail, fabric.out_port, fabric.head, strict=True)
    }
    (node,) = [head for (tail, _), head in ends.items() if tail == source]
    walked = [fabric.describe(source), fabric.describe(node)]
    while fabric.is_switch[node]:
        node = ends[node, tables[fabric.guids[node]][lid]]
        walked.append(fabric.describe(node))
    return walked


@pytest.mark.parametrize("form", FORMS)
def test_every_lid_of_a_port_is_a_path(form: str, fabric: Fabric) -> None:
    """Each of a port's two LIDs is taken half of the time, along the rows of the switches."""
    routing = make_routing(str(INPUTS / f"minhop.{form}"))
    for source in fabric.sources.tolist():
        for destination in set(fabric.destinations.tolist()) - {source}:
            expected: dict[tuple[str, ...], Fraction] = {}
            for lid in range(fabric.lids[destination], fabric.lids[destination] + 2):
                walked = tuple(by_hand(fabric, source, lid))
                expected[walked] = expected.get(walked, Fraction(0)) + Fraction(1, 2)
            found: dict[tuple[str, ...], Fraction] = {}
            for path, chance in path_distribution(routing, fabric, source, destination).items():
                nodes = tuple(map(fabric.describe, fabric.path_nodes(source, path)))
                found[nodes] = found.get(nodes, Fraction(0)) + chance
            assert found == expected


def test_forms_agree(fabric: Fabric) -> None:
    """In the paths by parallel cables too, and whichever form the fabric is in."""
    first, *others = (
        [
            path_distribution(routing, fabric, source, destination)
            for source in fabric.sources.tolist()
            for destination in fabric.destinations.tolist()
        ]
        for routing in (make_routing(str(INPUTS / f"minhop.{form}")) for form in FORMS)
    )
    assert all(other == first for other in others)
    assert len({len(found) for found in first}) > 1


@pytest.mark.parametrize("form", ["ibnetdiscover", "ibports", "lst", "netlist", "topo"])
def test_tables_are_matched_by_guid_or_by_description(form: str, tmp_path: Path) -> None:
    """The worst case is that of the fabric, whichever file it is from.

    By description where there are no GUIDs, once no two hosts are called alike.
    """
    text = (INPUTS / f"fabric.{form}").read_text()
    tables = (INPUTS / "minhop.fts").read_text()
    if form in ("netlist", "topo"):
        text = text.replace("node HCA-1", "b", 1).replace("node HCA-1", "d")
        tables = re.sub(r"(0x0*100004): 'node HCA-1'", r"\1: 'b'", tables).replace(
            "node HCA-1", "d"
        )
    (tmp_path / f"fabric.{form}").write_text(text)
    (tmp_path / "tables").write_text(tables)
    network = make_network(str(tmp_path / f"fabric.{form}"))
    found = evaluate(network, make_routing(str(tmp_path / "tables")))
    assert (found.worst_case_load, found.certified) == (Fraction(3, 2), True)


def test_first_lids_alone_are_one_table(fabric: Fabric) -> None:
    """With ``lids=first`` every pair has one path."""
    routing = make_routing(f"lft:{INPUTS / 'minhop.lfts'},lids=first")
    assert {
        len(path_distribution(routing, fabric, source, destination))
        for source in fabric.sources.tolist()
        for destination in fabric.destinations.tolist()
    } == {1}


def test_written_tables_are_read_again(fabric: Fabric, tmp_path: Path) -> None:
    """Of first LIDs, which are one table; of all LIDs they are two, and refused."""
    routing = make_routing(f"lft:{INPUTS / 'minhop.lfts'},lids=first")
    (tmp_path / "again.lfts").write_text(lft_text(fabric, routing))
    again = make_routing(str(tmp_path / "again.lfts"))
    for source in fabric.sources.tolist():
        for destination in fabric.destinations.tolist():
            expected = path_distribution(routing, fabric, source, destination)
            assert path_distribution(again, fabric, source, destination) == expected
    with pytest.raises(
        InputError, match=r"is not destination-based: what is for .* by port 4 and"
    ):
        lft_text(fabric, make_routing(str(INPUTS / "minhop.lfts")))
    with pytest.raises(InputError, match="has no ports by number"):
        lft_text(make_network("ring:3"), make_routing("dor"))
    with pytest.raises(InputError, match="does not say every GUID and LID"):
        lft_text(make_network(str(INPUTS / "fabric.netlist")), make_routing("ecmp"))


FABRIC = (
    'switchguid=0x20(20)\nSwitch 4 "S-20" # "s" base port 0 lid 3 lmc 0\n'
    '[1] "H-10"[1](11) # "a" lid 1 4xEDR\n[2] "H-12"[1](13) # "b" lid 2 4xEDR\n'
    '\ncaguid=0x10\nCa 1 "H-10" # "a"\n[1](11) "S-20"[1] # lid 1 lmc 0 "s" lid 3 4xEDR\n'
    '\ncaguid=0x12\nCa 1 "H-12" # "b"\n[1](13) "S-20"[2] # lid 2 lmc 0 "s" lid 3 4xEDR\n'
)
HEAD = "Unicast lids [0-3] of switch Lid 3 guid 0x0000000000000020 ('s'):\n"
FDBS = "dump_ucast_routes: Switch 0x0000000000000020\nLID    : Port : Hops : Optimal\n"
GOOD = f"{HEAD}0x0001 001 # Channel Adapter portguid 0x11: 'a'\n0x0002 002 # unknown\n"


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (HEAD, "has no row for a of"),
        (f"{HEAD}0x0001 001\n0x0002 255\n", "node s has no next channel"),
        (f"{HEAD}0x0001 001\n0x0002 004\n", "line 3 leads LID 0x0002 out of port 4 of s"),
        (f"{HEAD}0x0001 001\n0x0002 001\n", "it comes back to where it was"),
        (f"{HEAD}0x0001 001\n0x0002 002\n{HEAD}", "two tables of switch s"),
        (f"{HEAD}0x0001 001\nwhat\n", "line 3 is 'what'; expected Unicast lids"),
        (f"{HEAD}0x0001 256\n", "line 2 has port 256"),
        ("0x0001 001\n" + HEAD, "above the first switch"),
        (HEAD.replace("20", "21"), "they are of different fabrics"),
        (f"{FDBS}0x0001 : 001  : 01   : yes\n0x0002 : UNREACHABLE\n", "no row for b"),
        (f"{FDBS}0x0001 : 001  : 01   : yes\n0x0009 : 002  : 01   : yes\n", "LID 0x0009 is of no"),
    ],
)
def test_an_error_names_what_is_wrong(tables: str, said: str, tmp_path: Path) -> None:
    """A LID that leads nowhere, back, or where there is no cable; lines that are none."""
    (tmp_path / "x.net").write_text(FABRIC)
    (tmp_path / "x.lfts").write_text(tables)
    network = make_network(str(tmp_path / "x.net"))
    with pytest.raises(InputError) as raised:
        make_routing(f"lft:{tmp_path / 'x.lfts'}").check(network)
    assert said in str(raised.value)


def test_lids_without_hops_lead_where_they_say(tmp_path: Path) -> None:
    """And a file has tables of multicast groups beside, which are of no matter."""
    (tmp_path / "x.net").write_text(FABRIC)
    (tmp_path / "x.fdbs").write_text(
        f"{FDBS}0x0001 : 001  : HOPS UNKNOWN\n0x0002 : 002  : 02   : No 1 hop path possible via "
        "port 2!\n0x0003 : 000  : 00   : yes\nMulticast mlids [0xc000] of switch Lid 3\n0xc000 x\n"
    )
    network = make_network(str(tmp_path / "x.net"))
    assert evaluate(network, make_routing(str(tmp_path / "x.fdbs"))).worst_case_load == 1


def test_a_fabric_is_needed(tmp_path: Path) -> None:
    """Ports are numbered nowhere else."""
    (tmp_path / "x.lfts").write_text(GOOD)
    with pytest.raises(InputError, match="is not defined on ring:3; it is defined for networks"):
        make_routing(str(tmp_path / "x.lfts")).check(make_network("ring:3"))
