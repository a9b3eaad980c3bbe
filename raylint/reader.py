"""Reads a file as kubectl and the Kubernetes API server do, and goes on where kubectl stops.

Source: ``k8s.io/apimachinery/pkg/util/yaml`` (YAMLOrJSONDecoder) of Kubernetes 1.36 over ``sigs.k8s.io/yaml``
v1.6.0 and ``go.yaml.in/yaml/v2`` v2.4.3. ``tests/fixtures/yaml-probes.json`` holds what the real decoder answers.
"""

from __future__ import annotations

from itertools import count

from raylint.build import build
from raylint.compose import LIBYAML, compose, compose_document
from raylint.document import Document, Source
from raylint.fault import RefusedError, UnreadableError
from raylint.patterns import pattern
from raylint.position import Text
from raylint.remark import REFUSES, STOPS, STOPS_ABOVE, Remark, of_clash, template, unreadable
from raylint.split import BOM, Chunk, Stray, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Path
    from raylint.outline import Outline
    from raylint.pyyaml import Node

__all__ = ["LIBYAML", "Reading", "Remark", "Unreadable", "by_lines", "read", "read_embedded"]

# The name that callers know; exception classes end in Error.
Unreadable = UnreadableError

# The key, however it is spelt, and its value: between them signs of YAML, blanks of all kinds, anchors and tags.
_RAY_MANIFEST = pattern(rb"(?i:api[-_ ]?version)(?:[^A-Za-z_&!]|[&!]\S{0,60}\s){0,60}ray\.io/")
_RAY_KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
_DIRECTIVE = pattern(rb"(?:[ \t]*(?:#[^\n]*|\r)?\n)*(%(?:YAML|TAG)\b[^\r\n]*)")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_NAMING = ("kind", "apiVersion")
_NO_LETTERS = {ord(sign): None for sign in "-_ :"}
_documents = count()
_FIRST_DOCUMENTS = 8
# kubectl looks at so many bytes to tell JSON from YAML.
_SNIFFED = 4096


class Reading:
    """What one file holds. ``total`` counts its non-empty documents, parsed or passed over."""

    __slots__ = ("documents", "remarks", "total")

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self.remarks: list[Remark] = []
        self.total = 0


def read(file: str, raw: bytes, needles: tuple[bytes, ...] = ()) -> Reading:
    """Read all documents of a file.

    A document that contains none of the ``needles`` is counted and passed over without parsing; without needles
    every one is parsed. Never raises for what a file may hold: what is unreadable becomes a remark.
    """
    return _Reader(file, needles).read(raw)


def read_embedded(text: str) -> object:
    """The operator's reading of a YAML text inside a manifest (``serveConfigV2``, ``runtimeEnvYAML``):
    ``sigs.k8s.io/yaml`` Unmarshal reads the first document and ignores the rest, even if it is broken.

    Raises Unreadable.
    """
    string = text.removeprefix("\ufeff")
    try:
        root = compose(string.encode("utf-8", "surrogatepass"))
        return None if root is None else build(root)[0]
    except RefusedError as fault:
        raise UnreadableError(fault.message, Text(string).span(fault.start, fault.end), fault.fix) from None


class _Reader:
    """The reading of one file."""

    def __init__(self, file: str, needles: tuple[bytes, ...]) -> None:
        self.file = file
        self.needles = needles
        self.reading = Reading()
        self.templated = False
        # Where in the file's bytes the YAML begins that is cut into chunks.
        self.offset = 0

    def read(self, raw: bytes) -> Reading:
        if raw.startswith(_WIDE) or (b"\0" in raw and _is_wide(raw)):
            self._wide(raw)
            return self.reading
        # kubectl takes the mark off the file before it looks whether it is JSON.
        if raw.startswith(BOM):
            raw = raw[len(BOM) :]
            self.offset = len(BOM)
        line, column = 1, 1
        if raw[:_SNIFFED].lstrip().startswith(b"{"):
            raw, line, column = self._json(raw)
        first = self.reading.total
        chunks, strays = split(raw, line, column)
        for number, chunk in enumerate(chunks):
            self._chunk(chunk, _telling(chunks, number))
        for stray in strays:
            self._stray(stray, chunks, first)
        return self.reading

    def _chunk(self, chunk: Chunk, telling: bytes) -> None:
        index = self.reading.total
        self.reading.total += 1
        raw = chunk.raw
        if not self._wanted(telling):
            return
        outline = by_lines(raw)
        if outline is not None:
            self._document(index, outline.data, self._source(chunk, outline=outline), [])
            return
        try:
            root = compose_document(raw)
            if root is None:
                return
            data, repeating = build(root)
        except RefusedError as fault:
            if self._is_ours(telling):
                self._refused(chunk, index, fault)
            return
        self._document(index, data, self._source(chunk, root=root), repeating)

    def _source(self, chunk: Chunk, *, root: Node | None = None, outline: Outline | None = None) -> Source:
        return Source(
            chunk.raw,
            chunk.line,
            chunk.column,
            root=root,
            outline=outline,
            prelude=chunk.prelude,
            prelude_line=chunk.prelude_line,
            offset=self.offset + chunk.offset,
        )

    def _wanted(self, raw: bytes) -> bool:
        for needle in self.needles:
            if needle in raw:
                return True
        return not self.needles

    def _is_ours(self, raw: bytes) -> bool:
        """Whether to speak about a document that cannot be read: a needle alone may stand in a comment."""
        return not self.needles or _RAY_MANIFEST.search(raw) is not None

    def _document(self, index: int, data: object, source: Source, repeating: list[Node] | None) -> None:
        if data is None:
            return
        document = Document(self.file, index, data, source)
        problem, path = _no_object(data)
        if problem:
            self._no_object(document, source, problem, path)
            return
        self.reading.documents.append(document)
        if repeating != [] and (self._is_ours(source.raw) or _is_ray(data)):
            from raylint.clash import clashes  # few manifests repeat a key

            found = clashes(source.root, repeating)
            self.reading.remarks.extend(of_clash(clash, source.text, index) for clash in found)

    def _no_object(self, document: Document, source: Source, problem: str, path: Path) -> None:
        span = document.locate(path, key=bool(path) and path[0] not in _NAMING)
        if span is None or not (self._is_ours(source.raw) or _is_ray(document.data)):
            return
        fix = "write kind and apiVersion, each once and as text"
        remark = unreadable(source.text, span, document.index, problem, REFUSES, fix)
        remark.path = path
        self.reading.remarks.append(remark)

    def _refused(self, chunk: Chunk, index: int, fault: RefusedError) -> None:
        from raylint.templating import template_tag  # few manifests are refused

        text = Text(chunk.raw.decode("utf-8", "replace"), chunk.line, chunk.column)
        tag = template_tag(text.string)
        if tag:
            if not self.templated:
                self.templated = True
                self.reading.remarks.append(template(text, text.span(*tag), index))
            return
        directive = _DIRECTIVE.match(chunk.raw)
        if directive:
            message = "a `%YAML` or `%TAG` directive; kubectl splits it off from its document"
            start = text.string.index("\n%") + 1 if directive.start(1) else 0
            fault = RefusedError(message, "remove the directive", start, start + len(directive[1]))
        span = text.span(fault.start, fault.end)
        self.reading.remarks.append(unreadable(text, span, index, fault.message, fault.effect or STOPS, fault.fix))

    def _stray(self, stray: Stray, chunks: list[Chunk], first: int) -> None:
        """kubectl drops the document above a separator that it cannot read, and stops."""
        position = stray.position - stray.spoils
        if self.needles and not any(self._is_ours(chunk.raw) for chunk in chunks[position : stray.position + 1]):
            return
        text = Text(stray.raw.decode("utf-8", "replace"), stray.line)
        message = f"`{text.string[:40]}` is no document separator: only a comment may follow `---`"
        effect = STOPS_ABOVE if stray.spoils else STOPS
        span = text.span(0, len(text.string))
        fix = "write `---` on a line of its own"
        self.reading.remarks.append(unreadable(text, span, first + position, message, effect, fix))

    def _wide(self, raw: bytes) -> None:
        self.reading.total = 1
        narrow = raw.replace(b"\0", b"")
        if not (self._wanted(narrow) and self._is_ours(narrow)):
            return
        text = Text(narrow.lstrip(b"\xff\xfe").decode("latin-1"))
        message = "the file is UTF-16 or UTF-32, not UTF-8"
        effect = (
            "the Kubernetes decoder refuses it; kubectl alone converts UTF-16 that begins with a byte-order mark"
        )
        self.reading.remarks.append(
            unreadable(text, text.span(0, 1), 0, message, effect, "save the file as UTF-8")
        )

    def _json(self, raw: bytes) -> tuple[bytes, int, int]:
        """Read the JSON objects at the file's beginning; the rest, with its line and column, is YAML."""
        from raylint.jsontext import json_objects  # few manifests are JSON

        try:
            string = raw.decode()
        except UnicodeDecodeError:
            return raw, 1, 1
        objects, end = json_objects(string)
        whole = Text(string)
        position, offset = 0, self.offset
        for item in objects:
            offset += len(string[position : item.start].encode())
            position = item.start
            index = self.reading.total
            self.reading.total += 1
            piece = string[item.start : item.end].encode()
            if not self._wanted(piece):
                continue
            if item.fault is None:
                source = Source(piece, *whole.place(item.start), offset=offset)
                self._document(index, item.data, source, None if item.repeats else [])
            elif self._is_ours(piece):
                span = whole.span(item.fault.start, item.fault.end)
                remark = unreadable(whole, span, index, item.fault.message, REFUSES, item.fault.fix)
                self.reading.remarks.append(remark)
        if len(objects) > 1 and end < len(string) and self._is_ours(raw):
            # After two objects kubectl is sure of JSON; after one it tries YAML.
            message = "what follows several JSON objects is no JSON"
            remark = unreadable(
                whole, whole.span(end, end + 1), len(objects), message, STOPS, "use a file of its own"
            )
            self.reading.remarks.append(remark)
        rest = string[end:].encode()
        self.offset += len(raw) - len(rest)
        return rest, *whole.place(end)


def by_lines(raw: bytes) -> Outline | None:
    """A text that is plain enough to be read by its lines; its last one is taken to have an end. The first texts
    of a process are not: what their lines say would be found out for nothing in a run over a single file."""
    if next(_documents) < _FIRST_DOCUMENTS:
        return None
    from raylint.outline import outlined

    return outlined(raw)


def _telling(chunks: list[Chunk], number: int) -> bytes:
    """The bytes that tell whether a chunk concerns us. To kubectl a directive is a document of its own; it was
    meant for the one below it."""
    raw = chunks[number].raw
    begins_so = raw.startswith((b"%", b"#", b"\n", b"\r")) and (b"%YAML" in raw or b"%TAG" in raw)
    if begins_so and _DIRECTIVE.match(raw):
        return b"".join(chunk.raw for chunk in chunks[number : number + 2])
    return raw


def _no_object(data: object) -> tuple[str, Path]:
    """Why the API server cannot take ``data`` for an object, and where: it must name its kind and apiVersion."""
    if not isinstance(data, dict):
        return f"the document is {_kind_of(data)}, not a Kubernetes object", ()
    for field in _NAMING:
        value = data.get(field)
        if value is None or value == "":
            near = _misspelt(field, data)
            if near:
                return f"the document has no {field}, but the key here is much like it: did you mean {field}?", (
                    near,
                )
            return f"the document has no {field}", ()
        if not isinstance(value, str):
            return f"{field} is {_kind_of(value)}, not text", (field,)
        if field == "apiVersion" and value.count("/") > 1:
            return f"the apiVersion `{value}` is no group and version", (field,)
    return "", ()


def _misspelt(field: str, data: dict[str, object]) -> str:
    """The key that was to be ``field``; empty where there is none."""
    letters = field.lower()
    for key in data:
        if key != field and key.lower().translate(_NO_LETTERS) == letters:
            return key
    from raylint.schema_hints import distance  # few manifests lack their kind

    known = ("kind", "apiVersion", "metadata", "spec", "status", "items", "data", "name")
    others = (key for key in data if key not in known)
    return next((key for key in others if distance(key.lower(), letters, 2) <= len(letters) // 4), "")


def _is_ray(data: object) -> bool:
    """Is it an object of Ray by one of the two that should name it, and by its build?"""
    if not isinstance(data, dict):
        return False
    version = data.get("apiVersion")
    if isinstance(version, str) and version.startswith("ray.io/"):
        return True
    if not ("spec" in data or "metadata" in data) or (isinstance(version, str) and "/" in version):
        return False
    return data.get("kind") in _RAY_KINDS or data.get(_misspelt("kind", data)) in _RAY_KINDS


def _is_wide(raw: bytes) -> bool:
    """Has it a zero in so many characters as a text of UTF-16 or UTF-32 that is mostly ASCII?"""
    return b"\0" in raw[:4] or raw.count(b"\0") > len(raw) // 3


def _kind_of(value: object) -> str:
    names = {dict: "a mapping", list: "a list", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(value.__class__, "text")
