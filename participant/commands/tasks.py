"""`kairos study task`: the task of the study that is next or under way, for a Kairos that runs without an interface."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from daemon.cli.options import add_command
from storage.errors import UsageError
from storage.plain_text import print_result, printable

STEPS = {"begin": "begun", "done": "done", "give-up": "given_up"}
"""By what is typed, the step of a task that it stands for."""


def register(actions: Any) -> None:
    """Add the action to `kairos study`."""
    task = add_command(
        actions,
        "task",
        run,
        "show the next task of the study, begin it, and say that it is done or given up",
        example="study task begin --skill 3",
        description=(
            "Shows the task that is next or under way. Tasks come one after the other; each counts from when you begin"
            " it until you say that it is done, or give it up. The tray menu does the same. Kairos has to be running."
        ),
    )
    task.add_argument("step", nargs="?", choices=tuple(STEPS), help="what you do with it; without it, it is only shown")
    task.add_argument(
        "--skill",
        type=int,
        choices=range(1, 6),
        metavar="1-5",
        help="with begin, if you are asked: how well you know its program, from 1 (not at all) to 5 (very well)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study task`."""
    from daemon.runtime.control_client import send

    if arguments.skill is not None and arguments.step != "begin":
        raise UsageError("--skill belongs to begin", remedy="kairos study task begin --skill 3")
    task = send("task", step=STEPS.get(arguments.step, ""), skill=arguments.skill or 0)["task"]
    print_result({"task": task}, map(printable, _lines(task)), as_json=arguments.json)
    return 0


def _lines(task: Mapping[str, Any] | None) -> Iterator[str]:
    if task is None:
        yield "No task is left. Thank you."
        return
    yield f"Task {task['number']} of {task['count']}: {task['title']}"
    yield task["text"]
    yield f"It is done when: {task['end']}"
    if task["running"]:
        yield "under way; when it is done: kairos study task done        to give it up: kairos study task give-up"
    elif task["asks_about"]:
        yield f"How well do you know {task['asks_about']}? From 1 (not at all) to 5 (very well), or nothing."
        yield "begin it: kairos study task begin --skill 3"
    else:
        yield "begin it: kairos study task begin"
