"""Labels of a simulated session: what the script was doing when, and from when on help was needed.

They come from the script itself, not from an observer. Between two behaviors (getting out of a menu, a moment
of rest) there is no label; such moments are never scored. Help is needed from the second failed try on, or from the
start where a user turns to help; the first failure is everyday work.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from storage.errors import BadFile
from storage.records import State

FAILURES = 2
"""The failed try from which on help is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One behavior from its first act to its last, in session time.

    `state` is None for a person who is away. `need_from_ns` is None where help was never needed. `hard_negative` marks
    what a hasty judge could take for trouble. `held_out` behaviors appear in no training session. `intent` is what the
    person wants, `help` what would serve them.
    """

    behavior: str
    state: State | None
    start_ns: int
    end_ns: int
    need_from_ns: int | None
    hard_negative: bool
    held_out: bool
    program: str
    intent: str
    help: str | None

    def needs_help(self, at_ns: int) -> bool:
        """Return whether help is needed at a moment of this behavior."""
        return self.need_from_ns is not None and at_ns >= self.need_from_ns


def label_at(labels: Sequence[Label], at_ns: int) -> Label | None:
    """Return the label that covers a moment, or None between two."""
    return next((label for label in labels if label.start_ns <= at_ns <= label.end_ns), None)


def write_labels(path: Path, labels: Sequence[Label]) -> None:
    """Write one label a line."""
    path.write_text("".join(json.dumps(asdict(label)) + "\n" for label in labels), encoding="utf-8")


def read_labels(path: Path) -> list[Label]:
    """Read what `write_labels` wrote.

    Raises:
        BadFile: the file is missing, or a line is no label, or labels overlap.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        labels = [label_from(json.loads(line)) for line in lines]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadFile(
            f"{path} holds no labels ({type(error).__name__})", remedy="simulate the session again"
        ) from error
    for before, after in pairwise(labels):
        if after.start_ns < before.end_ns:
            raise BadFile(f"labels overlap in {path}", remedy="simulate the session again")
    return labels


def label_from(facts: dict[str, object]) -> Label:
    """Return the label of a parsed line; raises TypeError or ValueError where it is none."""
    state = facts["state"]
    return Label(**{**facts, "state": None if state is None else State(str(state))})  # type: ignore[arg-type]  # checked by the caller's except
