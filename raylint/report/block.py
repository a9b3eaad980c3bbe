"""One finding as a block of text: headline, position, excerpt, and what follows from it."""

from __future__ import annotations

from raylint.report.excerpt import excerpt, gutter_width, text_of
from raylint.report.terminal import fixable, level, level_color, position, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Finding, Place
    from raylint.report.terminal import Paint

__all__ = ["block"]


def block(finding: Finding, paint: Paint) -> str:
    """The block, without a line break at its end."""
    primary = finding.place
    places = (primary, *finding.related)
    gutter = gutter_width(places)
    margin = " " * gutter
    lines = [
        f"{level(finding, paint)}{paint('bold', ': ' + printable(finding.message))}",
        f"{margin}{paint('blue', '-->')} {_whereabouts(finding)}",
    ]
    here = [place for place in places if place.file == primary.file]
    lines += excerpt(here, primary, gutter, level_color(finding.severity), paint)
    for place in finding.related:
        if place not in here or text_of(place) is None:
            lines += _elsewhere(place, gutter, paint)
    lines.append(f"{margin} {paint('blue', '|')}")
    sign = f"{margin} {paint('blue', '=')} "
    if finding.effect:
        lines.append(f"{sign}{paint('bold', 'effect:')} {printable(finding.effect)}")
    if finding.fix:
        mark = f" {paint('bold', marked)}" if (marked := fixable(finding)) else ""
        lines.append(f"{sign}{paint('bold', 'fix:')} {printable(finding.fix)}{mark}")
    lines.append(f"{sign}{paint('bold', 'help:')} {printable(f'raylint explain {finding.rule_id}')}")
    return "\n".join(lines)


def _whereabouts(finding: Finding) -> str:
    """The position, the object, and the path into it where there is no text to show."""
    parts = [position(finding.place)]
    if finding.object is not None:
        parts.append(printable(str(finding.object)))
    if finding.place.span is None and finding.place.path:
        parts.append(printable(finding.place.path_text))
    return "   ".join(parts)


def _elsewhere(place: Place, gutter: int, paint: Paint) -> list[str]:
    """A related place that the excerpt does not show: in another file, or without a text."""
    lines = excerpt([place], None, gutter, "blue", paint)
    label = "" if lines else f"   {printable(place.label)}"
    if place.span is None and place.path:
        label = f"   {printable(place.path_text)}{label}"
    bar = f"{' ' * gutter} {paint('blue', '|')}"
    return [bar, f"{' ' * gutter}{paint('blue', ':::')} {position(place)}{label}".rstrip(), *lines]
