"""The programs with tasks: which split each belongs to, and where it is. To add one: its class, and a line here."""

import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from evaluation.simulation.session_plan import Split
from evaluation.simulation.simulated_user import SimulatedUser
from evaluation.simulation.tasks.task import TaskProgram

TASK_PROGRAMS: Mapping[Split, Mapping[str, str]] = MappingProxyType(
    {
        Split.TRAIN: MappingProxyType(
            {
                "signup-qt": "evaluation.simulation.tasks.programs.apps_by_toolkit:signup_qt",
                "signup-web": "evaluation.simulation.tasks.programs.apps_by_toolkit:signup_web",
            }
        ),
        Split.TEST: MappingProxyType({}),
    }
)
"""Name -> "module:Class" of a program in `evaluation.simulation.tasks.programs`, for each split."""


def is_task_program(name: str) -> bool:
    """Return whether a program is one with tasks."""
    return any(name in programs for programs in TASK_PROGRAMS.values())


def load_task_program(name: str) -> Callable[[SimulatedUser], TaskProgram]:
    """Return the class of a program; no other one is imported.

    Raises:
        LookupError: there is none of that name.
    """
    for programs in TASK_PROGRAMS.values():
        if name in programs:
            module, _, adapter = programs[name].partition(":")
            found: Callable[[SimulatedUser], TaskProgram] = getattr(importlib.import_module(module), adapter)
            return found
    raise LookupError(f"no program with tasks named {name!r}")
