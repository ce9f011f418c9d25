"""Networks from adjacency matrices of scipy: an ``.npz`` of a sparse matrix, and Matrix Market.

An entry in row t and column h is a channel from t to h of that bandwidth. A Matrix Market file
that calls itself symmetric lists each cable once.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Annotated, Any

import numpy as np

from obroute.cabling import Cabling
from obroute.importers.graph_files import BandwidthOf, TerminalFile, network_of
from obroute.importers.registry import importers
from obroute.machine import MEGABYTE
from obroute.network import Network
from obroute.reading import SIZE_VARIABLE, Head, largest, read_bytes, read_text
from obroute.reading.rates import Rate
from obroute.specs import InputError, Parameter, parse_positive_fraction

_MATRIX_MARKET = "%%MatrixMarket"


def _is_npz(head: Head) -> bool:
    return head.content.startswith(b"PK\x03\x04") and b".npy" in head.content


def _is_matrix_market(head: Head) -> bool:
    return head.text.startswith(_MATRIX_MARKET)


@importers.register(
    "npz",
    "adjacency matrix of scipy.sparse.save_npz",
    recognise=_is_npz,
)
def npz(
    file: Annotated[FilePath, Parameter("the .npz file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
) -> Network:
    """Read a network from a sparse matrix that scipy saved; nothing in it is unpickled."""
    content = read_bytes(file)

    def read() -> Any:
        from scipy.sparse import load_npz

        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > largest():
            raise InputError(
                f"{file} holds {size // MEGABYTE:,} MB, and at most {largest() // MEGABYTE:,} are "
                f"read of one file; set {SIZE_VARIABLE} to read more"
            )
        return load_npz(io.BytesIO(content)).tocoo()

    return _network(file, "a sparse matrix of scipy", read, bandwidth, terminals)


@importers.register(
    "mtx",
    "adjacency matrix in the Matrix Market format",
    recognise=_is_matrix_market,
    aliases=("mm",),
    small=(
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.5\n2 1 2\n",
    ),
)
def matrix_market(
    file: Annotated[FilePath, Parameter("the Matrix Market file", FilePath)],
    terminals: TerminalFile = None,
    bandwidth: BandwidthOf = "auto",
) -> Network:
    """Read a network from a Matrix Market file; see the module."""
    text = read_text(file, "Matrix Market")

    def read() -> Any:
        from scipy.io import mmread
        from scipy.sparse import coo_array

        _check_sizes(file, text)
        return coo_array(mmread(io.StringIO(text)))

    return _network(file, "a Matrix Market file", read, bandwidth, terminals)


def _check_sizes(file: FilePath, text: str) -> None:
    """Refuse a size that the file cannot fill, for scipy makes room for it first."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("%")]
    sizes = lines[0].split() if lines else []
    dense = "array" in text.partition("\n")[0].lower()
    if not all(size.isascii() and size.isdigit() for size in sizes) or len(sizes) != 3 - dense:
        raise InputError(f"{file}: line {_MATRIX_MARKET} … is followed by no sizes of a matrix")
    entries = int(sizes[0]) * int(sizes[1]) if dense else int(sizes[2])
    if entries > len(lines) + 1 or max(map(int, sizes)) > 10**9:
        raise InputError(
            f"{file} says that it has {entries:,} entries, and has {len(lines) - 1:,}"
        )


def _network(
    file: FilePath,
    form: str,
    read: Callable[[], Any],
    bandwidth: str,
    terminals: FilePath | None,
) -> Network:
    try:
        matrix = read()
    except (InputError, MemoryError):
        raise
    except Exception as error:  # of any kind, for it is a parser's
        why = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{file} is no {form.partition(' ')[2]}: {why[:200]}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{file} is a matrix of {matrix.shape}; expected a square one")
    if matrix.shape[0] > max(2 * matrix.nnz, 1):
        raise InputError(
            f"{file} has {matrix.shape[0]:,} nodes and {matrix.nnz:,} channels; leave out nodes "
            "without a channel"
        )
    cabling = Cabling(file, form)
    for node in range(matrix.shape[0]):
        cabling.node(str(node))
    for tail, head, value in zip(
        matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True
    ):
        if value:
            cabling.channel(tail, head, _rate(file, tail, head, value, bandwidth))
    return network_of(cabling, terminals)


def _rate(file: FilePath, tail: int, head: int, value: Any, bandwidth: str) -> Rate:
    if bandwidth == "none" or isinstance(value, (bool, np.bool_)):
        return Rate(parse_positive_fraction("1"), has_unit=False)
    try:
        amount = parse_positive_fraction(repr(value) if isinstance(value, float) else str(value))
    except InputError as error:
        raise InputError(f"{file}: entry ({tail}, {head}): {error}") from None
    return Rate(amount, has_unit=False)
