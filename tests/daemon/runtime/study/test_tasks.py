"""The tasks of a study: one after the other, over sessions and restarts, begun and ended by the person."""

import datetime as dt
from pathlib import Path

import pytest

from daemon.runtime.study.tasks import StudyTasks
from storage.enrolment import Enrolment, Phase, StudyTask
from storage.records import TaskMark, TaskStep
from storage.state.store import StateStore

TASKS = tuple(
    StudyTask(code=code, title=code.title(), text="Do it.", end="It is done.", program=program)
    for code, program in (("sort", "Calc"), ("chart", "Calc"), ("letter", "Writer"))
)
STUDY = Enrolment(
    study="sheets",
    participant="p",
    title="Sheets",
    first_day=dt.date(2026, 10, 20),
    phases=(Phase(name="only", days=3),),
    seed=1,
    tasks=TASKS,
)


def shown(tasks: StudyTasks) -> tuple[int, bool, str] | None:
    card = tasks.card()
    return None if card is None else (card.number, card.running, card.asks_about)


def test_tasks_come_one_after_the_other_and_ask_about_a_program_once(tmp_path: Path) -> None:
    with StateStore(tmp_path / "state.db") as state:
        state.save_enrolment(STUDY)
        tasks = StudyTasks()
        tasks.take(STUDY, state)
        assert shown(tasks) == (1, False, "Calc")
        assert tasks.mark(TaskStep.DONE) is None
        begun = TaskMark(code="sort", step=TaskStep.BEGUN, title="Sort", program="Calc", skill=4)
        assert tasks.mark(TaskStep.BEGUN, 4) == begun
        assert (shown(tasks), tasks.mark(TaskStep.BEGUN, 1)) == ((1, True, ""), None)
        tasks.take(STUDY, state)  # the next session, as at midnight
        assert tasks.again() == [begun]
        assert tasks.mark(TaskStep.DONE) == TaskMark(
            code="sort", step=TaskStep.DONE, title="Sort", program="Calc", skill=4
        )
        assert (shown(tasks), tasks.again()) == ((2, False, ""), [])
        tasks.mark(TaskStep.BEGUN)
    with StateStore(tmp_path / "state.db") as state:  # Kairos was killed: that task begins again
        tasks = StudyTasks()
        tasks.take(STUDY, state)
        assert shown(tasks) == (2, False, "")
        for step in (TaskStep.BEGUN, TaskStep.GIVEN_UP, TaskStep.BEGUN):
            assert tasks.mark(step) is not None
        assert shown(tasks) == (3, True, "")  # that they did not say is an answer, too
        assert tasks.mark(TaskStep.DONE) is not None
        assert (shown(tasks), tasks.mark(TaskStep.BEGUN)) == (None, None)
        assert state.tasks_done("sheets").skills == {"Calc": 4, "Writer": 0}
        assert state.tasks_done("another").ended == ()
        state.save_enrolment(None)
        assert state.tasks_done("sheets").ended == ()
        tasks.take(None, state)
        assert tasks.card() is None


def test_a_study_without_its_switch_or_with_too_many_tasks_gives_none() -> None:
    with pytest.raises(ValueError, match="at most 12 tasks"):
        Enrolment(
            study="s",
            participant="p",
            title="S",
            first_day=STUDY.first_day,
            phases=STUDY.phases,
            seed=1,
            tasks=TASKS * 2,
        ).check()
