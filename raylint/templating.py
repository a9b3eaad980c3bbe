"""Tells a template that still has to be rendered from YAML that is broken."""

from __future__ import annotations

from raylint.patterns import pattern

__all__ = ["template_tag"]

_OPENING = pattern(r"\{[{%]")
_CLOSING = {"{{": "}}", "{%": "%}"}
_NO_TAG = frozenset("\"'#")


def template_tag(text: str) -> tuple[int, int] | None:
    """The offsets of the first ``{{ }}`` or ``{% %}`` before which its line holds neither a quote nor a comment,
    as in Helm charts and Jinja templates; None if there is none. Takes linear time."""
    last = {opening: text.rfind(closing) for opening, closing in _CLOSING.items()}
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        line_end = text.find("\n", start)
        line_end = len(text) if line_end < 0 else line_end
        before = text[text.rfind("\n", 0, start) + 1 : start]
        if last[opening[0]] > start and _NO_TAG.isdisjoint(before):
            closing = text.find(_CLOSING[opening[0]], start, line_end)
            return start, closing + 2 if closing >= 0 else line_end
        position = line_end
    return None
