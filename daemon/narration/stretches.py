"""The sound of a session in stretches, as speech recognition wants it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from storage.clock import NS_PER_MS, NS_PER_S
from storage.records import Sound
from storage.session.log import SessionReader
from storage.session.sound import read_sound
from storage.session.video import split_ref

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPEECH_RATE = 16_000
FILLED_S = 10.0
"""Shorter gaps are filled with silence: a model reads windows of half a minute, however little is in them."""

LONGEST_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechSpan:
    """Sound from `start_ns` on: `SPEECH_RATE` samples a second, from -1 to 1."""

    start_ns: int
    samples: "NDArray[np.float32]"


def stretches(folder: Path) -> Iterator[SpeechSpan]:
    """Yield the sound of a session, in order of time; a file that is gone is left out.

    Raises:
        BadFile: the session, or a file of sound, is damaged.
    """
    begins: dict[str, int] = {}
    with SessionReader(folder) as reader:
        for row in reader.rows((Sound.KIND,)):
            if isinstance(row, Sound) and row.sound_ref is not None:
                file, ms = split_ref(row.sound_ref)
                begins.setdefault(file, row.t_ns - ms * NS_PER_MS)
    parts: list[NDArray[np.int16]] = []
    start_ns = count = 0
    for at_ns, samples in _sound(folder, begins):
        gap = (at_ns - start_ns) * SPEECH_RATE // NS_PER_S - count
        if parts and (gap > FILLED_S * SPEECH_RATE or count > LONGEST_S * SPEECH_RATE):
            yield _joined(parts, start_ns)
            parts = []
        if not parts:
            start_ns, count, gap = at_ns, 0, 0
        if gap > 0:  # or what came earlier is some ten milliseconds too long: the clock was corrected
            parts.append(np.zeros(gap, np.int16))
            count += gap
        parts.append(samples)
        count += len(samples)
    if parts:
        yield _joined(parts, start_ns)


def _sound(folder: Path, begins: Mapping[str, int]) -> "Iterator[tuple[int, NDArray[np.int16]]]":
    """Yield when samples begin, and these, file by file."""
    for file, begin_ns in begins.items():
        if (folder / file).exists():
            for at_s, samples in read_sound(folder / file, SPEECH_RATE):
                yield begin_ns + round(at_s * NS_PER_S), samples


def _joined(parts: "list[NDArray[np.int16]]", start_ns: int) -> SpeechSpan:
    samples = np.concatenate(parts).astype(np.float32) / np.float32(32768)
    return SpeechSpan(start_ns=start_ns, samples=samples)
