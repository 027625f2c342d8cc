"""One trajectory to be judged: its task, its actions in words, and the pictures of any span of its steps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from daemon.diagnosis.goals.material import step_text
from daemon.diagnosis.model_diagnosis import wording
from daemon.history.trajectory.pictures.decoding import as_jpegs
from daemon.history.trajectory.trajectory import PictureReader, Trajectory
from detectors.mllm.questions import Pictures, QueryPicture
from storage.errors import BadFile

MAX_STEPS = 400
"""Longer trajectories of agents are not judged: their actions would not fit into one request."""

PART_STEPS = 120
"""A person's work goes on for hours; it is judged in parts of at most so many steps."""

LEAST_STEPS = 3
"""Fewer steps of a person are no piece of work."""

ACTION = "{number}. {text}"


@dataclass(frozen=True, slots=True)
class Shown:
    """Pictures of a span, oldest first, with what each one is; `lost` of them could not be read."""

    pictures: tuple[QueryPicture, ...] = ()
    captions: tuple[str, ...] = ()
    lost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A trajectory with its task, where that is known, and the field's knowledge, if somebody wrote it down."""

    trajectory: Trajectory
    pictures: PictureReader
    task: str = ""
    preamble: str = ""

    @property
    def count(self) -> int:
        """How many steps it has."""
        return len(self.trajectory.steps)

    def actions(self, first: int = 1, last: int | None = None) -> str:
        """Return the actions from one step to another, both included, one a line."""
        steps = self.trajectory.steps[first - 1 : last]
        return "\n".join(ACTION.format(number=step.number, text=step_text(step)) for step in steps)

    def screens(self) -> tuple[str | None, ...]:
        """Return the names of s0 to sn: what was there before the first step, and after each."""
        steps = self.trajectory.steps
        names = [steps[0].before if steps else None]
        for number, step in enumerate(steps, start=1):
            following = steps[number].before if number < len(steps) else self.trajectory.last_picture
            names.append(step.after or following)
        return tuple(names)

    def span(self, first: int, last: int) -> Shown:
        """Return the pictures from before step `first` to after step `last`, and the last one of all.

        What looks the same by name is shown once. What was lost is left out, and counted.
        """
        screens = self.screens()
        named: list[tuple[str, list[int]]] = []
        for number in range(first - 1, last + 1):
            name = screens[number]
            if name is not None and named and named[-1][0] == name:
                named[-1][1].append(number)
            elif name is not None:
                named.append((name, [number]))
        pairs = [(name, _caption(numbers, first)) for name, numbers in named]
        ending = self.trajectory.last_picture or screens[-1]
        if ending is not None and (not pairs or pairs[-1][0] != ending):
            pairs.append((ending, wording.AT_THE_END))
        return self.load(pairs)

    def load(self, pairs: Sequence[tuple[str, str]]) -> Shown:
        """Return pictures by name, each with its caption."""
        raws: list[bytes] = []
        captions: list[str] = []
        for name, caption in pairs:
            try:
                raws.append(self.pictures.read(name))
            except BadFile:
                continue
            captions.append(caption)
        cache = Pictures(size=len(raws) + 1)
        try:
            jpegs = as_jpegs(raws)  # all PNG files together in one child
        except BadFile:
            jpegs, captions = _one_by_one(raws, captions)
        pictures = tuple(cache.picture_of(jpeg) for jpeg in jpegs)
        return Shown(pictures, tuple(captions), len(pairs) - len(pictures))


def parts_of(trajectory: Trajectory) -> list[Trajectory]:
    """Return a person's trajectory in parts of at most `PART_STEPS` steps, of about equal length."""
    count = len(trajectory.steps)
    parts = -(-count // PART_STEPS)
    if parts <= 1:
        return [trajectory]
    edges = [round(place * count / parts) for place in range(parts + 1)]
    found = []
    for number, (begin, end) in enumerate(pairwise(edges), start=1):
        steps = tuple(replace(step, number=place) for place, step in enumerate(trajectory.steps[begin:end], start=1))
        last = trajectory.last_picture if end == count else steps[-1].after
        found.append(replace(trajectory, key=f"{trajectory.key}.{number}", steps=steps, last_picture=last))
    return found


def _caption(numbers: Sequence[int], first: int) -> str:
    """Return what the picture s(i) of these numbers is, in a span that begins with step `first`."""
    if numbers[0] == first - 1:
        return wording.BEFORE_STEP.format(number=first)
    if len(numbers) > 1:
        return wording.AFTER_STEPS.format(first=numbers[0], last=numbers[-1])
    return wording.AFTER_STEP.format(number=numbers[0])


def _one_by_one(raws: Sequence[bytes], captions: Sequence[str]) -> tuple[list[bytes], list[str]]:
    """Return those that can be decoded, and their captions."""
    jpegs: list[bytes] = []
    kept: list[str] = []
    for raw, caption in zip(raws, captions, strict=True):
        try:
            jpegs += as_jpegs([raw])
        except BadFile:
            continue
        kept.append(caption)
    return jpegs, kept
