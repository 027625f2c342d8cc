"""Keeps the ticks that policies and sessions ask for within bounds, so that neither keeps a replay busy for ever."""

from dataclasses import replace

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Decision

TICK_STEP_NS = NS_PER_S // 20
"""A tick that a policy asks for in the past comes this much later, as do ticks after `QUICK_TICKS` quick ones."""

QUICK_TICKS = 100
"""How many ticks in a row a policy may ask for within less than a step. Looking for a break takes one."""

MAX_TICKS_PER_RECORD = 5_000
"""Ticks before one record of a replay: more than an hour of the longest wait for somebody who is away."""


class TickLimit:
    """Moves ticks of one session's policy ahead that lie in the past, or come ever quicker: they would never end."""

    def __init__(self) -> None:
        self._quick = 0

    def apply(self, decision: Decision, now_ns: int) -> Decision:
        """Return a decision made at `now_ns` with a tick that lies ahead."""
        due_ns = decision.next_tick_ns
        if due_ns is None or due_ns >= now_ns + TICK_STEP_NS:
            self._quick = 0
            return decision
        self._quick += 1
        if due_ns > now_ns and self._quick <= QUICK_TICKS:
            return decision
        return replace(decision, next_tick_ns=now_ns + TICK_STEP_NS)


def check_ticks(ticks: int, before: str) -> None:
    """Check how many ticks came before something, here named for the message.

    Raises:
        BadFile: they are more than any session needs; its times or settings keep a replay busy for ever.
    """
    if ticks >= MAX_TICKS_PER_RECORD:
        raise BadFile(
            f"more than {MAX_TICKS_PER_RECORD} ticks are due before {before}",
            remedy="its time is far from that of the row before, or the policy asks for a tick too often",
        )
