"""Where tasks run: in this thread, in a pool of threads or processes, or on a Dask cluster.

This is the only package that knows Dask. :mod:`obroute.execution.keeping`, which keeps a cluster
for others, is apart: what runs tasks does not import it.
"""

from obroute.execution.runners import ON_THIS_MACHINE, open_runner

__all__ = ["ON_THIS_MACHINE", "open_runner"]
