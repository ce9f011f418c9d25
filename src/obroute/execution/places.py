"""Where a Dask scheduler is, and the files by which both ends of a connection prove themselves."""

from __future__ import annotations

import socket
import ssl
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from obroute.reading import read_json, read_text
from obroute.specs import InputError

CONNECT_SECONDS = 20
TLS_EXAMPLE = "tls://host:port?ca=ca.pem&cert=me.pem&key=me.key"


@dataclass(frozen=True)
class TlsFiles:
    """Files in PEM format: the authority that both ends trust, our certificate, and its key.

    Whoever has a certificate of the authority may connect, and run code; names of hosts are not
    compared.
    """

    ca: Path
    cert: Path
    key: Path

    def security(self) -> Any:
        """Return what Dask takes, for a scheduler, a worker and a client alike.

        Raises
        ------
        InputError
            If a file cannot be read, or the key is not that of the certificate.
        """
        from distributed import Security

        for name, file in asdict(self).items():
            if not file.is_file():
                raise InputError(f"TLS {name} file {file} does not exist, or is no file")
        try:
            context = ssl.create_default_context(cafile=self.ca)
            context.load_cert_chain(self.cert, self.key, password=_no_password)
        except (OSError, ValueError) as error:
            raise InputError(
                f"TLS files {self.ca}, {self.cert} and {self.key} cannot be used ({error}); "
                "expected PEM files, and the unencrypted key of the certificate"
            ) from None
        ends = ("scheduler", "worker", "client")
        return Security(
            require_encryption=True,
            tls_ca_file=str(self.ca.absolute()),
            **{f"tls_{end}_cert": str(self.cert.absolute()) for end in ends},
            **{f"tls_{end}_key": str(self.key.absolute()) for end in ends},
        )

    def to_json(self) -> dict[str, str]:
        """Return the files by their names in a scheduler file."""
        return {name: str(file.absolute()) for name, file in asdict(self).items()}


def _no_password() -> str:
    raise ValueError("the key is encrypted")


@dataclass(frozen=True)
class Place:
    """An address, and the files for it; without files, Dask's own configuration has them."""

    address: str
    tls: TlsFiles | None = None

    def security(self) -> Any:
        """Return what Dask takes, or None where nothing is encrypted.

        Raises
        ------
        InputError
            If the address wants files and there are none, or the other way round.
        """
        if not self.address.startswith("tls://"):
            if self.tls is not None:
                raise InputError(f"{self.address} takes no TLS files; expected {TLS_EXAMPLE}")
            return None
        if self.tls is not None:
            return self.tls.security()
        from distributed import Security

        configured: Any = Security()
        if configured.tls_ca_file is None or configured.tls_client_cert is None:
            raise InputError(
                f"{self.address} needs TLS files, and Dask's configuration (distributed.comm.tls) "
                f"names none; expected {TLS_EXAMPLE}"
            )
        return configured

    def check_answers(self) -> None:
        """Raise OSError unless a Dask scheduler greets us; a client would wait for ever."""
        from distributed.comm.addressing import get_address_host_port

        security = self.security()
        if not self.address.startswith(("tcp://", "tls://")):
            return
        place = get_address_host_port(self.address)
        with socket.create_connection(place, timeout=CONNECT_SECONDS) as plain:
            if security is None:
                _expect_greeting(plain)
                return
            context = security.get_connection_args("client")["ssl_context"]
            with context.wrap_socket(plain) as encrypted:
                _expect_greeting(encrypted)


def _expect_greeting(connection: socket.socket) -> None:
    if not connection.recv(1):
        raise ConnectionError("another program has that port")


def place_at(address: str) -> Place:
    """Read an address, with the files that it names.

    Raises
    ------
    InputError
        If it names other things than the three files.

    Examples
    --------
    >>> place_at("tcp://127.0.0.1:8786")
    Place(address='tcp://127.0.0.1:8786', tls=None)
    >>> place_at("tls://node1:8786?ca=ca.pem&cert=me.pem&key=me.key").tls.key.name
    'me.key'
    """
    address, _, query = address.partition("?")
    if not query:
        return Place(address)
    return Place(address, tls_files(dict(parse_qsl(query, keep_blank_values=True)), address))


def tls_files(named: dict[str, Any], where: str) -> TlsFiles:
    """Return three files by their names: ``ca``, ``cert``, ``key``.

    Raises
    ------
    InputError
        If one of them is missing, or something else is named.
    """
    if set(named) != {"ca", "cert", "key"} or not all(
        isinstance(file, str) and file and "\0" not in file for file in named.values()
    ):
        raise InputError(f"{where} names {', '.join(named)}; expected the files ca, cert and key")
    return TlsFiles(**{name: Path(file) for name, file in named.items()})


def place_in(file: Path) -> Place:
    """Read a scheduler file, which a dying scheduler may have left unfinished.

    Raises
    ------
    InputError
        If it names no address, or TLS files that are none.
    """
    try:
        said = read_json(file, read_text(file, "JSON"))
        address = str(said["address"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"scheduler file {file} names no address; start `dask scheduler --scheduler-file "
            f"{file}` anew"
        ) from None
    tls = said.get("tls")
    if tls is None:
        return Place(address)
    if not isinstance(tls, dict):
        raise InputError(f"scheduler file {file}: expected the TLS files ca, cert and key")
    return Place(address, tls_files(tls, f"scheduler file {file}"))
