"""What stores hold, in words for a page."""

from __future__ import annotations

from obroute.kinds.registry import kinds, specs_of


def described_stores() -> str:
    """Return what every array of every store is as Markdown, as ``results/README.md`` holds it."""
    lines = [
        "# What the stores hold",
        "",
        "Made by `make schema` from the kinds of experiments in `src/obroute/experiments/`.",
        "",
        "Every store is a zarr (format 3) folder with consolidated metadata that "
        "`xarray.open_zarr` opens; `obroute verify` proves it again. An exact value is text "
        "(`32/5`) in an array that ends in `_exact`, beside the nearest float. Attributes hold "
        "the provenance: versions, digests of the source files, settings, seconds, and a digest "
        "of the data.",
    ]
    for kind in kinds().values():
        for name, title in (
            (kind.name, f"{kind.title} (`{kind.section}/NETWORK/ROUTING.zarr`)"),
            (kind.gathered, f"All of these gathered (`{kind.section}.zarr`)"),
        ):
            lines += ["", f"## {title}", "", "| array | dims | kind | units | meaning |"]
            lines.append("|---|---|---|---|---|")
            for array, spec in specs_of(name).items():
                dims = ", ".join(spec.dims) or "-"
                meaning = spec.meaning + (" (where it applies)" if spec.optional else "")
                units = spec.units or "-"
                lines.append(f"| `{array}` | {dims} | {spec.kind} | {units} | {meaning} |")
    return "\n".join(lines) + "\n"
