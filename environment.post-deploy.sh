#!/usr/bin/env bash
# Snakemake runs a copy of this, in the folder of the sweep, in an environment that it has just made
# of environment.yml. The one thing that is still missing there is obroute itself: that of the
# checkout whose workflow it is, as it stands and changes, else the release of this number.
#
# Snakemake makes the environment anew when this text changes, so with each version.
set -eu
version=0.1.0
checkout=${OBROUTE_CHECKOUT:-$PWD}

if grep --quiet --no-messages '^name = "obroute"$' "$checkout/pyproject.toml"; then
    pip install --no-deps --editable "$checkout"
else
    pip install --no-deps "obroute==$version"
fi
