"""Files as people have them: told by their content, with units, headers and data of networkx."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.rule import run

from obroute import InputError, Network, make_network
from obroute.importers import importers
from obroute.importers.description import described
from obroute.importers.registry import ImporterRegistry
from obroute.network import DisconnectedError
from obroute.reading import Head, parse_rate


def read(folder: Path, text: str, name: str = "net.csv", more: str = "") -> Network:
    """Write a file and read it."""
    (folder / name).write_text(text, encoding="utf-8")
    return make_network(f"{folder / name}{more}")


def channels(network: Network) -> list[tuple[str, str, Fraction]]:
    """Give the channels by the names of their ends."""
    ends = zip(network.tail.tolist(), network.head.tolist(), strict=True)
    names = [(network.node_name(tail), network.node_name(head)) for tail, head in ends]
    return [(*n, w) for n, w in zip(names, network.bandwidth.fractions(), strict=True)]


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("a,b\nb,c\n", ":undirected"),
        ("a,b\nb,c\n", ":lines=cables"),
        ("source target\na b\nb c\n", ":undirected"),
        ("a b {}\nb c {}\n", ":undirected"),
        ("from;to;delay\na;b;3\nb;c;4\n", ":undirected"),
        ("source,target,weight\na,b,2\nb,c,5\n", ":undirected,bandwidth=none"),
        ("source,target,weight\na,b,1\nb,c,1.0\n", ":undirected"),
        ("a b {'weight': 7, 'name': 'x'}\nb c {'weight': 2}\n", ":undirected,bandwidth=none"),
    ],
)
def test_a_list_of_cables_is_read_as_one(tmp_path: Path, text: str, more: str) -> None:
    """However it is written."""
    found = channels(read(tmp_path, text, more=more))
    assert found == [("a", "b", 1), ("b", "a", 1), ("b", "c", 1), ("c", "b", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "tail,head,bandwidth\na,b,100G\nb,a,25G\n",
        "to\tfrom\tspeed\nb\ta\t4xEDR\na\tb\tEDR 1x\n".replace("EDR 1x", "1xEDR"),
        "a b {'capacity': '100 Gbps'}\nb a {'capacity': '25000Mbps'}\n",
        "a -> b, 100Gb/s\nb -> a, 25G\n",
        "a,b,0.1T\nb,a,25e9bps\n",
    ],
)
def test_speeds_are_taken_over_the_slowest(tmp_path: Path, text: str) -> None:
    """And what that is stands in what is said of the file."""
    network = read(tmp_path, text)
    assert sorted(channels(network)) == [("a", "b", 4), ("b", "a", 1)]
    assert ("a packet per cycle", "25 Gb/s") in described(network)


@pytest.mark.parametrize(
    ("text", "gigabits"),
    [
        ("100G", 100),
        ("2.5e9 bps", Fraction(5, 2)),
        ("1 Tb/s", 1000),
        ("12xHDR", 600),
        ("HDR", 200),
        ("4x 14.0625 Gbps", Fraction(225, 4)),
        ("1GB/s", 8),
        ("9600 kbit/s", Fraction(96, 10000)),
    ],
)
def test_speeds_are_exact(text: str, gigabits: Fraction) -> None:
    """In gigabits per second."""
    assert parse_rate(text).amount == gigabits
    assert parse_rate(text).has_unit


@pytest.mark.parametrize("text", ["0G", "-1G", "0xEDR", "fast", "G", "1/0G", "", "4x", "10 G b"])
def test_what_is_no_speed_is_refused(text: str) -> None:
    """In one line."""
    with pytest.raises(InputError):
        parse_rate(text)


def test_columns_that_mean_nothing_are_named(tmp_path: Path) -> None:
    """So that nobody takes them for understood."""
    network = read(tmp_path, "source,target,weight,capacity\na,b,9,2\nb,a,9,1\n")
    assert ("left out", "column 'weight'") in described(network)
    assert network.bandwidth.fractions() == [2, 1]


def test_a_one_way_list_says_what_to_do(tmp_path: Path) -> None:
    """The remedy is a name that works."""
    with pytest.raises(DisconnectedError, match=r"write (\S+:undirected)") as caught:
        read(tmp_path, "0 1\n1 2\n")
    assert make_network(str(caught.value).rpartition("write ")[2]).channel_count == 4


@pytest.fixture
def formats(monkeypatch: pytest.MonkeyPatch) -> ImporterRegistry:
    """Formats that know a file by its first word, two of them the same word."""
    from obroute.importers import importers

    found = ImporterRegistry("obroute.importers")
    monkeypatch.setattr("obroute.importers.registry.importers", found)
    plain = importers.find("csv")
    for name in ("one", "two"):

        def recognise(head: Head) -> bool:
            return head.text.startswith("# mine")

        found.register(name, name, recognise=recognise, endings=(f"{name}s",))(
            plain.make.__wrapped__
        )
    found._entries["csv"], found._names["csv"] = plain, "csv"
    return found


@pytest.mark.usefixtures("formats")
def test_content_comes_first_and_the_ending_breaks_ties(tmp_path: Path) -> None:
    """Or else the user does, and the name of the network says so again."""
    text = "# mine\na,b\nb,a\n"
    with pytest.raises(InputError, match=r"may be one or two; say which: .*net.csv:format=one"):
        read(tmp_path, text)
    read(tmp_path, text, "net.twos")
    chosen = read(tmp_path, text, more=":format=two,lines=cables")
    assert chosen.name.endswith("net.csv:format=two,lines=cables")
    assert make_network(chosen.name).channel_count == 4
    assert read(tmp_path, "a,b\nb,a\n", "net.ones").channel_count == 2


def test_a_long_file_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is read."""
    monkeypatch.setattr("obroute.cli.output.LONG_TO_READ", 0)
    (tmp_path / "net.csv").write_text("a,b\nb,a\n", encoding="utf-8")
    printed = run(tmp_path, "convert", "net.csv").printed
    assert printed.splitlines()[0] == "reading net.csv: 0 MB"


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.anynet", "router 0 node 0 router 1\nrouter 1 node 1 router\n", "booksim"),
        ("a.caminos", "0 1\n1\n", "caminos"),
        ("a.lst", "{ SW Ports:02\n", "opensm_subnet"),
    ],
)
def test_what_is_wrong_of_a_format_is_asked_of_it(
    tmp_path: Path, name: str, text: str, form: str
) -> None:
    """A file that is not known by its content is an edge list; its ending says what it may be."""
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=f"read as an edge list, .*{name}:format={form} says"):
        make_network(str(tmp_path / name))
    with pytest.raises(InputError, match=r"line [12] is") as told:
        make_network(f"{tmp_path / name}:format={form}")
    assert "edge list" not in str(told.value)


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_an_edge_of_a_node_that_is_not_listed_is_refused(tmp_path: Path, ending: str) -> None:
    """Libraries make the node up: a slip of the pen would be a host."""
    (small,) = importers.find(ending).small
    text = small.replace('target="1"', 'target="7"').replace("<edge ", "\n<edge ", 1)
    (tmp_path / f"a.{ending}").write_text(text)
    with pytest.raises(InputError, match="line 2: there is no node '7' for this edge"):
        make_network(str(tmp_path / f"a.{ending}"))
