"""What policies had learned before a span: from the session that the span cuts, or from the first one that goes whole.

A session's first row holds what was saved when it began, and a replay of the rows that stay gives what was saved at
the cut. A person may have had something forgotten or unmuted meanwhile: that is not brought back. Where it is in doubt
whose state a session holds, because it came from elsewhere or a study gave the seed, everything learned is forgotten.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policies.chain import ChainPolicy
from policies.memory import muted_topics, put_back, with_mutes, without_learned
from storage.purge.intent import SavedState
from storage.records import SessionStart


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """What a session began with; `before` is what is put back if it is the first of those that go, None if it stays."""

    start: SessionStart
    memory: str
    before: SavedState | None

    @property
    def saved(self) -> Mapping[str, object]:
        """The policy's state in its first row."""
        saved = self.start.policy_state.get("saved")
        return saved if isinstance(saved, dict) else {}


def saved_before(start: SessionStart) -> SavedState:
    """Return what was saved before a session began, and when that was."""
    saved, elapsed_ns = start.policy_state.get("saved"), start.policy_state.get("elapsed_ns")
    return SavedState(
        saved=saved if isinstance(saved, dict) else {},
        wall_ns=max(0, start.wall_ns - (elapsed_ns if isinstance(elapsed_ns, int) else 0)),
    )


def states_before(
    now: Mapping[str, tuple[Mapping[str, object], int]], sessions: Sequence[Began]
) -> dict[str, SavedState]:
    """Return what is put back, by memory; nothing for a memory that no session of the span has.

    Args:
        now: what is saved now, by memory.
        sessions: those that go, whole or in part, and those that began after the span, in the order of time.
    """
    return {
        memory: found
        for memory, (saved, wall_ns) in now.items()
        if (found := _before(memory, saved, wall_ns, [one for one in sessions if one.memory == memory])) is not None
    }


def _before(memory: str, now: Mapping[str, object], wall_ns: int, sessions: Sequence[Began]) -> SavedState | None:
    own = [one for one in sessions if one.start.imported_from is None]
    first = next((one.before for one in own if one.before is not None), None)
    if first is None:
        return None
    doubtful = any(one.before is not None and one.saved.get("seed") != now.get("seed") for one in own)
    if memory != ChainPolicy.memory:
        return SavedState(saved={}, wall_ns=wall_ns) if doubtful else first
    try:
        if doubtful:
            return SavedState(saved={**without_learned(now, mutes=True), "said": []}, wall_ns=wall_ns)
        after = next((one.saved for one in own if one.before is None), None)
        muted_after = () if after is None else set(muted_topics(now)) - set(muted_topics(after))
        back = put_back(first.saved, [*(one.saved for one in own if one.before is not first), now])
        return SavedState(saved=with_mutes(back, muted_after) if muted_after else back, wall_ns=first.wall_ns)
    except TypeError:
        return SavedState(saved={}, wall_ns=wall_ns)
