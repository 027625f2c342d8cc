"""Runs in a row that end with the same error, as a program writes it after a command. A run that goes well ends them.

An error that gave way to another is progress, and one that is there again after that has come back: each error is
counted by itself since the last run that went well.
"""

from collections import OrderedDict
from typing import Final

from detectors.features.bounded import remember
from storage.clock import NS_PER_S
from storage.records import ControlRole, MessageClass, MessageSeen

LASTS_NS: Final = 60 * NS_PER_S
"""So long after the last such run it says something about the present."""

AGAIN_NS: Final = 300 * NS_PER_S
"""An error that is seen again after so long is counted anew."""

ECHO_NS: Final = 2 * NS_PER_S
"""What is written so soon after it is of the same run."""

MAX_ERRORS = 64


class FailedRuns:
    """Counts them in all programs; bounded."""

    def __init__(self) -> None:
        """Begin without any."""
        self._counts: OrderedDict[tuple[str, str], tuple[int, int]] = OrderedDict()
        """Program and digest of an error -> how many runs, and when the last of them ended."""
        self._newest: OrderedDict[str, str] = OrderedDict()
        """Program -> its newest error."""

    def take(self, seen: MessageSeen) -> None:
        """Take in a message; only those of runs count."""
        if seen.role is not ControlRole.TEXT:
            return
        if seen.about is MessageClass.SUCCESS:
            self._forget(seen.app)
        elif seen.about is MessageClass.ERROR:
            key = (seen.app, seen.text_digest)
            count, last_ns = self._counts.get(key, (0, seen.t_ns - AGAIN_NS))
            apart_ns = seen.t_ns - last_ns
            if apart_ns >= ECHO_NS or not count:
                count = count + 1 if apart_ns < AGAIN_NS else 1
            remember(self._counts, key, (count, seen.t_ns), MAX_ERRORS)
            remember(self._newest, seen.app, seen.text_digest, MAX_ERRORS)

    def _forget(self, app: str) -> None:
        self._newest.pop(app, None)
        for key in [key for key in self._counts if key[0] == app]:
            del self._counts[key]

    def value(self, app: str, now_ns: int) -> float:
        """Return how many runs in a row of a program ended with its newest error; 0 if the last is a while ago."""
        if app not in self._newest:
            return 0.0
        count, last_ns = self._counts.get((app, self._newest[app]), (0, 0))
        return float(count) if now_ns - last_ns <= LASTS_NS else 0.0
