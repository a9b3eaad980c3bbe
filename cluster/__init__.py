"""Looks at the objects of a live cluster. Installed as ``raylint_cluster``; needs the extra ``cluster``."""
