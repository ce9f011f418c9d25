"""Commands that prove: a worst case to hand on, and one for a given radix without a solver."""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from obroute.cli.output import Json, out, print_json, print_rows
from obroute.kinds.shown import exact_json
from obroute.specs import InputError

MOST_DIGITS = 40


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(prove)
    app.command()(certificate)


def certificate(
    store: Annotated[
        Path | None, typer.Argument(help="The store of an evaluation, or of a worst-case design.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Most flows, and prices of a bound; 2,000,000.")
    ] = None,
    checker: Annotated[
        bool, typer.Option("--checker", help="Print the program that checks a proof.")
    ] = False,
) -> None:
    """Print a proof to hand on: JSON that a short program checks without obroute."""
    if checker is (store is not None):
        raise InputError("certificate: expected a store, or --checker, one of the two")
    if store is None:
        from obroute.proofs import checker_source

        sys.stdout.write(checker_source())
        return
    from obroute.functions.proving import certificate as proof_of
    from obroute.proofs import MOST_FLOWS

    sys.stdout.write(proof_of(store, MOST_FLOWS if limit is None else limit))


def prove(
    routing: Annotated[str, typer.Argument(help="Routing: romm, dor, o1turn, valiant, ival, …")],
    radix: Annotated[int, typer.Option(help="The k of the k-ary 2-cube: 9, 499, 1999.")],
    as_json: Json = False,
) -> None:
    """Prove the worst case of a routing on the k-ary 2-cube for any k, without a solver."""
    from obroute.theorems import prove as prove_radix

    start = time.perf_counter()
    proof = prove_radix(routing, radix)
    seconds = time.perf_counter() - start
    theorem, bounds = proof.theorem, proof.bounds
    if as_json:
        print_json(
            {
                "routing": theorem.routing,
                "radix": radix,
                "proved": True,
                **exact_json("worst_case_load", bounds.exact),
                **exact_json("lower", bounds.lower),
                **exact_json("upper", bounds.upper),
                "fraction_of_capacity": [float(fraction) for fraction in proof.fractions],
                "fraction_of_capacity_exact": [str(fraction) for fraction in proof.fractions],
                "checked": list(proof.checked),
                "pair_loads_of": proof.network or None,
                "proof": theorem.page,
                "seconds": round(seconds, 3),
            }
        )
        return
    least, most = proof.fractions
    rows = [
        ("worst-case load", _range(bounds.lower, bounds.upper) + " packets per cycle"),
        ("fraction of capacity", _range(least, most)),
        ("proof", theorem.page),
        *(("checked", line) for line in proof.checked),
        ("seconds", f"{seconds:.2f}"),
    ]
    print_rows(f"{theorem.routing} on the {radix}-ary 2-cube", rows)
    if bounds.exact is None:
        out.print("a bracket: no closed form is proved for this k")


def _range(lower: Fraction, upper: Fraction) -> str:
    if lower == upper:
        return _value(lower)
    return f"between {_value(lower)} and {_value(upper)}"


def _value(value: Fraction) -> str:
    """Write a fraction and its decimals; only the decimals where it has too many digits."""
    if value.denominator == 1:
        return str(value)
    exact = f"{value} = " if len(str(value)) <= MOST_DIGITS else ""
    return f"{exact}{float(value):.6g}"
