"""The kinds of experiments, one module or package each; see :mod:`obroute.kinds.contract`.

Adding a kind is adding a module here, or in a package of one's own that names it as an entry point
of the group ``obroute.plugins``.
"""
