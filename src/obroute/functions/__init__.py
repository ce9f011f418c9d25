"""The functions that most programs need, as :mod:`obroute` has them.

Each default is that of a setting of a kind of experiment, said there, and so is what it means:
``help`` shows it.
"""
