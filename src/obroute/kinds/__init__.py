"""What a kind of experiment is, and what is made from that for every kind alike.

``contract`` says what a kind declares, ``settings`` what its settings are, ``sweep`` what a study
lists; ``registry`` finds the kinds, ``stores`` makes, writes, reads and gathers their stores. The
kinds themselves are in :mod:`obroute.experiments`.
"""
