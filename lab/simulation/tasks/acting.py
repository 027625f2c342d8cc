"""Turns the steps of a plan into stretches that the player can act out and label."""

from collections.abc import Iterable

from lab.simulation.behaviors import TASK_MARK, Meaning, Need, ScriptedStretch
from lab.simulation.tasks.plan import COURSES, HARD_NEGATIVES, HELD_OUT, STATES, TaskStep, is_trouble
from lab.simulation.tasks.task import Task, TaskScene
from storage.records import State


def stretches_of(steps: Iterable[TaskStep], scene: TaskScene) -> list[ScriptedStretch]:
    """Return what the steps stand for and what to do in them.

    Raises:
        LookupError: the program has no such task.
    """
    tasks = {task.name: task for task in scene.program.tasks()}
    return [_stretch(step, scene, tasks) for step in steps]


def _stretch(step: TaskStep, scene: TaskScene, tasks: dict[str, Task]) -> ScriptedStretch:
    if step.task not in tasks:
        raise LookupError(f"{scene.program.name} has no task {step.task!r}")
    task = tasks[step.task]

    def act() -> None:
        if step.begins:
            task.begin()
        COURSES[step.course](scene, task)

    return ScriptedStretch(meaning=meaning_of(step, task), seconds=step.seconds, act=act)


def meaning_of(step: TaskStep, task: Task) -> Meaning:
    """Return what a step at a task stands for."""
    trouble, state = is_trouble(step.course), STATES[step.course]
    need = Need.FROM_START if state is State.SEEKING_EXTERNAL_HELP else Need.AFTER_FAILURES
    return Meaning(
        name=f"{step.course}{TASK_MARK}{task.name}",
        state=state,
        intent=task.intent,
        help=task.help if trouble else None,
        need=need if trouble else Need.NEVER,
        hard_negative=step.course in HARD_NEGATIVES,
        held_out=step.course in HELD_OUT,
    )
