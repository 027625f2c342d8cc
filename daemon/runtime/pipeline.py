"""The path of one session in the core's loop: records -> engine -> log -> observers and sink.

There is no periodic wake-up: it runs when records arrive, and when the engine is due. Everything but `submit` runs in
the core's thread.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from daemon.engine.engine import Engine
from daemon.runtime.observers import RecordObserver
from policies.gates.arm import ArmGate
from policies.sampling import NOT_SHOWN
from storage.clock import NS_PER_S, Clock
from storage.records import (
    SESSION_GONE,
    Anchor,
    Decision,
    EarlierReport,
    Feedback,
    HelpFound,
    ModelAnswer,
    NeedReport,
    Offer,
    Problem,
    Question,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionEnd,
    SessionStart,
    Sound,
    Switch,
    Tick,
    Wake,
    Withdrawal,
)

logger = logging.getLogger(__name__)

CLOCK_JUMP_NS = 2 * NS_PER_S
CHECK_NS = 60 * NS_PER_S
INPUT_NS = NS_PER_S // 2
"""How long a tick, or a result that an offer may follow at once, waits for input that was seen and is on its way.

Without that input it would look as if somebody paused."""

_INPUT_S = 0.02
"""How often it looks whether that input has come."""

ENDS_ON_SCREEN = (QuestionStep.ANSWERED, QuestionStep.DECLINED, QuestionStep.EXPIRED, QuestionStep.WITHDRAWN)
"""Steps that take a question of a study off the screen."""


class Sink(Protocol):
    """Where offers and changes are shown: the interface, or only the log (headless)."""

    def show(self, offer: Offer) -> None:
        """Show an offer."""

    def close(self, offer_id: str) -> None:
        """Take an offer down: it was answered, withdrawn or has expired."""

    def ask(self, question_id: str) -> None:
        """Show a question of a study."""

    def close_question(self, question_id: str) -> None:
        """Take a question down: it was answered, taken back or has expired."""

    def changed(self, record: Switch | Problem | Sound) -> None:
        """Show that sensing was switched, or that a problem began or ended."""

    def decided(self, decision: Decision) -> None:
        """Note a decision of the policy."""


class Log(Protocol):
    """Where rows go; implemented by the session recorder."""

    def put(self, rows: Sequence[Record]) -> None:
        """Append the rows of one step; they are committed together or not at all."""


class Pipeline:
    """Runs the engine on submitted records, and passes its rows to log and sink."""

    def __init__(
        self,
        *,
        engine: Engine,
        log: Log,
        sink: Sink,
        clock: Clock,
        on_cut: Callable[[str], None],
        on_failure: Callable[[Exception], None],
        observer: RecordObserver | None = None,
        save_policy: Callable[[], None] = lambda: None,
        too_big: Callable[[], bool] = lambda: False,
        zone_changed: Callable[[], bool] = lambda: False,
        request_flush: Callable[[], bool] = lambda: False,
    ) -> None:
        """Connect the parts.

        `on_cut` gets a reason when the session should end and the next begin (time, wake, size, zone, or gone: its
        folder was removed), `on_failure` what a step raised; no record is processed after that, so the log stays whole.
        `save_policy` is called once after each step that used budget or a lot, ended an offer or a question, or holds
        what somebody said of a stretch, and before anything is shown: a crash must neither give a budget back nor draw
        a lot again. `too_big` tells whether the session's folder has reached its limit, `zone_changed` whether local
        time has changed against UTC in a study, whose days and questions go by it; both are called once a minute at
        most, the second before each tick too. `request_flush` has input that was seen and is still collected submitted
        soon, and returns whether there is any.
        """
        self._engine = engine
        self._log = log
        self._sink = sink
        self._clock = clock
        self._on_cut = on_cut
        self._on_failure = on_failure
        self._observer = observer
        self._save_policy = save_policy
        self._too_big = too_big
        self._zone_changed = zone_changed
        self._request_flush = request_flush
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inbox: deque[Record] = deque()
        self._wake_pending = False
        self._timer: asyncio.TimerHandle | None = None
        self._results: deque[tuple[Record, int]] = deque()
        self._open = False
        self._wall_offset_ns = 0
        self._next_check_ns = 0
        self._cut_ns: int | None = None

    def start(self, loop: asyncio.AbstractEventLoop, first: Sequence[Record], cut_wall_ns: int) -> None:
        """Start with the session's first rows; from `cut_wall_ns` on (such as the next midnight) it should end."""
        now_ns, wall_ns = self._clock.now_ns(), self._clock.wall_ns()
        self._wall_offset_ns = wall_ns - now_ns
        self._cut_ns = cut_wall_ns - self._wall_offset_ns
        self._next_check_ns = now_ns + CHECK_NS
        self._loop = loop
        self._open = True
        for record in first:
            self._take(_begun_at(record, wall_ns))
        self._schedule()

    def submit(self, records: Sequence[Record]) -> None:
        """Submit records in order, from any thread; an idle core is woken once."""
        self._inbox.extend(records)
        if not self._wake_pending and self._loop is not None:  # checked after the append: a drain under way sees them
            self._wake_pending = True
            try:
                self._loop.call_soon_threadsafe(self.drain)
            except RuntimeError:
                logger.debug("records after the core had stopped")

    def drain(self) -> None:
        """Process everything that was submitted."""
        self._wake_pending = False
        while self._inbox:
            record = self._inbox.popleft()
            if isinstance(record, ModelAnswer) or (isinstance(record, HelpFound) and not record.asked):
                self._results.append((record, self._clock.now_ns()))
                self._take_results()
            elif self._open:
                self._take(record)
                if isinstance(record, Wake):
                    self._on_cut("wake")
                elif isinstance(record, Problem) and record.code == SESSION_GONE:
                    self._on_cut("gone")
        self._schedule()

    def _take_results(self, *, wait: bool = True) -> None:
        """Take what was found or answered, once the input of that moment is there."""
        while self._results:
            result, since_ns = self._results[0]
            is_late = not wait or self._clock.now_ns() >= since_ns + INPUT_NS
            if self._loop is not None and not is_late and self._request_flush():
                self._loop.call_later(_INPUT_S, self._take_results)
                return
            self._results.popleft()
            if self._open:
                self._take(result)
        self._schedule()

    def end(self, reason: str) -> None:
        """Write the last row; records that come later are ignored."""
        if not self._open:
            return
        self.drain()
        self._take_results(wait=False)
        if self._open:
            self._take_last(SessionEnd(reason=reason))
        self._open = False
        self._schedule()

    def _take_last(self, end: SessionEnd) -> None:
        """Write the last row, and before it one about the wall clock if that was set within the last minute."""
        anchor = self._jump(self._clock.now_ns())
        if anchor is not None:
            self._take(anchor)
        if self._open:  # no step has failed
            self._take(end)

    @property
    def is_open(self) -> bool:
        """Whether records are processed: the session has started, has not ended, and no step has failed."""
        return self._open

    def _take(self, record: Record) -> None:
        """Run one step. Its exception would get lost in the loop, and no step may follow half a step."""
        try:
            self._step(record)
        except Exception as error:  # noqa: BLE001  # the stage boundary of detector, policy, log and sink
            self._open = False
            self._on_failure(error)

    def _step(self, record: Record) -> None:
        rows = self._engine.take(record, self._clock.now_ns())
        self._log.put(rows)
        if self._observer is not None:
            self._observer.observe(rows)
        if any(_must_outlive(row) for row in rows):
            self._save_policy()
        for row in rows:
            match row:
                case Offer():
                    self._sink.show(row)
                case Withdrawal() | Feedback():
                    self._sink.close(row.offer_id)
                case QuestionOutcome():
                    self._show_question(row)
                case Switch() | Problem() | Sound():
                    self._sink.changed(row)
                case Decision():
                    self._sink.decided(row)
                case _:
                    pass
        if rows[0].at_ns >= self._next_check_ns:
            self._check(rows[0].at_ns)

    def _show_question(self, outcome: QuestionOutcome) -> None:
        if outcome.step is QuestionStep.ASKED:
            self._sink.ask(outcome.question_id)
        elif outcome.step in ENDS_ON_SCREEN:
            self._sink.close_question(outcome.question_id)

    def _check(self, now_ns: int) -> None:
        """Check for a jump of the wall clock, the end of time, another zone and the size limit.

        Once a minute, if records arrive.
        """
        self._next_check_ns = now_ns + CHECK_NS
        if (anchor := self._jump(now_ns)) is not None:
            self._step(anchor)
        if self._cut_ns is not None and now_ns >= self._cut_ns:
            self._cut_ns = None
            self._on_cut("time")
        elif self._zone_changed():
            self._on_cut("zone")
        elif self._too_big():
            self._on_cut("size")

    def _jump(self, now_ns: int) -> Anchor | None:
        """Return the row that says what the wall clock shows, if it was set since the last one."""
        wall_ns = self._clock.wall_ns()
        if abs(wall_ns - now_ns - self._wall_offset_ns) <= CLOCK_JUMP_NS:
            return None
        self._wall_offset_ns = wall_ns - now_ns
        return Anchor(wall_ns=wall_ns, reason="clock_jump")

    def _schedule(self) -> None:
        """Set the one timer to when the engine is due; there is none before the start and after the end."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._open:
            return
        due_ns = self._engine.next_wake_ns
        if due_ns is not None and self._loop is not None:
            delay_s = max(0, due_ns - self._clock.now_ns()) / NS_PER_S
            self._timer = self._loop.call_later(delay_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        due_ns = self._engine.next_wake_ns
        if due_ns is not None and due_ns <= self._clock.now_ns():
            if self._zone_changed():
                self._on_cut("zone")
                return  # the next session knows what is due now
            if self._loop is not None and self._clock.now_ns() < due_ns + INPUT_NS and self._request_flush():
                self._timer = self._loop.call_later(_INPUT_S, self._tick)
                return
            self._take(Tick())
        self._schedule()


def _must_outlive(row: Record) -> bool:
    """Tell whether a row changed what a crash must not undo: budgets, lots, answers, what was said, questions."""
    if isinstance(row, Decision):
        return row.gate == ArmGate.name and row.reason in NOT_SHOWN
    said = Feedback | NeedReport | EarlierReport
    return isinstance(row, Offer | Withdrawal | said | Question | QuestionOutcome)


def _begun_at(record: Record, wall_ns: int) -> Record:
    """Return the first row with the wall-clock time at which it is taken in, any other as it is.

    A purge finds its place in the session by the two times of this row. The row was made before, since what it names
    is digested for it: on a busy machine so much earlier that some keys after the time named would have stayed.
    """
    if not isinstance(record, SessionStart):
        return record
    state, elapsed_ns = record.policy_state, record.policy_state.get("elapsed_ns")
    if isinstance(elapsed_ns, int) and elapsed_ns > 0:
        state = {**state, "elapsed_ns": max(0, elapsed_ns + wall_ns - record.wall_ns)}
    return replace(record, wall_ns=wall_ns, policy_state=state)
