"""Rows of a study in the engine; `tests/study/rehearsal/test_people.py` has simulated people asked over many days."""

from dataclasses import replace
from typing import Any

import pytest

from daemon.engine.questions import StudyQuestions
from storage.db.codec import decode, encode
from storage.enrolment import QuestionPlan
from storage.errors import BadFile
from storage.records import StudyStart
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import START_NS, make_engine
from tests.fakes.detectors.questions import PLAN, study_row


@pytest.mark.parametrize(
    "changes",
    [
        {"questions": replace(PLAN, blocks=10**9)},
        {"days": 10**9},
        {"first_date": 10**12},
        {"utc_offset_s": -(10**12)},
        {"sampling_state": {"days": 3}},
        {"sampling_state": {"open": [{"id": 1}]}},
    ],
)
def test_a_study_row_that_no_version_writes_is_refused(changes: dict[str, Any]) -> None:
    """A session from elsewhere can neither keep the engine busy nor break it."""
    with pytest.raises(BadFile, match="study"):
        make_engine().take(study_row(**changes), START_NS)


def test_a_study_without_questions_asks_none() -> None:
    engine = make_engine()
    assert len(engine.take(study_row(None), START_NS)) == 1
    assert engine.saved_questions() is None


def test_a_study_row_before_the_first_row_means_nothing() -> None:
    """There is no wall-clock time yet that it could count from."""
    rows: list[object] = []
    questions = StudyQuestions(PolicySettings(), rows.append)  # type: ignore[arg-type]  # what it returns is not used
    questions.take(study_row(), lambda: pytest.fail("no context is needed"), START_NS)
    assert (rows, questions.next_ns, questions.asking, questions.saved(0)) == ([], None, False, None)


def test_the_row_of_a_study_is_read_back_to_the_same_bytes() -> None:
    """Else a replay would digest other sources than the session did."""
    for plan in (QuestionPlan(), PLAN):
        line = encode(study_row(plan))
        assert encode(decode(StudyStart.KIND, line)) == line
