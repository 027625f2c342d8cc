"""Observers of records: whatever looks at a session's rows once they are recorded, such as the models.

The recorder is no observer. It comes first, and its failure ends the session, because nothing may be shown or sent that
the log does not hold. An observer is optional: it runs in the core's thread and must not block it, and one that fails
is switched off while the session goes on.
"""

import logging
import traceback
from collections.abc import Sequence
from typing import Protocol

from daemon.capture.picture_ring import PictureRing
from storage.clock import NS_PER_S
from storage.records import Box, EventKind, Focus, Frame, InputEvent, Record

logger = logging.getLogger(__name__)

TYPED_NS = 1 * NS_PER_S
"""A change so soon after a key is what the key did; a guess: two frames at the default rate."""

LARGEST_LINE = (480, 160)
"""A change larger than this, in pixels, is no line that grew by some letters; a guess."""


class RecordObserver(Protocol):
    """Looks at the rows of every step: one source row and all that was derived from it."""

    def observe(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step; called in order, after the recorder has them."""


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


class TypingPlace:
    """Where somebody types: the place of the last small change of the screen after a key.

    That is where the caret is, without asking any program; the card keeps clear of it. `place` is None where nobody has
    typed since the window in front changed.
    """

    def __init__(self) -> None:
        """Begin without a place."""
        self._key_ns: int | None = None
        self.place: Box | None = None

    def observe(self, rows: Sequence[Record]) -> None:
        """Take in the rows of one step."""
        for row in rows:
            if isinstance(row, InputEvent):
                self._on_input(row)
            elif isinstance(row, Frame):
                self._on_frame(row)
            elif isinstance(row, Focus) and not row.own:
                self._key_ns = self.place = None

    def _on_input(self, event: InputEvent) -> None:
        if event.own:
            return
        if event.kind is EventKind.KEY:
            self._key_ns = event.t_ns
        elif event.kind in (EventKind.BUTTON_DOWN, EventKind.SCROLL):
            self._key_ns = self.place = None  # the caret may have gone elsewhere, and what is there has

    def _on_frame(self, frame: Frame) -> None:
        if self._key_ns is None or frame.t_ns - self._key_ns > TYPED_NS:
            return
        small = [box for box in frame.changed if box.w <= LARGEST_LINE[0] and box.h <= LARGEST_LINE[1]]
        if small:
            self.place = small[-1]


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
