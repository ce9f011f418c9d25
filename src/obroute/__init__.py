"""obroute: the exact worst case of oblivious routing on any interconnection network.

In a few lines::

    import obroute

    found = obroute.evaluate("torus:9x9", "romm", patterns=["tornado"])
    found.worst_case_load  # Fraction(32, 5), proved
    study = obroute.compare(["torus:8x8", "torus:9x9"], ["dor", "romm", "valiant"])
    study.fraction_of_capacity  # an xarray DataArray, network × routing
    best = obroute.design("torus:8x8", then="locality")
    obroute.evaluate("torus:8x8", best.routing).worst_case_load

``dir(obroute)`` lists everything, ``help(obroute.design)`` says what its settings mean.

Units: loads are packets per cycle over channel bandwidth, throughput is a fraction of injection
bandwidth, path lengths are hops.
"""

import importlib
import sys
import types
import typing

if typing.TYPE_CHECKING:
    from obroute.deadlock import Verdict as Verdict
    from obroute.deployment import Deployment as Deployment
    from obroute.design import Design as Design
    from obroute.design import TradeOff as TradeOff
    from obroute.functions.collective import alltoall as alltoall
    from obroute.functions.collective import collective as collective
    from obroute.functions.deploying import deploy as deploy
    from obroute.functions.designing import design as design
    from obroute.functions.designing import export as export
    from obroute.functions.designing import hard_permutations as hard_permutations
    from obroute.functions.designing import pareto as pareto
    from obroute.functions.designing import routing_table as routing_table
    from obroute.functions.evaluating import compare as compare
    from obroute.functions.evaluating import difference as difference
    from obroute.functions.evaluating import evaluate as evaluate
    from obroute.functions.failing import failures as failures
    from obroute.functions.leagues import compare_engines as compare_engines
    from obroute.functions.making import make_network as make_network
    from obroute.functions.making import make_pattern as make_pattern
    from obroute.functions.making import make_routing as make_routing
    from obroute.functions.packets import load_curves as load_curves
    from obroute.functions.packets import simulate as simulate
    from obroute.functions.packets import stability as stability
    from obroute.functions.proving import certificate as certificate
    from obroute.functions.proving import deadlock as deadlock
    from obroute.functions.proving import prove as prove
    from obroute.functions.ratios import ratio as ratio
    from obroute.functions.restricting import evaluate_over as evaluate_over
    from obroute.functions.stores import gather as gather
    from obroute.functions.stores import read_store as read_store
    from obroute.functions.stores import to_dataset as to_dataset
    from obroute.functions.stores import write_store as write_store
    from obroute.network import Network as Network
    from obroute.restrictions import Restricted as Restricted
    from obroute.routing import Routing as Routing
    from obroute.specs import InputError as InputError
    from obroute.specs import TaskError as TaskError
    from obroute.throughput import Evaluation as Evaluation
    from obroute.traffic import Pattern as Pattern

    __version__: str

# What the lines above say to editors and type checkers, for the interpreter: nothing is imported
# before it is asked for, so that the command line starts at once.
_HOMES = {
    "obroute.deadlock": ("Verdict",),
    "obroute.deployment": ("Deployment",),
    "obroute.design": ("Design", "TradeOff"),
    "obroute.functions.deploying": ("deploy",),
    "obroute.functions.collective": ("alltoall", "collective"),
    "obroute.functions.designing": (
        "design",
        "export",
        "hard_permutations",
        "pareto",
        "routing_table",
    ),
    "obroute.functions.evaluating": ("compare", "difference", "evaluate"),
    "obroute.functions.failing": ("failures",),
    "obroute.functions.leagues": ("compare_engines",),
    "obroute.functions.making": ("make_network", "make_pattern", "make_routing"),
    "obroute.functions.packets": ("load_curves", "simulate", "stability"),
    "obroute.functions.proving": ("certificate", "deadlock", "prove"),
    "obroute.functions.ratios": ("ratio",),
    "obroute.functions.restricting": ("evaluate_over",),
    "obroute.functions.stores": ("gather", "read_store", "to_dataset", "write_store"),
    "obroute.network": ("Network",),
    "obroute.restrictions": ("Restricted",),
    "obroute.routing": ("Routing",),
    "obroute.specs": ("InputError", "TaskError"),
    "obroute.throughput": ("Evaluation",),
    "obroute.traffic": ("Pattern",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(["__version__", *_HOME_OF])  # noqa: PLE0605


class _Surface(types.ModuleType):
    """The package, whose function ``design`` is not replaced by its package of that name.

    The import of ``obroute.design`` ends with the assignment of that module to the attribute
    ``design``; here it is left to ``sys.modules``, where ``from obroute.design import …`` looks.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME_OF and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        if name == "__version__":
            from importlib.metadata import version

            value: object = version("obroute")
        elif name in _HOME_OF:
            value = getattr(importlib.import_module(_HOME_OF[name]), name)
        else:
            raise AttributeError(f"module 'obroute' has no attribute '{name}'")
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return [*__all__]


sys.modules[__name__].__class__ = _Surface
