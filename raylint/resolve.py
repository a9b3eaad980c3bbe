"""From the paths that rules speak of to the places that people look at: positions, source lines, no secrets."""

from __future__ import annotations

from raylint.finding import Place
from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.document import Document
    from raylint.finding import ObjectRef, Path, Span
    from raylint.remark import Remark
    from raylint.rule import Location
    from raylint.secrets import Mask

__all__ = ["Gathered", "Resolver", "gathered", "remarked"]

# The value of a variable whose name stands on another line: no pattern knows a secret there.
_VALUE_LINE = pattern(r"(\s*(?:-\s+)?[\"']?value[\"']?\s*:\s*)(\S.*)")


class Resolver:
    """Resolves the places of one object, once there is something to report. ``base`` is the object's path in the
    document."""

    __slots__ = ("_base", "_document", "_mask", "_secret_spans", "ref")

    def __init__(self, document: Document, base: Path, ref: ObjectRef) -> None:
        self._document = document
        self._base = base
        self.ref = ref
        self._mask: Mask | None = None
        self._secret_spans: list[Span] = []

    @property
    def mask(self) -> Mask:
        """Covers the secrets of the document in any text."""
        if self._mask is None:
            from raylint.secrets import Mask  # only where there is something to report

            self._mask = Mask(self._document.data)
            spans = [self._document.locate(path) for path in self._mask.paths]
            if self._mask.inner_paths:
                from raylint.embedded_document import EmbeddedDocument  # few manifests hold secrets there

                for path, text, inner in self._mask.inner_paths:
                    spans.append(EmbeddedDocument(self._document, path, text).locate(inner))
            self._secret_spans = [span for span in spans if span is not None]
        return self._mask

    def place(self, at: Location | Place, label: str = "") -> Place:
        if isinstance(at, Place):
            return at
        return self.spot(at.locate(), at.path, label, at.inner)

    def spot(self, span: Span | None, path: Path, label: str = "", inner: Path = ()) -> Place:
        """A place whose span is known."""
        document = self._document
        lines = (
            {number: self._shown(line, number) for number, line in document.lines(span).items()} if span else {}
        )
        return Place(document.file, document.index, path, span, self.mask(label), lines, inner)

    def _shown(self, line: str, number: int) -> str:
        """A source line without what is secret in it, in whatever quotes and escapes it is written."""
        mask = self.mask
        for span in self._secret_spans:
            from raylint.secrets import cover

            line = cover(line, number, span)
        return mask(line)

    def identity(self, at: Location | Place) -> str:
        """The path with list items named by what people call them, so that reordering changes nothing."""
        data = self._document.data
        for step in self._base:
            data = _child(data, step)
        outer = _named(data, at.path[len(self._base) :])
        return f"{outer}:{_named(at.inner_data, at.inner)}" if at.inner and not isinstance(at, Place) else outer


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
        return Place(at.file, at.document, at.path, at.span, self.mask(label), at.lines, at.inner)

    def identity(self, at: Location | Place) -> str:
        return repr(at.path + at.inner)


gathered = Gathered()


def remarked(file: str, remark: Remark) -> Place:
    """The place of a remark on a text that could not be read: secrets are covered by their looks alone, and the
    value of a variable is not shown at all."""
    lines = {number: gathered.mask(_without_value(line)) for number, line in remark.lines.items()}
    return Place(file, remark.document, remark.path, remark.span, "", lines)


def _without_value(line: str) -> str:
    match = _VALUE_LINE.fullmatch(line.rstrip("\r\n"))
    return match[1] + "*" * len(match[2]) if match else line


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
                return f"{key}={item[key]}"
    return ""
