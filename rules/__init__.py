"""The built-in rules of raylint, one module a theme: every module here whose name does not begin with ``_``."""

from raylint.shelf import shelved

from ._listing import MODULES, ROWS

RULES = shelved(__name__, __path__[0], MODULES, ROWS)
