"""Read what pip-audit found, as JSON from standard input: fail on findings, and on nothing else.

pip-audit calls a package free of advisories that the index does not answer for. This says what
was not asked.
"""

from __future__ import annotations

import json
import sys

FEW = 10
UNASKED = "no advisory service answers here; run `make audit` where PyPI itself can be reached"


def judged(report: str) -> tuple[list[str], int]:
    """Return what to print, and the exit status."""
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return [f"not audited: {UNASKED}"], 0
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    found = [
        f"{one['name']} {one['version']}: {advisory['id']}"
        + (
            f", mended in {', '.join(advisory['fix_versions'])}"
            if advisory["fix_versions"]
            else ""
        )
        for one in packages
        for advisory in one.get("vulns", [])
    ]
    lines = [*found, f"{len(packages) - len(skipped)} packages audited, {len(found)} advisories"]
    if packages and len(skipped) == len(packages):
        lines = [f"not audited, all {len(packages)} packages: {UNASKED}"]
    elif skipped:
        more = ", …" if len(skipped) > FEW else ""
        lines.append(f"not audited: {len(skipped)} packages ({', '.join(skipped[:FEW])}{more})")
    return lines, 1 if found else 0


if __name__ == "__main__":
    lines, status = judged(sys.stdin.read())
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(status)
