"""A study: what a sweep works out, read from its configuration, as cells of every kind."""

from obroute.study.cells import Cell, gathering_program
from obroute.study.configuration import StudyBase, read_study, schema

__all__ = ["Cell", "StudyBase", "gathering_program", "read_study", "schema"]
