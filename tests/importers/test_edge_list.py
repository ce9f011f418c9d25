"""Networks from edge lists: every accepted form, and every refusal."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obroute import InputError, Network, make_network

TRIANGLE = "a,b\nb,c\nc,a\n"


@pytest.fixture
def write(tmp_path: Path):
    """Give a function that writes a file and returns its name."""

    def write(text: str | bytes, name: str = "edges.csv") -> str:
        data = text.encode() if isinstance(text, str) else text
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return write


def channels(network: Network) -> list[tuple[str, str, Fraction]]:
    """Give the channels by the names of their ends."""
    widths = network.bandwidth.fractions()
    return [
        (network.describe(int(tail)), network.describe(int(head)), width)
        for tail, head, width in zip(network.tail, network.head, widths, strict=True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        TRIANGLE,
        "tail,head\n" + TRIANGLE,
        "Tail,Head,Bandwidth\n" + TRIANGLE,
        "# my network\n\n" + TRIANGLE.replace("b,c", "\n  # a comment\nb,c"),
        "a b\nb\tc\n c   a \n",
        "tail head\na b\nb c\nc a",
        "a, b\n b ,c\nc,a",
        '"a","b"\n"b","c"\n"c","a"',
        TRIANGLE.replace("\n", "\r\n"),
        "\ufeff" + TRIANGLE,
        "a,b,1\nb,c,1.0\nc,a,2/2\n",
        "a,b\nb,c,1\nc,a\n",
        "a;b\nb ; c\nc;a",
        "a\tb\nb\tc\nc\ta",
        '"a", "b"\n"b", "c"\n"c", "a"',
        '"a" "b"\nb "c"\nc a',
        "source,target\n" + TRIANGLE,
        "from\tto\na\tb\nb\tc\nc\ta",
        "capacity;Source;Target\n1;a;b\n1;b;c\n1;c;a\n",
    ],
)
def test_every_form_of_an_edge_list_reads_the_same(write, text: str) -> None:
    """With a header or without, by commas or by blanks, with comments and blank lines."""
    network = make_network(write(text))
    assert channels(network) == [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]
    assert network.labels == ("a", "b", "c")


def test_bandwidths_are_read_exactly(write) -> None:
    """A third is a third and a tenth a tenth."""
    network = make_network(write("tail,head,bandwidth\na,b,1/3\nb,a,0.1\n"))
    assert network.bandwidth.fractions() == [Fraction(1, 3), Fraction(1, 10)]


def test_whole_numbers_without_a_gap_are_the_node_numbers(write) -> None:
    """In whatever order they come."""
    network = make_network(write("2,0\n0,1\n1,2\n"))
    assert network.tail.tolist() == [2, 0, 1]
    assert network.head.tolist() == [0, 1, 2]


@pytest.mark.parametrize("text", ["5,7\n7,5\n", "1,2\n2,1\n", "00,1\n1,00\n"])
def test_other_numbers_are_names_in_order_of_appearance(write, text: str) -> None:
    """A gap, or a start at one, makes them labels."""
    network = make_network(write(text))
    assert network.tail.tolist() == [0, 1]
    assert network.labels == tuple(text.split(maxsplit=1)[0].split(","))


def test_parallel_channels_are_kept(write) -> None:
    """Two lines, two channels."""
    assert make_network(write("a,b\na,b,2\nb,a\n")).channel_count == 3


@pytest.mark.parametrize(
    "name", ["net.txt", "net.edgelist", "net.edges", "net.tsv", "net.of.2026"]
)
def test_an_edge_list_is_known_by_its_content(write, name: str) -> None:
    """Whatever it is called; a file that is none is refused by its first line that is none."""
    assert make_network(write("0 1\n1 0\n", name)).node_count == 2
    with pytest.raises(InputError, match="line 1 is '<html>'; expected tail,head,bandwidth"):
        make_network(write("<html>\n", name))


BOTH_WAYS = [
    ("a", "b", 1),
    ("b", "a", 1),
    ("b", "c", 1),
    ("c", "b", 1),
    ("c", "a", 1),
    ("a", "c", 1),
]


@pytest.mark.parametrize(
    ("text", "parameters", "expected"),
    [
        ("a->b\nb->c\nc->a", "", BOTH_WAYS),
        ("a -> b\nb -> c\nc -> a", ":lines=channels", BOTH_WAYS[::2]),
        ("a -- b;\nb -- c;\nc -- a;\n", "", BOTH_WAYS),
        ("a<->b\nb ↔ c\nc--a", "", BOTH_WAYS),
        (TRIANGLE, ":lines=cables", BOTH_WAYS),
        ("a->b\nb->c\nc->a\nb->a", "", [*BOTH_WAYS[::2], ("b", "a", 1)]),
        ("a → b, 2\nb → a, 1/2", "", [("a", "b", 2), ("b", "a", Fraction(1, 2))]),
        ("a->b; 2\nb->a; 2", "", [("a", "b", 2), ("b", "a", 2)]),
        (
            "leaf 1 -> spine 2\nspine 2 -> leaf 1",
            "",
            [("leaf 1", "spine 2", 1), ("spine 2", "leaf 1", 1)],
        ),
        ("a--1 -> b--2\nb--2 -> a--1", "", [("a--1", "b--2", 1), ("b--2", "a--1", 1)]),
        ("a--1,b--2\nb--2,a--1", "", [("a--1", "b--2", 1), ("b--2", "a--1", 1)]),
        ('"a->b",c\nc,"a->b"', "", [("a->b", "c", 1), ("c", "a->b", 1)]),
    ],
)
def test_a_line_is_a_channel_or_a_cable(write, text: str, parameters: str, expected) -> None:
    """By its arrow, unless a parameter says which."""
    name = f"{write(text)}{parameters}"
    network = make_network(name)
    assert channels(network) == expected
    assert network.name == name


def test_ports_are_a_column(write) -> None:
    """Named in the header; a channel without a name has its number."""
    network = make_network(write("tail,head,port\na,b,east\na,b,\nb,a,\n"))
    assert [network.describe_channel(n) for n in range(3)] == ["a → b#east", "a → b#2", "b → a"]


@pytest.mark.parametrize(
    ("terminals", "sources", "injection", "destinations", "ejection"),
    [
        ("a\nc\n", [0, 2], [1, 1], [0, 2], [1, 1]),
        ("node\na\nc\n", [0, 2], [1, 1], [0, 2], [1, 1]),
        ("a,2\nc\n", [0, 2], [2, 1], [0, 2], [2, 1]),
        ("node,bandwidth\nc,1/2\na\n", [2, 0], [Fraction(1, 2), 1], [2, 0], [Fraction(1, 2), 1]),
        ("node,injection,ejection\na,2,0\nb,0,3\n", [0], [2], [1], [3]),
        ("a,2,1\nb,1,1/2\n", [0, 1], [2, 1], [0, 1], [1, Fraction(1, 2)]),
    ],
)
def test_terminals_are_those_listed(
    write, terminals: str, sources, injection, destinations, ejection
) -> None:
    """With one bandwidth, or one each way, zero for none."""
    edges, hosts = write(TRIANGLE), write(terminals, "hosts.csv")
    network = make_network(f"{edges}:terminals={hosts}")
    assert network.sources.tolist() == sources
    assert network.injection.fractions() == injection
    assert network.destinations.tolist() == destinations
    assert network.ejection.fractions() == ejection
    assert network.name == f"{edges}:terminals={hosts}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"edges.csv lists no channel; expected lines tail,head\[,bandwidth\]"),
        ("tail,head\n# nothing\n", "lists no channel"),
        ("a,b\nb\n", "line 2 is 'b'; expected tail,head,bandwidth"),
        ("a,b\nb,c,1,9\n", "line 2 is 'b,c,1,9'"),
        ("a,b\n\n,a\n", "line 3 is ',a'"),
        ("a,b,\nb,a\n", "line 1 is 'a,b,'"),
        (
            "source,target,bandwith\na,b,1\n",
            "line 1: column 'bandwith' is unknown; did you mean 'bandwidth'",
        ),
        (
            "source,target,weight\na,b,1\nb,a,3\n",
            "'weight' may be a bandwidth or a length; say which: .*csv:bandwidth=weight or",
        ),
        ("a,b,100G\nb,a,1\n", "the bandwidth of b → a has no unit .1., and that of others has"),
        ("a b {}\nb a\n", "line 2 is 'b a'; expected two nodes and {…}, as in the lines above"),
        ("a b {'capacity': 1}\nb a {'capacity': f(x)}\n", "line 2: .* is no entry of a dict"),
        ("tail,head,to\na,b,1\n", "line 1 names the head twice"),
        ("source,target\ntarget,source\n", "line 1 is 'source,target', a header or a channel"),
        ("a->b\nb a\n", "line 2 is 'b a'; expected tail -> head or tail -- head"),
        ("a->b\nb->\n", "line 2 is 'b->'; expected tail -> head"),
        ("a->b->c\na->b\n", "line 1 is 'a->b->c'"),
        ("a -> b 10\nb -> a 10\n", "line 1 is 'a -> b 10', with a bandwidth or a node 'b 10'"),
        ("a->b,fast\n", "line 1: 'fast' is not a number"),
        ("a,b,wide\nb,a\n", "line 1: 'wide' is not a number"),
        ("a,b,1/0\nb,a\n", "line 1: '1/0' is not a number"),
        ("a,b,0\nb,a\n", "line 1: bandwidth 0 is not positive"),
        ("a,b,-2\nb,a\n", "line 1: bandwidth -2 is not positive"),
        ("a,b\nb,a\na,a\n", "a channel joins node a to itself"),
        ("a,b\nb,c\n", "if a line is a cable, write .*edges.csv:undirected"),
        ("x,y\ny,x\nz,w\nw,z\n", "no path leads from node x to node z"),
        (b"\xff\xfe\x00", "is not a text file; expected CSV in UTF-8"),
    ],
)
def test_an_edge_list_that_is_none_is_refused(write, text: str | bytes, message: str) -> None:
    """File, line, what is there and what was expected, in one line."""
    with pytest.raises(InputError, match=message) as caught:
        make_network(write(text))
    assert "edges.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("terminals", "message"),
    [
        ("z\n", "hosts.csv: line 1: .*edges.csv has no node 'z'"),
        ("a\nb\na\n", "line 3: node 'a' comes twice; list it once"),
        ("a,fast\n", "line 1: 'fast' is not a number"),
        ("a,1,1,1\n", "line 1 is 'a,1,1,1'; expected node,injection,ejection"),
        ("a,-1\n", "line 1: bandwidth -1 is negative"),
        ("", "no terminal injects or ejects"),
        ("a b\n", "line 1: 'b' is not a number"),
        ("a,1,0\nb,1,0\n", "no terminal injects or ejects"),
    ],
)
def test_terminals_that_are_none_are_refused(write, terminals: str, message: str) -> None:
    """They have to be nodes, each once, with bandwidths."""
    edges, hosts = write(TRIANGLE), write(terminals, "hosts.csv")
    with pytest.raises(InputError, match=message):
        make_network(f"{edges}:terminals={hosts}")


@pytest.mark.parametrize("comma", [",", ", ", " , ", ";  ", "\t "])
def test_blanks_beside_a_quoted_name_are_no_part_of_it(write, comma: str) -> None:
    """Nor are the quotes, whatever stands between."""
    found = make_network(write(f'"a"{comma}"b"\n"b"{comma}"a, or c"\n"a, or c"{comma}"a"\n'))
    assert set(found.labels or ()) == {"a", "b", "a, or c"}


def test_a_file_that_is_not_there_is_named(tmp_path: Path, write) -> None:
    """The edge list or the list of terminals; a folder is no file."""
    with pytest.raises(InputError, match=r"cannot read .*none\.csv: No such file"):
        make_network(str(tmp_path / "none.csv"))
    with pytest.raises(InputError, match=r"cannot read .*hosts\.csv: No such file"):
        make_network(f"{write(TRIANGLE)}:terminals={tmp_path / 'hosts.csv'}")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"cannot read .*it is a folder"):
        make_network(str(tmp_path / "folder.csv"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("net.yaml", r"'net.yaml' is no network file that can be read.*known: .*csv"),
        ("net.csv:hosts=h.csv", "csv has no parameter 'hosts'"),
    ],
)
def test_an_unknown_format_or_parameter_is_refused(spec: str, message: str) -> None:
    """With those that are known."""
    with pytest.raises(InputError, match=message):
        make_network(spec)


def test_a_comment_does_not_decide_what_separates(write) -> None:
    """Columns by blanks, under a comment with a comma."""
    assert make_network(write("# tail, head\n0 1\n1 0\n")).node_count == 2


def test_a_folder_s_name_may_hold_an_equals_sign(tmp_path: Path) -> None:
    """As folders of runs often do."""
    (tmp_path / "k=3").mkdir()
    (tmp_path / "k=3" / "edges.csv").write_text(TRIANGLE, encoding="utf-8")
    assert make_network(str(tmp_path / "k=3" / "edges.csv")).node_count == 3


def test_only_a_plain_list_has_any_number_of_lines(write, monkeypatch) -> None:
    """What is read line by line has two million at the most; the refusal says what is plain."""
    monkeypatch.setenv("OBROUTE_INPUT_MEGABYTES", "1")
    lines = "0 1\n1 0\n" * 10_001
    assert make_network(write(lines)).channel_count == 20_002
    with pytest.raises(
        InputError, match=r"20,002 lines, .* set OBROUTE_INPUT_MEGABYTES .*plainly"
    ):
        make_network(write('"0" 1\n' + lines[4:]))


NAMES = st.sampled_from(["a", "b", "5", "0", "1", "é", "a-b", "source", "to", "x#1"])
CELLS = st.tuples(NAMES, NAMES, st.sampled_from(["1", "5", "1/2", "100G", "x", "0"]))


@given(
    rows=st.lists(CELLS, min_size=1, max_size=6),
    header=st.sampled_from(["", "to,from,rate", "source,target,weight", "tail,head,port"]),
    separator=st.sampled_from(",;\t "),
    width=st.sampled_from([2, 3]),
    above=st.sampled_from(["", "# a comment, with a comma\n", "\n"]),
    end=st.sampled_from(["\n", "\r\n"]),
    words=st.sampled_from(["", ":undirected", ":bandwidth=none"]),
)
def test_a_plain_list_is_read_as_line_by_line(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, str]],
    header: str,
    separator: str,
    width: int,
    above: str,
    end: str,
    words: str,
) -> None:
    """A name in quotes makes a list not plain; the network or the error is the same."""
    file = tmp_path_factory.getbasetemp() / "list.csv"
    lines = [tuple(header.split(",")) if header else (), *rows]
    cells = [line[:width] for line in lines if line]
    found = []
    for quote in ("", '"'):
        first, *others = (separator.join(line) for line in cells)
        name, mark, rest = first.partition(separator)
        text = above + end.join([quote + name + quote + mark + rest, *others, ""])
        file.write_text(text, encoding="utf-8", newline="")
        try:
            network = make_network(f"{file}{words}")
        except InputError as error:
            found.append(str(error).replace(f'"{name}"', name).partition("; expected")[0])
        else:
            found.append((channels(network), network.labels, network.ports, network.read_as))
    assert found[0] == found[1]


def test_a_header_that_may_be_a_channel_is_shown_as_it_stands(write) -> None:
    """With its separator and its line."""
    with pytest.raises(InputError, match="line 2 is 'from;to', a header or a channel"):
        make_network(write("# x\nfrom;to\nto;from\n"))
