"""Inputs that once hung, ended in a traceback, filled the memory or gave a wrong answer.

Each with what must come of it. Found by hand and by the tests beside; one that these find again is
written here, where it stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.support.hostile import DEEP, ENDLESS, LONG, Content, Pipe, Sparse

PAIR = "a,b\nb,a\n"
RING = "a,b\nb,c\nc,a\n"
GOOD = (0,)
REFUSED = (2,)
EITHER = (0, 2)
"""A right answer or a refusal: what stands in `says` tells a right one."""


@dataclass(frozen=True)
class Known:
    """A command, the files it finds, and what must come of it.

    Parameters
    ----------
    what
        What it is, in a few words.
    words
        After ``obroute``.
    status
        Which are right.
    files
        By name, in the folder where the command runs.
    says
        What JSON must say at status 0, by key.
    """

    what: str
    words: tuple[str, ...]
    status: tuple[int, ...] = REFUSED
    files: Mapping[str, Content] = field(default_factory=dict)
    says: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.what.replace(" ", "-")


def evaluated(network: str, *words: str) -> tuple[str, ...]:
    """Return the words that evaluate shortest paths."""
    return ("evaluate", network, "ecmp", "--json", *words)


def known() -> Iterator[Known]:
    """Give every case."""
    yield from numbers()
    yield from sizes()
    yield from files()
    yield from names()
    yield from configurations()
    yield from terminals()


def numbers() -> Iterator[Known]:
    """Numbers too large, too small or too long, wherever a number is read."""
    for text in ("1e999999999", "1e-999999999", "-1e999999999", LONG, f"1/{LONG}"):
        short = text[:14]
        yield Known(f"bandwidth {short}", evaluated(f"torus:3,bandwidth={text}"))
        yield Known(
            f"bandwidth {short} in a file",
            evaluated("net.csv"),
            files={"net.csv": f"tail,head,bandwidth\na,b,{text}\nb,a,1\n"},
        )
        yield Known(f"weight {short}", ("evaluate", "torus:3x3", f"{text}*dor+1/2*ival", "--json"))
        for ending, table in (
            ("csv", "source,destination,probability,path\na,b,{},a b\nb,a,1,b a\n"),
            ("json", '[{{"source":"a","destination":"b","probability":"{}","path":["a","b"]}}]'),
        ):
            yield Known(
                f"probability {short} in {ending}",
                ("evaluate", "net.csv", f"table.{ending}", "--json"),
                files={"net.csv": PAIR, f"table.{ending}": table.format(text)},
            )
        yield Known(
            f"amount {short}",
            evaluated("net.csv", "--pattern", "demands.csv"),
            files={"net.csv": PAIR, "demands.csv": f"source,destination,amount\na,b,{text}\n"},
        )
        yield Known(
            f"injection {short}",
            evaluated("net.csv:terminals=hosts.csv"),
            files={"net.csv": PAIR, "hosts.csv": f"a,{text}\nb,1\n"},
        )
        yield Known(f"load {short}", ("design", "ring:3", "--load", text, "--json"))
        yield Known(f"length {short}", ("design", "ring:3", "--locality", text, "--json"))
    for text in ("1e400", "1e-400"):
        yield Known(
            f"bandwidth {text}",
            evaluated(f"ring:3,bandwidth={text}"),
            EITHER,
            says={
                "worst_case_load_exact": f"1/1{'0' * 400}" if text == "1e400" else "1" + "0" * 400
            },
        )
    yield Known("a seed of 5000 digits", evaluated("ring:3", "--seed", LONG))
    yield Known("a radix of 5000 digits", ("prove", "romm", "--radix", LONG))
    yield Known("a rate that is no number", ("simulate", "ring:3", "dor", "--rate", "nan"))


def sizes() -> Iterator[Known]:
    """Networks that no machine holds are refused before they are built."""
    for name in (
        "hypercube:1000000",
        "hypercube:1100",
        "hypercube:26",
        "hypercube:64",
        "torus:" + "x".join(["3"] * 700),
        "torus:" + "x".join(["2"] * 40),
        "torus:100000x100000",
        "mesh:9999999999x9999999999",
        "ring:1000000000",
        "complete:1000000",
        "butterfly:40",
        "butterfly:1000000",
        "benes:40",
        "benes:1100",
    ):
        yield Known(f"the network {name[:24]}", evaluated(name))
    yield Known("a design of a vast torus", ("design", "torus:100000x100000"))
    yield Known("packets on a vast hypercube", ("simulate", "hypercube:1000000", "dor"))


def files() -> Iterator[Known]:
    """Files that are none, never end, or hold what a reader stumbles on."""
    for what, content in (
        ("a pipe", Pipe()),
        ("zeros without end", ENDLESS),
        ("a folder", None),
        ("a file of four terabytes", Sparse(2**42)),
        ("deep JSON", "[" * DEEP),
        ("deep objects", '{"a":' * DEEP),
        ("no UTF-8", b"\xff\xfe\xff"),
        ("NUL", "\0"),
    ):
        yield Known(f"{what} as a network", evaluated("net.csv"), files={"net.csv": content})
        yield Known(
            f"{what} as terminals",
            evaluated("net.csv:terminals=hosts.csv"),
            files={"net.csv": PAIR, "hosts.csv": content},
        )
        for ending in ("csv", "json"):
            yield Known(
                f"{what} as a {ending} table",
                ("evaluate", "net.csv", f"table:table.{ending}"),
                files={"net.csv": PAIR, f"table.{ending}": content},
            )
            yield Known(
                f"{what} as {ending} traffic",
                evaluated("net.csv", "--pattern", f"demands.{ending}"),
                files={"net.csv": PAIR, f"demands.{ending}": content},
            )
        yield Known(f"{what} as a study", ("check", "study.yaml"), files={"study.yaml": content})
        yield Known(f"{what} as a store", ("verify", "x.zarr"), files={"x.zarr": content})
        yield Known(
            f"{what} as metadata", ("verify", "x.zarr"), files={"x.zarr/zarr.json": content}
        )
        yield Known(
            f"{what} as a design",
            ("evaluate", "net.csv", "designed:x.zarr"),
            files={"net.csv": PAIR, "x.zarr/zarr.json": content},
        )
    wide = "a" * 200_000
    yield Known(
        "a cell of 200000 characters",
        evaluated("net.csv"),
        EITHER,
        {"net.csv": f"{wide},b\nb,{wide}\n"},
    )
    yield Known(
        "a number of 5000 digits in JSON",
        evaluated("net.csv", "--pattern", "demands.json"),
        files={"net.csv": PAIR, "demands.json": f"[[0, {LONG}], [1, 0]]"},
    )


def names() -> Iterator[Known]:
    """Names of nodes and of files that mean something to what they pass through."""
    yield Known(
        "a blank after the comma before quotes",
        evaluated("net.csv:terminals=hosts.csv"),
        GOOD,
        {
            "net.csv": 'tail,head,bandwidth\n"a", "b", 2\n"b", "a", 2\n',
            "hosts.csv": '"a"\n"b"\n',
        },
        {"worst_case_load_exact": "1/2"},
    )
    for name in ("{x}.csv", "<x>.csv", "-x.csv", "$\\frac{$.csv", "a b.csv", "a,b.csv", "é.csv"):
        yield Known(
            f"a file {name}",
            ("evaluate", "--json", "--", name, "ecmp"),
            GOOD,
            {name: RING},
            {"worst_case_load_exact": "2"},
        )
    for mark in ("\n", "\r", "\x1b[31m", "\x9b", "\x07", "\u202e"):
        yield Known(
            f"a network file that is not there, called {mark!a}",
            ("evaluate", f"x{mark}.csv", "ecmp"),
        )
        yield Known(
            f"a node called {mark!a}",
            ("evaluate", "net.csv:terminals=hosts.csv", "ecmp"),
            files={"net.csv": PAIR, "hosts.csv": f"a\nx{mark}y\n"},
        )
        yield Known(f"a routing called {mark!a}", ("evaluate", "ring:3", f"do{mark}r"))
        yield Known(
            f"a node shown, called {mark!a}",
            ("evaluate", "net.csv", "ecmp"),
            EITHER,
            {"net.csv": f"x{mark}y -> b\nb -> x{mark}y\n"},
        )
    yield Known("a word that is no Unicode", ("evaluate", "x\udcff.csv", "ecmp"))
    yield Known("a folder that is too long a name", ("verify", "x" * 5000))


def configurations() -> Iterator[Known]:
    """Studies that YAML, or the reading of their values, stumbles on."""
    base = "networks: [torus:3x3]\nroutings: [dor]\n"
    bombs = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{now}: &{now} [{','.join([f'*{before}'] * 9)}]\n"
        for before, now in zip("abcdefgh", "bcdefghi", strict=True)
    )
    for what, text in (
        ("an invalid date", base + "study: 2024-99-99\n"),
        ("a NUL", base + "study: a\0b\n"),
        ("a lone surrogate", base + 'study: "\\ud800"\n'),
        ("an escaped NUL", base + 'results: "a\\0b"\n'),
        ("deep nesting", base + "also: " + "[" * 20_000 + "\n"),
        ("deep mappings", base + "also: " + "{a: " * 20_000 + "\n"),
        ("nested aliases", bombs + "networks: *i\nroutings: [dor]\n"),
        ("aliases as a name", bombs + base + "study: *i\n"),
        ("an alias of itself", base + "also: &x [*x]\n"),
        (
            "ten million radices",
            "networks: ['torus:{k}x{k}']\nradices: 3-10000000\nroutings: [dor]\n",
        ),
        ("radices without end", "networks: ['torus:{k}x{k}']\nradices: 3-1e9\nroutings: [dor]\n"),
        (
            "a radix of 5000 digits",
            f"networks: ['torus:{{k}}x{{k}}']\nradices: {LONG}\nroutings: [dor]\n",
        ),
        ("a key twice", base + "routings: [ival]\n"),
        ("a key twice, deeper", base + "report: {title: a, title: b}\n"),
        ("a tag", base + "study: !!python/object/apply:os.system [id]\n"),
        ("a binary", base + "study: !!binary '%%%'\n"),
        ("a merge of a text", base + "<<: x\n"),
        ("a seed of 5000 digits", base + f"seed: {LONG}\n"),
        ("a key that is a list", base + "? [a]\n: b\n"),
        ("a key that is a number", base + "1: b\n"),
        ("two documents", base + "---\n" + base),
        ("infinity", base + "seed: .inf\n"),
        ("a time", base + "seed: 190:20:30:99:1e5\n"),
    ):
        yield Known(f"a study with {what}", ("check", "study.yaml"), files={"study.yaml": text})


def terminals() -> Iterator[Known]:
    """One terminal, and tables whose probabilities cancel."""
    alone = {"net.csv": PAIR, "hosts.csv": "a\n"}
    network = "net.csv:terminals=hosts.csv"
    load = {"worst_case_load_exact": "0"}
    yield Known("one terminal evaluated", evaluated(network), EITHER, alone, load)
    yield Known(
        "one terminal with averages",
        evaluated(network, "--average-case", "2", "--random-permutations", "2"),
        EITHER,
        alone,
        load,
    )
    yield Known(
        "a sample of traffic that loads nothing",
        ("evaluate", "ring:2", "dor", "--average-case", "20", "--json"),
        GOOD,
    )
    yield Known("one terminal designed", ("design", network, "--json"), EITHER, alone)
    yield Known(
        "one terminal designed for the average",
        ("design", network, "--objective", "average_case", "--samples", "2"),
        EITHER,
        alone,
    )
    yield Known("one terminal, its curve", ("pareto", network), EITHER, alone)
    yield Known("one terminal, packets", ("simulate", network, "ecmp"), EITHER, alone)
    yield Known("one terminal, deadlock", ("deadlock", network, "ecmp"), EITHER, alone)
    for ending, table in (
        (
            "csv",
            "source,destination,probability,path\na,b,2,a b\na,b,-1,a b\nb,a,1,b a\n",
        ),
        (
            "json",
            '[{"source":"a","destination":"b","probability":2,"path":["a","b"]},'
            '{"source":"a","destination":"b","probability":-1,"path":["a","b"]},'
            '{"source":"b","destination":"a","probability":1,"path":["b","a"]}]',
        ),
    ):
        yield Known(
            f"probabilities that cancel in {ending}",
            ("evaluate", "net.csv", f"table.{ending}"),
            files={"net.csv": PAIR, f"table.{ending}": table},
        )
    yield Known(
        "flows that cancel",
        ("evaluate", "net.csv", "table.csv"),
        files={
            "net.csv": PAIR,
            "table.csv": "source,destination,tail,head,flow\na,b,a,b,2\na,b,a,b,-1\nb,a,b,a,1\n",
        },
    )
