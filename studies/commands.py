"""The command `kairos study`; what an action needs is imported when it runs."""

import importlib
from typing import Any

ACTIONS: tuple[str, ...] = (
    "studies.participant.commands.taking_part",
    "studies.participant.commands.review",
    "studies.delivery",
    "studies.researcher.command",
    "studies.rehearsal.command",
    "studies.broker.command",
    "studies.collector.command",
    "studies.monitor.command",
    "studies.opening.command",
    "studies.opening.report_command",
    "studies.opening.deletion_command",
    "studies.audit.command",
    "studies.analysis.commands",
)
"""The modules that add actions with `register(actions)`, in the order of `kairos study --help`: participants' first."""


def register(subparsers: Any) -> None:
    """Add `kairos study` with its actions."""
    study = subparsers.add_parser(
        "study",
        help="plan, run, join and leave opt-in user studies",
        description=(
            "Plan, rehearse, run and analyse an opt-in study as a researcher; join and leave one as a participant."
        ),
        epilog="example: kairos study create my-study; more about an action: kairos study ACTION --help",
    )
    actions = study.add_subparsers(title="actions", metavar="ACTION", required=True)
    for module in ACTIONS:
        importlib.import_module(module).register(actions)
