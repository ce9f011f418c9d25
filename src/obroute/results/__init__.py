"""Results as xarray datasets on zarr: one specification per array, validated at every write.

What each kind of store holds is said by its kind of experiment (:mod:`obroute.experiments`); here
is what they share: specifications (``arrays``), datasets that keep to them (``datasets``), what
made a result (``provenance``), gathering, and the stores on disk. Every exact value is a string
(``"32/5"``) in a variable that ends in ``_exact``, beside the nearest float without that ending.
This is the only package that writes zarr.
"""
