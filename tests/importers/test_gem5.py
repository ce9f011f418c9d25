"""Networks that gem5 has simulated, and how Garnet routes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from obroute import InputError, make_network, make_routing
from obroute.routing import path_distribution

NET = "system.ruby.network"
GARNET = Path(__file__).parents[2] / "examples/mesh.ini"


def written(folder: Path, text: str) -> str:
    """Write the file of a run."""
    (folder / "config.ini").write_text(text, encoding="utf-8")
    return str(folder / "config.ini")


@pytest.mark.parametrize(
    ("change", "routing", "twin"),
    [
        ([], "garnet", "dor"),
        ([], "garnet:choice=first", "dor"),
        ([("routing_algorithm=0", "routing_algorithm=1")], "garnet", "dor"),
        ([("weight=2", "weight=1")], "garnet", "ecmp:split=hops"),
    ],
)
def test_garnet_routes_as_its_weights_say(
    tmp_path: Path, change: list[tuple[str, str]], routing: str, twin: str
) -> None:
    """Those of Mesh_XY give x before y, equal ones every shortest path by its hops."""
    text = GARNET.read_text()
    for old, new in change:
        assert old in text
        text = text.replace(old, new)
    network, mesh = make_network(written(tmp_path, text)), make_network("cmesh:3x2,hosts=2")
    assert network.injection.fractions() == [2] * 6
    # the mesh counts its nodes from y to x
    x, y = mesh.coordinates.T
    node = (y * 3 + x).tolist()
    mesh_pairs = {
        (node[source], node[destination]): {
            tuple(node[n] for n in mesh.path_nodes(source, path)): share
            for path, share in path_distribution(
                make_routing(twin), mesh, source, destination
            ).items()
        }
        for source in range(6)
        for destination in range(6)
    }
    for (source, destination), paths in mesh_pairs.items():
        found = path_distribution(make_routing(routing), network, source, destination)
        assert {network.path_nodes(source, path): share for path, share in found.items()} == paths


def test_widths_of_garnet_are_bandwidths(tmp_path: Path) -> None:
    """Over that of the slowest external link, for what controllers inject too."""
    text = GARNET.read_text().replace("width=16", "width=32")
    first, link, rest = text.partition("[system.ruby.network.ext_links00]")
    network = make_network(
        written(tmp_path, first + link + rest.replace("width=32", "width=16", 1))
    )
    assert network.injection.fractions() == [3, 4, 4, 4, 4, 4]
    assert set(network.bandwidth.fractions()) == {2}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("type=GarnetNetwork", "type=Other", "0 sections of type GarnetNetwork or SimpleNetwork"),
        ("router_id=3", "router_id=2", r"line 4\d\d .* expected another number for each router"),
        ("router_id=3", "router_id=x", r"line 4\d\d: 'x' is not a whole number"),
        ("router_id=3\n", "", r"line 4\d\d .* expected router_id= in this section"),
        ("src_node=system.ruby.network.routers4", "src_node=gone", r"line 2\d\d .* no \[gone\]"),
        ("int_node=system.ruby.network.routers0\n", "", "line 35 .* expected int_node= in this"),
        ("supported_vnets=", "supported_vnets=0 1", "say which: .*config.ini:vnet=0"),
        ("width=16", "width=0", "expected a speed above 0"),
        ("link_id=0", "latency=2", "'latency' stands above, too; expected one"),
        ("clock=500", "clock=500\n[root]", "this section stands above, too; expected one"),
        ("[root]\ntype=Root", "[root]\ntype=Root\nwhat", "line 3 .* expected .section. or key"),
        (
            "[system.ruby.network.routers3]\ntype=GarnetRouter\nclk_domain=system.ruby.clk_domain",
            "[fast]\nclock=250\n[system.ruby.network.routers3]\nclk_domain=fast",
            "this clock is not that of the network",
        ),
    ],
)
def test_half_a_run_of_gem5_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    """In one line with the line of the file."""
    text = GARNET.read_text()
    assert old in text
    with pytest.raises(InputError, match=message):
        make_network(written(tmp_path, text.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("routing_algorithm=0", "routing_algorithm=2", "a program of its own; expected 0 or 1"),
        ("weight=2", "weight=10000", "weight 10000, .*; expected 1 to 9999"),
        ("weight=2", "weight=9999", "a way of weight 10000 or more"),
        ("int_links=", f"int_links={NET}.int_links00 ", "parallel links from router 0 to 1"),
        ("router_id=5", "router_id=7", "have other numbers than 0 to 5"),
    ],
)
def test_what_garnet_leaves_open_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    """The network is read, and has every other routing."""
    network = make_network(written(tmp_path, GARNET.read_text().replace(old, new)))
    with pytest.raises(InputError, match=message):
        make_routing("garnet").check(network)
    make_routing("ecmp").check(network)
