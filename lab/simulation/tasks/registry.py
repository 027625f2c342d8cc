"""The programs with tasks: which split each belongs to, and where it is. To add one: its class, and a line here."""

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from lab.simulation.persona import Split
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import TaskProgram

_APPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "signup": ("signup", "SignupProgram"),
        "login": ("login", "LoginProgram"),
        "catalog": ("catalog", "CatalogProgram"),
        "snippets": ("snippets", "SnippetsProgram"),
        "wizard": ("wizard", "WizardProgram"),
        "stock": ("stock", "StockProgram"),
        "settings": ("settings", "SettingsProgram"),
    }
)
"""Applications of our own; each is a program in every toolkit: "signup-qt", "signup-web"."""

_DEBIAN: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "mousepad-tasks": ("mousepad", "MousepadProgram"),
        "calc-tasks": ("office.calc", "CalcProgram"),
        "shell": ("shell", "ShellProgram"),
        "speedcrunch": ("speedcrunch", "SpeedcrunchProgram"),
        "featherpad": ("featherpad", "FeatherpadProgram"),
        "caja": ("caja", "CajaProgram"),
        "qpdfview": ("qpdfview", "QpdfviewProgram"),
        "writer-tasks": ("office.writer", "WriterProgram"),
        "gvim": ("gvim", "GvimProgram"),
        "xournalpp": ("xournalpp", "XournalppProgram"),
        "filezilla": ("filezilla", "FilezillaProgram"),
        "homebank": ("homebank", "HomebankProgram"),
        "engrampa": ("engrampa", "EngrampaProgram"),
        "zim": ("zim", "ZimProgram"),
        "gimp-tasks": ("gimp", "GimpProgram"),
        "impress-tasks": ("office.impress", "ImpressProgram"),
        "sqlitebrowser": ("sqlitebrowser", "SqlitebrowserProgram"),
        "meld": ("meld", "MeldProgram"),
    }
)
"""Programs of the distribution; "-tasks" tells those apart that older logs hold without tasks."""

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
"""The programs of each split; an application is in one split only, whatever the toolkit.

Kept apart as judges, and so in neither: AbiWord, Gnumeric, Dia, Geany, Pluma, Atril, Evince, Okular, Zathura, mtPaint,
KolourPaint, PCManFM, Thunar, Galculator, KCalc.
"""


def load_task_program(name: str) -> Callable[[SimulatedUser], TaskProgram]:
    """Return what makes a program for a user; no other one is imported.

    Raises:
        LookupError: there is none of that name.
    """
    if name in _DEBIAN:
        module, adapter = _DEBIAN[name]
        plain: Callable[[SimulatedUser], TaskProgram] = getattr(
            importlib.import_module(f"lab.simulation.programs.{module}"), adapter
        )
        return plain
    app, _, toolkit = name.partition("-")
    if app not in _APPS:
        raise LookupError(f"no program with tasks named {name!r}")
    module, adapter = _APPS[app]
    found = getattr(importlib.import_module(f"lab.simulation.apps.{module}"), adapter)
    made: Callable[[SimulatedUser], TaskProgram] = partial(found, toolkit=toolkit)
    return made
