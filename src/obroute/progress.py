"""What is said of work that lasts: how long it took."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(3.52), duration(213), duration(7260)
    ('3.5 s', '3 min 33 s', '2 h 1 min')
    """
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
