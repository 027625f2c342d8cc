"""When the questions of a study are due, and whether one that is due may be asked now.

Pure: local time comes in as an offset and as rows of the log, lots follow from the study's seed, and a replay computes
the same rows. A *random* question is due in each block of the person's hours, an *event* question some minutes after
an offer was made or, with the same probability and after the same time, withheld or silent. A due question waits a
little for a break, behind the same gates as an offer, and ends as asked or as skipped for a reason.

Random moments (experience sampling with a least distance): the first lot gives a place in the first block; each later
one moves on by at least the distance, modulo the length of a block. So the place in every block is uniform, and two
moments are never closer than the distance.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from policies.gates.arm import ArmGate
from policies.gates.availability import check_availability, check_consent
from policies.gates.breaks import hands_free
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S
from storage.enrolment import MAX_DAYS, QuestionPlan
from storage.records import (
    Answer,
    AnswerKind,
    Context,
    Decision,
    Question,
    QuestionMoment,
    QuestionOutcome,
    QuestionStep,
    Record,
    StudyStart,
)
from storage.settings import PolicySettings

UNANSWERED_LIMIT = 3  # unanswered questions in a row after which every second one of that day is left out
ADVICE_NS = 120 * NS_PER_S
"""How long the card may stay with its advice after an offer was accepted (`ui.card.card.ADVICE_MS`)."""

LAST_DATE = 60_000  # no study begins after this day (2134); it keeps times within 64 bits
NOT_SHOWN = ("withheld", "silent")  # reasons of the gate of arms where an offer would have been made
MAX_OFFSET_S = 26 * 3600
_INT64_MAX = 2**63 - 1

REASONS: Mapping[str, str] = {
    "not_running": "Kairos was not running then.",
    "late": "The machine slept, or its clock was changed.",
    "none_today": "You asked for no more questions that day.",
    "day_full": "There were enough that day.",
    "too_close": "Another one had been asked a short time before.",
    "halved": "Some had stayed unanswered, so every second one was left out.",
    "card": "An offer was on the screen.",
    "away": "Nobody seemed to be there.",
    "no_break": "You did not pause within a minute.",
    "not_now": "You chose: not now.",
    "stopped": "The session ended.",
    "cut_off": "Kairos was ended before it could be asked or answered.",
}
"""Why a question was skipped, declined or taken back, beside the reasons of the gates (`policies.gates.REASONS`)."""


def lot_of(seed: int, what: str) -> float:
    """Return the lot in [0, 1) of a study's seed for one thing, such as `"random 20780 3"`."""
    digest = hashlib.blake2b(f"{seed} question {what}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53


def random_lot(seed: int, date: int, block: int) -> float:
    """Return the lot of one block of one day."""
    return lot_of(seed, f"random {date} {block}")


def event_lot(seed: int, session_id: str, decision_seq: int) -> float:
    """Return the lot of one decision that made an offer or left it out."""
    return lot_of(seed, f"event {session_id} {decision_seq}")


@lru_cache(maxsize=8)  # looked at again and again while a question waits or is on the screen
def moments_of_day(plan: QuestionPlan, seed: int, date: int) -> tuple[int, ...]:
    """Return the due moment of every block of a day, in nanoseconds since its local midnight."""
    if not plan.blocks:
        return ()
    first_ns = plan.hours[0] * MINUTE_NS
    length_ns = (plan.hours[1] - plan.hours[0]) * MINUTE_NS // plan.blocks
    least_ns = round((plan.apart_s + plan.wait_s) * NS_PER_S)
    place_ns = int(random_lot(seed, date, 0) * length_ns)
    moments = [first_ns + place_ns]
    for block in range(1, plan.blocks):
        step_ns = least_ns + int(random_lot(seed, date, block) * (length_ns - least_ns))
        place_ns = (place_ns + step_ns) % length_ns
        moments.append(first_ns + block * length_ns + place_ns)
    return tuple(moments)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayProgress:
    """How far one local day is: the next block, how many were asked, and what answers changed.

    While `halved`, `turn` counts questions that could be asked, of which every second one is.
    """

    date: int
    next_block: int = 0
    asked: int = 0
    halved: bool = False
    turn: int = 0
    none_today: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingState:
    """Everything that the sampler remembers; times are session time.

    `wall_offset_ns` is wall-clock time less session time. `coming` are drawn and not due yet, `waiting` is due, `shown`
    is on the screen since `asked_ns`. At `next_ns` it is to look again.
    """

    wall_offset_ns: int
    days: tuple[DayProgress, ...] = ()
    last_asked_ns: int | None = None
    unanswered: int = 0
    coming: tuple[Question, ...] = ()
    waiting: Question | None = None
    shown: Question | None = None
    asked_ns: int = 0
    advice_until_ns: int | None = None
    next_ns: int | None = None


Step = tuple[SamplingState, tuple[Record, ...]]
"""The state after a step, and the rows that it adds to the log, in their order."""


class QuestionSampler:
    """Draws, holds back and ends the questions of one session."""

    def __init__(self, study: StudyStart, plan: QuestionPlan, session_id: str, settings: PolicySettings) -> None:
        """Prepare for a session of a study.

        Raises:
            ValueError: the study or its plan is beyond what any study may be.
        """
        plan.check()
        if not (
            0 <= study.first_date <= LAST_DATE
            and 0 <= study.days <= MAX_DAYS
            and abs(study.utc_offset_s) <= MAX_OFFSET_S
        ):
            raise ValueError("a study lies within a lifetime, and local time within a day of UTC")
        self._study = study
        self._plan = plan
        self._session_id = session_id
        self._settings = settings
        self._wait_ns = round(plan.wait_s * NS_PER_S)
        self._break_ns = round(plan.break_s * NS_PER_S)

    def start(self, study: StudyStart, wall_ns: int, now_ns: int) -> Step:
        """Return the state at the start of a session; end what a session before left open because it was cut off.

        Raises:
            TypeError, ValueError, KeyError: the saved state has a shape that `save` never gave.
        """
        saved, origin_ns = study.sampling_state, now_ns - study.elapsed_ns
        age_ns = saved.get("last_asked_age_ns")
        days = tuple(_day_of(row) for row in _rows(saved, "days"))[-MAX_DAYS:]
        state = SamplingState(
            wall_offset_ns=_checked_offset(wall_ns - now_ns),
            days=tuple(day for day in days if self._covers(day.date)),
            last_asked_ns=None if age_ns is None else origin_ns - _whole(age_ns),
            unanswered=_whole(saved.get("unanswered", 0)),
        )
        rows = tuple(
            QuestionOutcome(
                question_id=str(row["id"]),
                step=QuestionStep.WITHDRAWN if row["asked"] is True else QuestionStep.SKIPPED,
                delay_ns=_delay(origin_ns - _whole(row["due_age_ns"]), now_ns),
                reason="cut_off",
            )
            for row in _rows(saved, "open")
        )
        return state, rows

    def save(self, state: SamplingState, now_ns: int) -> dict[str, object]:
        """Return what outlives the session as plain values; times are ages."""
        asked = [(state.shown, True)] if state.shown is not None else []
        waiting = [(state.waiting, False)] if state.waiting is not None else []
        coming = [(question, False) for question in state.coming]
        return {
            "days": [
                {
                    "date": day.date,
                    "next_block": day.next_block,
                    "asked": day.asked,
                    "halved": day.halved,
                    "turn": day.turn,
                    "none_today": day.none_today,
                }
                for day in state.days
            ],
            "last_asked_age_ns": None if state.last_asked_ns is None else now_ns - state.last_asked_ns,
            "unanswered": state.unanswered,
            "open": [
                {"id": question.question_id, "due_age_ns": now_ns - question.due_ns, "asked": was_asked}
                for question, was_asked in (*asked, *waiting, *coming)
            ],
        }

    # ------------------------------------------------------------ what happens

    def set_wall_clock(self, state: SamplingState, wall_ns: int, at_ns: int) -> SamplingState:
        """Return the state after the wall clock jumped; a time that no clock shows changes nothing."""
        try:
            return replace(state, wall_offset_ns=_checked_offset(wall_ns - at_ns))
        except ValueError:
            return state

    def add_decision(self, state: SamplingState, decision: Decision, *, offered: bool, now_ns: int) -> Step:
        """Draw whether a decision that made an offer, or left it out by arm, is followed by a question."""
        probability = self._plan.event_probability
        moment = QuestionMoment.OFFER if offered else QuestionMoment.NO_OFFER
        left_out = decision.gate == ArmGate.name and decision.reason in NOT_SHOWN
        if not (probability and (offered or left_out) and self._covers(self._date(state, now_ns))):
            return state, ()
        due_ns = now_ns + round(self._plan.after_offer_s * NS_PER_S)
        question = Question(
            question_id=f"e{self._session_id}/{decision.seq}",
            moment=moment,
            due_ns=due_ns,
            probability=probability,
            lot=event_lot(self._study.seed, self._session_id, decision.seq),
            date=self._date(state, due_ns),
            decision_seq=decision.seq,
        )
        if question.lot >= probability:
            return state, (question, _outcome(question, QuestionStep.NOT_DRAWN, now_ns))
        next_ns = due_ns if state.next_ns is None else min(state.next_ns, due_ns)
        return replace(state, coming=(*state.coming, question), next_ns=next_ns), (question,)

    def add_advice(self, state: SamplingState, now_ns: int) -> SamplingState:
        """Return the state after an offer was accepted: its card stays a while with the advice."""
        return replace(state, advice_until_ns=now_ns + ADVICE_NS)

    def answer(self, state: SamplingState, answer: Answer, now_ns: int) -> Step:
        """End the question on the screen with a reply; one to any other question changes nothing."""
        question = state.shown
        if question is None or question.question_id != answer.question_id:
            return state, ()
        state = replace(state, shown=None)
        if answer.kind is AnswerKind.ANSWERED:
            return replace(state, unanswered=0), (_outcome(question, QuestionStep.ANSWERED, now_ns),)
        state = self._count_unanswered(state, now_ns)
        if answer.kind is AnswerKind.NONE_TODAY:
            day = self._day(state, self._date(state, now_ns))
            state = _with_day(state, replace(day, none_today=True))
        return state, (_outcome(question, QuestionStep.DECLINED, now_ns, answer.kind.value),)

    def stop(self, state: SamplingState, now_ns: int) -> Step:
        """End what is open with the session; blocks that are not due yet are left to the next one."""
        rows = [_outcome(question, QuestionStep.SKIPPED, now_ns, "stopped") for question in state.coming]
        if state.waiting is not None:
            rows.append(_outcome(state.waiting, QuestionStep.SKIPPED, now_ns, "stopped"))
        if state.shown is not None:
            rows.append(_outcome(state.shown, QuestionStep.WITHDRAWN, now_ns, "stopped"))
        return replace(state, coming=(), waiting=None, shown=None, next_ns=None), tuple(rows)

    def look(self, state: SamplingState, context: Context, now_ns: int) -> Step:
        """Carry out what is due: new questions, the one that waits, the one on the screen; set when to look again."""
        rows: list[Record] = []
        state = self._tend_shown(state, context, now_ns, rows)
        state = self._admit_blocks(state, now_ns, rows)
        state = self._admit_events(state, now_ns, rows)
        state = self._tend_waiting(state, context, now_ns, rows)
        return replace(state, next_ns=self._next_ns(state, context, now_ns)), tuple(rows)

    # ------------------------------------------------------------ days and blocks

    def _covers(self, date: int) -> bool:
        return 0 <= date - self._study.first_date < self._study.days

    def _local_zero_ns(self, state: SamplingState) -> int:
        """Return the session time at which it was midnight of 1970-01-01 here."""
        return -state.wall_offset_ns - self._study.utc_offset_s * NS_PER_S

    def _date(self, state: SamplingState, at_ns: int) -> int:
        return (at_ns - self._local_zero_ns(state)) // DAY_NS

    def _day(self, state: SamplingState, date: int) -> DayProgress:
        return next((day for day in state.days if day.date == date), DayProgress(date=date))

    def _block(self, state: SamplingState, date: int, block: int, moment_ns: int) -> Question:
        return Question(
            question_id=f"r{date}/{block}",
            moment=QuestionMoment.RANDOM,
            due_ns=self._local_zero_ns(state) + date * DAY_NS + moment_ns,
            probability=1.0,
            lot=random_lot(self._study.seed, date, block),
            date=date,
            block=block,
        )

    def _admit_blocks(self, state: SamplingState, now_ns: int, rows: list[Record]) -> SamplingState:
        """Take up every block that is due, of today and of earlier days that were begun."""
        today = self._date(state, now_ns)
        begun = [day.date for day in state.days if day.date < today and day.next_block < self._plan.blocks]
        for date in (*begun, today):
            if not self._covers(date):
                continue
            for block, moment_ns in enumerate(moments_of_day(self._plan, self._study.seed, date)):
                question = self._block(state, date, block, moment_ns)
                day = self._day(state, date)
                if block >= day.next_block and question.due_ns <= now_ns:
                    state = _with_day(state, replace(day, next_block=block + 1))
                    rows.append(question)
                    state = self._admit(state, question, now_ns, rows)
            state = _with_day(state, self._day(state, date))
        return state

    def _admit_events(self, state: SamplingState, now_ns: int, rows: list[Record]) -> SamplingState:
        due = [question for question in state.coming if question.due_ns <= now_ns]
        state = replace(state, coming=tuple(question for question in state.coming if question.due_ns > now_ns))
        for question in due:
            state = self._admit(state, question, now_ns, rows)
        return state

    def _admit(self, state: SamplingState, question: Question, now_ns: int, rows: list[Record]) -> SamplingState:
        day = self._day(state, self._date(state, now_ns))
        refusal = self._refusal(state, day, question, now_ns)
        if refusal is None and day.halved:
            state = _with_day(state, replace(day, turn=day.turn + 1))
            refusal = "halved" if day.turn % 2 == 0 else None
        if refusal is None:
            return replace(state, waiting=question)
        rows.append(_outcome(question, QuestionStep.SKIPPED, now_ns, refusal))
        return state

    def _refusal(self, state: SamplingState, day: DayProgress, question: Question, now_ns: int) -> str | None:
        if now_ns - question.due_ns > self._wait_ns:
            return "not_running" if state.next_ns is None else "late"  # at the first look of a session
        if day.none_today:
            return "none_today"
        if day.asked >= self._plan.per_day:
            return "day_full"
        apart_ns = round(self._plan.apart_s * NS_PER_S)
        asked_before = state.last_asked_ns is not None and now_ns - state.last_asked_ns < apart_ns
        return "too_close" if asked_before or state.waiting is not None or state.shown is not None else None

    # ------------------------------------------------------------ the one that waits, and the one on the screen

    def _tend_waiting(self, state: SamplingState, context: Context, now_ns: int, rows: list[Record]) -> SamplingState:
        question = state.waiting
        if question is None:
            return state
        obstacle = self._obstacle(state, context, now_ns)
        waited_ns = now_ns - question.due_ns
        if waited_ns > self._wait_ns or (obstacle is not None and waited_ns == self._wait_ns):
            rows.append(_outcome(question, QuestionStep.SKIPPED, now_ns, obstacle or "late"))
            return replace(state, waiting=None)
        if obstacle is not None:
            return state
        rows.append(_outcome(question, QuestionStep.ASKED, now_ns))
        day = self._day(state, self._date(state, now_ns))
        state = _with_day(state, replace(day, asked=day.asked + 1))
        return replace(state, waiting=None, shown=question, asked_ns=now_ns, last_asked_ns=now_ns)

    def _tend_shown(self, state: SamplingState, context: Context, now_ns: int, rows: list[Record]) -> SamplingState:
        question = state.shown
        if question is None:
            return state
        if now_ns - state.asked_ns >= round(self._plan.expires_s * NS_PER_S):
            rows.append(_outcome(question, QuestionStep.EXPIRED, now_ns))
            return self._count_unanswered(replace(state, shown=None), now_ns)
        reason = self._closed_gate(replace(context, asking=False), now_ns)
        if reason is None and context.showing is not None:
            reason = "card"
        if reason is None:
            return state
        rows.append(_outcome(question, QuestionStep.WITHDRAWN, now_ns, reason))
        return replace(state, shown=None)

    def _closed_gate(self, context: Context, now_ns: int) -> str | None:
        stop = check_consent(context) or check_availability(context, self._settings, now_ns)
        return None if stop is None else stop.reason

    def _obstacle(self, state: SamplingState, context: Context, now_ns: int) -> str | None:
        gate = self._closed_gate(context, now_ns)
        if gate is not None:
            return gate
        if context.showing is not None or _lies_ahead(state.advice_until_ns, now_ns):
            return "card"
        idle_ns = now_ns - context.last_input_ns
        if idle_ns > round(self._plan.away_s * NS_PER_S):
            return "away"
        return None if hands_free(context) and idle_ns >= self._break_ns else "no_break"

    def _count_unanswered(self, state: SamplingState, now_ns: int) -> SamplingState:
        """Return the state after a question that nobody answered; after three in a row the day is halved."""
        state = replace(state, unanswered=state.unanswered + 1)
        day = self._day(state, self._date(state, now_ns))
        if state.unanswered < UNANSWERED_LIMIT or day.halved:
            return state
        return _with_day(state, replace(day, halved=True))

    def _next_ns(self, state: SamplingState, context: Context, now_ns: int) -> int | None:
        """Return when something can be due next: all of it lies ahead."""
        today = self._date(state, now_ns)
        due = [question.due_ns for question in state.coming]
        if today < self._study.first_date + self._study.days:
            due.append(self._local_zero_ns(state) + (today + 1) * DAY_NS)
        if self._covers(today):
            moments = moments_of_day(self._plan, self._study.seed, today)
            due += [self._local_zero_ns(state) + today * DAY_NS + moment_ns for moment_ns in moments]
        if state.shown is not None:
            due.append(state.asked_ns + round(self._plan.expires_s * NS_PER_S))
        if state.waiting is not None:
            due.append(state.waiting.due_ns + self._wait_ns)
            pause_ns = context.last_input_ns + self._break_ns
            due.append(pause_ns if pause_ns > now_ns else now_ns + self._break_ns)
        return min((due_ns for due_ns in due if due_ns > now_ns), default=None)


def _lies_ahead(at_ns: int | None, now_ns: int) -> bool:
    return at_ns is not None and now_ns < at_ns


def _delay(due_ns: int, now_ns: int) -> int:
    return min(now_ns - due_ns, _INT64_MAX)


def _outcome(question: Question, step: QuestionStep, now_ns: int, reason: str = "") -> QuestionOutcome:
    return QuestionOutcome(
        question_id=question.question_id, step=step, delay_ns=_delay(question.due_ns, now_ns), reason=reason
    )


def _with_day(state: SamplingState, day: DayProgress) -> SamplingState:
    others = [other for other in state.days if other.date != day.date]
    return replace(state, days=tuple(sorted((*others, day), key=lambda one: one.date)))


def _checked_offset(offset_ns: int) -> int:
    """Return wall-clock time less session time.

    Raises:
        ValueError: it is that of no clock.
    """
    if not 0 <= offset_ns <= LAST_DATE * DAY_NS:
        raise ValueError("the wall clock shows no time of a lifetime")
    return offset_ns


def _rows(saved: Mapping[str, object], name: str) -> Sequence[Mapping[str, object]]:
    rows = saved.get(name, ())
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise TypeError
    return rows


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


def _day_of(row: Mapping[str, object]) -> DayProgress:
    return DayProgress(
        date=_whole(row["date"]),
        next_block=_whole(row["next_block"]),
        asked=_whole(row["asked"]),
        halved=row["halved"] is True,
        turn=_whole(row["turn"]),
        none_today=row["none_today"] is True,
    )
