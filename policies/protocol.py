"""What a policy is. Bring your own with `--policy package.module:factory`.

A factory takes `PolicySettings` and the base rate of help need, and returns a `Policy`. State is
whatever the policy likes, as long as `save` turns it into plain JSON values and `start` takes them
back. A policy that learns from what people report themselves is a `LearnsReports` too. One with
an attribute `memory` keeps its state under that name instead of its own. While `context.showing`
holds an offer, another one takes its place. A tick lies in the future; the engine moves one that
does not. Worked example, an idle timer that speaks once after 30 s without input::

    from storage.clock import NS_PER_S
    from storage.records import Decision, Verdict

    class IdleTimer:
        name, version = "idle_timer", "1"

        def start(self, saved, elapsed_ns, now_ns):
            return None  # the last input before the pause in which it spoke

        def decide(self, state, trigger, context, now_ns):
            due_ns = context.last_input_ns + 30 * NS_PER_S
            new = context.showing is None and state != context.last_input_ns
            verdict = Verdict.OFFER if now_ns >= due_ns and new else Verdict.HOLD
            return context.last_input_ns if verdict is Verdict.OFFER else state, Decision(
                verdict=verdict,
                gate="idle",
                reason="idle",
                topic="long_pause",
                next_tick_ns=due_ns if due_ns > now_ns else None,
            )

        def learn(self, state, feedback, offer, now_ns):
            return state

        def save(self, state, now_ns):
            return {}

    def factory(settings, base_rate):
        return IdleTimer()
"""

from collections.abc import Mapping
from typing import Protocol, TypeVar, runtime_checkable

from storage.records import Context, Decision, Feedback, NeedReport, Offer, Trigger

S = TypeVar("S")


class Policy(Protocol[S]):
    """Decides when to speak. Pure: no I/O, no clock, no randomness but what the state carries."""

    name: str
    version: str

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> S:
        """Return the state at the start of a session.

        Args:
            saved: what `save` gave last; the first time at most a `seed`, a number to draw lots from.
            elapsed_ns: wall time that has passed since that save.
            now_ns: session time, which has another origin than that of the session saved.
        """
        ...

    def decide(self, state: S, trigger: Trigger, context: Context, now_ns: int) -> tuple[S, Decision]:
        """Return the new state and what was decided.

        An OFFER is shown at once and its budget consumed in the returned state.
        """
        ...

    def learn(self, state: S, feedback: Feedback, offer: Offer, now_ns: int) -> S:
        """Return the state after an answer to an offer."""
        ...

    def save(self, state: S, now_ns: int) -> Mapping[str, object]:
        """Return what must outlive the session (budgets, back-off, mutes) as plain JSON values.

        Times are given as ages relative to `now_ns`.
        """
        ...


@runtime_checkable
class LearnsReports(Protocol[S]):
    """A policy that learns from "I was stuck here", "I was fine here" and requests for help, too."""

    def learn_report(self, state: S, report: NeedReport, needs: Mapping[str, float], now_ns: int) -> S:
        """Return the state after a report; `needs` are the highest estimates of that time, for each program."""
        ...
