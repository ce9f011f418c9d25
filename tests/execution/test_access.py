"""Who can reach a cluster: nobody unasked."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from tests.support.certificates import authority, openssl

from obroute import InputError
from obroute.execution import open_runner
from obroute.execution.cluster import HERE, Access, keep_cluster, local_cluster
from obroute.execution.places import Place, TlsFiles, place_at, place_in

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    """The files of those who may connect."""
    return authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    """Files of another authority."""
    return authority(tmp_path_factory.mktemp("strangers"))


def query(files: TlsFiles) -> str:
    """Write files as an address names them."""
    return f"?ca={files.ca}&cert={files.cert}&key={files.key}"


# ------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "words", ["?", "?ca=a", "?ca=a&cert=b", "?ca=a&cert=b&key=", "?ca=a&cert=b&key=c&d=e", "?x"]
)
def test_an_address_names_all_files_or_none(words: str) -> None:
    """And nothing else."""
    if words == "?":
        assert place_at(f"tls://h:1{words}") == Place("tls://h:1")
        return
    with pytest.raises(InputError, match=r"tls://h:1 names .*expected the files ca, cert and key"):
        place_at(f"tls://h:1{words}")


def test_files_and_addresses_go_together(tls: TlsFiles) -> None:
    """TLS needs files, what is not encrypted takes none."""
    with pytest.raises(InputError, match="takes no TLS files"):
        place_at(f"tcp://127.0.0.1:1{query(tls)}").security()
    with (
        pytest.raises(InputError, match="needs TLS files"),
        open_runner("tls://127.0.0.1:1"),
    ):
        pass


@pytest.mark.parametrize("name", ["ca", "cert", "key"])
@pytest.mark.parametrize("content", [None, "", "nonsense"])
def test_files_that_cannot_be_used_are_named(
    tls: TlsFiles, tmp_path: Path, name: str, content: str | None
) -> None:
    """Missing, empty, of another kind."""
    broken = tmp_path / "broken.pem"
    if content is not None:
        broken.write_text(content)
    files = TlsFiles(**{**vars(tls), name: broken})
    with pytest.raises(InputError, match=r"broken\.pem"):
        files.security()


def test_the_key_of_another_certificate_and_an_encrypted_one_are_refused(
    tls: TlsFiles, strangers: TlsFiles, tmp_path: Path
) -> None:
    """Nobody is asked for a password."""
    with pytest.raises(InputError, match="cannot be used"):
        TlsFiles(tls.ca, tls.cert, strangers.key).security()
    locked = tmp_path / "locked.key"
    words = ("ec", "-in", str(tls.key), "-aes256", "-passout", "pass:x", "-out", locked.name)
    openssl(tmp_path, *words)
    with pytest.raises(InputError, match="unencrypted"):
        TlsFiles(tls.ca, tls.cert, locked).security()


@pytest.mark.parametrize("text", ['{"address": "tls://h:1", "tls": 3}', "[" * 100_000])
def test_a_scheduler_file_with_nonsense_is_refused(tmp_path: Path, text: str) -> None:
    """In one line."""
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(InputError, match=r"scheduler file .*s\.json"):
        place_in(tmp_path / "s.json")


@pytest.mark.parametrize("address", ["", "8787", ":8787", "here", "here:", "here:99999", "h:-1"])
def test_a_dashboard_has_a_host_and_a_port(tmp_path: Path, address: str) -> None:
    """Every interface is said in full: 0.0.0.0:8787."""
    with pytest.raises(InputError, match="is no address; expected one such as"):
        keep_cluster(tmp_path / "s.json", 1, access=Access(dashboard=address))


def test_a_folder_that_may_not_be_written_to_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line that names the file."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=r"cannot write scheduler file .*s\.json"):
        keep_cluster(tmp_path / "s.json", 1)


# ------------------------------------------------------------------------------- real clusters


def listening() -> set[tuple[str, int]]:
    """Return where this process and those that it started listen."""
    import psutil

    this = psutil.Process()
    return {
        (found.laddr.ip, found.laddr.port)
        for process in (this, *this.children(recursive=True))
        for found in process.net_connections(kind="inet")
        if found.status == psutil.CONN_LISTEN
    }


def has_page(port: int) -> bool:
    """Say whether a port serves one of the pages of Dask."""
    for page in ("status", "info/main/workers.html", "metrics", "json/identity.json", "health"):
        try:
            with urlopen(f"http://127.0.0.1:{port}/{page}", timeout=5):
                return True
        except OSError:
            continue
    return False


@pytest.mark.cluster
def test_a_local_cluster_listens_to_this_machine_and_shows_nothing() -> None:
    """Neither the scheduler nor a worker."""
    before = listening()
    with local_cluster(2) as cluster:
        opened = listening() - before
        assert cluster.scheduler_address.startswith(f"tcp://{HERE}:")
    assert len(opened) >= 4
    assert {host for host, _ in opened} == {HERE}
    assert not [port for _, port in opened if has_page(port)]


@pytest.mark.cluster
def test_a_dashboard_is_where_it_is_asked_for() -> None:
    """And on this machine only, if asked so."""
    with socket.create_server((HERE, 0)) as free:
        port = free.getsockname()[1]
    before = listening()
    with local_cluster(1, access=Access(dashboard=f"{HERE}:{port}")):
        opened = listening() - before
        assert has_page(port)
    assert {host for host, _ in opened} == {HERE}


@pytest.fixture(scope="module")
def encrypted(
    tls: TlsFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """A cluster with TLS: its address, and its scheduler file."""
    file = tmp_path_factory.mktemp("cluster") / "scheduler.json"
    with kept(file, tls) as address:
        yield address, file


@contextmanager
def kept(file: Path, files: TlsFiles) -> Iterator[str]:
    """Keep a cluster by the command line; give its address."""
    program = Path(sys.executable).parent / "obroute"
    options = [f"--tls-{name}={path}" for name, path in vars(files).items()]
    words = ["cluster", "local", "--workers", "1", "--scheduler-file", file, *options]
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[3].rstrip(";")
        finally:
            process.terminate()
            process.communicate(timeout=60)


def summed(scheduler: str) -> list[Any]:
    """Run three tasks."""
    with open_runner(scheduler) as run:
        return list(run(pow, (2,), [1, 2, 3], "powers", [1, 1, 1]))


@pytest.mark.cluster
def test_tasks_run_by_the_address_and_by_the_file(
    encrypted: tuple[str, Path], tls: TlsFiles
) -> None:
    """The file of the scheduler names the files; no certificate is in it."""
    address, file = encrypted
    assert address.startswith(f"tls://{HERE}:")
    assert summed(address + query(tls)) == summed(str(file)) == [2, 4, 8]
    assert json.loads(file.read_text())["tls"] == {n: str(f) for n, f in vars(tls).items()}


@pytest.mark.cluster
@pytest.mark.parametrize(
    "place",
    [
        lambda address, others: address + query(others),
        lambda address, others: address.replace("tls://", "tcp://"),
    ],
)
def test_who_has_no_certificate_of_the_authority_is_turned_away(
    encrypted: tuple[str, Path],
    strangers: TlsFiles,
    place: Callable[[str, TlsFiles], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one line, soon."""
    monkeypatch.setattr("obroute.execution.places.CONNECT_SECONDS", 3)
    with pytest.raises(InputError, match="no Dask scheduler answers at") as caught:
        summed(place(encrypted[0], strangers))
    assert "\n" not in str(caught.value)
