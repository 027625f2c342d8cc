"""The tasks of the study in force: which comes next, and what the person does with it. Used in the core's thread."""

from dataclasses import replace

from storage.enrolment import Enrolment, StudyTask
from storage.ports import TaskCard
from storage.records import TaskMark, TaskStep
from storage.state.store import StateStore, StudyTasksDone

MOST_SKILL = 5


class StudyTasks:
    """Follows the person through the tasks, over sessions; one that is under way when Kairos ends begins again."""

    def __init__(self) -> None:
        """Have no task before `take`."""
        self._tasks: tuple[StudyTask, ...] = ()
        self._done = StudyTasksDone(study="")
        self._state: StateStore | None = None
        self._running = ""

    def take(self, enrolment: Enrolment | None, state: StateStore) -> None:
        """Go by the study that is in force now."""
        self._state = state
        self._tasks = enrolment.tasks if enrolment is not None else ()
        if enrolment is not None and self._tasks:
            self._done = state.tasks_done(enrolment.study)
        if self._next is None or self._next.code != self._running:
            self._running = ""

    @property
    def are_given(self) -> bool:
        """Whether there is any task, done or not."""
        return bool(self._tasks)

    @property
    def _next(self) -> StudyTask | None:
        return next((task for task in self._tasks if task.code not in self._done.ended), None)

    def card(self) -> TaskCard | None:
        """Return what is shown of the task that is next or under way; None where none is left."""
        task = self._next
        if task is None:
            return None
        return TaskCard(
            number=self._tasks.index(task) + 1,
            count=len(self._tasks),
            title=task.title,
            text=task.text,
            end=task.end,
            asks_about=task.program if task.program not in self._done.skills else "",
            running=bool(self._running),
        )

    def again(self) -> list[TaskMark]:
        """Return the row with which a session begins while a task is under way; none else."""
        task = self._next
        return [self._mark(task, TaskStep.BEGUN)] if task is not None and self._running else []

    def mark(self, step: TaskStep, skill: int = 0) -> TaskMark | None:
        """Begin the next task or end the one under way; return the row, or None where that makes no sense.

        `skill` is how well they know its program, 0 if they do not say; it counts the first time alone.
        """
        task = self._next
        if task is None or (step is TaskStep.BEGUN) is bool(self._running) or self._state is None:
            return None
        done = self._done
        if step is TaskStep.BEGUN:
            self._running = task.code
            if task.program and task.program not in done.skills:
                done = replace(done, skills={**done.skills, task.program: min(max(0, skill), MOST_SKILL)})
        else:
            self._running = ""
            done = replace(done, ended=(*done.ended, task.code))
        row = self._mark(task, step, done)
        self._state.save_tasks_done(done)
        self._done = done
        return row

    def _mark(self, task: StudyTask, step: TaskStep, done: StudyTasksDone | None = None) -> TaskMark:
        skill = (done or self._done).skills.get(task.program, 0)
        return TaskMark(code=task.code, step=step, title=task.title, program=task.program, skill=skill)
