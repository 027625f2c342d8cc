"""The researcher's actions of `kairos study`; what an action needs is imported when it runs.

`design` and `rehearse` come before anybody is asked, `collecting` runs while they take part, `results` opens
and reports what came, `power` simulates effects, `ending` deletes and closes.
"""

import importlib
from typing import Any

ACTIONS = (
    "study.commands.design",
    "study.commands.rehearse",
    "study.commands.collecting",
    "study.commands.results",
    "study.commands.power",
    "study.commands.ending",
)
"""The modules that add actions with `register(actions)`, in the order of `kairos study --help`."""


def register(actions: Any) -> None:
    """Add the researcher's actions to `kairos study`."""
    for module in ACTIONS:
        importlib.import_module(module).register(actions)
