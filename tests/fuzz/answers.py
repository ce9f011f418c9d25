"""Whether what a command says of a small input is right."""

from __future__ import annotations

import json
from contextlib import chdir
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.support.exact import Answers
from tests.support.rule import Outcome, run

from obroute import make_network, make_routing


def check_evaluation(folder: Path, network: str, routing: str, *words: str) -> Outcome:
    """Evaluate by the rule; hold what is said of a small one to what is worked out plainly."""
    found = run(folder, "evaluate", "--json", *words, "--", network, routing)
    if found.status == 0:
        with chdir(folder):
            answers = Answers.of(make_network(network), make_routing(routing))
        answers.check_paths()
        if answers.is_small:
            assert_right(answers, json.loads(found.printed))
    return found


def assert_right(answers: Answers, said: dict[str, Any]) -> None:
    """Compare exact values, and that floats are theirs."""
    for name, value in (
        ("worst_case_load", answers.worst_case_load),
        ("uniform_load", answers.uniform_load),
        ("mean_path_length", answers.mean_path_length),
    ):
        assert Fraction(said[f"{name}_exact"]) == value, name
