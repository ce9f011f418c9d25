"""What a plain ``pip install obroute`` leaves out, and the words that say so.

A package that stands on such a library asks for it in its first line, so that whoever comes to it
without reads which group brings it, whether on the command line or in Python.
"""

from __future__ import annotations

from importlib.util import find_spec

from obroute.specs import InputError

GROUP_OF = {
    "matplotlib": "plots",
    "jinja2": "plots",
    "snakemake": "sweep",
    "distributed": "cluster",
    "dask_jobqueue": "cluster",
}
"""The libraries, named as they are imported, and the group in pyproject.toml that has each."""


class MissingExtraError(InputError, ImportError):
    """A library that obroute can do without is needed now, and is not installed."""


def needs(*libraries: str) -> None:
    """Say which group to install unless all of these libraries are there; import none of them.

    Raises
    ------
    MissingExtraError
        For the first library that is not installed.

    Examples
    --------
    >>> needs("matplotlib")
    """
    for library in libraries:
        if find_spec(library) is None:
            raise MissingExtraError(f"this needs {library}; install obroute[{GROUP_OF[library]}]")
