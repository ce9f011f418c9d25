"""True tables of OpenSM, made here of simulated fabrics, with every engine that routes them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from obroute import InputError, make_network, make_routing, opensm
from obroute.exporters.ibsim_netlist import ibsim_netlist
from obroute.importers.fabric import Fabric
from obroute.network import Network
from obroute.routing.written_lft import lft_text
from obroute.worst_cases import worst_cases

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(opensm.missing()), reason=f"not installed: {opensm.missing()}"),
]


def netlist(name: str) -> str:
    """Return a network of a family as a fabric."""
    text = ibsim_netlist(make_network(name))
    return text if isinstance(text, str) else text[""]


def loads(
    name: str, engines: tuple[str, ...], folder: Path, forms: tuple[str, ...]
) -> dict[str, Fraction]:
    """Return the worst-case load of each engine that routes a fabric, the same in all forms."""
    dumps = opensm.dumps(make_network(name), engines)
    for ending, text in dumps.items():
        (folder / (ending if "." in ending else f"fabric.{ending}")).write_text(text)
    network = make_network(str(folder / "fabric.ibnetdiscover"))
    found = {}
    for engine in engines:
        if f"{engine}.lfts" not in dumps:
            continue
        of_form = {
            worst_cases(network, make_routing(str(folder / f"{engine}.{form}"))).load
            for form in forms
        }
        assert len(of_form) == 1
        found[engine] = of_form.pop()
    return found


def test_engines_on_a_torus(tmp_path: Path) -> None:
    """One host a switch. Dimension order and LASH keep to a quarter of what others reach.

    Ports are numbered dimension by dimension, on which ``dor`` rests; ``dfsssp`` would need nine
    virtual lanes, and the simulator has eight.
    """
    # dump_fts leaves out the last of 128 LIDs: a block of 64 that has but one.
    found = loads("torus:8x8", opensm.ENGINES, tmp_path, ("lfts",))
    for engine, load in (("dor", 4), ("lash", 4), ("minhop", 13), ("nue", 17)):
        assert found[engine] == load
    assert found["sssp"] in (13, 14)  # by the order in which it comes upon hosts
    assert not {"updn", "ftree", "dfsssp"} & set(found)


@pytest.mark.parametrize(
    ("name", "engines"),
    [
        ("leafspine:leaves=4,hosts=4,spines=2", {"minhop", "updn", "ftree", "dfsssp", "nue"}),
        ("fattree:k=4", {"minhop", "updn", "dfsssp", "nue"}),
        ("dragonfly:p=1,a=2,h=1", {"minhop", "lash", "dfsssp", "nue"}),
        ("jellyfish:n=10,d=3,seed=1", {"minhop", "lash", "dfsssp", "nue"}),
    ],
)
def test_every_fabric_is_read_with_the_tables_of_its_engines(
    name: str, engines: set[str], tmp_path: Path
) -> None:
    """No table guarantees more than any routing can."""
    try:
        make_network(name)
    except InputError as error:
        pytest.skip(str(error))
    found = loads(name, opensm.ENGINES, tmp_path, ("lfts", "fts", "fdbs"))
    assert engines <= set(found)
    network = make_network(str(tmp_path / "fabric.ibnetdiscover"))
    assert min(found.values()) >= 1 - Fraction(1, len(network.sources))


def test_opensm_loads_what_is_written(tmp_path: Path) -> None:
    """The engine ``file`` sets up the switches just so."""
    text = netlist("leafspine:leaves=3,hosts=2,spines=2")
    with opensm.simulated(text) as fabric:
        fabric.route("minhop")
        (tmp_path / "fabric.net").write_text(fabric.run("ibnetdiscover"))
        network = make_network(str(tmp_path / "fabric.net"))
        assert isinstance(network, Fabric)
        written = lft_text(network, make_routing(f"table:{_turned(network, tmp_path)}"))
        (tmp_path / "ours.lfts").write_text(written)
        folder = fabric.route("file", "-U", str(tmp_path / "ours.lfts"))
        set_up = (folder / "opensm-lfts.dump").read_text()
    theirs = [line for line in set_up.splitlines() if line.startswith("0x")]
    ours = [line for line in written.splitlines() if line.startswith("0x")]
    assert ours
    assert sorted(theirs) == sorted(ours)


def _turned(network: Network, folder: Path) -> Path:
    """Write a table of next hops: each host is reached by the spine of its place among hosts."""
    names = [network.describe(node) for node in range(network.node_count)]
    ends = {
        names[host]: names[int(network.head[network.tail == host][0])]
        for host in network.sources.tolist()
    }
    spines = sorted({name for name in names if name.startswith("spine")})
    lines = ["node,destination,next"]
    for place, (host, home) in enumerate(sorted(ends.items())):
        for switch in names:
            if switch in ends:
                continue
            via = host if switch == home else home
            if switch not in spines and switch != home:
                via = spines[place % len(spines)]
            lines.append(f"{switch},{host},{via}")
    file = folder / "turned.csv"
    file.write_text("\n".join(lines) + "\n")
    return file
