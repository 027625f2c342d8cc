"""What somebody is about just now, in memory: from the names of what they touch, or as a model puts it.

A session has one. The records that it gives hold no words, so a replay needs no model.
"""

import hashlib
import secrets
from dataclasses import dataclass

from daemon.help.context import GoalClue
from storage.clock import NS_PER_S
from storage.records import Goal, GoalKind

MODEL_NS = 60 * NS_PER_S
"""How long a model's words count more than names: about as long as what is touched does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelGoal:
    """What a model wrote about the newest prefix: the goal, and what would help now; plain text, from elsewhere."""

    app: str
    goal: str
    help: str
    at_ns: int


class LiveGoal:
    """The goal of one session. Used in the core's thread."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._key = secrets.token_bytes(16)
        self._said: ModelGoal | None = None
        self._last: Goal | None = None

    def forget(self) -> None:
        """Forget the words: the gate was closed."""
        self._said = None

    def take_clue(self, clue: GoalClue | None, app: str) -> Goal | None:
        """Take in what the names say now; return the record of a change."""
        kind, digest = (clue.kind, clue.digest) if clue is not None else (GoalKind.UNKNOWN, "")
        return self._changed(Goal(app=app, kind=kind, digest=digest))

    def take_model(self, said: ModelGoal) -> Goal | None:
        """Take in what a model wrote; return the record of a change."""
        self._said = said
        words = said.goal.casefold().encode(errors="replace")
        digest = hashlib.blake2b(words, key=self._key, digest_size=8).hexdigest()
        return self._changed(Goal(app=said.app, kind=GoalKind.MODEL, digest=digest))

    def words(self, clue: GoalClue | None, app: str, now_ns: int) -> str:
        """Return the goal in words, a model's before what the names in this program say; empty for none."""
        said = self.said(app, now_ns)
        return said.goal if said is not None and said.goal else clue.words if clue is not None else ""

    def said(self, app: str, now_ns: int) -> ModelGoal | None:
        """Return what a model wrote lately about work in this program."""
        said = self._said
        return said if said is not None and said.app == app and now_ns < said.at_ns + MODEL_NS else None

    def _changed(self, goal: Goal) -> Goal | None:
        before, self._last = self._last, goal
        if before is None and goal.kind is GoalKind.UNKNOWN:
            return None
        return (
            goal
            if before is None or (before.app, before.kind, before.digest) != (goal.app, goal.kind, goal.digest)
            else None
        )
