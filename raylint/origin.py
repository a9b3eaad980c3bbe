"""Leads findings in rendered text back to the files that it was rendered from.

Helm writes ``# Source: CHART/templates/FILE`` above each object, Kustomize an annotation with the path. Neither
tells a line. It is found by what is written there and around it; a template's line may be rendered in many ways.
"""

from __future__ import annotations

import os
import re

from raylint.finding import Place, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raylint.finding import Finding, Suppressed
    from raylint.source import Source

__all__ = ["Origins", "lead_back", "origins_of_stream"]

_SOURCE = "# Source: "
_ANNOTATION = "config.kubernetes.io/origin: |"
_LARGEST = 4 << 20
_BLOCK = re.compile(r"\{\{-?\s*(range|if|with|define|block|end)\b")
_FLOW = re.compile(r"[{\[]")
_ACTION = re.compile(r"\{\{.*?\}\}")


class Origins:
    """Which lines of a rendered text are from which file. ``original`` makes a path of what the text says."""

    def __init__(self, content: bytes, original: Callable[[str], str]) -> None:
        self.lines = content.decode("utf-8", "replace").splitlines()
        self._original = original
        self._originals: dict[str, Original | None] = {}
        # The first line of each document, numbered from 0, and what it says of its file.
        self._starts: list[tuple[int, str]] = []
        for number, line in enumerate(self.lines):
            if line.rstrip() == "---" or not number:
                self._starts.append((number, ""))
            elif line.startswith(_SOURCE) and self.lines[number - 1].rstrip() == "---":
                self._starts[-1] = (number, line[len(_SOURCE) :].strip())
            elif line.strip() == _ANNOTATION:
                self._starts[-1] = (self._starts[-1][0], self._annotated(number))

    def __bool__(self) -> bool:
        return any(written for _, written in self._starts)

    def _annotated(self, number: int) -> str:
        """The path in the annotation that begins here; none where a remote repository is named."""
        below = []
        indent = _indent(self.lines[number])
        for line in self.lines[number + 1 :]:
            if _indent(line) <= indent:
                break
            key, _, value = line.strip().partition(": ")
            below.append((key, value))
        fields = dict(below)
        return "" if "repo" in fields else fields.get("path", "")

    def written_at(self, line: int) -> tuple[str, int]:
        """What the text says of the file behind a line (from 1), and the first line (from 0) of its document."""
        start, written = 0, ""
        for first, name in self._starts:
            if first >= line:
                break
            start, written = first, name
        return written, start

    def find(self, line: int) -> tuple[Original, int, bool] | None:
        """The file behind a line (from 1), the line there, and whether it is that very line; None: no file."""
        written, start = self.written_at(line)
        if not written:
            return None
        if written not in self._originals:
            self._originals[written] = _load(self._original(written))
        original = self._originals[written]
        if original is None:
            return None
        chain = _chain(self.lines, line - 1, start)
        for depth in range(len(chain)):
            found = original.line_of(self.lines, chain[depth:])
            if found is not None:
                return original, found + 1, not depth
        return original, 1, False


class Original:
    """A template, or a file that Kustomize reads."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self._patterns = [_rendering(line) for line in self.lines]
        self._exact: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            if "{{" not in line:
                self._exact.setdefault(_plain(line), []).append(number)
        self._ranges = _range_depths(self.lines)
        self._flowing = [n for n, line in enumerate(self.lines) if "{{" not in line and _FLOW.search(line)]
        self._open = [number for number, pattern in enumerate(self._patterns) if pattern is not None]

    def line_of(self, lines: Sequence[str], chain: Sequence[int]) -> int | None:
        """The line (from 0) that the first of these rendered lines is from; the others are those it stands below,
        the nearest first. Of several like it, the one with the most of these above it."""
        plain = _plain(lines[chain[0]])
        renderings = (number for number in self._open if self._renders(number, plain))
        candidates = {*self._exact.get(plain, ()), *renderings, *self._in_flow(plain)}
        if not plain or not candidates:
            return None
        above = [lines[number] for number in chain[1:]]
        likeness = {number: self._likeness(number, above) for number in sorted(candidates)}
        most = max(likeness.values())
        alike = [number for number, count in likeness.items() if count == most]
        return alike[0] if len(alike) == 1 else self._of_item(alike, lines, chain)

    def _in_flow(self, plain: str) -> list[int]:
        """The lines that hold what a rendered one says among other things, as in ``metadata: {name: trainer}``:
        Kustomize writes all of it in block style."""
        key, colon, value = plain.partition(":")
        if not colon:
            return []
        ending = rf"{re.escape(value.strip())}\s*(?:[,}}\]]|$)" if value.strip() else r"[{\[]"
        within = re.compile(rf"(?:^|[{{\[,]\s*){re.escape(key)}:\s*{ending}")
        return [number for number in self._flowing if within.search(_plain(self.lines[number]))]

    def _of_item(self, alike: Sequence[int], lines: Sequence[str], chain: Sequence[int]) -> int:
        """Of lines that are alike, in several items of a list: the one in the item whose turn it is."""
        rendered_items = [number for number in chain if _is_item(lines[number])]
        own_items = [[n for n in _chain(self.lines, number, 0) if _is_item(self.lines[n])] for number in alike]
        for level, item in enumerate(rendered_items):
            if any(len(items) <= level for items in own_items):
                break
            written = _items(self.lines, own_items[0][level])
            if all(items[level] in written for items in own_items):
                turn = self._turn(written, _items(lines, item), item)
                return next(
                    (n for n, items in zip(alike, own_items, strict=True) if items[level] == turn), alike[0]
                )
        return alike[0]

    def _turn(self, written: Sequence[int], rendered: Sequence[int], item: int) -> int:
        """The template's item behind a rendered one. One inside a ``range`` may stand for any number of them:
        those before and behind it are counted from both ends."""
        depth = min(self._ranges[number] for number in written)
        repeated = [position for position, number in enumerate(written) if self._ranges[number] > depth]
        before = rendered.index(item)
        after = len(rendered) - before - 1
        if not repeated or before < repeated[0]:
            return written[min(before, len(written) - 1)]
        if after < len(written) - repeated[-1] - 1:
            return written[len(written) - after - 1]
        return written[repeated[0]]

    def _renders(self, number: int, plain: str) -> bool:
        pattern = self._patterns[number]
        return pattern is not None and pattern.fullmatch(plain) is not None

    def _likeness(self, number: int, above: Sequence[str]) -> int:
        """How many of the rendered lines above have a counterpart above this line."""
        own = _chain(self.lines, number, 0)[1:]
        count = 0
        for line in above:
            plain = _plain(line)
            for position, candidate in enumerate(own):
                if _plain(self.lines[candidate]) == plain or self._renders(candidate, plain):
                    own = own[position + 1 :]
                    count += 1
                    break
        return count


def _load(path: str) -> Original | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return Original(path, file.read(_LARGEST))
    except OSError:
        return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _plain(line: str) -> str:
    """What a line says, whichever way it is quoted, and without a comment, as Kustomize may rewrite it."""
    text = line.strip()
    while text.startswith("- "):
        text = text[2:].lstrip()
    if " #" in text:
        text = text[: text.index(" #")].rstrip()
    return text.replace('"', "").replace("'", "")


def _rendering(line: str) -> re.Pattern[str] | None:
    """What a template's line may be rendered to; None where it is no template or all of it is one."""
    if "{{" not in line:
        return None
    # An action may take the blanks around it away.
    pieces = [piece.strip().replace('"', "").replace("'", "") for piece in _ACTION.split(line.strip())]
    if pieces[0].startswith("- "):
        pieces[0] = pieces[0][2:].lstrip()
    if not any(character.isalpha() for piece in pieces for character in piece):
        return None
    return re.compile(".*".join(map(re.escape, pieces)))


def _chain(lines: Sequence[str], number: int, first: int) -> list[int]:
    """A line and those that it stands below by their indentation, the nearest first."""
    chain = [number]
    indent = _indent(lines[number])
    item = lines[number].lstrip().startswith("- ")
    for above in range(number - 1, first - 1, -1):
        line = lines[above].strip()
        if not line or line.startswith(("#", "{{")) or line == "---":
            continue
        own = _indent(lines[above])
        if own < indent or (own == indent and item and not line.startswith("- ")):
            chain.append(above)
            indent = own
            item = line.startswith("- ")
    return chain


def _is_item(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _items(lines: Sequence[str], item: int) -> list[int]:
    """The lines where the items of a list begin, of which one is known."""
    indent = _indent(lines[item])
    found = [item]
    for step, numbers in ((-1, range(item - 1, -1, -1)), (1, range(item + 1, len(lines)))):
        for number in numbers:
            line = lines[number].strip()
            if not line or line.startswith(("#", "{{")):
                continue
            own = _indent(lines[number])
            if own < indent or (own == indent and not _is_item(line)):
                break
            if own == indent:
                found.insert(0 if step < 0 else len(found), number)
    return found


def _range_depths(lines: Sequence[str]) -> list[int]:
    """In how many ``range`` blocks of a template each line is."""
    depths = []
    blocks: list[str] = []
    for line in lines:
        depths.append(blocks.count("range"))
        for opened in _BLOCK.findall(line):
            if opened != "end":
                blocks.append(opened)
            elif blocks:
                blocks.pop()
    return depths


def origins_of_stream(content: bytes) -> Origins:
    """The origins in what is piped in, looked for from the working directory."""
    return Origins(content, _near)


def _near(written: str) -> str:
    """The file of a path as Helm or Kustomize writes it, if it is near: ``CHART/templates/FILE``."""
    inside = written.partition("/")[2]
    candidates = [written, os.path.join("charts", written)]
    if os.path.isfile("Chart.yaml"):
        candidates.insert(0, inside)
    return next((path for path in candidates if os.path.isfile(path)), written)


def lead_back(
    findings: list[Finding], suppressed: list[Suppressed], sources: Sequence[Source], streams: dict[str, Origins]
) -> None:
    """Give findings in rendered text their place in the file behind it. What several renderings of one chart have
    in common, or what the file itself has been told for already, is told once."""
    renderings: dict[str, Source] = {}
    for source in sources:
        source.origins = source.origins or streams.get(source.name)
        if source.origins is not None:
            renderings[source.name] = source
    others = {_key(finding) for finding in findings if finding.place.file not in renderings}
    told: dict[tuple[object, ...], tuple[Finding, list[Source]]] = {}
    kept = []
    for finding in findings:
        rendering = renderings.get(finding.place.file)
        if rendering is None:
            kept.append(finding)
            continue
        _lead(finding, renderings)
        key = _key(finding)
        if key in others:
            continue
        if key not in told:
            told[key] = finding, []
            kept.append(finding)
        told[key][1].append(rendering)
    for finding, owners in told.values():
        _name_variants(finding.place, owners, renderings)
    findings[:] = kept
    for accepted in suppressed:
        _lead(accepted.finding, renderings)


def _key(finding: Finding) -> tuple[object, ...]:
    span = finding.place.span
    return finding.rule_id, finding.place.file, span and span.line, str(finding.object), finding.message


def _name_variants(place: Place, owners: Sequence[Source], renderings: dict[str, Source]) -> None:
    names = list(dict.fromkeys(owner.variant for owner in owners if owner.variant))
    of_chart = {other.variant for other in renderings.values() if other.whole == owners[0].whole}
    if names and len(names) < len(of_chart):
        place.label = "; ".join(filter(None, (place.label, f"only with {' and '.join(names)}")))


def _lead(finding: Finding, renderings: dict[str, Source]) -> None:
    finding.fixes = ()
    source = renderings.get(finding.place.file)
    if source is not None:
        finding.place = _place(finding.place, source)
        finding.related = tuple(
            _place(place, renderings[place.file]) if place.file in renderings else place
            for place in finding.related
        )


def _place(place: Place, source: Source) -> Place:
    assert source.origins is not None
    found = source.origins.find(place.line) if place.span else None
    rendered = place.lines.get(place.line)
    if found is None or place.span is None:
        written, _ = source.origins.written_at(place.line)
        told = [place.label, f"rendered from {written}" if written else ""]
        if not source.whole:
            place.label = "; ".join(filter(None, told))
            return place
        told.append(f"line {place.line} is {rendered.strip()!r}" if rendered else "")
        label = "; ".join(filter(None, told))
        return Place(source.whole, place.document, place.path, Span(1, 1, 1, 1), label, None, place.inner)
    original, line, is_line = found
    text = original.lines[line - 1] if original.lines else ""
    label = place.label
    raw = source.origins.lines[place.line - 1]
    if rendered is not None and rendered != raw:
        # A secret is covered there; the template may hold it in another form.
        text = rendered if is_line else text.partition("{{")[0]
    if rendered is not None and _plain(text) != _plain(rendered):
        label = "; ".join(filter(None, (label, f"rendered as {rendered.strip()!r}")))
    start, end = _indent(text), len(text.rstrip())
    marked = raw[place.span.column - 1 : place.span.end_column - 1] if place.span.end_line == place.line else ""
    if is_line and marked and text.count(marked) == 1:
        start = text.index(marked)
        end = start + len(marked)
    span = Span(line, start + 1, line, max(start, end) + 1)
    return Place(original.path, place.document, place.path, span, label, {line: text}, place.inner)
