"""The command `kairos study`: participants' actions, and those of the researcher's distribution where it is installed.

What an action needs is imported when it runs.
"""

import importlib
from importlib.metadata import entry_points
from typing import Any

ACTIONS = (
    "participant.commands.membership",
    "participant.commands.tasks",
    "participant.commands.review",
    "participant.commands.delivery",
    "participant.commands.giving",
)
"""The modules that add participants' actions with `register(actions)`, in the order of `kairos study --help`."""


def register(subparsers: Any) -> None:
    """Add `kairos study` with its actions."""
    study = subparsers.add_parser(
        "study",
        help="join and leave opt-in user studies",
        description=(
            "Join, review and leave an opt-in study. A researcher's actions come with the distribution kairos-study."
        ),
        epilog="example: kairos study join invitation.kairos-study; more about an action: kairos study ACTION --help",
    )
    actions = study.add_subparsers(title="actions", metavar="ACTION", required=True)
    for module in ACTIONS:
        importlib.import_module(module).register(actions)
    for entry in entry_points(group="kairos.study_actions"):
        entry.load()(actions)
