"""Write ``_listing.py``, the list of the built-in rules: ``python -m raylint_rules._list``.

Run it after a change to any module of rules (``docs/generate.py`` does); a test holds that the list is up to date.
"""

from __future__ import annotations

import os

from raylint.shelf import listed, modules_of, sizes_in

__all__ = ["current", "main"]

_FOLDER = os.path.dirname(__file__)
_WIDTH = 115
_HEAD = '''\
"""Made of the modules of rules by ``python -m raylint_rules._list``; :mod:`raylint.shelf` tells what it is for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.shelf import Listing

# fmt: off
'''


def current() -> str:
    """The text of ``_listing.py`` as the modules make it."""
    sizes = sizes_in(_FOLDER)
    lines = ["LISTING: Listing = {"]
    for module, (words, rows) in listed(modules_of(__package__ or "", sizes)).items():
        lines += [f"    {_text(module)}: (", f"        {_text(words)},", "        ("]
        for row in rows:
            lines += _lines(row)
        lines += ["        ),", "    ),"]
    lines += ["}", "SIZES = {"]
    lines += [f"    {_text(module)}: {size}," for module, size in sorted(sizes.items())]
    return _HEAD + "\n".join([*lines, "}", ""])


def _lines(row: tuple[object, ...]) -> list[str]:
    whole = f"            {_text(row)},"
    if len(whole) <= _WIDTH:
        return [whole]
    items = [_text(item) for item in row]
    return [f"            ({', '.join(items[:4])},", f"             {', '.join(items[4:])}),"]


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
