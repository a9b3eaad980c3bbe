"""From the paths that rules speak of to the places that people look at: positions, source lines, no secrets."""

from __future__ import annotations

from raylint.finding import ObjectRef, Place
from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from raylint.document import Document
    from raylint.finding import Fix, Path, Span
    from raylint.manifest import KubeObject
    from raylint.remark import Remark
    from raylint.rule import Location, Problem
    from raylint.secrets import Mask, Secrets

    # The resolvers of objects, by document and path.
    Owners: TypeAlias = "dict[tuple[int, Path], Resolver]"

__all__ = ["FileSecrets", "Gathered", "Resolver", "gathered", "owner_of", "remarked", "remarked_text"]

# Kubernetes allows names of 253 characters; a finding repeats them.
_LONGEST_NAME = 253
# Remarks that a key is written again: what it said first is in no data.
_OVERRIDES = ("RL010", "RL011")
# Documents in which a run looks for more secrets than in those that it judges.
_SECRET_KIND = pattern(rb"kind[\"']?\s*:\s*[\"']?Secret")


class FileSecrets:
    """What is secret in one file. It is found when there is something to report, and shared by all of the file's
    objects: a list may hold thousands of them."""

    __slots__ = ("_data", "_hidden", "_keys", "_lines", "_mask", "_raw", "_remarks", "_secrets")

    def __init__(self, documents: Sequence[Document], remarks: Sequence[Remark] = (), raw: bytes = b"") -> None:
        # The text of a document is let go of before the file is through.
        self._data = {it.index: (it.data, it.raw, it.raw_lines) for it in documents}
        self._remarks = remarks
        self._raw = raw
        self._mask: Mask | None = None
        self._keys: set[str | int] = set()
        self._secrets: dict[int, Secrets] = {}
        self._hidden: dict[int, Hidden] = {}
        self._lines: dict[tuple[int, int], str] = {}

    @property
    def mask(self) -> Mask:
        """Covers the secrets of the file in any text."""
        if self._mask is None:
            # Only where there is something to report.
            from raylint.secret_names import may_hold_secrets, written

            searched = {
                index: data
                for index, (data, raw, lines) in self._data.items()
                if may_hold_secrets(written(data) if raw is None else raw, lines)
            }
            passed_over = self._passed_over()
            if not (searched or passed_over):
                # Nearly all files: they share the mask that covers what looks like a secret.
                self._mask = gathered.mask
                return self._mask
            from raylint.secrets import Mask

            self._mask = Mask(*searched.values(), *passed_over)
            self._secrets = dict(zip(searched, self._mask.secrets, strict=False))
            self._keys = {path[-1] for secrets in self._mask.secrets for path in secrets.keys}
        return self._mask

    def _passed_over(self) -> list[object]:
        """The Secrets of the file that no rule asks for: their values may stand in other objects."""
        if b"Secret" not in self._raw or not _SECRET_KIND.search(self._raw):
            return []
        from raylint.reader import read

        documents = read("", self._raw, (b"Secret",)).documents
        return [document.data for document in documents if document.index not in self._data]

    def path(self, path: Path) -> Path:
        """The path without the keys that are secrets themselves, once :attr:`mask` has been asked for."""
        if self._keys.isdisjoint(path):
            return path
        return tuple("*" * len(step) if isinstance(step, str) and step in self._keys else step for step in path)

    def lines(self, document: Document, span: Span) -> dict[int, str]:
        """The source lines of a span without what is secret in them, in whatever quotes and escapes. All places on
        a line share its text: a file may be one line."""
        known, index = self._lines, document.index
        wanted = [span.line]
        if span.line != span.end_line:
            wanted = sorted({span.line, span.line + 1, span.end_line})
        if [number for number in wanted if (index, number) not in known]:
            for number, line in document.lines(span).items():
                if (index, number) not in known:
                    known[index, number] = self._shown(document, line, number)
        return {number: known[index, number] for number in wanted if (index, number) in known}

    def _shown(self, document: Document, line: str, number: int) -> str:
        line = self.mask(self._hidden_in(document).cover(line, number))
        comment = line.find("#")
        if comment < 0:
            return line
        from raylint.secrets import told

        return line[:comment] + told(line[comment:])

    def is_secret(self, document: Document, span: Span) -> bool:
        """Does a part of a secret stand there, in whatever notation?"""
        return self._hidden_in(document).touches(span)

    def _hidden_in(self, document: Document) -> Hidden:
        hidden = self._hidden.get(document.index)
        if hidden is None:
            _ = self.mask  # now it is known what is secret in which document
            secrets = self._secrets.get(document.index)
            hidden = self._hidden[document.index] = Hidden(document, secrets, self._remarks)
        return hidden


class Hidden:
    """Where secrets stand in the source of one document, by line. ``secrets``: None where there are none."""

    __slots__ = ("_addresses", "_blocks", "_overridden", "_parts")

    def __init__(self, document: Document, secrets: Secrets | None, remarks: Sequence[Remark]) -> None:
        self._parts: dict[int, list[tuple[int, int]]] = {}
        self._addresses: dict[int, list[tuple[int, int]]] = {}
        self._blocks: list[Span] = []
        # By line: where what stands behind an overridden key begins, and whether it is a secret by its path.
        self._overridden: dict[int, tuple[int, bool]] = {}
        if secrets is not None:
            self._hide_all(document, secrets)
        for remark in remarks:
            if remark.document == document.index and remark.rule_id in _OVERRIDES:
                telling = _may_be_secret(remark.path)
                for span in (remark.span, *(span for span, _ in remark.related)):
                    if span is not None:
                        self._override(span, telling)

    def _hide_all(self, document: Document, secrets: Secrets) -> None:
        for path in secrets.paths:
            self._hide(document.locate(path), self._parts)
        for path in secrets.keys:
            self._hide(document.locate(path, key=True), self._parts)
        for path in secrets.addresses:
            self._hide(document.locate(path), self._addresses)
        if secrets.inner_paths:
            from raylint.embedded_document import EmbeddedDocument  # few manifests hold secrets there

            for path, text, inner in secrets.inner_paths:
                self._hide(EmbeddedDocument(document, path, text).locate(inner), self._parts)

    def _hide(self, span: Span | None, parts: dict[int, list[tuple[int, int]]]) -> None:
        if span is None:
            return
        if span.line == span.end_line:
            parts.setdefault(span.line, []).append((span.column - 1, span.end_column - 1))
        else:
            self._blocks.append(span)

    def _override(self, span: Span, telling: bool) -> None:
        column, told = self._overridden.get(span.end_line, (span.end_column - 1, False))
        self._overridden[span.end_line] = min(column, span.end_column - 1), told or telling

    def touches(self, span: Span) -> bool:
        """Do a secret and the span have a character in common?"""
        if any(block.line <= span.end_line and span.line <= block.end_line for block in self._blocks):
            return True
        stretches = (
            (number, *stretch)
            for number in range(span.line, span.end_line + 1)
            for parts in (self._parts, self._addresses)
            for stretch in parts.get(number, ())
        )
        begin, finish = (span.line, span.column - 1), (span.end_line, span.end_column - 1)
        return any((line, start) < finish and begin < (line, end) for line, start, end in stretches)

    def cover(self, line: str, number: int) -> str:
        if not (self._parts or self._addresses or self._blocks or self._overridden):
            return line
        from raylint.secrets import blank, credentials

        spans = list(self._parts.get(number, ()))
        for start, end in self._addresses.get(number, ()):
            found = list(credentials(line[start:end]))
            # Written with escapes, it holds no sign that could be found.
            spans += [(start + at, start + to) for at, to in found] or [(start, end)]
        spans += [
            (_begin(span, line, number), span.end_column - 1 if number == span.end_line else len(line))
            for span in self._blocks
            if span.line <= number <= span.end_line
        ]
        line = blank(line, spans)
        start, telling = self._overridden.get(number, (len(line), False))
        behind = line[start:]
        if not (telling or "{" in behind or "[" in behind):
            return line
        from raylint.veil import veiled

        return line[:start] + veiled(behind)


def _begin(span: Span, line: str, number: int) -> int:
    return span.column - 1 if number == span.line else len(line) - len(line.lstrip())


def _may_be_secret(path: Path) -> bool:
    """Whether a value at a path that is no longer in the data could be a secret."""
    from raylint.secret_names import names_a_secret, names_an_address

    steps = [step for step in path if isinstance(step, str)]
    if any(names_a_secret(step) or names_an_address(step) for step in steps):
        return True
    return any(step.lower().startswith(("env", "val")) or step in ("data", "stringData") for step in steps)


class Resolver:
    """Resolves the places of one object, once there is something to report."""

    __slots__ = ("_document", "_found", "_secrets", "_shown_ref")

    def __init__(self, found: KubeObject, secrets: FileSecrets) -> None:
        self._document = found.document
        self._found = found
        self._shown_ref: ObjectRef | None = None
        self._secrets = secrets

    @property
    def document(self) -> Document:
        """The document of the object."""
        return self._document

    @property
    def mask(self) -> Mask:
        """Covers the secrets of the file in any text."""
        return self._secrets.mask

    @property
    def ref(self) -> ObjectRef:
        """The object, as reports may name it."""
        if self._shown_ref is None:
            ref = self._found.ref
            mask = self.mask
            kind, namespace, name = _cut(mask(ref.kind)), _cut(mask(ref.namespace)), _cut(mask(ref.name))
            self._shown_ref = ObjectRef(_cut(ref.api_version), kind, namespace, name)
        return self._shown_ref

    def lasting(self, at: Location | Place) -> Place:
        """The place of a fact, for when its document is gone."""
        place = self.place(at)
        if any(step.__class__ is int for step in place.path):
            place.identity = self.identity(at)
        return place

    def place(self, at: Location | Place, label: str = "") -> Place:
        if isinstance(at, Place):
            return at
        return self.spot(at.locate(), at.path, label, at.inner)

    def spot(self, span: Span | None, path: Path, label: str = "", inner: Path = ()) -> Place:
        """A place whose span is known."""
        document, secrets = self._document, self._secrets
        label = self.mask(label)
        lines = secrets.lines(document, span) if span else {}
        return Place(document.file, document.index, secrets.path(path), span, label, lines, secrets.path(inner))

    def fixes(self, problem: Problem) -> Sequence[Fix]:
        """What a machine can do about the problem."""
        if problem.repair is None or self._document.source is None:
            return ()
        from raylint.fix_edits import resolved  # only where there is something to fix

        return resolved(self._document, problem.repair, self.mask, self._is_secret)

    def remark_fixes(self, remark: Remark) -> Sequence[Fix]:
        """What a machine can do about a remark: of two equal keys it takes out the one without effect."""
        if remark.overridden is None:
            return ()
        from raylint.fix_edits import without_repeated_key

        return without_repeated_key(self._document, *remark.overridden, self.mask, self._is_secret)

    def _is_secret(self, span: Span) -> bool:
        return self._secrets.is_secret(self._document, span)

    def identity(self, at: Location | Place) -> str:
        """The path with list items named by what people call them, so that reordering changes nothing."""
        data, base = self._document.data, self._found.path
        for step in base:
            data = _child(data, step)
        named = _named(data, at.path[len(base) :])
        if at.inner and not isinstance(at, Place):
            named = f"{named}:{_named(at.inner_data, at.inner)}"
        return self.mask(named)


class Gathered:
    """Passes on what the resolvers of the single files have resolved. Their secrets are not known any more; what
    looks like one is still covered."""

    __slots__ = ("_mask",)

    def __init__(self) -> None:
        self._mask: Mask | None = None

    @property
    def mask(self) -> Mask:
        if self._mask is None:
            from raylint.secrets import Mask

            self._mask = Mask(None)
        return self._mask

    def place(self, at: Location | Place, label: str = "") -> Place:
        if not isinstance(at, Place):
            raise TypeError("a rule over the whole run reports at the place of a fact")
        return Place(at.file, at.document, at.path, at.span, self.mask(label), at.lines, at.inner, at.identity)

    def ref(self, at: Location | Place, owner: ObjectRef | None) -> ObjectRef | None:
        """The object that a problem is about, as reports may name it. ``owner``: as it is known of its fact."""
        return owner

    def fixes(self, problem: Problem) -> Sequence[Fix]:
        """None: the texts of the files are gone."""
        return ()

    def identity(self, at: Location | Place) -> str:
        return (isinstance(at, Place) and at.identity) or repr(at.path + at.inner)


gathered = Gathered()


def owner_of(owners: Owners, document: int, path: Path) -> Resolver | None:
    """The resolver of the object in which a path lies; None where the document could not be read."""
    steps = (owners.get((document, path[:length])) for length in range(len(path) + 1))
    return next((resolver for resolver in steps if resolver is not None), None)


def remarked(file: str, remark: Remark) -> Place:
    """The place of a remark on a text that could not be read: no value of it is shown."""
    from raylint.veil import veiled  # few manifests cannot be read

    lines = {number: gathered.mask(veiled(line)) for number, line in remark.lines.items()}
    return Place(file, remark.document, remark.path, remark.span, "", lines)


def remarked_text(text: str, remark: Remark) -> str:
    """What a remark says of a text that could not be read, without the values that it quotes."""
    from raylint.veil import veiled_quotes

    return gathered.mask(veiled_quotes(text, remark.lines.values()))


def _named(data: object, path: Path) -> str:
    steps: list[str] = []
    for step in path:
        data = _child(data, step)
        steps.append(_item_name(data) or str(step) if isinstance(step, int) else step)
    return "/".join(steps)


def _child(data: object, step: str | int) -> object:
    if isinstance(data, dict) and isinstance(step, str):
        return data.get(step)
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step]
    return None


def _item_name(item: object) -> str:
    if isinstance(item, dict):
        for key in ("groupName", "name", "mountPath", "containerPort"):
            if isinstance(item.get(key), (str, int)):
                return f"{key}={_cut(str(item[key]))}"
    return ""


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "..."
