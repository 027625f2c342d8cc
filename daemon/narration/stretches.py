"""The sound of a session in stretches, as speech recognition wants it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from storage.clock import NS_PER_S
from storage.session.voice import sound_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPEECH_RATE = 16_000
FILLED_S = 10.0
"""Shorter gaps are filled with silence: a model reads windows of half a minute, however little is in them."""

TOO_LATE_S = 0.1
"""What came earlier was placed too late by this much: what follows begins anew, or it would be as late."""

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
    parts: list[NDArray[np.int16]] = []
    start_ns = count = 0
    for at_ns, samples in sound_of(folder, SPEECH_RATE):
        gap = (at_ns - start_ns) * SPEECH_RATE // NS_PER_S - count
        is_apart = not -TOO_LATE_S * SPEECH_RATE < gap <= FILLED_S * SPEECH_RATE
        if parts and (is_apart or count > LONGEST_S * SPEECH_RATE):
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


def _joined(parts: "list[NDArray[np.int16]]", start_ns: int) -> SpeechSpan:
    samples = np.concatenate(parts).astype(np.float32) / np.float32(32768)
    return SpeechSpan(start_ns=start_ns, samples=samples)
