"""The report of a study: one HTML file that opens offline, figures and styles inside it.

A section registers itself in the module that makes it (:data:`obroute.views.sections`), and brings
blocks or a template of its own; :mod:`obroute.report.page` writes those that apply to the study.
"""

# ruff: noqa: E402  # whoever lacks the libraries is told so before they are imported
from obroute.extras import needs

needs("jinja2", "matplotlib")

from obroute.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
