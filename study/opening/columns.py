"""From the tables of a study to the columns that the analysis takes; the one place that converts between them.

A row holds the probability of what was done; the analysis needs that of an offer. `propensity_of_offer` converts, and
nothing else may.

Which outcome counts was fixed before any study began. An outcome of the 300 s after a point is known where Kairos
watched at least `LEAST_WATCHED_S` of them and could estimate it; otherwise it is missing. An answer is known where the
question after the point was answered. Points with a missing outcome are left out of the effect, and counted by arm and
by what the lot said, with a test of whether offers make outcomes go missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from daemon.figures.resampling import Bools, Floats
from participant.documents.plan import ANSWER_OUTCOME, StudyOutcome
from storage.enrolment import QuestionPlan
from study.analysis.tables import ANSWERED, Points, Questions, Words

if TYPE_CHECKING:
    import duckdb

LEAST_WATCHED_S = 240
"""Seconds of the 300 after a point that Kairos must have watched for its outcome to count."""

ANSWER_AFTER_MINUTES = round(QuestionPlan().after_offer_s / 60)
"""When the question after an offer, made or withheld, is due; a study cannot change it."""

ACCEPTED = "accepted"
MASKED = "all arms (masked)"

_COLUMNS = {
    StudyOutcome.RECOVERED: "recovered",
    StudyOutcome.NEED: "outcome_need",
    StudyOutcome.ACTIVE: "active_s",
    StudyOutcome.UNDOS: "undos",
}
_MOMENTS = {"random": "at a random moment", "offer": "after an offer", "no_offer": "after an offer withheld"}
_ORDER = "ORDER BY participant, n, place"
_LISTED = "LEFT JOIN (SELECT participant, arm AS listed FROM participants) AS people USING (participant)"
"""The arm by the sealed list, as `listed`: a row that names another one does not move anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPoints:
    """All decision points of a study; arrays have shape (points,), in the order of person, parcel and place.

    Attributes:
        points: what the analysis takes; `outcome` is NaN where it is missing or does not apply.
        eligible: where the outcome could have been known: all points, or for an answer those with a question drawn.
        day: of the study.
        people: ids, by the numbers in `points.person`.
    """

    points: Points
    eligible: Bools
    day: Floats
    people: tuple[str, ...]

    @property
    def wanted(self) -> Bools:
        """Where a lot decided and the outcome could have been known."""
        found: Bools = self.points.drawn & self.eligible
        return found

    @property
    def used(self) -> Bools:
        """Of these, where it is known."""
        found: Bools = self.wanted & np.isfinite(self.points.outcome)
        return found


def propensity_of_offer(action: Words, propensity: Floats) -> Floats:
    """Return the probability of an offer at each point from that of the action taken; 0 where nothing was drawn.

    Args:
        action: "offer", "withheld" or "none", shape (points,).
        propensity: probability with which the action was taken, shape (points,).
    """
    found: Floats = np.select((action == "offer", action == "withheld"), (propensity, 1.0 - propensity), 0.0)
    return found


def read_points(tables: "duckdb.DuckDBPyConnection", outcome: str, *, masked: bool = False) -> StudyPoints:
    """Return all points with one outcome."""
    code = outcome.removeprefix(ANSWER_OUTCOME) if outcome.startswith(ANSWER_OUTCOME) else None
    value = "NULL" if code is not None else _COLUMNS[StudyOutcome(outcome)]
    columns = tables.execute(
        "SELECT participant, day, minute, phase, coalesce(listed, arm) AS arm, gate IS NULL AS available,"  # noqa: S608  # constants
        f" propensity, action, response IS NOT DISTINCT FROM '{ACCEPTED}' AS accepted, need, watched_s,"
        f" CAST({value} AS DOUBLE) AS outcome FROM points {_LISTED} {_ORDER}"
    ).fetchnumpy()
    who, people = _coded(columns["participant"])
    action = _words(columns["action"])
    if code is None:
        known = np.asarray(columns["watched_s"]) >= LEAST_WATCHED_S
        result, eligible = np.where(known, _floats(columns["outcome"]), np.nan), np.ones(len(who), np.bool_)
    else:
        result, eligible = _answers_after(tables, code)
    arm = np.full(len(who), MASKED) if masked else _words(columns["arm"])
    points = Points(
        person=who,
        arm=arm,
        phase=_words(columns["phase"]),
        available=np.asarray(columns["available"], np.bool_),
        propensity=propensity_of_offer(action, _floats(columns["propensity"])),
        offered=action == "offer",
        accepted=np.asarray(columns["accepted"], np.bool_),
        need=_floats(columns["need"]),
        outcome=result,
    )
    return StudyPoints(points=points, eligible=eligible, day=_floats(columns["day"]), people=people)


def _answers_after(tables: "duckdb.DuckDBPyConnection", code: str) -> tuple[Floats, Bools]:
    """Return the answer after each point, and where a question was drawn; in the order of the points.

    A question is due a fixed time after the point that it follows, so it belongs to the point at that time at which the
    same was done.
    """
    found = tables.execute(
        f"""
        WITH asked AS (
            SELECT participant, day * 1440 + minute AS due, step,
                   CASE moment WHEN 'offer' THEN 'offer' ELSE 'withheld' END AS action,
                   CASE step WHEN '{ANSWERED}' THEN choices[?] END AS answer
            FROM answers WHERE moment != 'random'
        ), pairs AS (
            SELECT participant, n, place, step, answer, abs(shift) AS apart
            FROM (SELECT *, due - {ANSWER_AFTER_MINUTES} + shift AS of_point
                  FROM asked CROSS JOIN (VALUES (-1), (0), (1)) AS near(shift)) AS asked
            JOIN (SELECT participant, n, place, action, day * 1440 + minute AS of_point FROM points) AS points
            USING (participant, action, of_point)
        ), one AS (
            SELECT participant, n, place, arg_min(step, apart) AS step, arg_min(answer, apart) AS answer
            FROM pairs GROUP BY ALL
        )
        SELECT CAST(answer AS DOUBLE) AS answer, coalesce(step != 'not_drawn', false) AS eligible
        FROM points LEFT JOIN one USING (participant, n, place) {_ORDER}
        """,  # noqa: S608  # constants
        [code],
    ).fetchnumpy()
    return _floats(found["answer"]), np.asarray(found["eligible"], np.bool_)


def read_questions(
    tables: "duckdb.DuckDBPyConnection", codes: Sequence[str], *, masked: bool = False
) -> tuple[Questions, Questions]:
    """Return questions that were due, once by the code of what was asked and once for how they ended.

    Those after an offer, made or withheld, have names of their own, because they are drawn with another probability;
    masked, they have one together, since the difference between them is an effect of offers.
    Questions that the lot left out were not due, and are in neither.
    """
    columns = tables.execute(
        "SELECT participant, coalesce(listed, arm) AS arm, moment,"  # noqa: S608  # constants
        " CASE WHEN step IN ('skipped', 'declined') THEN coalesce(reason, step)"
        " ELSE step END AS ended, n"
        + "".join(f", CAST(choices[?] AS DOUBLE) AS answer_{number}" for number in range(len(codes)))
        + f" FROM answers {_LISTED} WHERE step != 'not_drawn' {_ORDER}",
        list(codes),
    ).fetchnumpy()
    who, _ = _coded(columns["participant"])
    arm = np.full(len(who), MASKED) if masked else _words(columns["arm"])
    moment, ended = _words(columns["moment"]), _words(columns["ended"])
    names = _MOMENTS | (dict.fromkeys(("offer", "no_offer"), "after an offer, made or withheld") if masked else {})
    asked = np.array([names.get(word, word) for word in moment.tolist()], np.str_)

    def named(code: str, value: Floats) -> Questions:
        words = np.char.add(f"{code}, ", asked) if len(asked) else asked
        return Questions(person=who, arm=arm, question=words, ended=ended, value=value)

    parts = [named(code, _floats(columns[f"answer_{number}"])) for number, code in enumerate(codes)]
    whole = Questions(person=who, arm=arm, question=asked, ended=ended, value=np.full(len(who), np.nan))
    return _joined(parts) if parts else whole, whole


def _joined(parts: Sequence[Questions]) -> Questions:
    return Questions(
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("person", "arm", "question", "ended", "value")
        }
    )


def _floats(column: Any) -> Floats:
    """Return a column with NaN for null."""
    return np.ma.filled(np.ma.asarray(column, np.float64), np.nan)


def _words(column: Any) -> Words:
    codes, names = _coded(column)
    found: Words = np.array(names or ("",), np.str_)[codes]
    return found


def _coded(column: Any) -> tuple[np.ndarray[Any, np.dtype[np.int64]], tuple[str, ...]]:
    """Return numbers in place of words, and the words in their order."""
    values = np.ma.filled(column, "").tolist() if np.ma.isMaskedArray(column) else column.tolist()
    names = sorted(set(values))
    number = {name: at for at, name in enumerate(names)}
    return np.fromiter((number[value] for value in values), np.int64, len(values)), tuple(names)
