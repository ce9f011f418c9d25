"""Results as xarray datasets on zarr: one specification per array, validated at every write.

A *cell* store holds one evaluation (a network and a routing) with its certificates; a *study*
store gathers many cells, with dims network, routing and pattern. Simulations and stability have
their own cells and gathered stores. Every exact value is a string
(``"32/5"``) in a variable that ends in ``_exact``, beside the nearest float without that ending.
This is the only package that writes zarr.
"""

from obroute.results.arrays import (
    CELL_ARRAYS,
    SCHEMA_VERSION,
    STUDY_ARRAYS,
    ArraySpec,
    describe_arrays,
    validate,
)
from obroute.results.datasets import (
    cell_dataset,
    critical_focus,
    network_digest,
    source_digests,
    study_dataset,
)
from obroute.results.design_datasets import (
    claims_of,
    curve_claims,
    design_dataset,
    design_settings,
    designed_routing,
    gather_designs,
    read_designed_routing,
    stored_duals,
    trade_off_dataset,
)
from obroute.results.packet_datasets import (
    IN_PHASES,
    gather_packets,
    simulation_dataset,
    stability_dataset,
)
from obroute.results.stores import is_store, read_store, stored_kind, write_store

__all__ = [
    "CELL_ARRAYS",
    "IN_PHASES",
    "SCHEMA_VERSION",
    "STUDY_ARRAYS",
    "ArraySpec",
    "cell_dataset",
    "claims_of",
    "critical_focus",
    "curve_claims",
    "describe_arrays",
    "design_dataset",
    "design_settings",
    "designed_routing",
    "gather_designs",
    "gather_packets",
    "is_store",
    "network_digest",
    "read_designed_routing",
    "read_store",
    "simulation_dataset",
    "source_digests",
    "stability_dataset",
    "stored_duals",
    "stored_kind",
    "study_dataset",
    "trade_off_dataset",
    "validate",
    "write_store",
]
