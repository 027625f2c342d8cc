"""Reads what others wrote down: WebVTT, SRT, and the JSON of Whisper and of WhisperX. Times count from the first sound.

Files are not to be trusted: their size is limited, what is no text is dropped, and of marks in it only the words stay.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.files import decode_text, open_regular
from storage.plain_text import escape_controls, printable
from storage.session.transcript import MAX_BYTES, MAX_LENGTH, SpokenWord

MAX_S = 7 * 86_400.0
_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{3})"
_CUE = re.compile(rf"{_TIME}[ \t]+-->[ \t]+{_TIME}")
_INSIDE = re.compile(rf"<{_TIME}>")
_MARK = re.compile(r"<[^<>]{0,200}>")


class _Word(msgspec.Struct):
    word: str
    start: float | None = None
    end: float | None = None
    score: float | None = None
    probability: float | None = None


class _Segment(msgspec.Struct):
    start: float
    end: float
    text: str = ""
    words: list[_Word] = msgspec.field(default_factory=list)


class _Whisper(msgspec.Struct):
    segments: list[_Segment]
    language: str | None = None


def read_words(path: Path, begin_ns: int) -> tuple[tuple[SpokenWord, ...], str]:
    """Return the words of a file, and its language where it names one; `begin_ns` is when its time began.

    A cue or a segment whose words have no times of their own is one entry.

    Raises:
        BadFile: it is none of those files, or holds an impossible time.
    """
    with open_regular(path) as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise BadFile(f"{path.name} is larger than what is said in a session may be")
    try:
        content = decode_text(raw)
    except UnicodeDecodeError as error:
        raise BadFile(f"{path.name} is no text", remedy="save it as UTF-8") from error
    language = ""
    if content.lstrip().startswith(("{", "[")):
        try:
            found = msgspec.json.decode(content, type=_Whisper)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise BadFile(f"{path.name} is not the JSON of Whisper or WhisperX") from error
        parts, language = _of_segments(found.segments), printable(found.language or "")[:2]
    else:
        parts = _of_cues(content)
    words = []
    for start_s, end_s, said, score in parts:
        if not 0 <= start_s <= end_s <= MAX_S:
            raise BadFile(f"{path.name} holds an impossible time")
        text = escape_controls(" ".join(said.split()))[:MAX_LENGTH]
        if text:
            start_ns, end_ns = (begin_ns + round(at_s * NS_PER_S) for at_s in (start_s, end_s))
            words.append(SpokenWord(start_ns=start_ns, end_ns=end_ns, text=text, score=score))
    if not words:
        raise BadFile(f"{path.name} holds no words: WebVTT, SRT, and the JSON of Whisper and WhisperX are read")
    return tuple(sorted(words, key=lambda word: (word.start_ns, word.end_ns))), language


_Part = tuple[float, float, str, float | None]


def _of_segments(segments: list[_Segment]) -> Iterator[_Part]:
    for segment in segments:
        if not segment.words:
            yield segment.start, segment.end, segment.text, None
        at_s = segment.start
        for word in segment.words:  # WhisperX gives a number, say, no time
            start_s = at_s if word.start is None else word.start
            at_s = max(start_s, start_s if word.end is None else word.end)
            score = word.score if word.score is not None else word.probability
            yield start_s, at_s, word.word, score if score is not None and 0 <= score <= 1 else None


def _of_cues(text: str) -> Iterator[_Part]:
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        lines = block.split("\n")
        place, cue = next(((n, found) for n, line in enumerate(lines) if (found := _CUE.search(line))), (0, None))
        if cue is None:
            continue  # a head, a note or a style
        start_s, end_s = _seconds(cue.groups()[:4]), _seconds(cue.groups()[4:])
        said = "\n".join(lines[place + 1 :])
        pieces = _INSIDE.split(said)  # text, then the four parts of a time and a text again
        times = [start_s, *(_seconds(pieces[n : n + 4]) for n in range(1, len(pieces), 5)), end_s]
        for number, piece in enumerate(pieces[::5]):
            yield times[number], times[number + 1], html.unescape(_MARK.sub("", piece)), None


def _seconds(parts: "tuple[str | None, ...] | list[str | None]") -> float:
    hours, minutes, seconds, milliseconds = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
