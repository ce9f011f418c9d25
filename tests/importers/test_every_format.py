"""Every file format: what is registered takes part with its small files."""

from __future__ import annotations

from pathlib import Path

import pytest

from obroute import evaluate, make_network
from obroute.importers import importers

FILES = [(entry.name, text) for entry in importers for text in entry.small]


def test_every_format_takes_part() -> None:
    """One that brings no small file fails here, but for those that are no text."""
    assert {ending for ending, _ in FILES} | {"npz"} == {entry.name for entry in importers}


@pytest.mark.parametrize(("ending", "text"), FILES)
def test_a_small_file_is_a_network_that_its_name_makes_again(
    ending: str, text: str, tmp_path: Path
) -> None:
    """It can be evaluated, and it knows the file that it was read from."""
    file = tmp_path / f"small net.{ending}"
    file.write_text(text, encoding="utf-8")
    network = make_network(str(file))
    assert (network.name, network.family, network.files) == (str(file), str(file), (str(file),))
    again = make_network(network.name)
    assert again.labels == network.labels
    assert again.tail.tolist() == network.tail.tolist()
    assert again.head.tolist() == network.head.tolist()
    assert again.bandwidth.fractions() == network.bandwidth.fractions()
    assert evaluate(network, "ecmp").certified
