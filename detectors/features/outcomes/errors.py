"""Errors and refusals by their digests: which come back after an act, which give way to another, how long they last.

A dialog or a message counts where it refuses: its class is error or warning, or it is a password dialog that opens
again right after an act in it. A dialog that returns without that is no sign.
"""

from collections import OrderedDict
from math import exp2

from detectors.features.bounded import remember
from detectors.features.outcomes.ledger import Ledger
from storage.clock import NS_PER_S
from storage.records import MessageClass

ERRORS, ERRORS_AGAIN, ERRORS_OTHER, NOTICES_AGAIN = range(4)
SUMS = 4
MAX_DIGESTS = 128
AGAIN_NS = 180 * NS_PER_S
ECHO_NS = NS_PER_S
PASSWORD_NS = 12 * NS_PER_S
"""A password dialog that opens again within this time did not take what was entered."""

RECENT_NS = 20 * NS_PER_S
LASTING_NS = 30 * NS_PER_S
EPISODE_NS = 60 * NS_PER_S
"""An error after so long without any begins a new episode."""

_REFUSES = frozenset({MessageClass.ERROR, MessageClass.WARNING})

Digest = tuple[str, str]


class Errors:
    """Follows errors of all programs; bounded."""

    def __init__(self) -> None:
        """Begin without any."""
        self._ledger = Ledger(SUMS)
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
