"""Files are read where they are regular, of a size that may be read, and text."""

import ast
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import obroute
from obroute.convergence import from_csv
from obroute.dependencies import file_digests
from obroute.execution.places import place_in
from obroute.reading import (
    SIZE_VARIABLE,
    check_regular,
    read_blocks,
    read_bytes,
    read_end,
    read_text,
)
from obroute.reading.files import MEGABYTE
from obroute.specs import InputError
from obroute.status import failure_in
from obroute.study import read_study
from obroute.workflow import run_sweep

ROOT = Path(obroute.__file__).parent


def make_pipe(place: Path) -> str:
    """Nobody writes to it."""
    os.mkfifo(place)
    return "a named pipe"


def make_socket(place: Path) -> str:
    """Nobody listens."""
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(place))
    return "a socket"


def make_device(place: Path) -> str:
    """It never ends."""
    place.symlink_to("/dev/zero")
    return "a device"


def make_folder(place: Path) -> str:
    """An empty one."""
    place.mkdir()
    return "a folder"


def make_sparse(place: Path) -> str:
    """Of 100 GB, which take no room."""
    with place.open("wb") as file:
        file.truncate(10**11)
    return f"more than .* MB.*set {SIZE_VARIABLE}"


NO_FILES = [make_pipe, make_socket, make_device, make_folder, make_sparse]

READERS = {
    "edges.csv": obroute.make_network,
    "hosts.csv": lambda name: obroute.make_network(f"edges_of_hosts.csv:terminals={name}"),
    "table.csv": obroute.make_routing,
    "table.json": obroute.make_routing,
    "p.csv": lambda name: obroute.make_pattern(f"permutation:{name}"),
    "p.json": lambda name: obroute.make_pattern(f"permutation:{name}"),
    "m.csv": lambda name: obroute.make_pattern(f"matrix:{name}"),
    "config.yaml": lambda name: read_study(Path(name)),
    "sweep.yaml": lambda name: run_sweep(Path(name) if Path(name).exists() else Path()),
    "curve.csv": lambda name: from_csv(Path(name)),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a network for what needs one."""
    monkeypatch.chdir(tmp_path)
    Path("edges_of_hosts.csv").write_text("a,b\nb,a\n")
    return tmp_path


@pytest.mark.parametrize("make", NO_FILES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_to_be_read_is_refused_at_once(name: str, make, folder: Path) -> None:
    """Whatever reads it: in one line that says what it is."""
    if name == "sweep.yaml" and make is make_folder:
        pytest.skip("a folder is what a sweep takes")
    what = make(folder / name)
    with pytest.raises(InputError, match=what) as caught:
        READERS[name](name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", NO_FILES[:3] + NO_FILES[4:], ids=lambda make: make.__name__)
def test_what_is_no_file_has_no_digest_no_log_and_no_address(make, folder: Path) -> None:
    """So that a study's status neither waits nor fills memory."""
    make(folder / "x")
    assert file_digests(["x"]) == {"x": ""}
    assert failure_in(Path("x")) == ""
    with pytest.raises(InputError, match="names no address"):
        place_in(Path("x"))


def test_a_store_with_a_pipe_in_it_is_refused(folder: Path) -> None:
    """A chunk that is no file, or too large a one; a link to a folder may hide either."""
    obroute.write_store(obroute.to_dataset(obroute.evaluate("ring:3", "dor")), "ring.zarr")
    for make in (make_pipe, make_device, make_sparse):
        place = Path("ring.zarr/one more")
        what = make(place)
        with pytest.raises(InputError, match=what):
            obroute.read_store("ring.zarr")
        place.unlink()
    (Path("ring.zarr") / "link").symlink_to(folder, target_is_directory=True)
    with pytest.raises(InputError, match="a folder"):
        check_regular(Path("ring.zarr"))


def test_a_link_to_a_file_is_the_file(folder: Path) -> None:
    """Also one to another link."""
    Path("first.csv").symlink_to("edges_of_hosts.csv")
    Path("second.csv").symlink_to("first.csv")
    assert obroute.make_network("second.csv").labels == ("a", "b")


def test_the_environment_says_how_large_a_file_may_be(folder: Path, monkeypatch) -> None:
    """In megabytes, for files and configurations; what is no number is refused."""
    Path("x.csv").write_bytes(b"#" * (2 * MEGABYTE))
    assert len(read_bytes(Path("x.csv"))) == 2 * MEGABYTE
    with pytest.raises(InputError, match="more than 1 MB"):
        read_bytes(Path("x.csv"), usual=1)
    monkeypatch.setenv(SIZE_VARIABLE, "2")
    assert len(read_bytes(Path("x.csv"), usual=1)) == 2 * MEGABYTE
    monkeypatch.setenv(SIZE_VARIABLE, "1")
    with pytest.raises(InputError, match="more than 1 MB"):
        read_text(Path("x.csv"), "CSV")
    Path("x.csv").write_bytes(b"1\n" * 30_000)
    with pytest.raises(InputError, match="30,000 lines, and at most 20,000 are read"):
        read_text(Path("x.csv"), "CSV")
    for wrong in ("all", "-1", "0", "1.5", "9" * 5000, "²"):
        monkeypatch.setenv(SIZE_VARIABLE, wrong)
        with pytest.raises(InputError, match="a whole number of megabytes"):
            read_bytes(Path("x.csv"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n".encode("utf-16"), "it is in UTF-16"),
        ("a,b\n".encode("utf-32"), "it is in UTF-32"),
        ("a,b\n".encode("utf-16-le"), "line 1 holds a NUL byte"),
        (b"a,b\nb,\0\n", "line 2 holds a NUL byte"),
        ("a,b\nb,ä\n".encode("latin-1"), "line 2 is not"),
        ("a,b\nb,\ud800\n".encode("utf-8", "surrogatepass"), "line 2 is not"),
    ],
)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_text_is_refused_by_its_line(name, content, message, folder: Path) -> None:
    """With what was expected in its place."""
    Path(name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name} is not a text file; expected .* {message}"):
        READERS[name](name)


def test_a_byte_order_mark_is_no_part_of_a_name(folder: Path) -> None:
    """As spreadsheets write it."""
    Path("x.csv").write_bytes(b"\xef\xbb\xbfa,b\nb,a\n")
    assert obroute.make_network("x.csv").labels == ("a", "b")


@pytest.mark.parametrize("name", ["a\0.csv", "a\ud800.csv", "a" * 5000 + ".csv"])
def test_a_name_that_no_file_has_is_refused(name: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=r"cannot read|no network") as caught:
        obroute.make_network(name)
    assert "\n" not in str(caught.value)


def test_the_end_of_a_log_is_read(tmp_path: Path) -> None:
    """However long it is, and whatever is in it."""
    log = tmp_path / "log"
    log.write_bytes(b"\xff" * 3_000_000 + b"\nerror: it failed\n")
    assert failure_in(log) == "it failed"
    assert len(read_end(log)) == 10**6


# What opens files itself, and why it may.
EXCEPTIONS = {
    "dependencies.py": "source of obroute and of plugins, which is run anyway",
    "machine.py": "the kernel's own files",
    "opensm/simulator.py": "what OpenSM, run by obroute, has written",
    "papers/published.py": "a file of obroute",
    "proofs/check_proof.py": "stands alone, with the standard library only",
    "proofs/document.py": "a file of obroute",
    "results/provenance.py": "what pip has written of obroute",
    "registry/__init__.py": "source of obroute and of plugins, which is run anyway",
    "report/page.py": "templates of obroute",
    "workflow.py": "copies of obroute's own files",
    "writing.py": "opens what it writes",
    "cli/streams.py": "the null device",
}
READING = {"read_text", "read_bytes", "safe_load", "safe_load_all", "full_load"}
FUNCTIONS = {"open", "fdopen", "loadtxt", "genfromtxt", "read_csv", "DictReader"}


def test_nothing_else_opens_files() -> None:
    """Files that a user names are opened by `obroute.reading` alone."""
    found: dict[str, list[str]] = {}
    for file in ROOT.rglob("*.py"):
        name = file.relative_to(ROOT).as_posix()
        if name.startswith(("reading/", "workflow_files/")):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            call = node.func
            if isinstance(call, ast.Attribute):
                own = isinstance(call.value, ast.Name) and call.value.id == "self"
                opens = call.attr in READING | FUNCTIONS and not own
            else:
                opens = isinstance(call, ast.Name) and call.id in FUNCTIONS
            if opens:
                found.setdefault(name, []).append(ast.unparse(call))
    assert {name: calls for name, calls in found.items() if name not in EXCEPTIONS} == {}
    assert set(EXCEPTIONS) <= set(found), "an exception that is needed no more"


def test_json_of_files_is_read_by_one_reader() -> None:
    """`json.loads` reads only what stores hold, whose digest has been compared."""
    allowed = ("reading/", "experiments/", "results/", "status.py", "verification.py", "views/")
    allowed += ("trends/", "proofs/check_proof.py")
    for file in ROOT.rglob("*.py"):
        name = file.relative_to(ROOT).as_posix()
        calls = (
            node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)
        )
        called = {ast.unparse(call.func) for call in calls}
        assert name.startswith(allowed) or not {"json.load", "json.loads"} & called, name


def test_a_file_that_says_it_is_empty_is_read_to_its_end(folder: Path) -> None:
    """As the kernel's own do."""
    assert b"MemTotal" in read_bytes(Path("/proc/meminfo"))


@given(
    pieces=st.lists(
        st.sampled_from(["a", "\n", "\r", "\r\n", "é", "漢", "\ufeff"]).map(str.encode), max_size=9
    ),
    wrong=st.sampled_from([b"", b"\0", b"\xff", b"\xc3", b"\xff\xfe"]),
    place=st.integers(0, 9),
    size=st.integers(1, 5),
)
@settings(max_examples=40)
def test_blocks_are_the_text(
    tmp_path_factory: pytest.TempPathFactory,
    pieces: list[bytes],
    wrong: bytes,
    place: int,
    size: int,
) -> None:
    """However small the pieces in which a file is read; or they are refused as it is."""
    file = tmp_path_factory.getbasetemp() / "blocks.csv"
    file.write_bytes(b"".join((*pieces[:place], wrong, *pieces[place:])))
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("obroute.reading.files._PIECE", size)
        for read in (read_text, lambda *of: "".join(read_blocks(*of))):
            try:
                found.append(read(file, "CSV"))
            except InputError as error:
                found.append(str(error))
    assert found[0] == found[1]
