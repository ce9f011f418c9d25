"""What people see of an object at a prompt and in a notebook, and take out of it there.

An object says what it is in a line (``repr``), in a table (``_repr_html_``) and in words
(:meth:`Presented.summary`). An answer is a dataset (:meth:`Answer.to_dataset`) and a figure
(:meth:`Answer.plot`), too; what has pairs and channels gives them as tables of pandas. How is
said in :mod:`obroute.notebook`, which is looked for when it is asked: no result depends on it, and
nothing waits for its imports.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure


def _notebook() -> Any:
    return importlib.import_module("obroute.notebook")


class Presented:
    """An object that says what it is; see the module."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]  # dataclasses keep their own

    def __repr__(self) -> str:
        line: str = _notebook().line(self)
        return line

    def _repr_html_(self) -> str:
        html: str = _notebook().html(self)
        return html

    def summary(self) -> str:
        """Return what it is in words, as a command prints it.

        Examples
        --------
        >>> import obroute
        >>> print(obroute.make_network("ring:5").summary())
        ring:5
          nodes      5
          channels   10, of bandwidth 1
          terminals  every node
        """
        text: str = _notebook().summary(self)
        return text


class Answer(Presented):
    """What an experiment found."""

    def to_dataset(self) -> xr.Dataset:
        """Return it as a dataset, as its store holds it (:func:`obroute.to_dataset`).

        Raises
        ------
        InputError
            If it cannot be stored: an estimate, for one.
        """
        dataset: xr.Dataset = _notebook().to_dataset(self)
        return dataset

    def plot(self) -> Figure:
        """Return the figure that shows it best; :func:`obroute.plots.save` writes it to a file.

        Raises
        ------
        InputError
            If there is nothing to draw, or matplotlib is missing.
        """
        figure: Figure = _notebook().plot(self)
        return figure


class WorstCaseAnswer(Answer):
    """What was found of a worst case: with the pairs that make it, and the channels."""

    def worst_pairs(self) -> pd.DataFrame:
        """Return the pairs of the worst case that load the critical channel, the heaviest first.

        Columns ``source`` and ``destination`` are nodes, ``amount`` is what the pair sends
        (packets per cycle), ``load`` what it adds to the load of the channel (packets per cycle
        over bandwidth): the fractions of ``load_exact`` add up to the worst-case load.

        Examples
        --------
        >>> import obroute
        >>> found = obroute.evaluate("torus:9x9", "romm")
        >>> pairs = found.worst_pairs()
        >>> len(pairs), sum(pairs.load_exact) == found.worst_case_load
        (28, True)
        """
        table: pd.DataFrame = _notebook().worst_pairs(self)
        return table

    def channel_loads(self) -> pd.DataFrame:
        """Return every channel with its worst case and its load under each traffic.

        A row a channel, by its number. Loads are packets per cycle over bandwidth, as floats, and
        as fractions in the columns that end in ``_exact``. ``class`` is the channel that stands
        for it, ``how`` says whether its worst case was solved, follows by symmetry or is a bound.
        (Not named ``channels``: that list of an evaluation holds the channels solved, with their
        proofs.)

        Examples
        --------
        >>> import obroute
        >>> loads = obroute.evaluate("ring:5", "dor", "tornado").channel_loads()
        >>> loads.worst_case_load_exact.max(), loads.tornado_load.idxmax()
        (Fraction(2, 1), 0)
        """
        table: pd.DataFrame = _notebook().channel_loads(self)
        return table

    def plot_loads(self) -> Figure:
        """Return a map of the load of every channel under each traffic.

        Raises
        ------
        InputError
            If the evaluation cannot be drawn, or matplotlib is missing.
        """
        figure: Figure = _notebook().plot_loads(self)
        return figure

    def plot_worst_permutation(self) -> Figure:
        """Return the picture of the worst case: who loads the critical channel, and how much.

        Raises
        ------
        InputError
            If the worst case is no permutation, or the network has no plane to draw it in.
        """
        figure: Figure = _notebook().plot_worst_permutation(self)
        return figure
