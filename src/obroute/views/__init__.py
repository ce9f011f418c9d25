"""What a study is shown as: its tables, its figures, and the sections of its report.

Each registers itself in the module that makes it, in :data:`tables`, :data:`figures` or
:data:`sections`, so that the command line, the workflow and the report know none of them by name.
All are made from the data of a study (:class:`StudyData`): its stores by section.
"""

from obroute.views.pages import (
    Block,
    Columns,
    Drawing,
    Facts,
    Heading,
    Paragraph,
    Rows,
    Section,
    Spot,
    Table,
    Written,
)
from obroute.views.registry import (
    Coverage,
    Option,
    View,
    Views,
    Wanted,
    added_to,
    additions,
    figures,
    listed,
    on_request,
    remarks,
    remarks_on,
    report_modules,
    sections,
    tables,
    wanted_figures,
    wanted_tables,
)
from obroute.views.study_data import StudyData, is_cell, section_of
from obroute.writing import write_whole

__all__ = [
    "Block",
    "Columns",
    "Coverage",
    "Drawing",
    "Facts",
    "Heading",
    "Option",
    "Paragraph",
    "Rows",
    "Section",
    "Spot",
    "StudyData",
    "Table",
    "View",
    "Views",
    "Wanted",
    "Written",
    "added_to",
    "additions",
    "figures",
    "is_cell",
    "listed",
    "on_request",
    "remarks",
    "remarks_on",
    "report_modules",
    "section_of",
    "sections",
    "tables",
    "wanted_figures",
    "wanted_tables",
    "write_whole",
]
