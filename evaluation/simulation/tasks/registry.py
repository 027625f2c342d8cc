"""The programs with tasks: which split each belongs to, and where it is. To add one: its class, and a line here."""

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from evaluation.simulation.session_plan import Split
from evaluation.simulation.simulated_user import SimulatedUser
from evaluation.simulation.tasks.task import TaskProgram

_ROOM = "evaluation.simulation.tasks.programs"
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

TASK_PROGRAMS: Mapping[Split, tuple[str, ...]] = MappingProxyType(
    {
        Split.TRAIN: (
            *("signup-qt", "signup-web", "login-qt", "login-web", "catalog-qt", "catalog-web", "snippets-qt"),
            *("snippets-web", "wizard-qt", "wizard-web", "settings-qt", "settings-web"),
        ),
        Split.TEST: ("stock-qt", "stock-web"),
    }
)
"""The programs of each split; an application is in one split only, whatever the toolkit."""


def is_task_program(name: str) -> bool:
    """Return whether a program is one with tasks."""
    return any(name in programs for programs in TASK_PROGRAMS.values())


def load_task_program(name: str) -> Callable[[SimulatedUser], TaskProgram]:
    """Return what makes a program for a user; no other one is imported.

    Raises:
        LookupError: there is none of that name.
    """
    app, _, toolkit = name.partition("-")
    if app not in _APPS:
        raise LookupError(f"no program with tasks named {name!r}")
    module, adapter = _APPS[app]
    found = getattr(importlib.import_module(f"{_ROOM}.{module}"), adapter)
    made: Callable[[SimulatedUser], TaskProgram] = partial(found, toolkit=toolkit)
    return made
