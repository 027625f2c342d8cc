"""Keeps the goals that a model read off a session, in one file inside the session's folder: deletion takes it along.

An export leaves it out, and an import never takes one over. What it says is a model's guess and shown as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from storage.plain_text import format_count, printable
from storage.session.derived import read_derived, write_derived
from storage.session.log import GOALS

VERSION = 1
MAX_BYTES = 4 << 20
SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionGoal:
    """What a model takes for the goal of one stretch of work: so many steps, most of them in `app`."""

    key: str
    goal: str
    model: str
    steps: int
    app: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    version: int
    goals: tuple[SessionGoal, ...]


_DECODER = msgspec.json.Decoder(_File)


def read_session_goals(folder: Path) -> tuple[SessionGoal, ...]:
    """Return the goals that are kept in a session's folder; none where the file is missing or anything odd."""
    raw = read_derived(folder, GOALS, MAX_BYTES)
    try:
        found = _DECODER.decode(raw) if raw is not None else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ()
    return found.goals if found is not None and found.version == VERSION else ()


def write_session_goals(folder: Path, goals: Sequence[SessionGoal]) -> bool:
    """Keep the goals of a session, whole or not at all; return whether they are kept.

    A session that is being recorded, was deleted meanwhile, or cannot be written to keeps none.
    """
    return write_derived(folder, GOALS, msgspec.json.encode(_File(version=VERSION, goals=tuple(goals))))


def goal_line(one: SessionGoal) -> str:
    """Return a goal with whose guess it is and what it is of."""
    where = f"{format_count(one.steps, 'step')} in {printable(one.app) or 'an unknown program'}"
    return f"{printable(one.goal)} (a guess of {printable(one.model)}; {where})"


def goal_lines(goals: Sequence[SessionGoal]) -> list[str]:
    """Return the goals of the longest stretches of work, in their order, and how many more there are."""
    longest = sorted(goals, key=lambda one: -one.steps)[:SHOWN]
    lines = [goal_line(goal) for goal in goals if goal in longest]
    return [*lines, f"and {len(goals) - len(lines)} more"] if len(goals) > len(lines) else lines
