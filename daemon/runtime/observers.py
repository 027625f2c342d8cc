"""Observers of records: whatever looks at a session's rows once they are recorded, such as the models.

The recorder is no observer. It comes first, and its failure ends the session, because nothing may be shown or sent that
the log does not hold. An observer is optional: it runs in the core's thread and must not block it, one that works
longer goes behind a `QueuedObserver`, and one that fails is switched off while the session goes on.
"""

import logging
import queue
import threading
import traceback
from collections.abc import Sequence
from typing import Protocol

from daemon.capture.picture_ring import PictureRing
from storage.records import Frame, Record

logger = logging.getLogger(__name__)

QUEUE_STEPS = 10_000
"""Steps that may wait for an observer: about an hour of work."""


class RecordObserver(Protocol):
    """Looks at the rows of every step: one source row and all that was derived from it."""

    def observe(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step; called in order, after the recorder has them."""
        ...


class Observers:
    """Calls observers one after the other; a failure of one does not reach the others or the caller."""

    def __init__(self, *observers: RecordObserver | None) -> None:
        """Register observers in the order in which they are called; None stands for one that is off."""
        self._observers = [observer for observer in observers if observer is not None]

    def observe(self, rows: Sequence[Record]) -> None:
        """Show every observer the rows of one step; switch off those that fail."""
        for observer in tuple(self._observers):
            try:
                observer.observe(rows)
            except Exception as error:  # noqa: BLE001  # an observer's bug must not end the session
                self._observers.remove(observer)
                _log_failure(observer, error)

    def close(self, limit_s: float) -> None:
        """Let queued observers finish what is waiting, for at most `limit_s` each."""
        for observer in self._observers:
            if isinstance(observer, QueuedObserver):
                observer.close(limit_s)


class QueuedObserver:
    """Runs an observer in a thread of its own, behind a bounded queue; rows that find it full are dropped."""

    def __init__(self, observer: RecordObserver, capacity: int = QUEUE_STEPS) -> None:
        """Start the thread; `capacity` is in steps."""
        self._observer = observer
        self._steps: queue.Queue[Sequence[Record] | None] = queue.Queue(capacity)
        self.dropped = 0
        """Rows that were dropped."""

        self._thread = threading.Thread(target=self._run, name=type(observer).__name__, daemon=True)
        self._thread.start()

    def observe(self, rows: Sequence[Record]) -> None:
        """Queue the rows of one step, or drop and count them. Never blocks."""
        try:
            self._steps.put_nowait(rows)
        except queue.Full:
            self.dropped += len(rows)

    def close(self, limit_s: float) -> None:
        """Wait until the observer has seen what is queued, for at most `limit_s`."""
        if self.dropped:
            logger.warning("%s was too slow: %d rows were dropped", type(self._observer).__name__, self.dropped)
        try:
            self._steps.put(None, timeout=limit_s / 2)
        except queue.Full:
            return
        self._thread.join(limit_s / 2)

    def _run(self) -> None:
        while (rows := self._steps.get()) is not None:
            try:
                self._observer.observe(rows)
            except Exception as error:  # noqa: BLE001  # likewise
                _log_failure(self._observer, error)
                return


class PictureNumbering:
    """Gives the pictures in the ring the numbers that the engine gave their frames."""

    def __init__(self, ring: PictureRing) -> None:
        """Number the pictures of `ring`."""
        self._ring = ring

    def observe(self, rows: Sequence[Record]) -> None:
        """Number the frames of one step."""
        for row in rows:
            if isinstance(row, Frame):
                self._ring.name(row.seq, row.t_ns)


def _log_failure(observer: RecordObserver, error: Exception) -> None:
    """Log where an observer failed, but not the error's text, which may quote what was on the screen."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    logger.error(
        "%s failed with %s in %s, line %s, and is switched off",
        type(observer).__name__,
        type(error).__name__,
        place.filename,
        place.lineno,
    )
