"""Finds the suppressions of one file: in the comments of its documents and of the texts inside them, and in the
annotations of its objects. Imported by files that hold one, or something like it.
"""

from __future__ import annotations

from raylint.comments import comments_in
from raylint.expiry import days_until, has_passed
from raylint.finding import Place, Span
from raylint.manifest import RayObject, RayService, objects
from raylint.position import Text
from raylint.registry import Misnomer, named_rule
from raylint.remarks import REMARKS
from raylint.resolve import Resolver
from raylint.secrets import told
from raylint.suppression import Complaint, Suppression
from raylint.suppression_cover import Entries
from raylint.suppression_words import ANNOTATION, Words, of_annotations, of_comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from raylint.comments import Comment
    from raylint.document import Document
    from raylint.embedded_document import EmbeddedDocument
    from raylint.finding import ObjectRef, Path
    from raylint.manifest import KubeObject
    from raylint.resolve import FileSecrets
    from raylint.suppression import Ignores, Stretch
    from raylint.target import Target

__all__ = ["Finder"]

_NO_EFFECT = "it suppresses nothing: what it was written for is reported"
_END = 1 << 60


class Finder:
    """The suppressions of a file that count, and complaints about the others."""

    def __init__(self, file: str, secrets: FileSecrets, target: Target, ignores: Ignores) -> None:
        self._file = file
        self._secrets = secrets
        self._target = target
        self._ignores = ignores
        self._rules = None if ignores.rules is None else (*REMARKS, *ignores.rules())
        self.suppressions: list[Suppression] = []
        self.complaints: list[Complaint] = []

    def head(self, raw: bytes, first: Document | None) -> None:
        """Look into the comments above the first document, which may be none that is read itself."""
        if first is not None and first.index == 0:
            return
        for comment in comments_in(Text(_head(raw).decode("utf-8", "replace"))):
            for words in of_comment(comment.text):
                if words.verb == "ignore-file" or words.fault:
                    self._take(words, "comment", self._line_place(comment), None)

    def document(self, document: Document) -> None:
        """Look into a document."""
        found = list(objects(document, self._target))
        for view in found:
            self._annotations(view)
        tree = document.tree()
        if tree is None:
            return
        comments = document.comments()
        if not any("lint" in comment.text.lower() for comment in comments):
            self._texts(found)
            return
        entries = Entries(*tree, comments)
        text = tree[0]
        for comment in comments:
            for words in of_comment(comment.text):
                stretches: list[Stretch] | None = None
                if words.verb == "ignore" and not words.fault:
                    covered = entries.covered(comment)
                    stretches = [text.span(entry.start, entry.end).as_tuple() for entry in covered]
                self._comment(words, comment, found, document, stretches)
        self._texts(found)

    def _texts(self, found: Sequence[KubeObject]) -> None:
        """Look into the YAML that stands in the objects as text."""
        for view in found:
            for embedded in _embedded(view):
                inner = embedded.inner
                tree = inner.tree()
                if tree is None or "lint" not in embedded.text.lower():
                    continue
                comments = inner.comments()
                entries = Entries(*tree, comments)
                for comment in comments:
                    for words in of_comment(comment.text):
                        self._inner(words, comment, entries, embedded, view)

    def _inner(
        self,
        words: Words,
        comment: Comment,
        entries: Entries,
        embedded: EmbeddedDocument,
        view: KubeObject,
    ) -> None:
        tree = embedded.inner.tree()
        assert tree is not None
        start = tree[0].starts[comment.line - 1] + comment.column - 1
        span = embedded.spread(start, start + comment.end_column - comment.column)
        place = self._resolver(view).spot(span, embedded.path)
        stretches: list[Stretch] | None = None
        if words.verb == "ignore" and not words.fault:
            covered = entries.covered(comment)
            spans = [embedded.spread(entry.start, entry.end) for entry in covered]
            stretches = [found.as_tuple() for found in spans if found is not None]
        elif words.verb == "ignore-object":
            stretches = [_extent(view)]
        elif not words.fault:
            words.fault = "ignore-file stands above the first document"
        self._take(words, "comment", place, self._resolver(view).ref, stretches)

    def _comment(
        self,
        words: Words,
        comment: Comment,
        found: Sequence[KubeObject],
        document: Document,
        stretches: list[Stretch] | None,
    ) -> None:
        at = (comment.line, comment.column)
        around = [view for view in found if (extent := _extent(view))[:2] <= at < extent[2:]]
        if words.verb == "ignore-object" and not words.fault:
            stretches = [_extent(view) for view in around]
            if not around:
                words.fault = "it stands in no object"
        elif words.verb == "ignore-file" and not words.fault:
            tree = document.tree()
            if document.index > 0 or (tree is not None and at > _begin(tree[0], tree[1].start_mark.index)):
                words.fault = "ignore-file stands above the first document"
        ref = self._resolver(around[0]).ref if around else None
        self._take(words, "comment", self._comment_place(comment, document), ref, stretches)

    def _comment_place(self, comment: Comment, document: Document) -> Place:
        place = self._line_place(comment)
        if place.lines:
            return Place(self._file, document.index, (), place.span, "", place.lines)
        assert place.span is not None
        return Place(self._file, document.index, (), place.span, "", self._secrets.lines(document, place.span))

    def _line_place(self, comment: Comment) -> Place:
        """The place of a comment; its line is known if nothing else stands on it."""
        span = Span(comment.line, comment.column, comment.line, comment.end_column)
        lines = {}
        if not comment.trailing:
            lines[comment.line] = " " * (comment.column - 1) + told(self._secrets.mask(f"# {comment.text}"))
        return Place(self._file, 0, (), span, "", lines)

    def _annotations(self, view: KubeObject) -> None:
        resolver = self._resolver(view)
        for path, written in _metadata(view.path, view.data):
            for key, words in of_annotations(written):
                below = (*path, "metadata", "annotations", key)
                span = view.document.locate(below, key=True)
                self._take(
                    words,
                    "annotation",
                    resolver.spot(span, below),
                    resolver.ref,
                    document=view.document.index,
                    path=_owner(path, view.path),
                )

    def _resolver(self, view: KubeObject) -> Resolver:
        return Resolver(view, self._secrets)

    def _take(
        self,
        words: Words,
        by: str,
        place: Place,
        ref: ObjectRef | None,
        stretches: Sequence[Stretch] | None = None,
        *,
        document: int | None = None,
        path: Path = (),
    ) -> None:
        """Keep what counts, and complain about the rest."""
        said = words.fault or self._broken_policy(words)
        if not said and stretches is not None and not stretches:
            said = "it covers nothing: it stands neither behind a key or an item of a list nor right above one"
        if said:
            shown = self._secrets.mask(said)
            fix = f"write `# raylint: ignore[RAY101] why`, or the annotation {ANNOTATION}-RAY101: why"
            message = f"this suppression counts for nothing: {shown}"
            self._complain("RL003", place, ref, message, _NO_EFFECT, fix, by, ",".join(words.rules))
            return
        rules = [rule for name in words.rules if (rule := self._known(name, by, place, ref)) is not None]
        if has_passed(words.until):
            message = f"this suppression of {', '.join(rules)} ended on {words.until}" if rules else ""
            fix = (
                f"correct what it was to hide for a while, or give it a later day, and remove the {by} in the end"
            )
            if rules:
                self._complain("RL006", place, ref, message, _NO_EFFECT, fix, by, ",".join(rules))
        elif rules:
            reason = self._secrets.mask(words.reason)
            suppression = Suppression(
                by, place, rules, reason, words.until, ref, stretches=stretches, document=document, path=path
            )
            self.suppressions.append(suppression)

    def _broken_policy(self, words: Words) -> str:
        """What the configuration asks of a suppression and this one has not."""
        ignores = self._ignores
        if ignores.require_reason and not words.reason:
            return "it gives no reason, which the configuration asks for"
        if ignores.max_days is None or has_passed(words.until):
            return ""
        if not words.until:
            return f"it needs an until= of at most {ignores.max_days} days from now"
        days = days_until(words.until)
        return f"it holds for {days} days, and {ignores.max_days} are allowed" if days > ignores.max_days else ""

    def _known(self, name: str, by: str, place: Place, ref: ObjectRef | None) -> str | None:
        """The id of a rule that may be suppressed."""
        found: str | Misnomer = name if self._rules is None else named_rule(self._rules, name)
        if isinstance(found, Misnomer):
            message = self._secrets.mask(f"this suppression names {name!r}: {found.reason}")
            fix = "write the id or the name of one rule; `raylint rules` lists them"
            self._complain("RL005", place, ref, message, _NO_EFFECT, fix, by, name)
            return None
        if found in self._ignores.mandatory or found in _NEVER:
            why = "mandatory in the configuration" if found in self._ignores.mandatory else "raylint's own remark"
            message = f"{found} is {why} and cannot be suppressed"
            fix = f"remove {found} from the {by}, and correct what it reports"
            self._complain("RL003", place, ref, message, _NO_EFFECT, fix, by, found)
            return None
        return found

    def _complain(
        self,
        rule_id: str,
        place: Place,
        ref: ObjectRef | None,
        message: str,
        effect: str,
        fix: str,
        by: str,
        what: str,
    ) -> None:
        self.complaints.append(Complaint(rule_id, place, ref, message, effect, fix, f"{by}:{what}"))


# That raylint failed, and what it says of suppressions.
_NEVER = frozenset({"RL000", "RL003", "RL004", "RL005", "RL006", "RL013"})


def _head(raw: bytes) -> bytes:
    """The comments, separators and empty lines at the beginning of a file."""
    end = 0
    for line in raw.splitlines(keepends=True):
        stripped = line.strip().removeprefix(b"\xef\xbb\xbf")
        if stripped and not stripped.startswith((b"#", b"---", b"%")):
            break
        end += len(line)
    return raw[:end]


def _begin(text: Text, offset: int) -> tuple[int, int]:
    return text.place(offset)


def _embedded(view: KubeObject) -> Iterator[EmbeddedDocument]:
    if not isinstance(view, RayObject):
        return
    if isinstance(view, RayService) and view.serve_config.document is not None:
        yield view.serve_config.document
    if view.job is not None and view.job.runtime_env_document is not None:
        yield view.job.runtime_env_document


def _extent(view: KubeObject) -> Stretch:
    """Where an object stands in its file: all of its document, or its item of a list."""
    tree = view.document.tree()
    if tree is None:
        return (0, 0, 0, 0)
    if view.path:
        node = view.document.node(view.path)
        return tree[0].span(node.start_mark.index, node.end_mark.index).as_tuple() if node else (0, 0, 0, 0)
    return (view.document.prelude[1], 0, *tree[0].place(len(tree[0].string)))


def _metadata(path: Path, data: object) -> Iterator[tuple[Path, Mapping[str, object]]]:
    """The annotations below an object, each with the path of what has them: the object itself, templates in it."""
    waiting: list[tuple[Path, object]] = [(path, data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            metadata = value.get("metadata")
            annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
            if isinstance(annotations, dict):
                yield path, annotations
            waiting += [((*path, key), part) for key, part in value.items() if isinstance(part, (dict, list))]
        elif isinstance(value, list):
            waiting += [
                ((*path, number), part) for number, part in enumerate(value) if isinstance(part, (dict, list))
            ]


def _owner(path: Path, base: Path) -> Path:
    """What an annotation covers: what has it, and for the template of a group's pods the whole group."""
    inside = path[len(base) :]
    is_group = inside[-1:] == ("template",) and (
        "headGroupSpec" in inside[-2:] or "workerGroupSpecs" in inside[-3:]
    )
    return path[:-1] if is_group else path
