"""What was said in a session, word by word: one file in its folder, replaced whole, that can be deleted alone.

It is no row of the log: replays do not know it. It has the time of the rows beside it, which says how old a session is.
"""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from storage.errors import BadFile, EnvironmentFault, os_words
from storage.files import open_regular, write_whole
from storage.session.log import DATABASE
from storage.translation.sentences import translatable

TRANSCRIPT = "words.json"
VERSION = 1
MAX_BYTES = 32 << 20
MAX_LENGTH = 1_000
"""Characters of a word, or of a sentence whose words have no times of their own."""


class SpokenWord(msgspec.Struct, frozen=True, kw_only=True):
    """A word, or a sentence of which no more is known, with its times in session time.

    `score` is how sure its source was, from 0 to 1; None where it does not say.
    """

    start_ns: int
    end_ns: int
    text: str
    score: float | None = None


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """What was said, in order; `source` is what wrote it down, `language` a code of two letters, or empty."""

    format: str = "kairos-transcript"
    version: int = VERSION
    source: str
    language: str = ""
    words: tuple[SpokenWord, ...]


_DECODER = msgspec.json.Decoder(Transcript)


def read_transcript(folder: Path, *, copied_from: Path | None = None) -> Transcript | None:
    """Return what was said in a session; None where there is no such file.

    Messages name the folder that it was `copied_from`.

    Raises:
        BadFile: it is damaged, or of another version.
    """
    path = folder / TRANSCRIPT
    if not os.path.lexists(path):
        return None
    with open_regular(path) as file:
        raw = file.read(MAX_BYTES + 1)
    try:
        found = _DECODER.decode(raw[:MAX_BYTES])
        if (found.format, found.version) != ("kairos-transcript", VERSION) or not all(map(_is_sound, found.words)):
            raise msgspec.ValidationError  # said with the others below
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        path = (copied_from or folder) / TRANSCRIPT
        raise BadFile(
            translatable("{path} holds no words that can be read", path=path),
            remedy=translatable("move it out of the session's folder"),
        ) from error
    return found


def _is_sound(word: SpokenWord) -> bool:
    return 0 <= word.start_ns <= word.end_ns < 1 << 63 and len(word.text) <= MAX_LENGTH


def write_transcript(folder: Path, transcript: Transcript) -> None:
    """Put words in the place of those that a session has.

    Raises:
        EnvironmentFault: they cannot be written.
    """
    try:
        written_ns = (folder / DATABASE).stat().st_mtime_ns
        write_whole(folder / TRANSCRIPT, msgspec.json.encode(transcript), mtime_ns=written_ns)
    except OSError as error:
        raise EnvironmentFault(
            translatable("what was said in {folder} cannot be kept: {why}", folder=folder, why=os_words(error)),
            remedy=translatable("check its disk"),
        ) from error


def forget_words(folder: Path, goes: Callable[[SpokenWord], bool]) -> None:
    """Take words out of a session's file; without any the file goes.

    Raises:
        BadFile: it cannot be read.
        EnvironmentFault: it cannot be written.
    """
    found = read_transcript(folder)
    if found is None:
        return
    kept = tuple(word for word in found.words if not goes(word))
    if not kept:
        (folder / TRANSCRIPT).unlink()
    elif len(kept) < len(found.words):
        write_transcript(folder, msgspec.structs.replace(found, words=kept))
