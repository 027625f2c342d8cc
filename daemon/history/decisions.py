"""Reads why the policy offered help or did not: runs of equal decisions, in wall time, with the answers to offers.

Reads only, also while a session is being written. From the screen come the names of applications, and what an offer
quotes of a control or message where the recording holds its words; window titles are never read.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from daemon.history.summary import NAMED_KINDS, RecordedNames, WallClock, offer_words
from policies.gates import REASONS, SUPPRESSING_GATES
from storage.clock import NS_PER_S
from storage.errors import BadFile, EnvironmentFault
from storage.records import (
    Anchor,
    Decision,
    Feedback,
    HelpAnswer,
    ModelAnswer,
    Offer,
    StudyStart,
    Verdict,
    Withdrawal,
)
from storage.session.log import SessionReader, list_sessions
from storage.state.store import StateStore

KINDS = ("anchor", "decision", "offer", "feedback", "withdrawal", "model_answer", "help_answer", "study")
UNSHOWN = ("silent", "withheld")
"""Reasons of the gate `arm`: an offer would have been made, and was only logged."""

WAITING = ("waiting_for_break", "searching", "showing", "drawn")
"""Reasons that only postpone another decision, or follow from it."""


ASKED = "asked"
"""Gate and reason of help that the person asked for: no policy decided."""

ASKED_SENTENCE = "Help was shown because you asked for it."
MASKED = "masked"
MASKED_SENTENCE = "An offer was made. Why is shown when the study is over."

_SENTENCES = {**REASONS, MASKED: MASKED_SENTENCE, ASKED: ASKED_SENTENCE}

OWN_WISHES = ("snoozed", "muted", "backoff")
"""Reasons of the gate `budget` that follow from a person's own answers; the others tell of offers not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRun:
    """One decision, or a run of holds by the same gate for the same reason; `at` and `until` are wall-clock seconds.

    In a session of a `study` lots are not to be shown before `masked_until` (`mask_lots`, which leaves no propensity).
    The numbers are those of the strongest evidence in the run. `offer` holds the offer and its answer. `asked` holds
    what models answered meanwhile, with the answer that led to the decision if one did. Field names are those of
    `kairos why --json`.
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
    propensity: float | None
    offer: Mapping[str, Any] | None = None
    asked: tuple[ModelAnswer | HelpAnswer, ...] = ()
    study: str = ""
    masked_until: float = 0.0

    @property
    def sentence(self) -> str:
        """Why, in one sentence; for an unknown reason its code."""
        return sentence_of(self)


def sentence_of(found: Decision | DecisionRun) -> str:
    """Say why, in one sentence; for an unknown reason its code."""
    return _SENTENCES.get(found.reason, found.reason)


def is_unshown(found: Decision | DecisionRun) -> bool:
    """Tell whether an offer would have been made if the arm showed offers."""
    return found.gate == "arm" and found.reason in UNSHOWN


def is_held_back(found: Decision | DecisionRun) -> bool:
    """Tell whether the evidence was enough for an offer and another gate prevented it."""
    if found.verdict == Verdict.OFFER or is_unshown(found) or found.gate == "withdrawal" or found.reason in WAITING:
        return False
    return found.gate != "evidence" and found.numbers.get("sum", 0.0) >= found.numbers.get("upper", math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCounts:
    """How many offers were made, their answers, offers only logged (`unshown`), and reasons that `held` offers back."""

    offers: int
    answers: Mapping[str, int]
    unshown: int
    held: Mapping[str, int]


def count_decisions(runs: Sequence[DecisionRun]) -> DecisionCounts:
    """Count over some runs."""
    offers = [run for run in runs if run.verdict == Verdict.OFFER and run.gate != ASKED]
    return DecisionCounts(
        offers=len(offers),
        answers=dict(Counter((run.offer or {}).get("answer") or "open" for run in offers)),
        unshown=sum(run.count for run in runs if is_unshown(run)),
        held=dict(Counter(run.reason for run in runs if is_held_back(run))),
    )


def mask_lots(runs: Sequence[DecisionRun], studies: Collection[str], now_s: float) -> list[DecisionRun]:
    """Return what somebody in these studies may see before they are over: no arm, no lot, and nothing that tells.

    Left are offers, without the reason, and holds that the person or their situation called for. A hold for want of
    budget would tell of an offer that was not shown, one for want of evidence of the arm.
    """
    found = []
    for run in runs:
        if run.study not in studies or now_s >= run.masked_until or run.gate == ASKED:
            found.append(run)
        elif run.verdict == Verdict.OFFER:
            found.append(replace(run, reason=MASKED, numbers={}, propensity=None))
        elif run.gate in SUPPRESSING_GATES or run.reason in OWN_WISHES:
            found.append(replace(run, numbers={}, propensity=None))
    return found


def runs_between(base: Path, since: float, until: float) -> tuple[list[DecisionRun], list[str]]:
    """Return what was decided in a span of wall-clock time, oldest first, and the sessions that cannot be read.

    Imported sessions are left out: they are not from this machine.
    """
    found: list[DecisionRun] = []
    unreadable: list[str] = []
    for folder in list_sessions(base):
        if _last_write_s(folder) < since:  # not opened: there may be weeks of them
            continue
        try:
            with SessionReader(folder) as reader:
                clock, last = _clock(reader), reader.last()
                if last is not None and clock.seconds(last.at_ns) >= since and reader.first().imported_from is None:
                    found += _runs(reader, clock, folder.name, since, until)
        except BadFile:
            unreadable.append(folder.name)
    return sorted(found, key=lambda run: run.at), unreadable


def runs_of_session(folder: Path, last_s: float = math.inf) -> list[DecisionRun]:
    """Return what was decided in one session, or in its last seconds.

    Raises:
        BadFile: it cannot be read.
    """
    with SessionReader(folder) as reader:
        clock, last = _clock(reader), reader.last() or reader.first()
        return _runs(reader, clock, folder.name, clock.seconds(last.at_ns) - last_s, math.inf)


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


def _runs(reader: SessionReader, clock: WallClock, session: str, since: float, until: float) -> list[DecisionRun]:
    """Return the runs of a session; holds while an offer is on the screen belong to that offer."""
    runs: list[DecisionRun] = []
    offer_runs: dict[str, int] = {}
    asked: list[ModelAnswer | HelpAnswer] = []
    names = RecordedNames()
    study, masked_until = "", 0.0
    kinds = (*KINDS, *NAMED_KINDS) if reader.first().recording else KINDS
    reader.check_rows()
    for row in reader.rows(kinds):
        names.add(row)
        at = clock.seconds(row.at_ns)
        match row:
            case StudyStart():
                study, masked_until = row.study, row.masked_until_wall_ns / NS_PER_S
            case ModelAnswer() | HelpAnswer() if since <= at <= until:
                asked.append(row)
            case Decision() if since <= at <= until:
                run = replace(run_of(row, session, at, tuple(asked)), study=study, masked_until=masked_until)
                asked.clear()
                if runs and _continues(runs[-1], run):
                    runs[-1] = _merged(runs[-1], run)
                else:
                    runs.append(run)
            case Offer() if row.asked and since <= at <= until:
                runs.append(replace(_run_of_asked(session, at), offer=_shown(row, names)))
                offer_runs[row.offer_id] = len(runs) - 1
            case Offer() if not row.asked and runs and runs[-1].verdict == Verdict.OFFER:
                offer_runs[row.offer_id] = len(runs) - 1
                runs[-1] = replace(runs[-1], offer=_shown(row, names))
            case Feedback() | Withdrawal() if row.offer_id in offer_runs:
                index = offer_runs.pop(row.offer_id)
                answer = row.kind.value if isinstance(row, Feedback) else "withdrawn"
                answered = {**(runs[index].offer or {}), "answer": answer, "answered_at": at}
                runs[index] = replace(runs[index], offer=answered, until=at)
            case _:
                pass
    if runs and asked:
        runs[-1] = replace(runs[-1], asked=(*runs[-1].asked, *asked))
    return runs


def run_of(row: Decision, session: str, at: float, asked: tuple[ModelAnswer | HelpAnswer, ...] = ()) -> DecisionRun:
    """Return a decision as a run of one."""
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
        asked=asked,
    )


def _shown(row: Offer, names: RecordedNames) -> dict[str, Any]:
    shown: dict[str, Any] = {"offer_id": row.offer_id, "app": row.app, "counterfactual": row.counterfactual}
    if row.page_id:
        shown |= {"page_id": row.page_id, "steps": row.steps}
    return shown | offer_words(row, names.of(row)) | {"answer": None, "answered_at": None}


def _run_of_asked(session: str, at: float) -> DecisionRun:
    return DecisionRun(
        session=session,
        at=at,
        until=at,
        count=1,
        verdict=Verdict.OFFER.value,
        gate=ASKED,
        reason=ASKED,
        numbers={},
        topic=None,
        propensity=None,
    )


def _continues(run: DecisionRun, following: DecisionRun) -> bool:
    if run.verdict == Verdict.OFFER:
        return following.reason == "showing"
    same = (run.verdict, run.gate, run.reason) == (following.verdict, following.gate, following.reason)
    return same and not is_unshown(following)


def _merged(run: DecisionRun, following: DecisionRun) -> DecisionRun:
    """Return a run that is one decision longer; an offer keeps its own numbers."""
    run = replace(run, until=following.until, asked=(*run.asked, *following.asked))
    if run.verdict == Verdict.OFFER:
        return run
    longer = replace(run, count=run.count + 1)
    if following.numbers.get("sum", -math.inf) < run.numbers.get("sum", -math.inf):
        return longer
    return replace(longer, numbers=following.numbers, topic=following.topic, propensity=following.propensity)


class EveryStudy(frozenset[str]):
    """Any study: who takes part in what cannot be read."""

    def __contains__(self, _: object) -> bool:
        """Say yes."""
        return True


def masked_studies(state_file: Path) -> frozenset[str]:
    """Return the study that is joined; any, where that cannot be read."""
    if not state_file.exists():
        return frozenset()
    try:
        with StateStore(state_file) as state:
            enrolment = state.enrolment()
    except (BadFile, EnvironmentFault):
        return EveryStudy()
    return frozenset() if enrolment is None else frozenset({enrolment.study})
