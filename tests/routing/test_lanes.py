"""Virtual lanes of true dumps: what engines of OpenSM do against deadlock."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obroute import InputError, make_network, make_routing, opensm
from obroute.deadlock import TOLD, check_deadlock
from obroute.importers.fabric import Fabric
from obroute.routing.lanes_text import Device, LaneRow, LevelRow, read_lanes, read_levels

EXAMPLES = Path(__file__).parents[2] / "examples" / "infiniband"


def with_lanes(engine: str, folder: Path = EXAMPLES, name: str = "ring-") -> str:
    """Return the name of the routing by what an engine's dumps say."""
    file = folder / f"{name}{engine}"
    records = Path(f"{file}.records")
    given = f",records={records}" if records.is_file() else ""
    return f"lft:{file}.lfts,sl2vl={file}.sl2vl{given}"


def forwarding(text: str) -> tuple[dict[tuple[int, int], int], dict[int, int]]:
    """Return the port out of each switch and LID, and the LID of each host, by GUIDs."""
    port_of, lid_of, switch = {}, {}, 0
    for line in text.splitlines():
        if found := re.search(r"guid 0x([0-9a-f]+)", line.split("portguid")[0]):
            switch = int(found[1], 16)
        elif found := re.match(r"0x([0-9a-f]+) (\d+).*Adapter portguid 0x([0-9a-f]+)", line):
            port_of[switch, int(found[1], 16)] = int(found[2])
            lid_of[int(found[3], 16)] = int(found[1], 16)
    return port_of, lid_of


def below_devices(text: str, row: str) -> dict[tuple[int, str, str], str]:
    """Return the third part of each row by the GUID above it and the first two parts."""
    found_rows, device = {}, 0
    for line in text.splitlines():
        if found := re.match(r"(?:Switch|Channel Adapter) 0x([0-9a-f]+)", line):
            device = int(found[1], 16)
        elif found := re.match(row, line):
            found_rows[device, found[1], found[2]] = found[3]
    return found_rows


def waits(network: Fabric, folder: Path, prefix: str) -> nx.DiGraph:
    """Walk the dumps by their text alone: who waits for whom among (switch, port out, lane)."""
    far = {
        (network.guids[tail], out): (network.guids[head], back)
        for tail, out, head, back in zip(
            network.tail, network.out_port, network.head, network.in_port, strict=True
        )
    }
    port_of, lid_of = forwarding((folder / f"{prefix}.lfts").read_text())
    lane_of = below_devices((folder / f"{prefix}.sl2vl").read_text(), r"(\d+)\s+(\d+)\s+: (.*)")
    records = folder / f"{prefix}.records"
    level_of = below_devices(
        records.read_text() if records.is_file() else "", r"0x([0-9A-F]+) (:) (\d+)"
    )
    graph = nx.DiGraph()
    for source in lid_of:
        for destination, lid in lid_of.items():
            if source == destination:
                continue
            held = []
            at, came_in = far[source, 1]
            while at != destination:
                out = port_of[at, lid]
                level = int(level_of.get((source, f"{lid:04X}", ":"), "0"))
                lane = lane_of[at, str(came_in), str(out)].split()[level]
                held.append((at, out, lane))
                at, came_in = far[at, out]
            graph.add_nodes_from(held)
            graph.add_edges_from(pairwise(held))
    return graph


@pytest.mark.parametrize("engine", ["lash", "dfsssp"])
def test_engines_for_rings_are_free_of_deadlock_on_their_lanes(engine: str) -> None:
    """They are, and on one lane they would not be; a walk of the text alone agrees."""
    network = make_network(str(EXAMPLES / "ring.ibnetdiscover"))
    assert isinstance(network, Fabric)
    routing = make_routing(with_lanes(engine))
    found = check_deadlock(network, routing)
    assert found.deadlock_free
    assert found.scheme == TOLD
    assert found.virtual_channels == found.virtual_channels_needed > 1
    assert nx.is_directed_acyclic_graph(waits(network, EXAMPLES, f"ring-{engine}"))
    one = make_routing(with_lanes(engine).partition(",records")[0])
    alike = check_deadlock(network, one)
    assert (alike.deadlock_free, alike.virtual_channels, len(alike.cycle)) == (False, 1, 5)
    with pytest.raises(InputError, match="tells those of its paths itself"):
        check_deadlock(network, routing, 3)
    assert check_deadlock(network, routing, 2, "found").scheme == "found"
    numbering = found.numbering
    assert numbering is not None
    batch, lanes = next(iter(found.assignment))
    held = numbering[batch.channels, lanes]
    inside = np.ones(len(held) - 1, dtype=bool)
    inside[batch.starts[1:-1] - 1] = False
    assert (np.diff(held)[inside] > 0).all()


LANES = tuple(range(8)) * 2
FORMS_OF_LANES = {
    "opensm": 'Switch 0x0000000000200000, base LID 2, "s"\n#in out : 0  1\n#----\n'
    f"1   3   : {'  '.join(map(str, LANES))} \n#----\n",
    "ibdiagnet": "0x0000000000200000 1 3 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n",
    "smpquery": "# SL2VL table: Lid 2\n#                 SL: | 0| 1| 2|\n"
    f"ports: in  1, out  3: |{'|'.join(f'{lane:2}' for lane in LANES)}|\n",
    "saquery": "SL2VLTableRecord dump:\n\t\tLID........................2\n"
    "\t\tInPort.....................1\n\t\tOutPort....................3\n"
    f"\t\tSL: 0| 1| 2|\n\t\tVL:{'|'.join(f'{lane:2}' for lane in LANES)}|\n",
}
FORMS_OF_LEVELS = {
    "opensm": 'Channel Adapter 0x0000000000100001, base LID 1, "a", port 1\n'
    "# LID  : SL : MTU : RATE\n0x0005 : 2  : 4   : 3   \n",
    "short": 'Channel Adapter 0x0000000000100001, base LID 1, "a"\n0x0005 : 2\n',
    "ibdmchk": "0x0000000000100001 5 2\n",
    "saquery": "PathRecord dump:\n\t\tsgid....................fe80::10:1\n"
    "\t\tdlid....................5\n\t\tslid....................1\n"
    "\t\tsl......................0x2\n\t\tmtu.....................0x83\n",
}


@pytest.mark.parametrize("form", FORMS_OF_LANES)
def test_every_form_of_lanes_is_read(form: str, tmp_path: Path) -> None:
    """Each says the same of one switch, by GUID, by LID or by both."""
    file = tmp_path / "sl2vl"
    file.write_text(FORMS_OF_LANES[form])
    (row,) = read_lanes(file)
    assert isinstance(row, LaneRow)
    assert (row.port_in, row.port_out, row.lanes) == (1, 3, LANES)
    assert row.device in (Device(0x200000, 2), Device(0x200000), Device(lid=2))


@pytest.mark.parametrize("form", FORMS_OF_LEVELS)
def test_every_form_of_levels_is_read(form: str, tmp_path: Path) -> None:
    """Each says the same of one pair."""
    file = tmp_path / "records"
    file.write_text(FORMS_OF_LEVELS[form])
    (row,) = read_levels(file)
    assert isinstance(row, LevelRow)
    assert (row.lid, row.level) == (5, 2)
    assert row.source in (Device(0x100001, 1), Device(0x100001), Device(lid=1))


WRONG = {
    "sl2vl": {
        "no table": ("# nothing\n", "has no table of lanes"),
        "no such file": ("Switch 0x0000000000200000, base LID 2\nhello\n", "line 2 is 'hello'"),
        "another fabric": (
            FORMS_OF_LANES["opensm"].replace("200000, base LID 2", "9, base LID 900"),
            "tables of no switch",
        ),
        "a row too few": (FORMS_OF_LANES["opensm"], "no row for service level"),
    },
    "records": {
        "no record": ("# nothing\n", "has no path record"),
        "no level": ('Channel Adapter 0x1, base LID 1, "a"\n0x0005 : 16\n', "line 2 has service"),
        "too few": (
            'Channel Adapter 0x1, base LID 900, "a"\n0x0005 : 1\n',
            "no service level from",
        ),
        "one pair twice": (
            'Channel Adapter 0x100001, base LID 1, "a"\n0x0005 : 1\n0x0005 : 2\n',
            "line 3 has another",
        ),
    },
}


@pytest.mark.parametrize(
    ("kind", "case"), [(kind, case) for kind, cases in WRONG.items() for case in cases]
)
def test_what_is_not_whole_is_said(kind: str, case: str, tmp_path: Path) -> None:
    """In one line with the file."""
    text, why = WRONG[kind][case]
    file = tmp_path / kind
    file.write_text(text)
    files = {
        "sl2vl": EXAMPLES / "ring-lash.sl2vl",
        "records": EXAMPLES / "ring-lash.records",
        kind: file,
    }
    given = ",".join(f"{name}={value}" for name, value in files.items())
    routing = make_routing(f"lft:{EXAMPLES / 'ring-lash.lfts'},{given}")
    network = make_network(str(EXAMPLES / "ring.ibnetdiscover"))
    with pytest.raises(InputError, match=why) as error:
        check_deadlock(network, routing)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


def test_levels_without_lanes_are_refused() -> None:
    """They say nothing."""
    lfts, records = EXAMPLES / "ring-lash.lfts", EXAMPLES / "ring-lash.records"
    with pytest.raises(InputError, match="give sl2vl=FILE too"):
        make_routing(f"lft:{lfts},records={records}")


PIECES = st.sampled_from(
    sorted(
        {
            line
            for text in (*FORMS_OF_LANES.values(), *FORMS_OF_LEVELS.values())
            for line in text.splitlines()
        }
    )
)


@settings(max_examples=30)
@given(lines=st.lists(PIECES | st.text(max_size=20), max_size=6))
def test_any_text_is_read_or_refused(
    lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Lines of all forms mixed, and nonsense: rows with their lines, or one line that says why."""
    file = tmp_path_factory.getbasetemp() / "lanes"
    file.write_text("\n".join(lines), errors="replace")
    for read in (read_lanes, read_levels):
        with suppress(InputError):
            rows = read(file)
            assert all(1 <= row.line <= len(file.read_text().split("\n")) for row in rows)


@pytest.mark.slow
@pytest.mark.skipif(bool(opensm.missing()), reason=f"not installed: {opensm.missing()}")
@pytest.mark.parametrize(
    ("name", "lanes", "cyclic"),
    [
        ("torus:4x4", {"lash": 2, "torus-2QoS": 2, "nue": 1}, {"minhop", "dor"}),
        ("jellyfish:n=8,d=3,seed=1", {"lash": None, "dfsssp": None, "nue": 1}, set()),
    ],
)
def test_engines_on_the_lanes_that_they_set_up(
    name: str, lanes: dict[str, int | None], cyclic: set[str], tmp_path: Path
) -> None:
    """Those made against deadlock are free of it; a walk of the text alone agrees with each."""
    for engine in (*lanes, *cyclic):
        made = opensm.dumps(make_network(name), [engine], lanes=True)
        for ending, text in made.items():
            (tmp_path / ending).write_text(text)
        network = make_network(f"{tmp_path / 'ibnetdiscover'}")
        assert isinstance(network, Fabric)
        found = check_deadlock(network, make_routing(with_lanes(engine, tmp_path, "")))
        assert found.deadlock_free is (engine in lanes)
        assert found.virtual_channels == (lanes.get(engine) or found.virtual_channels)
        assert nx.is_directed_acyclic_graph(waits(network, tmp_path, engine)) is (engine in lanes)
