"""Clips of videos with their labels: what the GUIDE benchmark asks about, wherever it comes from.

A loader returns a `Collection`; nothing behind it knows a file layout. A clip holds only the labels its source gives:
a segment that was annotated for intent is asked about intent alone (GUIDE 3.2 samples each task apart).
"""

import hashlib
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from storage.records import State

DISTRACTORS = 3
"""Distractors of a question with four options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFile:
    """One file of a video, and the second of the video at which it begins."""

    path: str
    start_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A recording: one file of a released set, or the several files of a session of ours, oldest first."""

    name: str
    app: str
    files: tuple[VideoFile, ...]

    def at(self, time_s: float) -> tuple[str, int]:
        """Return in which file, and at which millisecond of it, a moment of the video lies."""
        file = next((one for one in reversed(self.files) if one.start_s <= time_s), self.files[0])
        return file.path, max(0, int((time_s - file.start_s) * 1000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A multiple-choice question's right answer and its distractors; `ours` if we drew those."""

    right: str
    wrong: tuple[str, ...]
    ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A stretch of a video with its labels.

    `behavior` and `aim` may be given to a model as context; `asks_behavior` is whether this clip is a sample of the
    first task. `previous` is the state of the segment before. What is None is not asked.
    """

    key: str
    video: str
    app: str
    start_s: float
    end_s: float
    behavior: State | None = None
    asks_behavior: bool = False
    previous: State | None = None
    aim: str | None = None
    intent: Choice | None = None
    need: bool | None = None
    content: Choice | None = None

    def moments(self, percent: int, count: int) -> list[float]:
        """Return `count` moments spread evenly over the first `percent` of the clip, its ends included (GUIDE 4.1)."""
        length = (self.end_s - self.start_s) * percent / 100
        return [self.start_s + length * at / max(1, count - 1) for at in range(count)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """All clips of a set of videos.

    `whose` is printed beside every figure. `notes` say in plain words what was left out or guessed while loading.
    """

    whose: str
    simulated: bool
    videos: Mapping[str, Video]
    clips: tuple[Clip, ...]
    notes: tuple[str, ...] = ()

    def of(self, video: str) -> list[Clip]:
        """Return the clips of a video, in its order."""
        return sorted((clip for clip in self.clips if clip.video == video), key=lambda clip: (clip.start_s, clip.key))


def draw_distractors(right: str, groups: Sequence[Sequence[str]], *, seed: str) -> tuple[str, ...]:
    """Return distractors: wordings of different groups, none of them the group that means the same as `right`.

    Args:
        right: the right answer.
        groups: wordings by meaning; two of one group mean the same.
        seed: what the draw follows from, with `right`.
    """
    rng = random.Random(f"{seed} {right}")  # noqa: S311  # which distractors are drawn is no secret
    others = [group for group in groups if plain(right) not in {plain(one) for one in group}]
    drawn = rng.sample(others, min(DISTRACTORS, len(others)))
    return tuple(rng.choice(list(group)) for group in drawn)


def grouped(texts: Iterable[str]) -> list[list[str]]:
    """Return wordings in groups of those that differ in case, spaces and punctuation at most; the order is stable."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(plain(text), text)
    return [[found[key]] for key in sorted(found)]


def plain(text: str) -> str:
    """Return a wording without case, punctuation and double spaces."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def share_of(key: str) -> float:
    """Return a number in [0, 1) that follows from a text alone; `--limit` takes the clips with the lowest."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
