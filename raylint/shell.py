"""What bash makes of one command line: its words, where they begin, and where the command ends.

KubeRay writes the values of ``rayStartParams`` unquoted into a line that ``bash -c`` runs (``common/pod.go``,
``generateRayStartCommand``), so quotes go, blanks split, braces expand and ``;`` ends the command before Ray sees
a value. What the text cannot tell (``$NAME``, ``$(command)``) makes a word unknown.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    # A character of a word, and whether it was quoted.
    Mark: TypeAlias = tuple[str, bool]

__all__ = ["Command", "Word", "blank_separated", "command"]

_ENDS = ";&|\n"
# More words than this from one pair of braces: nobody means it, and the line is not followed any further.
_MOST_WORDS = 64
# A longer word with a comma outside quotes is not looked through for braces.
_LONGEST_BRACES = 4096


class Word:
    """A word: its text once quotes are gone, and the offset in the line at which it begins. ``known`` is false
    where the shell puts in something that the line does not tell."""

    __slots__ = ("known", "start", "text")

    def __init__(self, text: str, start: int, known: bool) -> None:
        self.text = text
        self.start = start
        self.known = known


class Command:
    """The first command of a line. ``cut`` is the character that ends it before the line does, at ``cut_at``.
    ``fault`` is bash's complaint, at ``fault_at``: nothing runs then."""

    __slots__ = ("cut", "cut_at", "fault", "fault_at", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.cut = ""
        self.cut_at = -1
        self.fault = ""
        self.fault_at = -1

    def fail(self, fault: str, at: int) -> None:
        if not self.fault:
            self.fault = fault
            self.fault_at = at


_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_=./:,+@%"


def command(line: str) -> Command:
    """Read a line as ``bash -c`` does. Linear in its length."""
    # Nearly all lines: nothing in them means anything to a shell but the blanks.
    return _Reader(line).read() if line.strip(_PLAIN) else blank_separated(line)


def blank_separated(line: str) -> Command:
    """A line that comes out of an unquoted variable: bash splits it at blanks and reads no quotes in it."""
    found = Command()
    start = 0
    for part in line.replace("\t", " ").replace("\n", " ").split(" "):
        if part:
            found.words.append(Word(part, start, known=not any(mark in part for mark in "*?[")))
        start += len(part) + 1
    return found


class _Reader:
    """Walks over the line once."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._last = len(line.rstrip(" \t\n"))
        self._at = 0
        self._found = Command()
        self._marks: list[Mark] = []
        self._start = 0
        self._in_word = False
        self._known = True
        self._redirected = False

    def read(self) -> Command:
        line, length = self._line, len(self._line)
        while self._at < length and not self._found.fault:
            character = line[self._at]
            if character in " \t":
                self._end_word()
                self._at += 1
            elif character in _ENDS:
                self._end_command(character)
            elif character in "()":
                if not self._found.cut:
                    self._found.fail(f"syntax error near unexpected token `{character}'", self._at)
                self._at += 1
            elif character in "<>":
                self._redirect(character)
            elif character == "#" and not self._in_word:
                self._comment()
            else:
                self._part(character)
        self._end_word()
        if self._redirected and not self._found.fault:
            self._found.fail("syntax error near unexpected token `newline'", max(length - 1, 0))
        return self._found

    def _part(self, character: str) -> None:
        """One more part of a word: a plain character, or what quotes hold together."""
        if not self._in_word:
            self._in_word = True
            self._start = self._at
        if character == "\\":
            following = self._line[self._at + 1 : self._at + 2]
            if following and following != "\n":
                self._marks.append((following, True))
            self._at += 2
        elif character == "'":
            self._single_quotes()
        elif character == '"':
            self._double_quotes()
        elif character in "$`":
            self._expansion(quoted=False)
        else:
            if character == "~" and not self._marks:
                self._known = False
            self._marks.append((character, False))
            self._at += 1

    def _single_quotes(self) -> None:
        end = self._line.find("'", self._at + 1)
        if end < 0:
            self._found.fail("unexpected EOF while looking for matching `''", self._at)
            self._at = len(self._line)
            return
        self._marks += [(character, True) for character in self._line[self._at + 1 : end]]
        self._at = end + 1

    def _double_quotes(self) -> None:
        line, opened = self._line, self._at
        self._at += 1
        while self._at < len(line):
            character = line[self._at]
            if character == '"':
                # An empty pair still makes a word.
                self._at += 1
                return
            if character == "\\" and line[self._at + 1 : self._at + 2] in ("$", "`", '"', "\\", "\n"):
                if line[self._at + 1] != "\n":
                    self._marks.append((line[self._at + 1], True))
                self._at += 2
            elif character in "$`":
                self._expansion(quoted=True)
            else:
                self._marks.append((character, True))
                self._at += 1
        self._found.fail("unexpected EOF while looking for matching `\"'", opened)

    def _expansion(self, *, quoted: bool) -> None:
        """``$NAME``, ``${...}``, ``$(...)`` or backticks: what comes out of them is unknown. A ``$`` before
        anything else is itself."""
        line, opened = self._line, self._at
        following = line[opened + 1 : opened + 2]
        if line[opened] == "`":
            self._skip_to("`", opened)
        elif following == "(":
            self._skip_nested("(", ")", opened)
        elif following == "{":
            self._skip_nested("{", "}", opened)
        elif following.isalpha() or following == "_":
            end = opened + 2
            while end < len(line) and (line[end].isalnum() or line[end] == "_"):
                end += 1
            self._at = end
        elif following and following in "0123456789@*#?$!-":
            self._at += 2
        elif following and following in "'\"" and not quoted:
            self._at += 1
            self._known = False
            return
        else:
            self._marks.append(("$", True))
            self._at += 1
            return
        self._known = False

    def _skip_to(self, closing: str, opened: int) -> None:
        end = self._line.find(closing, opened + 1)
        if end < 0:
            self._found.fail(f"unexpected EOF while looking for matching `{closing}'", opened)
            end = len(self._line)
        self._at = end + 1

    def _skip_nested(self, opening: str, closing: str, opened: int) -> None:
        depth = 0
        for at in range(opened + 1, len(self._line)):
            depth += (self._line[at] == opening) - (self._line[at] == closing)
            if not depth:
                self._at = at + 1
                return
        self._found.fail(f"unexpected EOF while looking for matching `{closing}'", opened)
        self._at = len(self._line)

    def _comment(self) -> None:
        end = self._line.find("\n", self._at)
        if not self._found.cut:
            self._found.cut, self._found.cut_at = "#", self._at
        self._at = len(self._line) if end < 0 else end

    def _end_command(self, character: str) -> None:
        self._end_word()
        if self._redirected:
            self._found.fail(f"syntax error near unexpected token `{character}'", self._at)
        if not self._found.cut and self._at < self._last:
            self._found.cut, self._found.cut_at = character, self._at
        self._at += 1

    def _redirect(self, character: str) -> None:
        """``> file`` sends the output away; ``< file`` wants a file, which a placeholder's name is not."""
        if self._in_word and self._marks and all(mark.isdigit() and not quoted for mark, quoted in self._marks):
            self._drop_word()
        self._end_word()
        at = self._at
        while self._at < len(self._line) and self._line[self._at] in "<>&":
            self._at += 1
        while self._line.startswith(" ", self._at):
            self._at += 1
        if character == "<" and not self._found.cut and not self._line.startswith("/", self._at):
            name = self._line[self._at : self._at + 80].partition(" ")[0]
            self._found.fail(f"{name}: No such file or directory", at)
        self._redirected = True

    def _drop_word(self) -> None:
        self._marks = []
        self._in_word = False
        self._known = True

    def _end_word(self) -> None:
        if not self._in_word:
            return
        marks, known, start = self._marks, self._known, self._start
        self._drop_word()
        if self._redirected:
            self._redirected = False
        elif not self._found.cut:
            known = known and (len(marks) < _LONGEST_BRACES or (",", False) not in marks)
            words = _expand(marks) if known else [marks]
            self._found.words += [
                Word("".join(mark for mark, _ in word), start, known and len(words) < _MOST_WORDS)
                for word in words
            ]


def _expand(marks: list[Mark]) -> list[list[Mark]]:
    """Brace expansion: ``{a,b}`` makes two words, ``{a}`` and ``{}`` stay as they are."""
    pending: list[list[Mark]] = [marks]
    done: list[list[Mark]] = []
    while pending:
        word = pending.pop()
        choice = _choice(word) if len(done) + len(pending) < _MOST_WORDS else None
        if choice is None:
            done.append(word)
            continue
        opened, closed, commas = choice
        edges = [opened, *commas, closed]
        parts = [word[edges[index] + 1 : edges[index + 1]] for index in range(len(edges) - 1)]
        pending += [word[:opened] + part + word[closed + 1 :] for part in reversed(parts)]
    return done


def _choice(word: list[Mark]) -> tuple[int, int, list[int]] | None:
    """The first pair of unquoted braces with an unquoted comma between them, and its commas."""
    stack: list[tuple[int, list[int]]] = []
    found: tuple[int, int, list[int]] | None = None
    for at, mark in enumerate(word):
        if mark == ("{", False):
            stack.append((at, []))
        elif mark == (",", False) and stack:
            stack[-1][1].append(at)
        elif mark == ("}", False) and stack:
            opened, commas = stack.pop()
            if commas and (found is None or opened < found[0]):
                found = opened, at, commas
    return found
