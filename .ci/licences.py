"""Write the page of licences: what the packages of requirements.lock say of themselves."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/licences.md"
LONGEST = 40
ELSEWHERE = "only on other systems"
HEAD = """# Licences of dependencies

What each package of `requirements.lock` says of its licence, in its own metadata: a package of a
user's installation, of a group (`obroute[all]` and others), or of the tools that obroute is
developed with. Obroute's own licence is Apache-2.0. `make licences` writes this page, and a test
holds it to the lock. The site of the documentation holds `iframe-worker` of npm (MIT).

| Package | Version | Licence |
|---|---|---|
"""


def locked() -> dict[str, str]:
    """Return the versions of the lock by package."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE))


def licence(package: str, version: str) -> str:
    """Return the licence that an installed package states."""
    try:
        said = metadata.metadata(package)
    except metadata.PackageNotFoundError:
        return ELSEWHERE
    if said["Version"] != version:
        sys.exit(f"{package} {said['Version']} is installed, {version} is locked; `make setup`")
    named = said.get("License-Expression") or said.get("License") or ""
    if named and named != "UNKNOWN" and len(named) <= LONGEST and "\n" not in named:
        return named
    classified = [
        one.rpartition(" :: ")[2]
        for one in said.get_all("Classifier") or []
        if one.startswith("License ::")
    ]
    if classified:
        return ", ".join(classified)
    return "see its LICENSE file" if said.get_all("License-File") or named else "not stated"


def page() -> str:
    """Return the page."""
    rows = (
        f"| {name} | {version} | {licence(name, version)} |" for name, version in locked().items()
    )
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
