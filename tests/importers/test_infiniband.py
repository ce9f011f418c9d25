"""InfiniBand fabrics: one fabric in each form that programs print it in.

The files of ``tests/inputs/infiniband`` are what OpenSM and the diagnostics say of a netlist of
ours in a simulator (``obroute.opensm``).
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from obroute import InputError, make_network
from obroute.importers.fabric import Fabric

INPUTS = Path(__file__).parents[1] / "inputs" / "infiniband"
FORMS = ("ibnetdiscover", "ibports", "lst", "netlist", "topo")
HOSTS = {"a/1": 1, "a/2": 1, "b": 1, "c": 3, "d": 1, "e": 1}
"""What each host injects, by what the file calls it; b and d are both described alike."""


def fabric(form: str) -> Fabric:
    """Read the fabric in a form."""
    network = make_network(str(INPUTS / f"fabric.{form}"))
    assert isinstance(network, Fabric)
    return network


def cables(network: Fabric) -> list[tuple[str, str, str, Fraction]]:
    """List the channels by names, with the port and the bandwidth."""
    assert network.ports is not None
    return sorted(
        (network.describe(tail), network.describe(head), port, bandwidth)
        for tail, head, port, bandwidth in zip(
            network.tail.tolist(),
            network.head.tolist(),
            network.ports,
            network.bandwidth.fractions(),
            strict=True,
        )
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_fabric_is_the_same_in_every_form(form: str) -> None:
    """Switches that are no terminals, hosts by their ports, and cables side by side."""
    network = fabric(form)
    assert (network.node_count, network.channel_count, len(network.sources)) == (9, 18, 6)
    assert sorted(network.injection.fractions()) == sorted(map(Fraction, HOSTS.values()))
    known = {network.describe(node) for node in network.sources.tolist()}
    assert {"a/1", "a/2", "c", "e"} < known
    assert not {"leaf1", "leaf2", "spare"} & known
    ours = cables(network)
    named = [row for row in ours if "HCA" not in f"{row[0]}{row[1]}" and len(row[0]) > 1]
    assert ("leaf1", "leaf2", "4", Fraction(1)) in named
    assert ("leaf1", "leaf2", "5", Fraction(1)) in named
    assert ("leaf1", "c", "3", Fraction(3)) in named


def test_forms_with_guids_agree_in_names() -> None:
    """Two hosts of one description are told apart by GUID."""
    first, *others = (cables(fabric(form)) for form in ("ibnetdiscover", "ibports", "lst"))
    assert all(other == first for other in others)
    assert ("leaf1", "node HCA-1 (0x100004)", "2", Fraction(1)) in first


def test_what_was_understood_is_said() -> None:
    """Hosts, switches and speeds, and what 1 is."""
    said = dict(fabric("ibnetdiscover").read_as)
    assert said["hosts"] == "6 end ports of 5 adapters, on 3 switches"
    assert said["speeds"] == "cables: 8 of 8 Gb/s, 1 of 24 Gb/s; 1 is 8 Gb/s, the slowest host's"


@pytest.mark.parametrize(
    ("width", "bandwidth"), [("4xEDR", "1"), ("2xHDR", "1"), ("12xSDR", "6/25"), ("1xNDR", "1")]
)
def test_a_cable_has_the_data_rate_of_its_lanes(
    width: str, bandwidth: str, tmp_path: Path
) -> None:
    """Widths and lanes together; the slowest host's link is 1."""
    file = tmp_path / "fabric.txt"
    file.write_text(
        'switchguid=0x20(20)\nSwitch 4 "S-20" # "leaf" base port 0 lid 3 lmc 0\n'
        f'[1] "H-10"[1](11) # "a" lid 1 {width}\n[2] "H-12"[1](13) # "b" lid 2 4xEDR\n'
        '\ncaguid=0x10\nCa 1 "H-10" # "a"\n'
        f'[1](11) "S-20"[1] # lid 1 lmc 0 "leaf" lid 3 {width}\n'
        '\ncaguid=0x12\nCa 1 "H-12" # "b"\n[1](13) "S-20"[2] # lid 2 lmc 0 "leaf" lid 3 4xEDR\n'
    )
    network = make_network(str(file))
    slower = min(Fraction(bandwidth), Fraction(1))
    assert network.bandwidth.fraction(0) / network.bandwidth.fraction(1) == Fraction(bandwidth)
    assert min(network.bandwidth.fractions()) == 1
    assert network.injection.fraction(1) == 1 / slower
    alike = make_network(f"{file}:rates=alike")
    assert set(alike.bandwidth.fractions()) == {Fraction(1)}


def test_what_computes_in_a_switch_is_no_host(tmp_path: Path) -> None:
    """An aggregation node is an adapter on a port of its switch, and sends nothing of its own."""
    file = tmp_path / "fabric.net"
    file.write_text(
        'Switch 3 "s"\n[1] "a"[1]\n[2] "b"[1]\n[3] "n"[1]\n\nHca 1 "a"\n[1] "s"[1]\n\n'
        'Hca 1 "b"\n[1] "s"[2]\n\nHca 1 "n" # "Quantum Aggregation Node"\n[1] "s"[3]\n'
    )
    network = make_network(str(file))
    assert [network.describe(node) for node in network.sources.tolist()] == ["a", "b"]
    assert dict(network.read_as)["left out"] == "1 aggregation nodes"


SWITCH = 'Switch 4 "s"\n[1] "a"[1]\n[2] "b"[1]\n'
ENDS = '\nHca 1 "a"\n[1] "s"[1]\n\nHca 1 "b"\n[1] "s"[2]\n'
IBDM_PAIR = "leaf s\n P1 -> x a P1\n P2 -> x b P1\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.net", f'{SWITCH}[2] "c"[1]\n{ENDS}', "line 4 has port 2 of 's' lead to port 1 of"),
        ("x.net", f'{SWITCH}{ENDS}\nHca 1 "c"\n[1] "s"[2]\n', "a port has one cable"),
        (
            "x.net",
            f'{SWITCH}[3] "gone"[1]\n{ENDS}',
            "line 4 leads to 'gone', of which there is no",
        ),
        ("x.net", f"{SWITCH}[x] what\n{ENDS}", "line 4 is '[x] what'"),
        ("x.net", f'{SWITCH}{ENDS}\nSwitch 4 "s"\n', "line 11 is a second node 's'"),
        ("x.net", f'{SWITCH}{ENDS}include "more.net"\n', "which is not followed"),
        ("x.net", 'Switch 2 "s"\n[1] "t"[1]\n\nSwitch 2 "t"\n[1] "s"[1]\n', "lists no host"),
        ("x.net", SWITCH.replace('"a"[1]', '"a"[1] w=8') + ENDS, "no width or speed in"),
        ("x.topo", IBDM_PAIR, "no system is a host; say which types are by"),
        ("x.topo", f"{IBDM_PAIR} P3 -> y a P2\n", "line 4 has system 'a' as a 'y', and it was"),
        ("x.topo", f"{IBDM_PAIR} what is this then\n", "line 4 is 'what is this then'"),
    ],
)
def test_an_error_names_the_line(name: str, text: str, said: str, tmp_path: Path) -> None:
    """And the node, and what was expected."""
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError, match="x") as raised:
        make_network(str(file))
    assert said in str(raised.value)


def test_links_of_unknown_speed_among_others_are_refused(tmp_path: Path) -> None:
    """Unless all are to be taken as alike."""
    text = (INPUTS / "fabric.lst").read_text().replace("SPD=2.5", "SPD=??", 1)
    file = tmp_path / "fabric.lst"
    file.write_text(text)
    # Each end of a cable says its speed; one of them is enough.
    make_network(str(file))
    lines = text.splitlines()
    unknown = [line.replace("SPD=2.5", "SPD=??") if "{e}" in line else line for line in lines]
    file.write_text("\n".join(unknown))
    with pytest.raises(InputError, match=r"unknown width or speed.*rates=alike"):
        make_network(str(file))
    assert make_network(f"{file}:rates=alike").bandwidth.numerators.max() == 1


def test_types_of_systems_say_which_are_hosts(tmp_path: Path) -> None:
    """As the user has them, where they are no adapters by name."""
    file = tmp_path / "x.topo"
    file.write_text(IBDM_PAIR)
    assert len(make_network(f"{file}:hosts=x").sources) == 2
