"""MkDocs hook: the notebooks of the gallery as pages, with the output that is stored in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from nbconvert import MarkdownExporter

HINT = '*This page is a notebook: <a href="{name}">{name}</a> runs in Jupyter.*\n\n'
LINK = re.compile(r"(\]\([^)\s]+)\.ipynb\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each notebook, and the pictures in it; the notebook itself can be taken."""
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        assert notebook.abs_src_path is not None
        place, name = Path(notebook.src_uri), Path(notebook.src_uri).name
        names = {"unique_key": place.stem, "output_files_dir": place.stem}
        text, resources = MarkdownExporter().from_filename(notebook.abs_src_path, dict(names))
        title, _, rest = text.lstrip().partition("\n\n")
        page = f"{title}\n\n{HINT.format(name=name)}{rest}"
        files.append(File.generated(config, place.with_suffix(".md").as_posix(), content=page))
        for picture, data in resources["outputs"].items():
            uri = (place.parent / picture).as_posix()
            files.append(File.generated(config, uri, content=data))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lead to the page of a notebook where a page names the notebook, as source hosts need it."""
    return LINK.sub(r"\1.md)", markdown)
