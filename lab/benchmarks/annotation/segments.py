"""Cuts a recording into segments by what was said; where nothing was, by when something was done.

Whole sentences are joined until a segment is long enough or nobody speaks for a while, as GUIDE's segments are some 25
seconds of narration.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from daemon.diagnosis.goals.material import Material, chosen_steps, material_of
from daemon.history.trajectory.loading import SessionPictures
from daemon.history.trajectory.steps import KINDS, PERSON, FoundStep, StepFolder
from daemon.history.trajectory.trajectory import SESSION, Step, StepAction, Trajectory, TrajectorySet, Verb
from detectors.acts import is_help_app
from storage.clock import NS_PER_S
from storage.records import Box, Frame
from storage.session.log import SessionReader
from storage.session.transcript import SpokenWord, read_transcript

LEAST_S, LONG_S, SILENCE_S = 2.0, 25.0, 4.0
"""A shorter segment is none; one ends with a sentence from so many seconds on, and where nobody speaks for so long."""

PAUSE_S = 1.0
"""Without a mark of punctuation, a longer pause ends a sentence."""

PICTURES = 8
_ENDS = (".", "?", "!", "…")
_WORD = re.compile(r"\w+(?:'\w+)?")

Stretch = tuple[int, int, tuple[SpokenWord, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratedSegment:
    """A stretch of a recording, with what was said and done in it. Times are in the session's time."""

    session: str
    start_ns: int
    end_ns: int
    said: str
    steps: tuple[FoundStep, ...]
    app: str
    before: str | None

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.session} {self.start_ns}"

    @property
    def length_s(self) -> int:
        """Its length in whole seconds, at least 1."""
        return max(1, -(-(self.end_ns - self.start_ns) // NS_PER_S))

    @property
    def helped_ns(self) -> int | None:
        """When another program that helps was first turned to; None where none was."""
        turns = (step.first_ns for step in self.steps if is_help_app(step.step.app) and not is_help_app(self.app))
        return next(turns, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratedRecording:
    """A session cut into segments; `begin_ns` and `end_ns` are its first and last moment."""

    folder: Path
    app: str
    begin_ns: int
    end_ns: int
    segments: tuple[NarratedSegment, ...]
    spoken_ns: int
    areas: dict[str, Box]

    def material(self, segment: NarratedSegment) -> Material:
        """Return steps and pictures of a segment as questions show them; what cannot be read is left out."""
        steps = [replace(found.step, number=n) for n, found in enumerate(segment.steps, start=1)]
        if not steps:
            waited = StepAction(verb=Verb.WAIT, args={"seconds": segment.length_s})
            steps = [Step(number=1, at_s=0.0, app=segment.app, action=waited, before=segment.before)]
        shown = {
            step.number
            for step in chosen_steps(Trajectory(key="", source="", whose="", app="", steps=tuple(steps)), PICTURES)
        }
        kept = tuple(step if step.number in shown else replace(step, before=None) for step in steps)
        trajectory = Trajectory(key=segment.key, source=segment.session, whose=PERSON, app=segment.app, steps=kept)
        pictures = SessionPictures(self.folder)
        try:
            whole = TrajectorySet(layout=SESSION, trajectories=(trajectory,), pictures=pictures, areas=self.areas)
            return material_of(whole, trajectory, skip_lost=True)
        finally:
            pictures.close()


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text without case and punctuation."""
    return tuple(_WORD.findall(text.casefold().replace("\u2019", "'")))


def read_recording(folder: Path) -> NarratedRecording:
    """Cut a session into segments.

    Raises:
        BadFile: the session, or what was said in it, cannot be read.
    """
    steps: list[FoundStep] = []
    frames: list[tuple[int, str]] = []
    areas: dict[str, Box] = {}
    folder_of_steps = StepFolder()
    with SessionReader(folder) as reader:
        begin_ns, end_ns = reader.first().at_ns, reader.last_at_ns() or 0
        for row in reader.rows(KINDS):
            if isinstance(row, Frame) and row.image_ref is not None:
                areas[row.image_ref] = Box(0, 0, *row.size)
                frames.append((row.at_ns, row.image_ref))
            steps += folder_of_steps.add(row)
    steps += folder_of_steps.cut()
    transcript = read_transcript(folder)
    words = transcript.words if transcript is not None else ()
    apps = [step.step.app for step in steps if step.step.app]
    app = max(sorted(set(apps)), key=apps.count, default="")
    segments = []
    for start_ns, stop_ns, said in _stretches(words, steps):
        end = min(stop_ns, end_ns)
        if end - start_ns < LEAST_S * NS_PER_S:
            continue
        inside = tuple(step for step in steps if start_ns <= step.first_ns < end)
        newest = [ref for at_ns, ref in frames if at_ns <= start_ns]
        segments.append(
            NarratedSegment(
                session=folder.name,
                start_ns=start_ns,
                end_ns=end,
                said=" ".join(word.text for word in said),
                steps=inside,
                app=app,
                before=newest[-1] if newest else None,
            )
        )
    return NarratedRecording(
        folder=folder,
        app=app,
        begin_ns=begin_ns,
        end_ns=end_ns,
        segments=tuple(segments),
        spoken_ns=sum(word.end_ns - word.start_ns for word in words),
        areas=areas,
    )


def _stretches(words: Sequence[SpokenWord], steps: Sequence[FoundStep]) -> Iterator[Stretch]:
    """Yield stretches of narration, each up to where it ends or, without any, of acts."""
    if not words:
        acts = [SpokenWord(start_ns=step.first_ns, end_ns=step.last_ns, text="") for step in steps]
        for begin_ns, end_ns, _ in _joined([(act,) for act in acts]):
            yield begin_ns, end_ns, ()
        return
    yield from _joined(list(_sentences(words)))


def _sentences(words: Sequence[SpokenWord]) -> Iterator[tuple[SpokenWord, ...]]:
    sentence: list[SpokenWord] = []
    for word, after in pairwise([*words, None]):
        assert word is not None  # noqa: S101  # the last alone is none
        sentence.append(word)
        if after is None or word.text.endswith(_ENDS) or after.start_ns - word.end_ns > PAUSE_S * NS_PER_S:
            yield tuple(sentence)
            sentence = []


def _joined(parts: Sequence[tuple[SpokenWord, ...]]) -> Iterator[Stretch]:
    """Join parts until they are long enough, or a silence follows."""
    held: list[SpokenWord] = []
    for part, after in pairwise([*parts, None]):
        assert part is not None  # noqa: S101  # the last alone is none
        held += part
        start_ns, end_ns = held[0].start_ns, max(word.end_ns for word in held)
        silent = after is None or after[0].start_ns - end_ns > SILENCE_S * NS_PER_S
        if silent or end_ns - start_ns >= LONG_S * NS_PER_S:
            yield start_ns, end_ns, tuple(held)
            held = []
