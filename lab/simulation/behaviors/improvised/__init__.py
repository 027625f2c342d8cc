"""Behaviors whose mix of acts is drawn anew for each occurrence, for training only; begin reading with `style`."""

from lab.simulation.behaviors.improvised import (
    debugging,
    frustration,
    hard_negatives,
    help_and_waiting,
    planning,
    work,
)

_MODULES = (planning, work, frustration, debugging, help_and_waiting, hard_negatives)

BEHAVIORS = [behavior for module in _MODULES for behavior in module.BEHAVIORS]
