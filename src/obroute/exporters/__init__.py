"""Writers of networks and traffic as other programs read them, one format a file.

Adding a format is adding a file here. Nothing is imported before a format is looked for.
"""
