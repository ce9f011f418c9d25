"""Makes the dumps in ``examples/infiniband`` anew: ``python -m tests.support.opensm_examples``."""

from __future__ import annotations

from pathlib import Path

from obroute import make_network
from obroute.opensm import dumps

EXAMPLES = {
    "leafspine": ("leafspine:leaves=4,hosts=4,spines=2", ("minhop", "ftree", "dfsssp")),
    "ring": ("ring:5", ("minhop", "nue")),
}
"""What ``examples/infiniband`` holds: a network, and the engines that route it."""
WITH_LANES = {"ring": ("lash", "dfsssp")}
"""Engines of which the lanes and the path records are there too."""


def main() -> None:
    """Make the dumps of the examples anew."""
    folder = Path(__file__).parents[2] / "examples" / "infiniband"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (network, engines) in EXAMPLES.items():
        made = dumps(make_network(network), engines)
        (folder / f"{name}.ibnetdiscover").write_text(made["ibnetdiscover"])
        for engine in engines:
            (folder / f"{name}-{engine}.lfts").write_text(made[f"{engine}.lfts"])
    for name, engines in WITH_LANES.items():
        made = dumps(make_network(EXAMPLES[name][0]), engines, lanes=True)
        for engine in engines:
            for ending in ("lfts", "sl2vl", "records"):
                (folder / f"{name}-{engine}.{ending}").write_text(made[f"{engine}.{ending}"])
    network, (engine, *_) = EXAMPLES["leafspine"]
    two_lids = dumps(make_network(network), (engine,), "-l", "1")
    (folder / f"leafspine-{engine}-lmc1.lfts").write_text(two_lids[f"{engine}.lfts"])


if __name__ == "__main__":
    main()
