"""Run the notebooks of the gallery, and store what they print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

GALLERY = Path(__file__).parents[1] / "docs/gallery"
METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}


def run(path: Path) -> Any:
    """Return a notebook with the output that it has now, and no trace of when and where."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        coalesce_streams=True,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook.metadata = METADATA
    for cell in notebook.cells:
        cell.metadata = {}
    return notebook


if __name__ == "__main__":
    for path in sorted(GALLERY.glob("*.ipynb")):
        nbformat.write(run(path), path)
