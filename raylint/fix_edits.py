"""From what a rule would change to the characters of the file that change."""

from __future__ import annotations

import json
from itertools import pairwise

from raylint.fault import RefusedError
from raylint.finding import Fix, Replacement, path_text
from raylint.fix_extent import NoFixError
from raylint.fix_text import TextEdits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from raylint.document import Document, Source
    from raylint.embedded_document import EmbeddedDocument
    from raylint.finding import Path, Span
    from raylint.rule import Edit, Repair

    Mask = Callable[[str], str]
    IsSecret = Callable[[Span], bool]

__all__ = ["resolved", "without_repeated_key"]

_LONGEST = 60


def resolved(document: Document, repair: Repair, mask: Mask, is_secret: IsSecret) -> tuple[Fix, ...]:
    """The fix that a repair amounts to; none where there is no text, or where the edits would touch what they do
    not mean. ``mask`` covers secrets in a text, ``is_secret`` tells where one stands: in the
    notation of the source, in which no text of it is known."""
    source = document.source
    if source is None:
        return ()
    edits = TextEdits(source)
    try:
        _make(repair, edits)
    except (NoFixError, RefusedError):
        return ()
    description = ", ".join(_described(edit) for edit in repair.edits)
    return _fix(document, source, edits, mask(description), repair.is_safe, mask, is_secret)


def without_repeated_key(
    document: Document, owner: Any, key: Any, mask: Mask, is_secret: IsSecret
) -> tuple[Fix, ...]:
    """The fix that takes a key out of its mapping that is written again below."""
    source = document.source
    if source is None:
        return ()
    edits = TextEdits(source)
    index = next(number for number, (name, _) in enumerate(owner.value) if name is key)
    try:
        edits.delete_entry(owner, index)
    except (NoFixError, RefusedError):
        return ()
    description = mask(f"delete the first {key.value}, which has no effect")
    return _fix(document, source, edits, description, True, mask, is_secret)


def _make(repair: Repair, edits: TextEdits) -> None:
    inside: dict[Path, tuple[EmbeddedDocument, TextEdits]] = {}
    for edit in repair.edits:
        at = edit.at
        # Where this is no place in an embedded text, the module that reads such texts is not loaded for it.
        embedded: EmbeddedDocument | None = getattr(at, "embedded", None)
        if embedded is None:
            _make_in(edits, edit, at.path)
            continue
        if at.path not in inside:
            source = embedded.inner.source
            if source is None or embedded.fault is not None:
                raise NoFixError("the text cannot be read")
            inside[at.path] = embedded, TextEdits(source)
        _make_in(inside[at.path][1], edit, at.inner)
    if inside:
        from raylint.fix_inner import carry_over

        for text, inner in inside.values():
            carry_over(inner, text, edits)


def _make_in(edits: TextEdits, edit: Edit, path: Path) -> None:
    if edit.action == "set":
        edits.set(path, edit.value, edit.after)
    elif edit.action == "rename":
        edits.rename(path, str(edit.value))
    elif edit.action == "quote":
        edits.quote(path)
    elif edit.action == "first":
        edits.move_to_front(path)
    else:
        edits.delete(path)


def _described(edit: Edit) -> str:
    path = path_text(edit.at.path)
    where = f"{path}:{path_text(edit.at.inner)}" if edit.at.inner else path
    if edit.action == "rename":
        return f"rename {where} to {edit.value}"
    if edit.action == "set":
        value = json.dumps(edit.value, ensure_ascii=False)
        return f"set {where} to {value if len(value) <= _LONGEST else f'{value[:_LONGEST]}...'}"
    return f"move {where} to the front" if edit.action == "first" else f"{edit.action} {where}"


def _fix(
    document: Document,
    source: Source,
    edits: TextEdits,
    description: str,
    safe: bool,
    mask: Mask,
    is_secret: IsSecret,
) -> tuple[Fix, ...]:
    text = source.text
    spans = edits.settled()
    if any(start < before for (_, before, _), (start, _, _) in pairwise(spans)):
        return ()
    tells = any(_tells(source, start, end, is_secret) for start, end in edits.moved)
    replacements = [
        Replacement(
            _byte(source, start),
            _byte(source, end),
            span := text.span(start, end),
            written,
            hides=mask(written) != written or (bool(written) and (is_secret(span) or tells)),
        )
        for start, end, written in spans
    ]
    locks = frozenset(_byte(source, lock) for lock in edits.locks)
    return (Fix(description, safe, document.index, replacements, edits.changes, locks),)


def _tells(source: Source, start: int, end: int, is_secret: IsSecret) -> bool:
    """Is there a secret in a stretch, be it in a comment?"""
    from raylint.secrets import told

    text = source.text
    written = text.string[start:end]
    return is_secret(text.span(start, end)) or told(written) != written


def _byte(source: Source, offset: int) -> int:
    """The place of a character among the file's bytes."""
    string = source.text.string
    return source.offset + (offset if string.isascii() else len(string[:offset].encode()))
