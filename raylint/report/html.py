"""A page for an audit: one file that needs no network and no server, its filters included."""

from __future__ import annotations

from html import escape

from raylint.report.terminal import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from raylint.finding import Finding, Place, Suppressed
    from raylint.report import Report
    from raylint.report.folders import Folders

__all__ = ["html"]

# The page may load nothing and send nothing, whatever a manifest put into it.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "script-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
_STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8882;
  --error: #c62828; --warning: #b26a00; --info: #1565c0 }
@media (prefers-color-scheme: dark) { :root { --error: #ff8a80; --warning: #ffcc80; --info: #90caf9 } }
@media (max-width: 40rem) { form { position: static !important } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem }
h1 { font-size: 1.5rem; margin: 0 }
p { margin: .4rem 0 }
form { display: flex; flex-wrap: wrap; gap: .6rem 1rem; position: sticky; top: 0; background: Canvas;
  padding: .8rem 0; border-bottom: 1px solid var(--line) }
label { display: inline-flex; align-items: center; gap: .35rem; max-width: 100% }
select, input[type=search] { font: inherit; max-width: 14rem; min-width: 0; padding: .2rem .4rem }
article { border: 1px solid var(--line); border-left: .35rem solid var(--level); border-radius: .3rem;
  margin: 1rem 0; padding: .6rem .9rem }
article[hidden] { display: none }
.error { --level: var(--error) } .warning { --level: var(--warning) } .info { --level: var(--info) }
.accepted { opacity: .75 }
h2 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere }
h2 b { color: var(--level) }
.where, .object { color: GrayText; font-size: .9rem; overflow-wrap: anywhere }
pre { background: var(--soft); border-radius: .3rem; margin: .5rem 0; overflow-x: auto; padding: .5rem .7rem }
pre i { color: GrayText; font-style: normal; user-select: none }
mark { background: none; color: inherit; text-decoration: underline wavy var(--level) }
dl { margin: .4rem 0 0 }
dt { float: left; font-weight: 600; margin-right: .5rem }
dd { margin: 0; overflow-wrap: anywhere }
"""
_SCRIPT = """
const form = document.forms[0], items = [...document.querySelectorAll("article")];
function show() {
  const levels = [...form.querySelectorAll("[name=level]")].filter(box => box.checked).map(box => box.value);
  const words = form.text.value.toLowerCase();
  let seen = 0;
  for (const item of items) {
    const fits = levels.includes(item.dataset.level) && ["rule", "object", "file"].every(
      name => !form[name].value || form[name].value === item.dataset[name]);
    item.hidden = !(fits && item.textContent.toLowerCase().includes(words));
    seen += !item.hidden;
  }
  document.getElementById("seen").textContent = `${seen} of ${items.length} shown`;
}
form.addEventListener("input", show);
form.addEventListener("reset", () => setTimeout(show));
form.addEventListener("submit", event => event.preventDefault());
show();
"""
# Characters of a line that are shown whole, and those around the mark of a longer one.
_WIDEST, _AROUND = 200, 60
_LEVELS = ("error", "warning", "info", "accepted")


def html(report: Report, folders: Folders) -> Iterator[str]:
    """All findings, the worst first, then those that somebody accepted; filters by level, rule, object, file and
    word; the lines that each is about."""
    from raylint.report.text import closing_line

    findings = sorted(report.findings, key=lambda finding: (-finding.severity, finding.sort_key))
    everything = [*findings, *(accepted.finding for accepted in report.suppressed)]
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>raylint report</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<header>\n<h1>raylint</h1>\n"
        f"<p>{_text(closing_line(report))}</p>\n</header>\n"
    )
    yield _form(everything, folders)
    yield '<main>\n<p id="seen" role="status"></p>\n'
    for finding in findings:
        yield _article(finding, folders)
    for accepted in report.suppressed:
        yield _article(accepted.finding, folders, accepted)
    yield f"</main>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"


def _form(findings: list[Finding], folders: Folders) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" name="level" value="{level}" checked>{level}</label>\n'
        for level in _LEVELS
    )
    choices: tuple[tuple[str, Callable[[Finding], str]], ...] = (
        ("rule", _rule),
        ("object", _about),
        ("file", lambda finding: folders.path(finding.place.file)),
    )
    selects = "".join(_select(name, sorted({of(finding) for finding in findings} - {""})) for name, of in choices)
    search = '<label>text <input type="search" name="text"></label>\n<button type="reset">all</button>\n'
    return f'<form aria-label="filters">\n{boxes}{selects}{search}</form>\n'


def _select(name: str, values: list[str]) -> str:
    options = "".join(f"<option>{_text(value)}</option>" for value in values)
    return f'<label>{name} <select name="{name}"><option value="">all</option>{options}</select></label>\n'


def _article(finding: Finding, folders: Folders, accepted: Suppressed | None = None) -> str:
    level = finding.severity.label
    about, file = _about(finding), folders.path(finding.place.file)
    data = (
        ("level", "accepted" if accepted else level),
        ("rule", _rule(finding)),
        ("object", about),
        ("file", file),
    )
    attributes = " ".join(f'data-{name}="{_text(value)}"' for name, value in data)
    position = f"{file}:{finding.place.line}:{finding.place.column}" if finding.place.span else file
    notes = [("effect", finding.effect), ("fix", finding.fix)]
    if accepted:
        words = (f"by {accepted.by}", accepted.reason, f"until {accepted.until}" if accepted.until else "")
        notes.append(("accepted", ", ".join(word for word in words if word)))
    listed = "".join(f"<dt>{name}</dt><dd>{_text(note)}</dd>\n" for name, note in notes if note)
    return (
        f'<article class="{level}{" accepted" if accepted else ""}" {attributes}>\n'
        f"<h2><b>{level} {_text(finding.rule_id)}</b> {_text(finding.message)}</h2>\n"
        f'<p><span class="where">{_text(position)}</span> <span class="object">{_text(about)}</span></p>\n'
        f"{_excerpts(finding, folders)}<dl>\n{listed}</dl>\n</article>\n"
    )


def _excerpts(finding: Finding, folders: Folders) -> str:
    """The lines of all places, in the order of the file; of other files with their names."""
    places = (finding.place, *finding.related)
    lines: list[str] = []
    for place in sorted(places, key=lambda one: (one.file != finding.place.file, one.file, one.line)):
        shown = _line(place)
        if shown:
            other = f" {_text(folders.path(place.file))}" if place.file != finding.place.file else ""
            label = f"  <i># {_text(place.label)}</i>" if place.label else ""
            lines.append(f"<i>{place.line:>5}{other}</i>  {shown}{label}\n")
    return f"<pre>{''.join(lines)}</pre>\n" if lines else ""


def _line(place: Place) -> str:
    """The line with its mark; of a long one, such as JSON in one line, what stands around the mark."""
    text = place.lines.get(place.line)
    if text is None or place.span is None:
        return ""
    start = min(place.column - 1, len(text))
    end = place.span.end_column - 1 if place.span.end_line == place.line else len(text)
    end = min(max(end, start), len(text))
    before, marked, after = text[:start], text[start:end], text[end:]
    if len(text) > _WIDEST:
        before = before if len(before) <= _AROUND else f"...{before[-_AROUND:]}"
        marked = marked if len(marked) <= _WIDEST else f"{marked[:_WIDEST]}..."
        after = after if len(after) <= _AROUND else f"{after[:_AROUND]}..."
    return f"{_text(before)}<mark>{_text(marked)}</mark>{_text(after)}"


def _rule(finding: Finding) -> str:
    return f"{finding.rule_id} {finding.rule_name}"


def _about(finding: Finding) -> str:
    return str(finding.object) if finding.object else ""


def _text(text: str) -> str:
    return escape(printable(text))
