"""The capture thread, "screen": keeps a watch over the desktop going for as long as a session lasts.

When the connection breaks it tells so once, and tries again with growing pauses until the desktop is back. A bug ends
it, and is told to whoever can end the daemon: nobody must be left believing that something watches.
"""

import logging
import threading
from collections.abc import Callable, Sequence

from daemon.capture.input import SeenMark
from daemon.capture.observer import CaptureSession, DesktopObserver
from daemon.capture.picture_ring import PictureRing
from daemon.capture.surroundings.thread import Surroundings
from daemon.capture.wakeup import Wakeup
from daemon.gate import Gate
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Problem, Record
from storage.session.video import Picture
from storage.settings import Settings

__all__ = ["CaptureSession", "CaptureThread"]

logger = logging.getLogger(__name__)

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_MANNERS_END_S = 0.3


class CaptureThread:
    """Watches one session. Records and pictures are handed over on its own thread, in order."""

    def __init__(
        self,
        *,
        clock: SystemClock,
        settings: Settings,
        gate: Gate,
        session: CaptureSession,
        on_records: Callable[[Sequence[Record]], None],
        on_picture: Callable[[Picture], bool] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
        ring: PictureRing | None = None,
        pulse: SeenMark | None = None,
    ) -> None:
        """Prepare; nothing is watched before `start`, and nothing is taken while `gate` is closed.

        Args:
            clock: session time.
            settings: rates, sizes and the fence.
            gate: what a pause closes.
            session: key, titles and video of the session.
            on_records: takes what was sensed, in order.
            on_picture: takes a picture to record; tells whether it is being kept.
            on_failure: told of a bug that has ended the thread.
            ring: takes pictures for a detector.
            pulse: told of what was seen.
        """
        self._clock = clock
        self._settings = settings
        self._gate = gate
        self._session = session
        self._on_records = on_records
        self._on_picture = on_picture
        self._ring = ring
        self._pulse = pulse
        self._on_failure = on_failure
        self._bell = Wakeup()
        self._surroundings = Surroundings(self._bell.ring)
        self._stopping = threading.Event()
        self._problem: str | None = None
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)

    def start(self) -> None:
        """Connect and begin; blocks until input is heard.

        Raises:
            EnvironmentFault: there is nothing here that can be watched.
        """
        self._gate.watch(self._bell.ring)
        try:
            self._first = self._open()
        except EnvironmentFault:
            self._end_bell()
            raise
        self._surroundings.start()
        self._thread.start()

    def stop(self, timeout_s: float = 2.0) -> bool:
        """End; tell whether the thread ended in time. What was seen until now is handed over before."""
        self._stopping.set()
        self._surroundings.stop(0.0)
        if self._thread.ident is None:
            self._bell.close()
            return True
        self._bell.ring()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            logger.error("the capture thread did not end within %g s", timeout_s)
            return False
        if not self._surroundings.stop(_MANNERS_END_S):
            logger.warning("the surroundings are late to end and are left behind")
        self._end_bell()
        return True

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            self._watch()
        except Exception as error:  # a stage boundary: a bug here must not leave the tray saying "watching"
            logger.exception("the capture thread failed")
            if self._on_failure is not None:
                self._on_failure(error)

    def _watch(self) -> None:
        watch: DesktopObserver | None = self._first
        pause_s = _FIRST_PAUSE_S
        while True:
            if watch is not None:
                try:
                    self._tell_problem(None)
                    watch.run(self._stopping)
                except EnvironmentFault as fault:
                    self._tell_problem(fault)
                    self._on_records(watch.last_words())
                    if watch.ran_long:
                        pause_s = _FIRST_PAUSE_S
                else:
                    return
                finally:
                    watch.close()
            if self._stopping.wait(pause_s):
                return
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            try:
                watch = self._open()
            except EnvironmentFault as fault:
                watch = None
                self._tell_problem(fault)

    def _open(self) -> DesktopObserver:
        return DesktopObserver(
            clock=self._clock,
            settings=self._settings,
            gate=self._gate,
            session=self._session,
            on_records=self._on_records,
            on_picture=self._on_picture,
            ring=self._ring,
            pulse=self._pulse,
            bell=self._bell,
            surroundings=lambda: self._surroundings.sensed,
        )

    def _tell_problem(self, fault: EnvironmentFault | None) -> None:
        """Tell a fault once, and once that it is over."""
        if fault is not None and self._problem is None:
            logger.warning("capture stopped: %s", fault.what)
            self._problem = fault.code or "display_gone"
            self._on_records([Problem(code=self._problem)])
        elif fault is None and self._problem is not None:
            logger.info("capture works again")
            self._on_records([Problem(code=self._problem, over=True)])
            self._problem = None

    def _end_bell(self) -> None:
        self._gate.unwatch(self._bell.ring)
        self._bell.close()
