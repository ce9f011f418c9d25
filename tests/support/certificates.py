"""Certificates of an authority of our own, by the program openssl."""

from __future__ import annotations

import subprocess
from pathlib import Path

from obroute.execution.places import TlsFiles


def openssl(folder: Path, *words: str) -> None:
    """Run it in a folder."""
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def authority(folder: Path) -> TlsFiles:
    """Make an authority, and a certificate of it."""
    folder.mkdir(exist_ok=True)
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(
        *(folder, "req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem"),
        *("-days", "2", "-subj", "/CN=authority"),
    )
    openssl(folder, "req", *new, "-keyout", "me.key", "-out", "me.csr", "-subj", "/CN=me")
    openssl(
        *(folder, "x509", "-req", "-in", "me.csr", "-CA", "ca.pem", "-CAkey", "ca.key"),
        *("-CAcreateserial", "-days", "2", "-out", "me.pem"),
    )
    return TlsFiles(folder / "ca.pem", folder / "me.pem", folder / "me.key")
