"""How good people find the subtasks of a division, 1 to 5, and how far a model and they agree.

A rating is a JSON line: `{"key": ..., "first": 1, "last": 4, "rater": "ann", "score": 5}`, where null is "unsure". The
benchmark leaves such lines without a score beside its page, for people to fill in.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from daemon.diagnosis.model_diagnosis.inquiries import LEAST_SCORE, MOST_SCORE
from daemon.diagnosis.model_diagnosis.run import JudgedTrajectory
from lab.measure.agreement import Agreement, agreement_of_all
from lab.measure.json_lines import decoded_lines
from storage.errors import BadFile

SCALE = tuple(str(score) for score in range(LEAST_SCORE, MOST_SCORE + 1))
TO_FILL_IN = "subtasks.jsonl"

Subtask = tuple[str, int, int]
"""The key of a trajectory, and the first and last step."""


class Rating(msgspec.Struct, frozen=True):
    """What somebody says of one subtask; further fields, as its goal, are for the eye alone."""

    key: str
    first: int
    last: int
    rater: str = "people"
    score: int | None = None


def read_ratings(path: Path) -> tuple[Rating, ...]:
    """Return the ratings in a file.

    Raises:
        BadFile: a line does not fit, a score is not on the scale, or somebody rated a subtask twice; says which.
    """
    seen: set[tuple[Subtask, str]] = set()
    found = []
    for number, one in decoded_lines(path, msgspec.json.Decoder(Rating), "a rating"):
        if one.score is not None and str(one.score) not in SCALE:
            raise BadFile(f"{path}: line {number} has a score that is not from {LEAST_SCORE} to {MOST_SCORE}")
        if not one.rater.strip() or (subtask_of(one), one.rater) in seen:
            raise BadFile(f"{path}: line {number} names no rater, or is a second rating by the same one")
        seen.add((subtask_of(one), one.rater))
        found.append(one)
    return tuple(found)


def subtask_of(one: Rating) -> Subtask:
    """Return what a rating is about."""
    return one.key, one.first, one.last


def agreements(
    judged: Sequence[JudgedTrajectory], ratings: Sequence[Rating], model: str
) -> tuple[Mapping[str, Agreement], int]:
    """Return how far each pair of the model and people agrees, and how many ratings are about other subtasks.

    A pair is over the subtasks that both rated. Intervals draw whole trajectories.
    """
    scores = dict(_scores(judged))
    items = list(scores)
    others = sum(subtask_of(one) not in scores for one in ratings)
    by_rater: dict[str, dict[Subtask, int | None]] = {}
    for one in ratings:
        by_rater.setdefault(one.rater, {})[subtask_of(one)] = one.score
    if not items or not by_rater:
        return {}, others
    raters = {model: [_label(scores[item]) for item in items]}
    raters |= {name: [_label(said.get(item)) for item in items] for name, said in sorted(by_rater.items())}
    return agreement_of_all(raters, [key for key, _, _ in items], SCALE).pairs, others


def to_fill_in(judged: Sequence[JudgedTrajectory]) -> str:
    """Return a line for each subtask, for a person to write a score into; the model's own is not among them."""
    return "".join(
        json.dumps(
            {
                "key": one.key,
                "first": part.segment.first,
                "last": part.segment.last,
                "rater": "people",
                "score": None,
                "goal": part.segment.goal,
            }
        )
        + "\n"
        for one in judged
        for part in one.verdicts[0].segments
    )


def _scores(judged: Sequence[JudgedTrajectory]) -> Iterator[tuple[Subtask, int | None]]:
    for one in judged:
        for part in one.verdicts[0].segments:
            yield (one.key, part.segment.first, part.segment.last), part.quality


def _label(score: int | None) -> str | None:
    return None if score is None else str(score)
