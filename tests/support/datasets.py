"""Answers as datasets, with settings as plain values."""

from __future__ import annotations

from obroute.experiments.design.store import Designed
from obroute.functions.arguments import asked
from obroute.kinds.registry import kinds
from obroute.kinds.stores import dataset_of, gathered

_STABILITY = kinds()["stability"].settings.model_fields


def _dataset(kind, answer, settings, seconds):
    one = kinds()[kind]
    behind = asked.get(id(answer)) or one.settings_behind(answer)
    record = behind.given_by(behind.record()) | dict(settings or {})
    return dataset_of(kind, answer, one.settings.read(record), seconds)


def cell_dataset(evaluation, settings=None, seconds=0.0, pair_load_limit=None):
    """Return an evaluation as the dataset of its store."""
    settings = dict(settings or {})
    if pair_load_limit is not None:
        settings["pair_load_limit"] = pair_load_limit
    return _dataset("evaluation", evaluation, settings, seconds)


def design_dataset(design, settings=None, seconds=None, judged=None):
    """Return a design as the dataset of its store."""
    seconds = design.seconds if seconds is None else seconds
    return _dataset("design", Designed(design, judged), settings, seconds)


def trade_off_dataset(curve, settings=None, seconds=0.0):
    """Return a trade-off curve as the dataset of its store."""
    return _dataset("trade_off", curve, settings, seconds)


def simulation_dataset(runs, settings=None, seconds=0.0):
    """Return runs of permutations as the dataset of their store."""
    return _dataset("simulation", runs, settings or {}, seconds)


def stability_dataset(runs, settings=None, seconds=0.0):
    """Return stable rates as the dataset of their store."""
    known = {key: value for key, value in runs.settings.items() if key in _STABILITY}
    return _dataset("stability", runs, known | {"rates": runs.rates} | (settings or {}), seconds)


def gathered_dataset(cells, study=""):
    """Gather datasets of one kind, whatever it is."""
    kind = next(iter(cells.values())).attrs["kind"] if cells else "evaluation"
    return gathered(kind, cells, study)
