"""The capture thread, "screen": keeps a `DesktopObserver` running for as long as a session lasts.

When the connection breaks it reports that once and retries with growing pauses. A bug ends it and is reported to the
owner, who ends the daemon.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from daemon.capture.accessibility.digests import ControlWords
from daemon.capture.backend import CaptureBackend, MayAsk, Wakeup, open_backend
from daemon.capture.fence.exclusions import Exclusions
from daemon.capture.gate import Ear, Gate
from daemon.capture.observer import CaptureLinks, CaptureSession, DesktopObserver
from daemon.capture.picture_ring import PictureRing
from daemon.capture.surroundings.thread import SurroundingsWatcher
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Problem, Record
from storage.session.video import Picture
from storage.settings import Settings

if TYPE_CHECKING:
    from daemon.capture.accessibility.sense import ControlSense, OpenSource, TakeCommands, TakeElements
    from daemon.capture.control_source import SourceState

__all__ = ["CaptureSession", "CaptureThread"]

logger = logging.getLogger(__name__)

_FIRST_PAUSE_S = 0.5
_MAX_PAUSE_S = 30.0
_SURROUNDINGS_STOP_S = 0.2
_CONTROLS_STOP_S = 0.1


class CaptureThread:
    """Captures one session. Records and pictures are handed over on its own thread, in order."""

    _sense: "ControlSense | None"

    def __init__(
        self,
        *,
        clock: SystemClock,
        settings: Settings,
        gate: Gate,
        session: CaptureSession,
        on_records: Callable[[Sequence[Record]], None],
        on_picture: Callable[[Picture], bool] | None = None,
        on_activity: Callable[[int], None] = lambda _: None,
        on_failure: Callable[[Exception], None] = lambda _: None,
        ring: PictureRing | None = None,
        open_backend: Callable[[SystemClock], CaptureBackend] | None = None,
        open_controls: "OpenSource | None" = None,
        exclusions: Exclusions | None = None,
    ) -> None:
        """Prepare; nothing is captured before `start`, nor while `gate` is closed.

        Args:
            clock: session time.
            settings: rates, sizes and the fence.
            gate: closed by a pause.
            session: key, titles and video of the session.
            on_records: takes what was observed, in order.
            on_picture: takes a picture to record; returns whether it is being stored.
            on_activity: takes the time of the newest thing seen, from any thread; must cost next to nothing.
            on_failure: takes the bug that has ended the thread.
            ring: takes pictures for a detector.
            open_backend: connects to the desktop; without it what `daemon.capture.backend` finds here.
            open_controls: makes what understands controls, where the session's choice is to; by default AT-SPI.
            exclusions: what the person excludes while this runs; without it what `settings` say.
        """
        self._gate = gate
        self._on_failure = on_failure
        self._wakeup = wakeup = Wakeup()
        self._surroundings = SurroundingsWatcher(self._surroundings_changed)
        self.words = ControlWords()
        """The words behind the digests of controls, for a minute."""

        self.ear = Ear(lambda now_ns: self._surroundings.look(lambda: self._have_screen_looked(now_ns)))
        """Open while what somebody says may be kept, as far as the desktop tells: no lock, call or excluded window."""

        self._sense = None
        if session.controls:
            from daemon.capture.accessibility.sense import ControlSense, open_atspi, text_reader

            self._sense = ControlSense(
                clock=clock,
                gate=gate,
                wake=wakeup.wake,
                open_source=open_controls or open_atspi,
                read_texts=text_reader(),
                reads_outputs=session.outputs,
            )
        self._exclusions = exclusions or Exclusions(settings.fence)
        self._links = CaptureLinks(
            clock=clock,
            settings=settings,
            gate=gate,
            session=session,
            open_backend=open_backend or self._open_backend,
            on_records=on_records,
            on_picture=on_picture,
            on_activity=on_activity,
            ring=ring,
            exclusions=self._exclusions,
            wakeup=wakeup,
            surroundings=lambda: self._surroundings.state,
            sense=self._sense,
            words=self.words,
            ear=self.ear,
        )
        self._stopping = threading.Event()
        self._observer: DesktopObserver | None = None
        self._problem: str | None = None
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)

    def start(self) -> None:
        """Connect and begin; blocks until input arrives. Raises `EnvironmentFault` where nothing can be captured."""
        self._gate.watch(self._gate_changed)
        self._links.exclusions.watch(self._drop_memory)
        try:
            self._observer = DesktopObserver(self._links)
        except EnvironmentFault:
            self._close_wakeup()
            raise
        self._surroundings.start()
        if self._sense is not None:
            self._sense.start()
        self._thread.start()

    def _open_backend(self, clock: SystemClock) -> CaptureBackend:
        """Connect to this desktop; where it lists no windows, programs are asked for theirs as for their controls."""
        sense = self._sense
        if sense is None:
            return open_backend(clock)
        excluded = self._exclusions
        may_ask = MayAsk(now=lambda: sense.epoch is not None, excluded=lambda: excluded.fence.excluded_apps)
        return open_backend(clock, may_ask=may_ask)

    @property
    def controls(self) -> "SourceState | None":
        """How understanding controls is doing; None where it is not chosen, or no longer."""
        return self._sense.state if self._sense is not None and not self._sense.is_off else None

    @property
    def has_places(self) -> bool:
        """Whether boxes are places on the screen: not where nothing says where windows are."""
        observer = self._observer
        return observer is not None and observer.has_places

    def turn_outputs_off(self) -> None:
        """Look through nothing more that programs write after a command, because the person says so; any thread."""
        if self._sense is not None:
            self._sense.stop_reading_outputs()

    def turn_controls_off(self) -> None:
        """Understand no controls from now on, from any thread; they are not understood again in this session."""
        if self._sense is not None:
            self._sense.turn_off()
            self.words.clear()

    def request_flush(self) -> bool:
        """Have input that is still collected handed over soon, from any thread; return whether there is any."""
        observer = self._observer
        return observer is not None and observer.request_flush()

    def request_elements(self, take: "TakeElements", *, asked: bool = False) -> None:
        """Have the active window walked; `take` gets its controls with their names, or None (`ControlSense`)."""
        if self._sense is not None:
            self._sense.request_elements(take, asked=asked)
        else:
            take(None)

    def request_commands(self, take: "TakeCommands", app: str = "") -> None:
        """Have the commands of the active window read, or of one of `app`; `take` gets them, or None."""
        if self._sense is not None:
            self._sense.request_commands(take, app)
        else:
            take(None)

    def stop(self, timeout_s: float = 2.0) -> bool:
        """End; return whether the thread ended in time. What was observed until now is handed over before."""
        self._stopping.set()
        self._surroundings.stop(0.0)
        if self._sense is not None:
            self._sense.stop(0.0)
        if self._thread.ident is None:
            self._wakeup.close()
            return True
        self._wakeup.wake()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            logger.error("the capture thread did not end within %g s", timeout_s)
            return False
        if not self._surroundings.stop(_SURROUNDINGS_STOP_S):
            logger.warning("the surroundings are late to end and are left behind")
        if self._sense is not None and not self._sense.stop(_CONTROLS_STOP_S):
            logger.warning("what understands controls is late to end and is left behind")
        self._close_wakeup()
        return True

    def _gate_changed(self) -> None:
        """Drop the pictures in memory where the gate was closed, on the thread that did it, and wake capture."""
        if not self._gate.is_open:
            self._drop_memory()
        else:
            self._wakeup.wake()

    def _drop_memory(self) -> None:
        """Drop pictures and words in memory, which may be of what was excluded just now, and wake capture."""
        self.words.clear()
        if self._links.ring is not None:
            self._links.ring.clear()
        self._wakeup.wake()

    # ------------------------------------------------------------ the thread "surroundings"

    def _surroundings_changed(self) -> None:
        """Close the ear at once where nobody may be heard: a call may be over before the desktop is looked at."""
        state = self._surroundings.state
        if state.call is not False or state.locked:
            self.ear.close()
        self._wakeup.wake()

    def _have_screen_looked(self, now_ns: int) -> None:
        self.ear.screen_due_ns = max(now_ns, self.ear.screen_due_ns)
        self._wakeup.wake()

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            self._observe()
        except Exception as error:  # a stage boundary: a bug here must not leave the tray saying "watching"
            logger.exception("the capture thread failed")
            self._on_failure(error)

    def _observe(self) -> None:
        observer = self._observer
        pause_s = _FIRST_PAUSE_S
        while True:
            if observer is not None:
                try:
                    self._report_problem(None)
                    observer.run(self._stopping)
                except EnvironmentFault as fault:
                    self._report_problem(fault)
                    self._links.on_records(observer.closing_records())
                    if observer.was_stable:
                        pause_s = _FIRST_PAUSE_S
                else:
                    return
                finally:
                    self._observer = None
                    observer.close()
            if self._stopping.wait(pause_s):
                return
            pause_s = min(2 * pause_s, _MAX_PAUSE_S)
            try:
                observer = self._observer = DesktopObserver(self._links)
            except EnvironmentFault as fault:
                observer = None
                self._report_problem(fault)

    def _report_problem(self, fault: EnvironmentFault | None) -> None:
        """Report a fault once, and once that it is over; one that stays is told in place of another."""
        if fault is not None and fault.code == "sees_more" != self._problem:
            self._report_problem(None)
        if fault is not None and self._problem is None:
            logger.warning("capture stopped: %s", fault.what)
            self._problem = fault.code or "display_gone"
            self._links.on_records([Problem(code=self._problem)])
        elif fault is None and self._problem is not None:
            logger.info("capture works again")
            self._links.on_records([Problem(code=self._problem, over=True)])
            self._problem = None

    def _close_wakeup(self) -> None:
        self._gate.unwatch(self._gate_changed)
        self._links.exclusions.unwatch(self._drop_memory)
        self._wakeup.close()
