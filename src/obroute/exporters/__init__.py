"""Writers of networks and routings as other programs read them, one format a file."""
