"""What a bound of a design is a bound for: which routings, and which traffic.

A proof has a scope, and every sentence about it says it. There is one place that words it: here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from obroute.design.problem import DesignProblem
from obroute.traffic import Sample


@dataclass(frozen=True)
class SampleAndImages:
    """Sampled traffic matrices, and the symmetry under which all their images are meant too.

    ``images`` is the number of elements of the group, 1 for the sample alone, None where it was
    not counted.
    """

    sample: Sample
    symmetry: str
    images: int | None

    @property
    def words(self) -> str:
        """What the mean is over."""
        sample = self.sample
        drawn = f"the sample of {sample.count} {sample.kind} matrices (seed {sample.seed})"
        if self.images == 1:
            return drawn
        count = "" if self.images is None else f", {self.images} of each"
        return f"{drawn} together with its images under the {self.symmetry} symmetry{count}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain texts and numbers."""
        return {
            "matrices": self.sample.count,
            "seed": self.sample.seed,
            "kind": self.sample.kind,
            "symmetry": self.symmetry,
            "images": self.images,
        }


@dataclass(frozen=True)
class Scope:
    """The routings and the traffic of a bound.

    Parameters
    ----------
    objective
        ``capacity``, ``worst_case`` or ``average_case``.
    paths, path_words
        Name of the set of paths that routings may use, and in words, empty for all.
    locality, exact_locality
        What the mean path length over that of shortest paths is at most, or exactly.
    traffic
        Name of the traffic of ``capacity``.
    sample
        The sample of ``average_case``.
    """

    objective: str
    paths: str
    path_words: str
    locality: Fraction | None = None
    exact_locality: bool = False
    traffic: str | None = None
    sample: SampleAndImages | None = None

    @classmethod
    def of(cls, problem: DesignProblem) -> Scope:
        """Return the scope of the bounds of a problem.

        For the worst case and for capacity its group is of no matter: the bound is proved for
        routings without any symmetry. A sample has none itself, so the bound is one over all its
        images.
        """
        sample = None
        if problem.objective == "average_case":
            elements = problem.group.elements()
            sample = SampleAndImages(
                problem.sample, problem.group.name, None if elements is None else len(elements)
            )
        traffic = None
        if problem.objective == "capacity":
            traffic = "uniform" if problem.traffic is None else problem.traffic.name
        return cls(
            problem.objective,
            problem.paths,
            problem.allowed.words,
            problem.locality,
            problem.exact_locality,
            traffic,
            sample,
        )

    @property
    def routings(self) -> str:
        """The routings that a bound is for, after “no”."""
        words = ["routing"]
        if self.path_words:
            words.append(f"on {self.path_words}")
        if self.locality is not None:
            most = "exactly" if self.exact_locality else "at most"
            words.append(f"with a path length of {most} {self.locality} of the shortest")
        return " ".join(words)

    @property
    def load(self) -> str:
        """The load that is bounded."""
        if self.sample is not None:
            return "mean load"
        if self.traffic is not None:
            return f"load under {self.traffic} traffic"
        return "worst-case load"

    @property
    def over(self) -> str:
        """What a mean load is a mean over, with a blank before it."""
        return "" if self.sample is None else f" over {self.sample.words}"

    @property
    def of_load(self) -> str:
        """What is proved where a routing has the least load.

        Examples
        --------
        >>> Scope("worst_case", "minimal", "shortest paths").of_load
        'no routing on shortest paths has a smaller worst-case load'
        """
        return f"no {self.routings} has a smaller {self.load}{self.over}"

    def of_load_below(self, bound: Fraction | float | str) -> str:
        """Return what is proved of a lower bound of the load."""
        return f"no {self.routings} has a {self.load} below {bound}{self.over}"

    @property
    def of_length(self) -> str:
        """What is proved of the least path length."""
        aside = "," if self.sample is not None else ""
        return f"no {self.routings} with at most this {self.load}{self.over}{aside} is shorter"

    @property
    def of_curve(self) -> str:
        """What is proved of a complete curve of load against path length."""
        return f"no {self.routings} has a {self.load}{self.over} and a path length below the curve"

    def to_json(self) -> str:
        """Return it as JSON, for an attribute of a store."""
        return json.dumps(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain texts and numbers."""
        answer: dict[str, Any] = {"objective": self.objective, "paths": self.paths}
        if self.locality is not None:
            answer["locality"] = str(self.locality)
            answer["exact_locality"] = self.exact_locality
        if self.traffic is not None:
            answer["traffic"] = self.traffic
        if self.sample is not None:
            answer["sample"] = self.sample.to_dict()
        return answer
