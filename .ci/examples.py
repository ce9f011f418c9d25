"""Write the files that pages show into `examples/`, a folder a page, so that they can be taken."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SHOWN = re.compile(
    r"^```\w* title=\"(?P<title>[^\"]+)\"\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def shown() -> dict[Path, str]:
    """Return what each file of `examples/` that a page shows has in it.

    A file that lies in `examples/` itself stays there, and is the same on all pages that show it.
    Parts of obroute, which pages add to `src/`, are no examples.
    """
    found = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in SHOWN.finditer(page.read_text(encoding="utf-8")):
            if not block["title"].startswith("src/"):
                name = Path(block["title"]).name
                alone = EXAMPLES / name
                place = alone if alone.exists() else EXAMPLES / page.stem / name
                found[place] = block["text"]
    return found


if __name__ == "__main__":
    for place, text in shown().items():
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
