"""Writers of networks and traffic as other programs read them, one format a file.

Adding a format is adding a file here.
"""

from obroute.exporters.registry import Exporter, exporter_of, exporters, write_network
from obroute.exporters.traffic import TRAFFIC_SUFFIXES, traffic_text

__all__ = [
    "TRAFFIC_SUFFIXES",
    "Exporter",
    "exporter_of",
    "exporters",
    "traffic_text",
    "write_network",
]
