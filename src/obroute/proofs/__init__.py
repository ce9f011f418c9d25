"""Proofs to hand on: a JSON file that shows a worst case, and a program that checks it.

A store is verified by obroute, which makes network and routing anew from their names. The file
holds all that is needed to check it without obroute (``docs/reference/proof-format.md``), and
:mod:`obroute.proofs.check_proof` is a program of the standard library alone that does.
"""

from obroute.proofs.document import MOST_FLOWS, checker_source, proof_document, proved_text
from obroute.proofs.tables import PairTable

__all__ = ["MOST_FLOWS", "PairTable", "checker_source", "proof_document", "proved_text"]
