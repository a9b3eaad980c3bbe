"""Write ``_listing.py``, the lists of the built-in rules: ``python -m raylint_rules._list``.

Run it after a change to any module of rules (``docs/generate.py`` does); a test holds that they are up to date.
"""

from __future__ import annotations

import os

from raylint.shelf import listed, modules_of, sizes_in

__all__ = ["current", "main"]

_FOLDER = os.path.dirname(__file__)
_HEAD = '''\
"""Made of the modules of rules by ``python -m raylint_rules._list``; :mod:`raylint.shelf` tells what it is for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.shelf import Modules, Row

# fmt: off
'''


def current() -> str:
    """The text of ``_listing.py`` as the modules make it."""
    sizes = sizes_in(_FOLDER)
    modules, rows = listed(modules_of(__package__ or "", sizes), sizes)
    lines = ["MODULES: Modules = {"]
    lines += [f"    {_text(module)}: {_text(entry)}," for module, entry in modules.items()]
    lines += ["}", "ROWS: tuple[Row, ...] = ("]
    lines += [f"    {_text(row)}," for row in rows]
    return _HEAD + "\n".join([*lines, ")", ""])


def _text(item: object) -> str:
    """Python's own form, with double quotes."""
    if isinstance(item, tuple):
        inner = ", ".join(_text(part) for part in item)
        return f"({inner},)" if len(item) == 1 else f"({inner})"
    return f'"{item}"' if isinstance(item, str) else repr(item)


def main() -> None:
    with open(os.path.join(_FOLDER, "_listing.py"), "w", encoding="utf-8") as file:
        file.write(current())


if __name__ == "__main__":
    main()
