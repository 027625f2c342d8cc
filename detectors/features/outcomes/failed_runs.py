"""Runs in a row that fail while an error comes back, as a program writes it after a command.

An error that gives way to another is progress. One that is there again, at once or after others, has come back: then
all runs since the last one that went well were in vain.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from detectors.features.bounded import remember
from storage.clock import NS_PER_S
from storage.records import ControlRole, MessageClass, MessageSeen

LASTS_NS: Final = 60 * NS_PER_S
"""So long after the last such run it says something about the present."""

AGAIN_NS: Final = 300 * NS_PER_S
"""A run that fails so long after the one before begins anew."""

ECHO_NS: Final = 2 * NS_PER_S
"""What is written so soon after it is of the same run."""

MAX_PROGRAMS = 16
MAX_ERRORS = 64


@dataclass(slots=True)
class _Failing:
    """Runs of one program since the last that went well."""

    runs: int = 0
    last_ns: int = 0
    came_back: bool = False
    """Whether the newest error had been there before."""
    errors: OrderedDict[str, None] = field(default_factory=OrderedDict)


class FailedRuns:
    """Counts them in all programs; bounded."""

    def __init__(self) -> None:
        """Begin without any."""
        self._failing: OrderedDict[str, _Failing] = OrderedDict()

    def take(self, seen: MessageSeen) -> None:
        """Take in a message; only those of runs count."""
        if seen.role is not ControlRole.OUTPUT:
            return
        if seen.about is MessageClass.SUCCESS:
            self._failing.pop(seen.app, None)
        elif seen.about is MessageClass.ERROR:
            failing = self._failing.get(seen.app)
            if failing is None or seen.t_ns - failing.last_ns >= AGAIN_NS:
                failing = _Failing(last_ns=seen.t_ns - ECHO_NS)
            remember(self._failing, seen.app, failing, MAX_PROGRAMS)
            if seen.t_ns - failing.last_ns >= ECHO_NS:
                failing.runs += 1
                failing.came_back = seen.text_digest in failing.errors
            failing.last_ns = seen.t_ns
            remember(failing.errors, seen.text_digest, None, MAX_ERRORS)

    def value(self, app: str, now_ns: int) -> float:
        """Return how many runs of a program failed in a row, if its newest error has come back, and not long ago."""
        failing = self._failing.get(app)
        if failing is None or not failing.came_back or now_ns - failing.last_ns > LASTS_NS:
            return 0.0
        return float(failing.runs)
