"""Where tasks run: in this thread, in a pool of threads or processes, or on a Dask cluster.

This is the only package that knows Dask. What computes takes a runner
(:class:`obroute.tasks.TaskRunner`) and never imports one, so that no result depends on where it
was worked out: an edit here re-runs nothing.
"""

from obroute.execution.runners import ON_THIS_MACHINE, open_runner

__all__ = ["ON_THIS_MACHINE", "open_runner"]
