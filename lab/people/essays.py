"""Reads the pupils' essays: every edit with its time in milliseconds.

A file holds one JSON object a line, one for each submission: `student_id`, `exercise_id`, `keystrokes`. Edits are
separated by the group separator, their fields by the unit separator: a character and a time (typed at the end of the
text; a NUL is the backspace key), or a code, a position, what was typed or where the erased range ends, and a time. The
first time is absolute, later ones count from the edit before.

Rebuilt: the text after every edit, and with it the changed boxes: lines of 90 characters in a window of a fixed pitch.
**Invented**: the pitch, the arrow keys and clicks by which somebody got to another place in the text (arrow keys up to
three characters away, else a click, half a second before at most), and the drag before a range is erased at once.
Submissions that begin with the same keystroke are one text that was sent again; the longest counts.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lab.people.desk import RecordedDesk, Recording, read_text
from storage.clock import NS_PER_MS, NS_PER_S
from storage.errors import BadFile
from storage.records import Box, KeyClass

EDIT, FIELD = "\x1d", "\x1f"
ERASE, INSERT = "\x00", "\x02"
LINE = 90
PITCH = (10, 20)
ORIGIN = (480, 200)
_STEPS = 3
_SHOWN_NS = 30 * NS_PER_MS
_FIELDS_AT_END, _FIELDS_INSIDE = 2, 4


class Submission(msgspec.Struct):
    """One line of a file; other fields are not read."""

    student_id: str
    exercise_id: str
    keystrokes: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: text from `start` to `end` was replaced by `typed`; `ms` since the edit before."""

    ms: int
    start: int
    end: int
    typed: str
    at_end: bool


def read_submissions(path: Path) -> list[Submission]:
    """Return the texts of a file, each once.

    Raises:
        BadFile: a line is no submission.
    """
    longest: dict[tuple[str, str, str], Submission] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            found = msgspec.json.decode(line.encode(), type=Submission)
        except msgspec.MsgspecError as error:
            raise BadFile(f"line {number} of {path} is no submission of a text") from error
        key = (found.student_id, found.exercise_id, found.keystrokes.partition(EDIT)[0])
        if key not in longest or len(longest[key].keystrokes) < len(found.keystrokes):
            longest[key] = found
    return list(longest.values())


def read(submission: Submission, name: str, app: str) -> Recording:
    """Return the recording of one text.

    Raises:
        BadFile: an edit cannot be understood.
    """
    desk, text, cursor, t_ns = RecordedDesk(app), "", 0, 0
    for edit in _edits(submission.keystrokes, name):
        before_ns, t_ns = t_ns, t_ns + edit.ms * NS_PER_MS
        start = len(text) if edit.at_end else min(edit.start, len(text))
        end = start if edit.typed else min(edit.end, len(text))
        if edit.at_end and not edit.typed:
            start, end = max(0, len(text) - 1), len(text)
        went_ns = max(before_ns, t_ns - NS_PER_S // 2)
        to = end if edit.typed or end - start > 1 or abs(cursor - end) <= abs(cursor - start) else start
        if to != cursor and (end - start > 1 or cursor not in {start, end}):
            _go(desk, (went_ns, t_ns), (cursor, start, end, to))
            desk.change(went_ns + _SHOWN_NS, (_caret(cursor), _caret(to)), _picture(text, to))
        if not edit.typed:
            desk.key(t_ns, KeyClass.DELETE if cursor == start < end else KeyClass.BACKSPACE)
        elif len(edit.typed) > 1:
            desk.key(t_ns, KeyClass.PASTE)
        else:
            desk.key(t_ns, KeyClass.ENTER if edit.typed == "\n" else KeyClass.CHARACTER)
        before, text = text, text[:start] + edit.typed + text[end:]
        cursor = start + len(edit.typed)
        desk.change(t_ns + _SHOWN_NS, _changed(before, text, start), _picture(text, cursor))
    return Recording(name=name, person=submission.student_id, sources=desk.sources(), end_ns=t_ns)


def _edits(keystrokes: str, name: str) -> Iterator[Edit]:
    first = True
    for edit in filter(None, keystrokes.split(EDIT)):
        fields = edit.split(FIELD)
        try:
            ms = 0 if first else max(0, int(fields[-1]))
            if len(fields) == _FIELDS_AT_END:
                yield Edit(ms, 0, 0, "" if fields[0] == ERASE else fields[0], at_end=True)
            elif len(fields) == _FIELDS_INSIDE and fields[0] == INSERT:
                yield Edit(ms, int(fields[1]), int(fields[1]), fields[2], at_end=False)
            elif len(fields) == _FIELDS_INSIDE and fields[0] == ERASE:
                yield Edit(ms, int(fields[1]), int(fields[2]), "", at_end=False)
            else:
                raise BadFile(f"an edit of {name} has an unknown form")
        except ValueError as error:
            raise BadFile(f"an edit of {name} has no position or time") from error
        first = False


def _go(desk: RecordedDesk, span_ns: tuple[int, int], way: tuple[int, int, int, int]) -> None:
    """Add how somebody got from the cursor to the edit: by arrow keys, a click, or a drag over a range."""
    went_ns, t_ns = span_ns
    cursor, start, end, to = way
    if end - start > 1:
        desk.press(went_ns, *_point(start))
        desk.release((went_ns + t_ns) // 2, *_point(end))
    elif abs(cursor - to) <= _STEPS:
        desk.key(went_ns, KeyClass.NAVIGATION, abs(cursor - to))
    else:
        desk.press(went_ns, *_point(to))
        desk.release((went_ns + t_ns) // 2, *_point(to))


def _caret(at: int) -> Box:
    x, y = _point(at)
    return Box(x, y - PITCH[1] // 2, 2, PITCH[1])


def _picture(text: str, cursor: int) -> str:
    """Return a name of what the text looks like."""
    return hashlib.blake2b(f"{cursor} {text}".encode(errors="replace"), digest_size=8).hexdigest()


def _point(at: int) -> tuple[int, int]:
    """Return where a character stands, roughly: line ends are left out."""
    return ORIGIN[0] + at % LINE * PITCH[0], ORIGIN[1] + at // LINE * PITCH[1] + PITCH[1] // 2


def _changed(before: str, after: str, start: int) -> Iterator[Box]:
    """Yield what looks different: the rest of the line, and the lines below that differ."""
    old, new = _lines(before), _lines(after)
    row = _lines(after[:start])
    first = max(0, len(row) - 1)
    for at in range(first, max(len(old), len(new))):
        was = old[at] if at < len(old) else ""
        now = new[at] if at < len(new) else ""
        if was != now:
            same = next((n for n, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
            width = max(1, max(len(was), len(now)) - same)
            yield Box(ORIGIN[0] + same * PITCH[0], ORIGIN[1] + at * PITCH[1], width * PITCH[0], PITCH[1])


def _lines(text: str) -> list[str]:
    return [line[at : at + LINE] for line in text.split("\n") for at in range(0, max(1, len(line)), LINE)]
