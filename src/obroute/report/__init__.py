"""The report of a study: one HTML file that opens offline, figures and styles inside it.

A section is a function that returns what ``templates/report.html.j2`` shows of it;
:mod:`obroute.report.page` puts them together.
"""

# ruff: noqa: E402  # whoever lacks the libraries is told so before they are imported
from obroute.extras import needs

needs("jinja2", "matplotlib")

from obroute.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
