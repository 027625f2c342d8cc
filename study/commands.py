"""The researcher's actions of `kairos study`; what an action needs is imported when it runs."""

import importlib
from typing import Any

ACTIONS = (
    "study.researcher.command",
    "study.rehearsal.command",
    "study.broker.command",
    "study.collector.command",
    "study.collector.receive_command",
    "study.monitor.command",
    "study.opening.command",
    "study.opening.report_command",
    "study.opening.deletion_command",
    "study.audit.command",
    "study.analysis.commands",
)
"""The modules that add actions with `register(actions)`, in the order of `kairos study --help`."""


def register(actions: Any) -> None:
    """Add the researcher's actions to `kairos study`."""
    for module in ACTIONS:
        importlib.import_module(module).register(actions)
