"""A stored trade-off curve checked: made anew, with the stored lines held against it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import xarray as xr

from obroute.certificates import CertificateError
from obroute.design import TradeOff, TradeOffPoint
from obroute.experiments.trade_off.store import contents, run_trade_off
from obroute.kinds.answers import Rederived
from obroute.network import Network
from obroute.routing import Routing

if TYPE_CHECKING:
    from obroute.experiments.trade_off import TradeOffSettings

ROUNDING = Fraction(1, 10**6)
"""Relative room for the points of a curve that is not proved to be complete, beside its gap."""


def rederive(
    cell: xr.Dataset, network: Network, routing: Routing | None, settings: TradeOffSettings
) -> Rederived:
    """Return what a curve must hold: breakpoints found anew; lines as stored, which bound it.

    Of a complete curve the breakpoints are what they are, and only the line at one may be another.
    Another machine may have put the points of an incomplete curve elsewhere: they must lie where
    the points and lines of the new one leave room.

    Raises
    ------
    CertificateError
        Names the first breakpoint or line that is wrong.
    """
    stored = _stored_points(cell)
    again = run_trade_off(network, settings)
    room = Fraction(0)
    if not again.complete:
        gap = float(cell["gap"].item())
        if not 0 <= gap < 1:
            raise CertificateError(f"gap is recorded as {gap}, which is no share of a length")
        room = ROUNDING + Fraction(gap) + Fraction(again.gap)
    _check_lines(stored, again.vertices, room)
    if [_place(point) for point in stored] == [_place(point) for point in again.vertices]:
        return Rederived(contents(replace(again, vertices=stored), settings), len(stored))
    if not again.complete and not cell["complete"].item():
        _check_places(stored, again, room)
        again = replace(again, vertices=stored, gap=gap)
    return Rederived(contents(again, settings), len(stored))


def _place(point: TradeOffPoint) -> tuple[Fraction, Fraction, bool]:
    return point.load, point.path_length, point.proved


def _stored_points(cell: xr.Dataset) -> list[TradeOffPoint]:
    names = ("routing_load", "mean_path_length", "slope", "line")
    columns = [cell[f"{name}_exact"].values.tolist() for name in names]
    points = []
    for place, texts in enumerate(zip(*columns, strict=True)):
        try:
            load, length, slope, line = map(Fraction, texts)
        except (ValueError, ZeroDivisionError):
            raise CertificateError(f"breakpoint {place}: {', '.join(texts)}: no numbers") from None
        proved = bool(cell["proved"].values[place])
        if line > length or (proved and line != length):
            raise CertificateError(f"line[{place}]: not where the breakpoint has it")
        points.append(TradeOffPoint(load, length, slope, proved, None if line == length else line))
    return points


def _check_lines(stored: list[TradeOffPoint], curve: list[TradeOffPoint], room: Fraction) -> None:
    """Check that no stored line is above a point of the curve, and that all of them fall."""
    for place, point in enumerate(stored):
        if point.slope > 0:
            raise CertificateError(f"slope[{place}]: the curve does not rise")
        for other in curve:
            if point.bound(other.load) > other.path_length * (1 + room):
                raise CertificateError(f"line[{place}]: the curve is below it")


def _check_places(stored: list[TradeOffPoint], again: TradeOff, room: Fraction) -> None:
    """Check that stored points lie between the lines and the points of another curve."""
    first, last = again.vertices[0], again.vertices[-1]
    for place, point in enumerate(stored):
        load = max(point.load, first.load)
        lower = max(line.bound(load) for line in again.vertices)
        upper = again.length_at(load)
        if point.load < first.load * (1 - room) or not (
            lower * (1 - room) <= point.path_length <= upper * (1 + room)
        ):
            raise CertificateError(
                f"breakpoint {place}: the curve found anew is elsewhere at a load of "
                f"{float(point.load):.6g}"
            )
        if point.proved and _place(point) not in map(_place, again.vertices):
            raise CertificateError(f"proved[{place}]: the curve found anew has no such point")
    ends = (stored[0].load, first.load), (stored[-1].load, last.load)
    if any(abs(found - value) > value * room for found, value in ends):
        raise CertificateError("routing_load: the curve found anew has other ends")
