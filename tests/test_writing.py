"""Files are written whole, through links, and into what is no file."""

from __future__ import annotations

import os
import select
import threading
from pathlib import Path

import pytest

import obroute
from obroute import InputError
from obroute.kinds.stores import dataset_of, read_store, write_store
from obroute.writing import write_whole

NO_ROOM = OSError(28, "No space left on device")


def write_file(place: Path) -> None:
    """Write one file."""
    write_whole(place, b"new")


def write_some_store(place: Path) -> None:
    """Write one store."""
    write_store(dataset_of("evaluation", obroute.evaluate("ring:3", "dor")), place)


writers = pytest.mark.parametrize("write", [write_file, write_some_store])


@writers
@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("links", [1, 2])
def test_a_link_is_written_through(tmp_path: Path, write, exists: bool, links: int) -> None:
    """As by `open`: the links stay, and what they lead to is made or replaced."""
    away, here = tmp_path / "away", tmp_path / "here"
    away.mkdir()
    here.mkdir()
    if exists:
        write(away / "target")
    place = away / "target"
    for number in range(links):
        link = here / f"link{number}"
        link.symlink_to(os.path.relpath(place, here))
        place = link
    write(place)
    assert all(link.is_symlink() for link in here.iterdir())
    assert [path.name for path in away.iterdir()] == ["target"]
    if write is write_file:
        assert (away / "target").read_bytes() == b"new"
    else:
        assert read_store(away / "target").attrs["network"] == "ring:3"


@writers
def test_links_in_a_circle_are_one_line(tmp_path: Path, write) -> None:
    """They lead nowhere, and stay."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match=r"cannot write .*a"):
        write(tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("place", ["/", ".", ".."])
def test_a_folder_is_not_replaced_by_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Whatever way it is named."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot write"):
        write_whole(Path(place), b"new")
    assert list(tmp_path.iterdir()) == []


@writers
def test_without_room_the_old_one_stays_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write
) -> None:
    """Wherever the room ends."""
    write(tmp_path / "target")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    content = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for fits in range(3 if write is write_some_store else 1):
        left = [fits]
        opened = Path.open

        def full(path: Path, mode: str = "r", *rest, left=left, opened=opened, **options):
            if "b" in mode and mode[0] in "wx":
                if left[0] == 0:
                    raise NO_ROOM
                left[0] -= 1
            return opened(path, mode, *rest, **options)

        with monkeypatch.context() as change:
            change.setattr(Path, "open", full)
            with pytest.raises(InputError, match="No space left on device"):
                write(tmp_path / "target")
        assert sorted(path.name for path in tmp_path.rglob("*")) == before
    assert {path: path.read_bytes() for path in content} == content


def test_a_temporary_name_that_is_taken_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever puts a link there gains nothing."""
    (tmp_path / "scratch").symlink_to("elsewhere")
    monkeypatch.setattr("obroute.writing.name_beside", lambda path: tmp_path / "scratch")
    with pytest.raises(InputError, match="File exists"):
        write_whole(tmp_path / "table.csv", b"new")
    assert not (tmp_path / "elsewhere").exists()


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    """A file is not put in its place."""
    for name in ("/dev/null", "/dev/full"):
        assert Path(name).is_char_device()
    (tmp_path / "link").symlink_to("/dev/null")
    write_whole(tmp_path / "link", b"new")
    write_whole(Path("/dev/null"), b"new")
    with pytest.raises(InputError, match=r"cannot write /dev/full \(No space left"):
        write_whole(Path("/dev/full"), b"new")
    for name in ("/dev/null", "/dev/full"):
        assert Path(name).is_char_device()


def test_a_pipe_is_written_to_if_somebody_reads_it(tmp_path: Path) -> None:
    """And is an error, not a wait for ever, if nobody does."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="cannot write"):
        write_whole(pipe, b"new")
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    content = bytes(200_000)  # more than a pipe holds
    writer = threading.Thread(target=write_whole, args=(pipe, content))
    writer.start()
    select.select([reading], [], [], 10)
    os.set_blocking(reading, True)
    with os.fdopen(reading, "rb") as file:
        assert file.read() == content
    writer.join(timeout=10)
