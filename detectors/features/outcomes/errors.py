"""Errors by their digests: which come back, which give way to another, how long they last, and runs that fail.

A dialog or a message counts where it refuses: its class is error or warning, or it is a password dialog that opens
again right after an act in it. A dialog that returns without that is no sign.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from math import exp2
from typing import Final

from detectors.features.fading import remember
from detectors.features.outcomes.attempts import AttemptLedger
from storage.clock import NS_PER_S
from storage.records import ControlRole, DialogSeen, MessageClass, MessageSeen

ERRORS, ERRORS_AGAIN, ERRORS_OTHER, NOTICES_AGAIN = range(4)
SUMS = 4
MAX_DIGESTS = 128
AGAIN_NS = 180 * NS_PER_S
ECHO_NS = NS_PER_S
PASSWORD_NS = 12 * NS_PER_S  # a password dialog that opens again within this time did not take what was entered
RECENT_NS = 20 * NS_PER_S
LASTING_NS = 30 * NS_PER_S
EPISODE_NS = 60 * NS_PER_S  # after this long without an error the next one begins a new episode
_REFUSES = frozenset({MessageClass.ERROR, MessageClass.WARNING})

Digest = tuple[str, str]


class Errors:
    """Follows errors of all programs; bounded."""

    def __init__(self) -> None:
        self._ledger = AttemptLedger(SUMS)
        self._seen: OrderedDict[Digest, tuple[int, int]] = OrderedDict()
        self._error_acts = 0
        self._error_app = ""
        self._error_ns: int | None = None
        self._began_ns = 0

    def take(self, key: Digest, about: MessageClass, t_ns: int, *, acts: int, resolved_ns: int | None) -> bool:
        """Take in a dialog or a message; return whether it refuses.

        Args:
            key: its program, and the digest of what it says.
            about: its class.
            t_ns: when it came.
            acts: how many attempts and edits there were until then.
            resolved_ns: when an attempt that had been refused last succeeded.
        """
        app = key[0]
        before = self._seen.get(key)
        if before is not None and (t_ns - before[0] < ECHO_NS or acts == before[1]):
            remember(self._seen, key, (t_ns, before[1]), MAX_DIGESTS)  # the same one, said again by itself
            return about in _REFUSES
        remember(self._seen, key, (t_ns, acts), MAX_DIGESTS)
        again = before is not None and t_ns - before[0] <= AGAIN_NS
        soon = before is not None and t_ns - before[0] <= PASSWORD_NS
        refuses = about in _REFUSES or (about is MessageClass.PASSWORD and soon)
        if not refuses:
            if again and about is MessageClass.OTHER:
                self._ledger.add(NOTICES_AGAIN, app, t_ns)
            return False
        self._ledger.add(ERRORS, app, t_ns)
        if again:
            self._ledger.add(ERRORS_AGAIN, app, t_ns)
        lasts = self._stand(t_ns, resolved_ns)
        if lasts and not again and self._error_acts != acts:
            self._ledger.add(ERRORS_OTHER, app, t_ns)
        if not lasts:
            self._began_ns = t_ns
        self._error_acts, self._error_ns, self._error_app = acts, t_ns, app
        return True

    def _stand(self, now_ns: int, resolved_ns: int | None) -> bool:
        """Whether an error is there that no attempt got rid of, and that is not a minute old."""
        if self._error_ns is None or now_ns - self._error_ns > EPISODE_NS:
            return False
        return resolved_ns is None or resolved_ns <= self._error_ns

    def forget(self, app: str) -> None:
        """Forget a program."""
        self._ledger.forget(app)
        for key in [key for key in self._seen if key[0] == app]:
            del self._seen[key]
        if self._error_app == app:
            self._error_ns = None

    def read(self, now_ns: int, start_ns: int | None) -> tuple[list[float], list[float]]:
        """Return the sums, and what they are beyond the earlier minutes."""
        return self._ledger.read(now_ns, start_ns)

    def recency(self, now_ns: int) -> float:
        """Return 1 at an error, halving with time; 0 if there was none."""
        return 0.0 if self._error_ns is None else exp2(-max(0, now_ns - self._error_ns) / RECENT_NS)

    def lasting(self, now_ns: int, resolved_ns: int | None) -> float:
        """Return how long errors have lasted, from 0 to 1; 0 once an attempt succeeded, or none came for a minute."""
        if not self._stand(now_ns, resolved_ns):
            return 0.0
        return 1.0 - exp2(-max(0, now_ns - self._began_ns) / LASTING_NS)


SAID_NS: Final = 90 * NS_PER_S  # so long a refusal counts as said again
_SAYS = frozenset({ControlRole.DIALOG, ControlRole.ALERT, ControlRole.NOTIFICATION, ControlRole.LABEL})
"""Where an error is said: not where it lasts, needs keys, or marks a field that is not yet typed to its end."""


class Refusals:
    """Counts how often the same error was said lately: its text alone, so it needs no act that is told; bounded."""

    def __init__(self) -> None:
        self._said: OrderedDict[Digest, tuple[int, ...]] = OrderedDict()

    def take(self, key: Digest, seen: DialogSeen | MessageSeen) -> None:
        """Take in a dialog or a message."""
        if seen.about is MessageClass.ERROR and seen.role in _SAYS:
            said = [t_ns for t_ns in self._said.get(key, ()) if seen.t_ns - t_ns < SAID_NS]
            told = (*said[:-1], seen.t_ns) if said and seen.t_ns - said[-1] < ECHO_NS else (*said, seen.t_ns)
            remember(self._said, key, told[-MAX_DIGESTS:], MAX_DIGESTS)

    def value(self, app: str, now_ns: int) -> float:
        """Return how often a program said the error that it said most often."""
        told = [times for (owner, _), times in self._said.items() if owner == app]
        return float(max((sum(now_ns - t_ns < SAID_NS for t_ns in times) for times in told), default=0))


LASTS_NS: Final = 60 * NS_PER_S  # so long after the last such run it says something about the present
RUN_AGAIN_NS: Final = 300 * NS_PER_S  # a run that fails so long after the one before begins anew
RUN_ECHO_NS: Final = 2 * NS_PER_S  # what is written so soon after it is of the same run
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
    """Counts runs in a row that fail while an error comes back, as a program writes it after a command; bounded.

    An error that gives way to another is progress. One that is there again, at once or after others, has come back:
    then all runs since the last one that went well were in vain.
    """

    def __init__(self) -> None:
        self._failing: OrderedDict[str, _Failing] = OrderedDict()

    def take(self, seen: MessageSeen) -> None:
        """Take in a message; only those of runs count."""
        if seen.role is not ControlRole.OUTPUT:
            return
        if seen.about is MessageClass.SUCCESS:
            self._failing.pop(seen.app, None)
        elif seen.about is MessageClass.ERROR:
            failing = self._failing.get(seen.app)
            if failing is None or seen.t_ns - failing.last_ns >= RUN_AGAIN_NS:
                failing = _Failing(last_ns=seen.t_ns - RUN_ECHO_NS)
            remember(self._failing, seen.app, failing, MAX_PROGRAMS)
            if seen.t_ns - failing.last_ns >= RUN_ECHO_NS:
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
