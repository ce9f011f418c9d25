"""Where tasks run."""

SCHEDULER = "threads"
"""Threads of this process; see :func:`~obroute.execution.open_runner`."""
