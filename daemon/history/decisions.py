"""Reads why the policy spoke or was silent: runs of equal decisions, in wall-clock time, with what became of offers.

Reads only, also while a session is being written. Nothing here comes from the screen but names of applications that
are in the log anyway; window titles are never read.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from daemon.history.summary import WallClock, offer_words
from storage.errors import BadFile
from storage.messages import REASONS
from storage.records import Anchor, Decision, Feedback, ModelAnswer, Offer, Verdict, Withdrawal
from storage.session.log import SessionReader, list_sessions

KINDS = ("anchor", "decision", "offer", "feedback", "withdrawal", "model_answer")
UNSHOWN = ("silent", "withheld")
"""Reasons of the gate `arm`: an offer would have been made, and was only written down."""

WAITING = ("waiting_for_break", "showing", "drawn")
"""Reasons that only put off, or follow from, what another decision tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRun:
    """One decision, or a run of holds by the same gate for the same reason; `at` and `until` are wall-clock seconds.

    The numbers are those of the strongest evidence in the run. `offer` is what was offered and what became of it.
    `asked` is what models answered meanwhile; where the decision followed from an answer, that one is among them.
    """

    session: str
    at: float
    until: float
    count: int
    verdict: str
    gate: str
    reason: str
    numbers: Mapping[str, float]
    topic: str | None
    propensity: float
    offer: Mapping[str, Any] | None = None
    asked: tuple[ModelAnswer, ...] = ()

    @property
    def sentence(self) -> str:
        """The one sentence that says why, or the code itself where there are no words for it."""
        return REASONS.get(self.reason, self.reason)

    @property
    def unshown(self) -> bool:
        """Whether an offer would have been made, but for an arm that shows none."""
        return self.gate == "arm" and self.reason in UNSHOWN

    @property
    def held_back(self) -> bool:
        """Whether the evidence called for an offer and something else stopped it."""
        if self.verdict == Verdict.OFFER or self.unshown or self.gate == "withdrawal" or self.reason in WAITING:
            return False
        return self.gate != "evidence" and self.numbers.get("sum", 0.0) >= self.numbers.get("upper", math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCounts:
    """How often help was offered, how that was answered, and how often it was held back although needed, and why."""

    offers: int
    answers: Mapping[str, int]
    unshown: int
    held: Mapping[str, int]


def count_decisions(moments: Sequence[DecisionRun]) -> DecisionCounts:
    """Return the counts over some moments."""
    offers = [moment for moment in moments if moment.verdict == Verdict.OFFER]
    return DecisionCounts(
        offers=len(offers),
        answers=dict(Counter((moment.offer or {}).get("answer") or "open" for moment in offers)),
        unshown=sum(moment.count for moment in moments if moment.unshown),
        held=dict(Counter(moment.reason for moment in moments if moment.held_back)),
    )


def runs_between(base: Path, since: float, until: float) -> tuple[list[DecisionRun], list[str]]:
    """Return what was decided here in a span of wall-clock time, oldest first, and sessions that cannot be read.

    Imported sessions are left out: they are not from here.
    """
    found: list[DecisionRun] = []
    unreadable: list[str] = []
    for folder in list_sessions(base):
        if _last_write_s(folder) < since:  # not even opened: there may be weeks of them
            continue
        try:
            with SessionReader(folder) as reader:
                clock, last = _clock(reader), reader.last()
                if last is not None and clock.seconds(last.at_ns) >= since and reader.first().imported_from is None:
                    found += _moments(reader, clock, folder.name, since, until)
        except BadFile:
            unreadable.append(folder.name)
    return sorted(found, key=lambda moment: moment.at), unreadable


def runs_of_session(folder: Path, last_s: float = math.inf) -> list[DecisionRun]:
    """Return what was decided in one session, or in its last seconds.

    Raises:
        BadFile: it cannot be read.
    """
    with SessionReader(folder) as reader:
        clock, last = _clock(reader), reader.last() or reader.first()
        return _moments(reader, clock, folder.name, clock.seconds(last.at_ns) - last_s, math.inf)


def _last_write_s(folder: Path) -> float:
    try:
        return max((file.stat().st_mtime for file in folder.iterdir()), default=0.0)
    except OSError:  # it is being deleted
        return 0.0


def _clock(reader: SessionReader) -> WallClock:
    clock = WallClock(reader.first())
    for row in reader.rows(("anchor",)):
        if isinstance(row, Anchor):
            clock.add(row)
    return clock


def _moments(reader: SessionReader, clock: WallClock, session: str, since: float, until: float) -> list[DecisionRun]:
    """Return the runs of a session; holds because an offer is on the screen belong to that offer."""
    runs: list[DecisionRun] = []
    places: dict[str, int] = {}
    asked: list[ModelAnswer] = []
    for row in reader.rows(KINDS):
        at = clock.seconds(row.at_ns)
        match row:
            case ModelAnswer() if since <= at <= until:
                asked.append(row)
            case Decision() if since <= at <= until:
                one = replace(_moment(row, session, at), asked=tuple(asked))
                asked.clear()
                if runs and _continues(runs[-1], one):
                    runs[-1] = _merged(runs[-1], one)
                else:
                    runs.append(one)
            case Offer() if runs and runs[-1].verdict == Verdict.OFFER:
                places[row.offer_id] = len(runs) - 1
                shown = {"offer_id": row.offer_id, "app": row.app, "counterfactual": row.counterfactual}
                unanswered = {"answer": None, "answered_at": None}
                runs[-1] = replace(runs[-1], offer=shown | offer_words(row) | unanswered)
            case Feedback() | Withdrawal() if row.offer_id in places:
                place = places.pop(row.offer_id)
                answer = row.kind.value if isinstance(row, Feedback) else "withdrawn"
                answered = {**(runs[place].offer or {}), "answer": answer, "answered_at": at}
                runs[place] = replace(runs[place], offer=answered, until=at)
            case _:
                pass
    if runs and asked:
        runs[-1] = replace(runs[-1], asked=(*runs[-1].asked, *asked))
    return runs


def _moment(row: Decision, session: str, at: float) -> DecisionRun:
    return DecisionRun(
        session=session,
        at=at,
        until=at,
        count=1,
        verdict=row.verdict.value,
        gate=row.gate,
        reason=row.reason,
        numbers=dict(row.numbers),
        topic=row.topic,
        propensity=row.propensity,
    )


def _continues(run: DecisionRun, one: DecisionRun) -> bool:
    if run.verdict == Verdict.OFFER:
        return one.reason == "showing"
    return not one.unshown and (run.verdict, run.gate, run.reason) == (one.verdict, one.gate, one.reason)


def _merged(run: DecisionRun, one: DecisionRun) -> DecisionRun:
    """Return a run that is one decision longer; an offer keeps its own numbers."""
    run = replace(run, until=one.until, asked=(*run.asked, *one.asked))
    if run.verdict == Verdict.OFFER:
        return run
    longer = replace(run, count=run.count + 1)
    if one.numbers.get("sum", -math.inf) < run.numbers.get("sum", -math.inf):
        return longer
    return replace(longer, numbers=one.numbers, topic=one.topic, propensity=one.propensity)
