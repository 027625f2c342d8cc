"""Makes rows of the records of sessions, in order: points with outcomes, questions and tasks with ends, days.

Pure: no clock, no file. All that is remembered between two records is a `FoldState`, plain values that can be stored.
So the rows of a journal are the same whether it was read at once or in many pieces, and reading goes on where it
stopped. Nothing of the state says which program was used: it lies beside the parcels, where the sender can read it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from participant.documents.plan import Sent
from participant.documents.rows import AnswerRow, DayRow, PointRow, Row, TaskRow, encode_rows
from participant.pack.points import (
    NOTHING_YET,
    PLACES,
    SPAN_NS,
    OpenPoint,
    category_of,
    code_in,
    moment_of,
    seconds_of,
)
from participant.pack.state import (
    DayTally,
    FoldState,
    OpenQuestion,
    OpenTask,
    Participation,
    Running,
    Seen,
    TimedRow,
    begin_running,
    day_and_minute,
    local_ns,
)
from policies.gates import CODES
from policies.gates import REASONS as GATE_REASONS
from policies.sampling import REASONS as QUESTION_REASONS
from storage.clock import DAY_NS, MINUTE_NS, NS_PER_S
from storage.messages import EVIDENCE, PROBLEMS
from storage.records import (
    Anchor,
    Answer,
    Decision,
    Estimate,
    Feedback,
    InputEvent,
    Offer,
    Problem,
    Question,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionEnd,
    SessionStart,
    State,
    StudyStart,
    Switch,
    SwitchName,
    TaskMark,
    TaskStep,
    Wake,
    Withdrawal,
)

CONTINUES_NS = 30 * NS_PER_S
"""A session that begins so soon after the one before carries on what was open: sessions are cut at midnight."""

ROW_INVALID = "row_invalid"
"""The problem that a row would have held what no row may."""

CUT_OFF = "cut_off"
"""How a question or task ended whose session ended before it."""

KINDS = tuple(
    kind.KIND
    for kind in (
        Anchor,
        Answer,
        Decision,
        Estimate,
        Feedback,
        InputEvent,
        Offer,
        Problem,
        Question,
        QuestionOutcome,
        SessionEnd,
        Switch,
        TaskMark,
        Wake,
        Withdrawal,
    )
)
"""Kinds of records that rows are made of, behind the first two of a session."""

OPENING_KINDS = (SessionStart.KIND, StudyStart.KIND)

_ESTIMATES = 8
_MAX_COUNT = 10_000_000


class RowFold:
    """Reads records and makes rows; `taken` are those since the last time it was asked."""

    def __init__(self, who: Participation, state: FoldState | None = None) -> None:
        """Begin, or go on from a state, which is changed in place."""
        self.who = who
        self.state = FoldState() if state is None else state
        self._rows: list[TimedRow] = []

    @property
    def _sends_aggregates(self) -> bool:
        return Sent.AGGREGATES in self.who.sends

    def taken(self) -> list[TimedRow]:
        """Return the rows that are finished, and forget them."""
        rows, self._rows = self._rows, []
        return rows

    # ------------------------------------------------------------ sessions

    def begin(self, start: SessionStart, study: StudyStart) -> None:
        """Begin a session that `who` owns."""
        self.end()
        state = self.state
        state.running = running = begin_running(start, study)
        self._carry_on(study.at_ns, gap_ns=study.at_ns + running.wall_offset_ns - state.ended_wall_ns)
        state.utc_offset_s, state.first_date, state.days = study.utc_offset_s, study.first_date, study.days
        self._begin_day(study.at_ns, start.kairos_version)

    def _carry_on(self, at_ns: int, *, gap_ns: int) -> None:
        """Go on with open points if this session follows the one before at once; else they are finished."""
        state = self.state
        if abs(gap_ns) > CONTINUES_NS:
            self._finish_points()
            return
        for point in state.points:  # between the sessions nothing was watched
            point.at_ns += at_ns - max(0, gap_ns)
            point.last_second = -1

    def end(self) -> None:
        """End the session being read, if any: what became of its questions will not be known; its points wait."""
        state, running = self.state, self.state.running
        if running is None:
            return
        for question in running.questions.values():
            step = QuestionStep.SKIPPED if question.delay_s is None else QuestionStep.WITHDRAWN
            self._add_answer(running, question, step, CUT_OFF)
        self._end_task(running, CUT_OFF)
        late, state.late = state.late, []
        for point in late:
            self._finish_point(point)
        for point in state.points:
            point.at_ns -= running.at_ns  # counted from the end of the session
            point.decision_seq, point.offer_id, point.last_prefix = -1, None, ""
        state.ended_wall_ns = running.at_ns + running.wall_offset_ns
        state.running = None

    def finish(self, now_wall_ns: int) -> None:
        """Finish what no later session can change: points of a session that ended long ago, and a day that is over."""
        state = self.state
        if state.running is not None:
            return
        if abs(now_wall_ns - state.ended_wall_ns) > SPAN_NS + CONTINUES_NS:
            self._finish_points()
        if state.tally is not None and (now_wall_ns + state.utc_offset_s * NS_PER_S) // DAY_NS > state.tally.date:
            self._end_day()

    def note_problem(self, code: str) -> None:
        """Count a problem on the day being counted, or else on the next one."""
        tally = self.state.tally
        _count(self.state.problems if tally is None else tally.problems, code)

    # ------------------------------------------------------------ records

    def take(self, record: Record) -> None:
        """Process one record behind the first two of a session."""
        running = self.state.running
        if running is None:
            return
        self._advance(running, record)
        match record:
            case InputEvent():
                if not record.own:
                    for point in self.state.points:
                        point.add_input(record)
            case Estimate():
                self._add_estimate(running, record)
            case Decision():
                self._add_decision(running, record)
            case Offer() | Feedback() | Withdrawal():
                self._add_offer(record)
            case Question() | Answer() | QuestionOutcome():
                self._follow_question(running, record)
            case TaskMark():
                self._follow_task(running, record)
            case _:
                self._change(running, record)

    def _change(self, running: Running, record: Record) -> None:
        match record:
            case Switch():
                running.off = [name for name in running.off if name is not record.name]
                if record.on is not (record.name is SwitchName.CONSENT):
                    running.off.append(record.name)
            case Anchor():
                running.wall_offset_ns = record.wall_ns - record.at_ns
            case Problem() if not record.over:
                self.note_problem(code_in(record.code, PROBLEMS))
            case _:
                pass

    def _advance(self, running: Running, record: Record) -> None:
        """Move to the time of a record: count what was watched until then, finish points, begin another day."""
        state, now_ns = self.state, record.at_ns
        slept_ns = record.slept_ns if isinstance(record, Wake) else 0
        awake_ns = max(running.at_ns, now_ns - slept_ns)
        if not running.off and awake_ns > running.at_ns:
            for point in state.points:
                point.watch(running.at_ns, awake_ns)
            if state.tally is not None and self._sends_aggregates:
                state.tally.watched_ns += awake_ns - running.at_ns
        running.at_ns = max(now_ns, running.at_ns)
        while state.points and state.points[0].end_ns < now_ns:  # they are in the order of time
            point = state.points.pop(0)
            if point.offer_id is None:
                self._finish_point(point)
            else:
                state.late.append(point)
        self._begin_day(now_ns, running.version)

    def _add_estimate(self, running: Running, estimate: Estimate) -> None:
        if estimate.abstained or estimate.error is not None or not 0.0 <= estimate.help_need <= 1.0:
            return
        running.fresh_seq = estimate.seq
        for point in self.state.points:
            point.add_need(estimate.help_need, estimate.prefix_id)
        codes = dict.fromkeys(item.code for item in estimate.evidence if item.code in EVIDENCE)
        seen = Seen(
            prefix_id=estimate.prefix_id,
            states={state: round(estimate.state_probs.get(state, 0.0), PLACES) for state in State},
            evidence=tuple(codes),
            category=category_of(estimate.app),
        )
        others = [former for former in running.estimates if former.prefix_id != estimate.prefix_id]
        running.estimates = [*others, seen][-_ESTIMATES:]

    def _add_decision(self, running: Running, decision: Decision) -> None:
        if self.state.tally is not None and self._sends_aggregates:
            _count(self.state.tally.gates, code_in(decision.gate, CODES))
        if running.call is None:
            return
        fresh = decision.seq == running.fresh_seq + 1
        moment = moment_of(decision, running.call, running.threshold, fresh=fresh)
        if moment is None:
            return
        lot = self._lot(running, decision) if moment.gate is None else None
        if moment.gate is not None:
            last_ns = running.stopped_ns.get(moment.gate)
            if last_ns is not None and decision.at_ns - last_ns < SPAN_NS:
                return
            running.stopped_ns[moment.gate] = decision.at_ns
        day, minute = day_and_minute(running, decision.at_ns)
        if not 1 <= day <= running.days or not self._sends_aggregates:
            return
        about = next(
            (estimate for estimate in running.estimates if estimate.prefix_id in decision.prefix_ids[-1:]), None
        )
        need = decision.numbers.get("help_need")
        row = PointRow(
            day=day,
            minute=minute,
            phase=running.phase,
            arm=self.who.arm,
            gate=moment.gate,
            propensity=decision.propensity if moment.gate is None else 1.0,
            assignment_number=lot,
            action=moment.action,
            category=about.category if about is not None and Sent.CATEGORIES in self.who.sends else None,
            need=None if need is None else round(need, PLACES),
            states={} if about is None else about.states,
            evidence=() if about is None else about.evidence,
            wait_s=seconds_of(decision.numbers.get("waited_s", 0.0)),
            outcomes=NOTHING_YET,
        )
        if self._is_valid(row):
            wall_ns = decision.at_ns + running.wall_offset_ns
            point = OpenPoint(row=row, at_ns=decision.at_ns, wall_ns=wall_ns, decision_seq=decision.seq)
            self.state.points.append(point)

    def _lot(self, running: Running, decision: Decision) -> int | None:
        """Return the number of the lot that a decision drew; certainty draws none."""
        if running.next_lot is None or decision.propensity in (0.0, 1.0):
            return None
        running.next_lot += 1
        return running.next_lot - 1

    def _add_offer(self, record: Offer | Feedback | Withdrawal) -> None:
        state = self.state
        for point in (*state.points, *state.late):
            if isinstance(record, Offer):
                if point.decision_seq == record.decision_seq and not record.counterfactual:
                    point.offer_id = record.offer_id
            elif point.offer_id == record.offer_id:
                point.offer_id = None
                point.response = record.kind.value if isinstance(record, Feedback) else "withdrawn"
        for point in [point for point in state.late if point.offer_id is None]:
            state.late.remove(point)
            self._finish_point(point)

    # ------------------------------------------------------------ questions

    def _follow_question(self, running: Running, record: Question | Answer | QuestionOutcome) -> None:
        """Follow a question to its end; those of a session before have ended with it."""
        if isinstance(record, Question):
            opened = open_question(running, record)
            if opened is not None:
                running.questions[record.question_id] = opened
            return
        question = running.questions.get(record.question_id)
        if question is None:
            return
        if isinstance(record, Answer):
            question.choices = {code: number for code, number in record.choices.items() if code in running.codes}
        elif record.step is QuestionStep.ASKED:
            question.delay_s = seconds_of(record.delay_ns / NS_PER_S)
        else:
            del running.questions[record.question_id]
            self._add_answer(running, question, record.step, record.reason)

    def _add_answer(self, running: Running, question: OpenQuestion, step: QuestionStep, reason: str) -> None:
        row = answer_row(running, question, step, reason, arm=self.who.arm)
        if Sent.QUESTIONS in self.who.sends and self._is_valid(row):
            self._rows.append(TimedRow(row, question.wall_ns))

    def _follow_task(self, running: Running, mark: TaskMark) -> None:
        if running.task is not None and (mark.step is TaskStep.BEGUN or mark.code == running.task.task):
            self._end_task(running, CUT_OFF if mark.step is TaskStep.BEGUN else mark.step.value)
        day, minute = day_and_minute(running, mark.at_ns)
        if mark.step is TaskStep.BEGUN and 1 <= day <= running.days:
            running.task = OpenTask(
                task=mark.code,
                day=day,
                minute=minute,
                at_ns=mark.at_ns,
                wall_ns=mark.at_ns + running.wall_offset_ns,
                skill=mark.skill or None,
            )

    def _end_task(self, running: Running, end: Any) -> None:
        task, running.task = running.task, None
        if task is None:
            return
        row = TaskRow(
            day=task.day,
            minute=task.minute,
            phase=running.phase,
            arm=self.who.arm,
            task=task.task,
            seconds=max(0, running.at_ns - task.at_ns) // NS_PER_S,
            end=end,
            skill=task.skill,
        )
        if Sent.TASKS in self.who.sends and self._is_valid(row):
            self._rows.append(TimedRow(row, task.wall_ns))

    # ------------------------------------------------------------ days and ends

    def _begin_day(self, at_ns: int, version: str) -> None:
        running, state = self.state.running, self.state
        if running is None:
            return
        date = local_ns(running, at_ns) // DAY_NS
        if state.tally is None or state.tally.date != date:
            self._end_day()
            state.tally = DayTally(date=date, problems=state.problems)
            state.problems = {}
        state.tally.version = version

    def _end_day(self) -> None:
        state, tally = self.state, self.state.tally
        state.tally = None
        if tally is None or tally.date >= state.first_date + state.days:
            return
        row = DayRow(
            day=max(0, tally.date - state.first_date + 1),
            minutes=min(tally.watched_ns // MINUTE_NS, 1500),
            gates=tally.gates,
            problems=tally.problems,
            left_out=0,
            version=tally.version,
        )
        if self._sends_aggregates and self._is_valid(row):
            self._rows.append(TimedRow(row, (tally.date + 1) * DAY_NS - state.utc_offset_s * NS_PER_S))

    def _finish_points(self) -> None:
        points, self.state.points = self.state.points, []
        for point in points:
            self._finish_point(point)

    def _finish_point(self, point: OpenPoint) -> None:
        row = point.finished()
        if Sent.CATEGORIES not in self.who.sends:
            row = msgspec.structs.replace(row, category=None)
        if self._sends_aggregates and self._is_valid(row):
            self._rows.append(TimedRow(row, point.wall_ns))

    def _is_valid(self, row: Row) -> bool:
        """Tell whether a row can be read again; a journal may be damaged, and a state with it could not be stored."""
        try:
            encode_rows([row])
        except ValueError:
            self.note_problem(ROW_INVALID)
            return False
        return True


def _count(counts: dict[str, int], code: str) -> None:
    counts[code] = min(counts.get(code, 0) + 1, _MAX_COUNT)


_REASONS: Mapping[str, object] = {**QUESTION_REASONS, **GATE_REASONS}


def open_question(running: Running, question: Question) -> OpenQuestion | None:
    """Return a question that was drawn; None outside the days of the study."""
    day = question.date - running.first_date + 1
    _, minute = day_and_minute(running, question.due_ns)
    if not 1 <= day <= running.days:
        return None
    return OpenQuestion(
        day=day,
        minute=minute,
        moment=question.moment.value,
        probability=question.probability,
        wall_ns=question.due_ns + running.wall_offset_ns,
    )


def answer_row(running: Running, question: OpenQuestion, step: QuestionStep, reason: str, *, arm: str) -> AnswerRow:
    """Return the row of a question that has ended; what was chosen counts only in an answer."""
    return AnswerRow(
        day=question.day,
        minute=question.minute,
        phase=running.phase,
        arm=arm,
        moment=question.moment,
        probability=question.probability,
        step=step.value,  # type: ignore[arg-type]  # every step but "asked", which is no end
        reason=code_in(reason, _REASONS) if reason else None,
        delay_s=question.delay_s,
        choices=question.choices if step is QuestionStep.ANSWERED else {},
    )
