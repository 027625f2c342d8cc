"""One connection to the desktop, where windows, input and pixels meet, so that they have one order.

It sleeps until the X server or an input callback wakes it, or something is due; nothing is periodic. Before input or
pixels are judged it asks the server once (`Desk.sync`), and by then has seen every window change that came before
them. What the fence closed at any moment in between is closed for them. Used by the capture thread.
"""

import logging
import os
import select
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from daemon.capture.backend import Desk, Monitor, Scene, open_desk
from daemon.capture.fence.input_filter import InputFilter
from daemon.capture.fence.rules import Fence, Zones
from daemon.capture.frame_scheduler import FrameScheduler
from daemon.capture.input import InputQueue, Listeners, MotionMerger, SeenMark
from daemon.capture.picture_ring import PictureRing
from daemon.capture.scale import Scaler
from daemon.capture.screen import Grabber, Screen, Shot
from daemon.capture.surroundings.battery import CHECK_S, on_battery
from daemon.capture.surroundings.source import Sensed, any_of
from daemon.capture.wakeup import Wakeup
from daemon.capture.window_events import WindowEventEmitter, fills_screen
from daemon.gate import Gate
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box, Dropped, Environment, EventKind, Focus, InputEvent, Record, Wake, WindowEvent
from storage.session.video import Picture, VideoPlan
from storage.settings import Settings

logger = logging.getLogger(__name__)

HOLD_NS = 300_000_000
"""So long a frame waits while a title may still say that its window must not be seen."""

URGENT_NS = 50_000_000
"""A click waits at most this long for the input before it to be handed over."""

SLEPT_NS = NS_PER_S
STEADY_NS = 30 * NS_PER_S
"""After so long a new fault is a new one, and the first try after it need not wait long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSession:
    """What capture needs of a session: its secret key, whether titles are stored, where recorded pictures go."""

    key: bytes
    record_titles: bool
    plan: VideoPlan | None = None


class DesktopObserver:
    """One connection to the desktop and everything that hangs on it, from connecting until it breaks."""

    def __init__(
        self,
        *,
        clock: SystemClock,
        settings: Settings,
        gate: Gate,
        session: CaptureSession,
        on_records: Callable[[Sequence[Record]], None],
        on_picture: Callable[[Picture], bool] | None,
        ring: PictureRing | None,
        pulse: SeenMark | None,
        bell: Wakeup,
        surroundings: Callable[[], Sensed],
    ) -> None:
        """Connect to the desktop and to its input; the arguments are those of `CaptureThread`.

        `surroundings` returns what is known now from beside the desktop; a change of it rings the bell.

        Raises:
            EnvironmentFault: there is nothing here that can be watched.
        """
        self._clock = clock
        self._gate = gate
        self._session = session
        self._on_records = on_records
        self._on_picture = on_picture
        self._bell = bell
        self._drain_ns = round(settings.capture.drain_s * NS_PER_S)
        self._repeat_ns = round(settings.capture.still_repeat_s * NS_PER_S)
        self._started_ns = clock.now_ns()
        self._desk: Desk = open_desk(clock)
        try:
            self._queue = InputQueue(clock, gate, bell.ring, pulse)
            self._listeners = Listeners(self._queue)
        except EnvironmentFault:
            self._desk.close()
            raise
        self._pulse = pulse
        self._merger = MotionMerger(settings.capture.motion_per_s)
        self._fence = Fence(settings.fence, os.getpid())
        self._sieve = InputFilter()
        self._teller = WindowEventEmitter(session.key, record_titles=session.record_titles)
        self._pace = FrameScheduler(settings.capture)
        wanted = ring is not None or (session.plan is not None and on_picture is not None)
        self._scaler = Scaler(settings.capture, session.plan, ring) if wanted else None
        self._grabber: Grabber | None = None
        self._screen: Screen | None = None
        self._shot: Shot | None = None
        self._shot_screen: Screen | None = None
        self._shot_epoch = 0
        self._shot_zones = Zones()
        self._release_ns = 0
        self._input_zones = Zones()
        self._input_waits = True
        self._drained_ns = 0
        self._repeat_due_ns: int | None = None
        self._kept_ns = self._started_ns
        self._on_battery: bool | None = None
        self._battery_ns: int | None = None
        self._suspended_ns = clock.suspended_ns()
        self._open_epoch: int | None = None
        self._untold = True
        self._locked: bool | None = None
        self._surroundings = surroundings
        self._sensed = surroundings()

    @property
    def ran_long(self) -> bool:
        """Whether it worked for a while, so that the next try need not wait."""
        return self._clock.now_ns() - self._started_ns > STEADY_NS

    def run(self, stopping: threading.Event) -> None:
        """Watch until told to stop.

        Raises:
            EnvironmentFault: the desktop or the listeners went away.
        """
        poller = select.poll()
        poller.register(self._desk.fileno(), select.POLLIN)
        poller.register(self._bell.fileno(), select.POLLIN)
        self._step()
        while not stopping.is_set():
            poller.poll(self._timeout_ms())
            self._step()
        if self._gate.is_open:
            self._drain(self._clock.now_ns())
            self._on_records(self._sieve.dropped(self._clock.now_ns(), final=True))

    def last_words(self) -> list[Record]:
        """Return what must be taken back now that nothing is watched."""
        return self._teller.forgotten()

    def close(self) -> None:
        """Let go of everything."""
        self._listeners.stop()
        if self._grabber is not None:
            self._grabber.close()
        self._desk.close()

    # ------------------------------------------------------------ one step

    def _timeout_ms(self) -> int | None:
        if not self._gate.is_open:
            return None
        now_ns = self._clock.now_ns()
        due = [self._fence.next_ns, self._teller.due_ns, self._repeat_due_ns, self._sieve.due_ns]
        due.append(self._release_ns if self._shot is not None else self._pace.due_ns(now_ns))
        if self._input_waits:
            due.append(self._input_due_ns())
        next_ns = min((t for t in due if t is not None), default=None)
        return None if next_ns is None else max(0, -(-(next_ns - now_ns) // 1_000_000))

    def _step(self) -> None:
        if self._bell.heard():
            self._input_waits = True
        damaged_before = self._desk.damaged
        self._desk.read()
        if not self._listeners.alive:
            raise EnvironmentFault("keys and pointer are no longer heard", code="no_input")
        epoch = self._gate.epoch
        if not self._gate.is_open:
            self._rest(self._clock.now_ns())
            return
        if epoch != self._open_epoch:  # it may have been closed only while nobody looked
            self._forget()
            self._queue.hear(epoch, self._desk.server_ms())
            self._open_epoch = epoch
        now_ns = self._clock.now_ns()
        self._notice_suspend()
        if self._desk.damaged and not damaged_before:
            self._mark_seen(now_ns)
        self._look(now_ns)
        if self._untold or self._input_is_due(now_ns):
            self._drain(now_ns)
        self._picture(now_ns)

    def _rest(self, now_ns: int) -> None:
        """The gate is closed: follow the windows, so that the fence is right afterwards, and take nothing."""
        self._fence.see(self._desk.take_scenes(), now_ns)
        if self._open_epoch is not None:
            self._open_epoch = None
            self._forget()
        self._input_waits, self._untold = False, True

    def _forget(self) -> None:
        """Let go of what was not handed over before the gate closed."""
        self._queue.clear()
        self._merger.clear()
        self._sieve.clear()
        self._repeat_due_ns = None
        self._drop_shot()

    def _look(self, now_ns: int) -> None:
        """Take in window changes that have arrived."""
        scenes = self._desk.take_scenes()
        before = self._fence.zones
        passed = self._fence.see(scenes, now_ns)
        self._input_zones |= passed
        self._shot_zones |= passed
        after = self._fence.zones
        if self._desk.damaged or (after.covered, after.own) != (before.covered, before.own):
            self._pace.painted(now_ns)
        due_ns = self._teller.due_ns
        if scenes or after.keys != before.keys or (due_ns is not None and now_ns >= due_ns):
            self._untold = True
        if self._desk.locked != self._locked:
            self._locked, self._untold = self._desk.locked, True
        sensed = self._surroundings()
        if sensed != self._sensed:
            self._sensed, self._untold = sensed, True

    def _input_due_ns(self) -> int:
        return self._drained_ns + (URGENT_NS if self._queue.urgent else self._drain_ns)

    def _input_is_due(self, now_ns: int) -> bool:
        sieve_ns = self._sieve.due_ns
        return (self._input_waits and now_ns >= self._input_due_ns()) or (sieve_ns is not None and now_ns >= sieve_ns)

    def _notice_suspend(self) -> None:
        slept_ns = self._clock.suspended_ns() - self._suspended_ns
        if slept_ns > SLEPT_NS:
            self._suspended_ns += slept_ns
            self._on_records([Wake(slept_ns=slept_ns)])

    # ------------------------------------------------------------ windows and input

    def _drain(self, now_ns: int) -> None:
        """Hand over what windows did and what people did, in the order of their times."""
        events, lost = self._queue.drain()
        if events:
            self._desk.sync()  # by now all window changes are known that came before these events
            self._look(now_ns)
        self._hand_over(events, lost, now_ns)

    def _hand_over(self, events: list[InputEvent], lost: int, now_ns: int) -> None:
        if self._desk.latin_changed:
            self._desk.latin_changed = False
            self._queue.keys.use_layout(self._desk.latin_letters())
        self._input_waits, self._drained_ns = bool(events), now_ns
        merged = self._merger.merge(events, now_ns)
        kept = self._sieve.sift(merged, self._input_zones, now_ns)
        self._input_zones = self._fence.zones
        told = self._teller.tell(self._fence, self._environment, now_ns) if self._untold else []
        self._untold = False
        for event in kept:
            self._pace.input(event.t_ns)
            if event.kind in (EventKind.BUTTON_DOWN, EventKind.BUTTON_UP):
                self._pace.prompt(event.t_ns)
        if any(isinstance(record, Focus | WindowEvent) for record in told):
            self._pace.prompt(now_ns)
        records: list[Record] = [*kept, *told]
        records.sort(key=lambda record: getattr(record, "t_ns", 0))  # switches have no time of their own: first
        records += self._sieve.dropped(now_ns)
        if lost:
            records.append(Dropped(what="events", count=lost, reason="overload"))
        if records:
            self._on_records(records)
            self._kept_ns = now_ns
        elif events:
            self._unsee()

    def _environment(self, scene: Scene) -> Environment:
        return Environment(
            full_screen=fills_screen(scene),
            locked=any_of((self._fence.locked or None, self._desk.locked, self._sensed.locked)),
            do_not_disturb=self._sensed.do_not_disturb,
            call=self._sensed.call,
            on_battery=self._on_battery,
        )

    def _check_battery(self) -> None:
        now_ns = self._clock.now_ns()
        if self._battery_ns is None or now_ns - self._battery_ns > CHECK_S * NS_PER_S:
            self._battery_ns = now_ns
            state = on_battery()
            if state != self._on_battery:
                self._on_battery, self._untold = state, True
                self._pace.on_battery = bool(state)

    def _unsee(self) -> None:
        """What was seen last may not be kept, so nothing of it can be missing; unless something newer waits."""
        if not self._queue.waits:
            self._mark_seen(self._kept_ns)

    def _mark_seen(self, t_ns: int) -> None:
        if self._pulse is not None:
            self._pulse.seen(t_ns)

    # ------------------------------------------------------------ pictures

    def _picture(self, now_ns: int) -> None:
        if self._shot is None:
            due_ns = self._pace.due_ns(now_ns)
            if due_ns is not None and now_ns >= due_ns:
                self._take()
        if self._shot is not None and self._clock.now_ns() >= self._release_ns:
            self._develop(self._shot)
        if self._repeat_due_ns is not None and now_ns >= self._repeat_due_ns and self._gate.is_open:
            self._repeat_due_ns = None
            picture = self._scaler.repeat(now_ns) if self._scaler is not None else None
            if picture is not None and self._on_picture is not None:
                self._on_picture(picture)

    def _take(self) -> None:
        """Grab what was painted, then learn what the windows did meanwhile."""
        self._check_battery()
        epoch = self._gate.epoch
        damage: Sequence[Box] = self._desk.take_damage()
        now_ns = self._clock.now_ns()
        self._look(now_ns)
        screen = self._current_screen()
        if not self._gate.is_open:
            screen.forget()
            return
        self._shot_zones = self._fence.zones
        shot = screen.take(damage, self._fence.zones, now_ns)
        events, lost = self._queue.drain()
        self._desk.sync()
        self._look(self._clock.now_ns())
        if not self._gate.passed(epoch):
            screen.forget()
            return
        if events or lost or self._untold:
            self._hand_over(events, lost, self._clock.now_ns())  # a picture comes after the input it may answer
        self._shot, self._shot_screen, self._shot_epoch = shot, screen, epoch
        self._release_ns = now_ns + HOLD_NS if self._fence.titles_matter else now_ns

    def _develop(self, shot: Shot) -> None:
        """Lay the fence over a shot and hand the frame over, unless the screen or the gate is not the same any more."""
        screen, self._shot = self._current_screen(), None
        now_ns = self._clock.now_ns()
        if screen is not self._shot_screen or not self._gate.passed(self._shot_epoch):
            screen.forget()
            return
        frame = screen.develop(shot, self._shot_zones, flows=self._pace.flows(shot.t_ns))
        self._pace.taken(shot.t_ns, changed=frame is not None)
        shot_zones, zones = self._shot_zones, self._fence.zones
        if self._desk.damaged or (shot_zones.covered, shot_zones.own) != (zones.covered, zones.own):
            self._pace.painted(now_ns)
        if frame is None:
            self._unsee()
            return
        if self._scaler is not None:
            left, top = screen.monitor.box.x, screen.monitor.box.y
            changed = [Box(box.x - left, box.y - top, box.w, box.h) for box in frame.changed]
            picture = self._scaler.picture(screen.canvas, changed, shot.t_ns)
            if picture is not None and self._on_picture is not None and self._session.plan is not None:
                if self._on_picture(picture):
                    frame = replace(frame, image_ref=picture.ref)
                    self._repeat_due_ns = now_ns + self._repeat_ns
                else:
                    self._session.plan.cut()
        self._kept_ns = now_ns
        self._on_records([frame])

    def _drop_shot(self) -> None:
        self._shot = None
        if self._screen is not None:
            self._screen.forget()

    def _current_screen(self) -> Screen:
        """Return the picture of the active monitor, a new one after a switch or a change of resolution."""
        if self._desk.resized or self._grabber is None:
            if self._desk.resized:
                logger.info("the monitors or their resolution changed")
            self._desk.resized = False
            if self._grabber is not None:
                self._grabber.close()
            self._grabber, self._screen, self._shot = Grabber(), None, None
        monitor = self._active_monitor()
        if self._screen is None or self._screen.monitor != monitor:
            self._screen = Screen(self._grabber.grab, monitor, self._session.key)
        return self._screen

    def _active_monitor(self) -> Monitor:
        monitors = self._desk.monitors()
        if len(monitors) == 1:
            return monitors[0]
        scene = self._fence.scene
        place = next((window.box for window in scene.windows if window.client == scene.active), None)
        x, y = (place.x + place.w // 2, place.y + place.h // 2) if place is not None else self._desk.pointer()
        for monitor in monitors:
            left, top, width, height = monitor.box
            if left <= x < left + width and top <= y < top + height:
                return monitor
        return monitors[0]
