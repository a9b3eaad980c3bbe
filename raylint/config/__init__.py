"""The configuration: what a team has agreed on, in one file that is reviewed like the manifests it is for.

``discovery`` finds the file of a folder; it alone is imported by a run that has none. ``text`` reads a file and
knows the places of its values, ``shapes`` and ``keys`` say what may stand in it, ``layers`` puts files on top of
each other, ``settle`` says what holds in the end.
"""
