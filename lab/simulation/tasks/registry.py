"""The programs with tasks, and the split of each. To add one: `NameProgram` in a module `name`, and a line here."""

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from lab.simulation.persona import Split
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import TaskProgram

_OFFICE = ("calc", "writer", "impress")
_TOOLKITS = ("qt", "web")

TASK_PROGRAMS: Mapping[Split, tuple[str, ...]] = MappingProxyType(
    {
        Split.TRAIN: (
            *("signup-qt", "signup-web", "login-qt", "login-web", "catalog-qt", "catalog-web", "snippets-qt"),
            *("snippets-web", "wizard-qt", "wizard-web", "settings-qt", "settings-web"),
            *("mousepad-tasks", "calc-tasks", "shell", "speedcrunch", "featherpad", "caja", "qpdfview"),
            *("writer-tasks", "gvim", "xournalpp", "filezilla", "homebank", "engrampa", "zim", "gimp-tasks"),
        ),
        Split.TEST: ("stock-qt", "stock-web", "impress-tasks", "sqlitebrowser", "meld"),
    }
)
"""The programs of each split; an application of our own is in one split only, whatever the toolkit.

"-tasks" tells those apart that older logs hold without tasks.

Kept apart as judges, and so in neither: AbiWord, Gnumeric, Dia, Geany, Pluma, Atril, Evince, Okular, Zathura, mtPaint,
KolourPaint, PCManFM, Thunar, Galculator, KCalc.
"""


def load_task_program(name: str) -> Callable[[SimulatedUser], TaskProgram]:
    """Return what makes a program for a user; no other one is imported.

    Raises:
        LookupError: there is none of that name.
    """
    if not any(name in programs for programs in TASK_PROGRAMS.values()):
        raise LookupError(f"no program with tasks named {name!r}")
    program, _, toolkit = name.removesuffix("-tasks").partition("-")
    place = "apps" if toolkit in _TOOLKITS else "programs.office" if program in _OFFICE else "programs"
    found = getattr(importlib.import_module(f"lab.simulation.{place}.{program}"), f"{program.title()}Program")
    made: Callable[[SimulatedUser], TaskProgram] = partial(found, toolkit=toolkit) if toolkit else found
    return made
