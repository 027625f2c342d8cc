"""Observes one desktop: windows, input and pixels meet on one connection, so that they have one order.

The thread sleeps until the backend or an input callback wakes it, or something is due; nothing is periodic. Before
input or pixels are judged it syncs with the display server once, and by then has seen every window change that came
before them. What the fence closed at any moment in between is closed for them. Used by the capture thread.
"""

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING

from daemon.capture.accessibility.digests import ControlWords
from daemon.capture.backend import CaptureBackend, NotNow, Wakeup
from daemon.capture.diff import Pixels
from daemon.capture.fence.exclusions import Exclusions
from daemon.capture.fence.input_filter import InputFilter
from daemon.capture.fence.key_grid import KeyGrids
from daemon.capture.fence.rules import LINGER_NS, Fence, Visibility, Zones
from daemon.capture.gate import Ear, Gate
from daemon.capture.input import InputQueue, MotionMerger
from daemon.capture.keys import fallback_of, with_coarse_keys
from daemon.capture.picture_ring import PictureRing
from daemon.capture.pictures import PictureMaker
from daemon.capture.programs.terminals import TerminalEcho
from daemon.capture.scene import Monitor, Scene, around, contains, intersection
from daemon.capture.screen import RawGrab, RedactedScreen, fill
from daemon.capture.surroundings.devices import CHECK_S, on_battery
from daemon.capture.surroundings.source import SurroundingsState, any_of
from daemon.capture.window_events import WindowEventEmitter, active_window, fills_screen
from storage.capabilities import Level, sees_more
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.records import (
    PRESENCE,
    Box,
    DesktopSenses,
    Dropped,
    Environment,
    EventKind,
    Focus,
    InputEvent,
    Problem,
    Record,
    Wake,
    WindowEvent,
)
from storage.session.video import Picture, VideoPlan
from storage.settings import Settings

if TYPE_CHECKING:
    from daemon.capture.accessibility.observer import ControlObserver
    from daemon.capture.accessibility.sense import ControlSense

logger = logging.getLogger(__name__)

HOLD_NS = 300_000_000
"""How long a frame waits while a title may still say that its window must not be seen."""

URGENT_NS = 50_000_000
"""A click waits at most this long for the input before it to be handed over."""

PAINTING_S = 0.1
"""Nothing is read for this long after a look that found painting alone: what is painted often is read in bundles."""

BEHIND_NS = NS_PER_S
"""After this time it is told that more happens to windows than can be followed."""

MIN_SUSPEND_NS = NS_PER_S
STABLE_NS = 30 * NS_PER_S
"""After this time a fault is a new one, and the first retry after it need not wait long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSession:
    """What capture needs of a session: its secret key, whether titles are stored, where recorded pictures go.

    `controls`: whether the person chose that controls are understood (`daemon.capture.accessibility`), `outputs`:
    whether they agreed that what programs write after a command is looked through as well. `sees` is what the desktop
    told less than in full when they agreed (`Capabilities.levels`): capture never begins where it tells more.
    """

    key: bytes
    record_titles: bool
    plan: VideoPlan | None = None
    controls: bool = False
    outputs: bool = False
    sees: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureLinks:
    """What observers of a session are given and report to.

    `surroundings` returns the present state of what is not seen on the desktop; a change of it calls `wakeup`. `sense`
    understands controls, where the person chose that, and leaves their words in `words`. `ear` is open while what
    somebody says may be kept, as far as the desktop tells. The others are the arguments of `CaptureThread`.
    """

    clock: SystemClock
    settings: Settings
    gate: Gate
    session: CaptureSession
    open_backend: Callable[[SystemClock], CaptureBackend]
    on_records: Callable[[Sequence[Record]], None]
    on_picture: Callable[[Picture], bool] | None
    on_activity: Callable[[int], None]
    ring: PictureRing | None
    exclusions: Exclusions
    wakeup: Wakeup
    surroundings: Callable[[], SurroundingsState]
    sense: "ControlSense | None"
    words: ControlWords
    ear: Ear


class DesktopObserver:
    """One connection to the desktop and all that depends on it, from connecting until it breaks."""

    _controls: "ControlObserver | None"
    _behind_since_ns: int | None

    def __init__(self, links: CaptureLinks) -> None:
        self._links = links
        clock, gate, session, settings = links.clock, links.gate, links.session, links.settings
        self._clock = clock
        self._gate = gate
        self._drain_ns = round(settings.capture.drain_s * NS_PER_S)
        self._started_ns = clock.now_ns()
        self._queue = InputQueue(clock, gate, links.wakeup.wake, links.on_activity)
        self._backend = links.open_backend(clock)
        if sees_more(self._backend.capabilities.levels, session.sees):  # a desktop may tell more than it did before
            self._backend.close()
            raise EnvironmentFault(
                "this desktop now shows more than was agreed to", remedy="start Kairos again", code="sees_more"
            )
        try:
            self._backend.start_input(self._queue)
        except EnvironmentFault:
            self._backend.close()
            raise
        self.has_frames = self._backend.capabilities.frames.level is not Level.NONE
        """Whether there are pictures."""
        self.has_places = self._backend.capabilities.controls.level is Level.FULL
        """Whether boxes are places on the screen."""
        self._echo = TerminalEcho(clock)
        self._queue.is_hidden = self._echo.is_off
        self._merger = MotionMerger(settings.capture.motion_per_s)
        self._fence = Fence(links.exclusions.fence, os.getpid())
        self._input_filter = InputFilter()
        self._key_grids = KeyGrids(self._look_at)
        self._window_events = WindowEventEmitter(session.key, record_titles=session.record_titles, words=links.words)
        self._pictures = PictureMaker(
            self._backend.ask,
            settings.capture,
            key=session.key,
            ring=links.ring,
            plan=session.plan,
            on_picture=links.on_picture,
        )
        self._scheduler = self._pictures.scheduler
        self._drained_ns, self._front_pid, self._told_behind = 0, 0, False
        self._input_zones = Zones()
        self._input_pending, self._only_painted, self._undelivered = True, False, False
        self._stored_ns = self._started_ns
        self._on_battery: bool | None = None
        self._battery_checked_ns: int | None = None
        self._suspended_ns = clock.suspended_ns()
        self._open_epoch: int | None = None
        self._changed = True
        self._locked: bool | None = None
        self._surroundings = links.surroundings()
        self._controls, self._behind_since_ns = None, None
        self._published: Mapping[int, Visibility] | None = None
        if (sense := links.sense) is not None:
            from daemon.capture.accessibility.observer import ControlObserver

            self._controls = ControlObserver(
                sense,
                gate,
                key=session.key,
                record_names=session.record_titles,
                words=links.words,
                own_pid=os.getpid(),
                picture=self._picture_of,
            )
            self._queue.on_press = sense.pressed
            self._queue.on_key = sense.keyed
            self._queue.on_command = sense.commanded
            self._queue.on_writing = sense.wrote
            self._queue.on_typing = sense.typed

    @property
    def was_stable(self) -> bool:
        """Whether it worked for a while, so that the next try need not wait."""
        return self._clock.now_ns() - self._started_ns > STABLE_NS

    def run(self, stopping: threading.Event) -> None:
        """Observe until `stopping` is set; raises `EnvironmentFault` where the desktop or its input went away."""
        if levels := self._backend.capabilities.levels:
            self._links.on_records([DesktopSenses(desktop=self._backend.capabilities.desktop, levels=levels)])
        with DefaultSelector() as anything, DefaultSelector() as waking:
            anything.register(self._backend.fileno(), EVENT_READ)
            for each in (anything, waking):
                each.register(self._links.wakeup.fileno(), EVENT_READ)
            self._step()
            while not stopping.is_set():
                timeout_s = self._timeout_s()
                if self._only_painted:
                    waking.select(PAINTING_S if timeout_s is None else min(timeout_s, PAINTING_S))
                elif not self._backend.has_unread():
                    anything.select(timeout_s)
                self._step()
        if self._gate.is_open:
            self._drain(self._clock.now_ns())
            dropped = self._input_filter.dropped(self._clock.now_ns(), final=True)
            dropped += self._controls.dropped() if self._controls is not None else []
            self._links.on_records(dropped)

    def request_flush(self) -> bool:
        """Have input that was seen handed over soon, from any thread; return whether there is any that is not yet."""
        if self._queue.request_flush():
            return True
        if self._undelivered and not self._queue.flush_requested:
            self._queue.flush_requested = True
            self._links.wakeup.wake()
        return self._undelivered

    def closing_records(self) -> list[Record]:
        """Return the records that revoke what holds no longer once nothing is observed."""
        told: list[Record] = [Problem(code="behind", over=True)] if self._told_behind else []
        return told + self._window_events.closing_records()

    def close(self) -> None:
        """End input and the connection."""
        self._links.ear.close()
        self._backend.close()

    # ------------------------------------------------------------ one step

    def _timeout_s(self) -> float | None:
        if not self._gate.is_open:
            return None
        now_ns = self._clock.now_ns()
        due = [self._fence.next_ns, self._window_events.due_ns, self._input_filter.due_ns]
        if self.has_frames:
            due += [self._pictures.due_ns(now_ns), self._pictures.repeat_due_ns]
        due.append(self._backend.look_ns)
        if self._input_pending:
            due.append(self._input_due_ns(now_ns))
        if self._controls is not None:
            due.append(self._held_due_ns())
        next_ns = min((t for t in due if t is not None), default=None)
        return None if next_ns is None else max(0, next_ns - now_ns) / NS_PER_S

    def _step(self) -> None:
        if self._links.wakeup.clear():
            self._input_pending = True
        damaged_before = self._backend.damaged
        self._backend.read()
        self._follow_behind(self._clock.now_ns())
        epoch = self._gate.epoch
        if not self._gate.is_open:
            self._links.ear.close()
            self._step_closed(self._clock.now_ns())
            return
        if epoch != self._open_epoch:  # the gate may have been closed and opened since the last step
            self._discard_pending()
            self._queue.accept_from(epoch, self._backend.event_time_ms())
            self._open_epoch = epoch
            self._window_events.forget_focus()
            self._changed = True
        now_ns = self._clock.now_ns()
        if self._behind_since_ns is not None:  # what is seen now is older than it seems: nothing is judged by it
            self._update_windows(now_ns)
            return
        self._check_suspend()
        if self._backend.damaged and not damaged_before:
            self._links.on_activity(now_ns)
        ear, look_ns = self._links.ear, self._links.ear.screen_due_ns
        if look_ns > ear.looked_ns:
            self._backend.sync()
        self._update_windows(now_ns)
        ear.looked_ns = look_ns
        self._backend.look_for_pointer()
        picture_ns = self._picture_due_ns(now_ns)
        is_grabbed = picture_ns is not None and now_ns >= picture_ns  # what is due is handed over with that
        if not is_grabbed and (self._changed or self._input_is_due(now_ns)):
            self._drain(now_ns)
        if self.has_frames:
            self._step_pictures(now_ns)
        if self._controls is not None and self._controls.has_pending:
            self._input_pending = True  # a picture has made it look, and nothing else may

    def _follow_behind(self, now_ns: int) -> None:
        """Tell that windows change faster than they are followed once that lasts, and when it is over."""
        if not self._backend.behind:
            self._behind_since_ns = None
        elif self._behind_since_ns is None:
            self._behind_since_ns = now_ns
        since_ns = self._behind_since_ns
        lasts = since_ns is not None and (self._told_behind or now_ns - since_ns > BEHIND_NS)
        if lasts != self._told_behind:
            self._told_behind = lasts
            self._links.on_records([Problem(code="behind", over=not lasts)])

    def _step_closed(self, now_ns: int) -> None:
        """Follow the windows while the gate is closed, so that the fence is right afterwards, and take nothing."""
        scenes = self._backend.take_scenes()
        self._fence.exclude(self._links.exclusions.fence)
        self._fence.update(scenes, now_ns)
        self._watch_painting(scenes)
        self._backend.follow_damage(on=False)
        if self._open_epoch is not None:
            self._open_epoch = None
            self._discard_pending()
        self._input_pending, self._changed = False, True

    def _discard_pending(self) -> None:
        """Discard what was not handed over before the gate closed."""
        self._queue.clear()
        self._merger.clear()
        self._input_filter.clear()
        if self._controls is not None and (kept := self._controls.discard()):
            self._links.on_records(kept)
        self._undelivered = self._scheduler.is_present = False
        if self._links.ring is not None:
            self._links.ring.clear()  # once more: a picture may have been on its way
        self._pictures.discard()

    def _update_windows(self, now_ns: int) -> None:
        """Take in the window changes that have arrived."""
        scenes, fence = self._backend.take_scenes(), self._fence
        fence.exclude(self._links.exclusions.fence)
        self._only_painted = False
        if not scenes and self._is_as_seen(now_ns):
            if self._backend.damaged:
                self._scheduler.note_paint(now_ns)
            self._backend.follow_damage(on=True, hidden=fence.zones.hidden)
            self._echo.watch(self._front_pid, has_input=self._input_pending)
            return
        before, others_before = fence.zones, (fence.visibilities, fence.excludes_keys)
        passed = fence.update(scenes, now_ns)
        self._watch_painting(scenes)
        after = fence.zones
        self._backend.follow_damage(on=True, hidden=after.hidden)
        self._input_zones |= passed
        self._pictures.zones |= passed
        if self._backend.damaged or (after is not before and not after.same_boxes(before)):
            self._scheduler.note_paint(now_ns)
        due_ns = self._window_events.due_ns
        is_due = due_ns is not None and now_ns >= due_ns
        others = (fence.visibilities, fence.excludes_keys)
        changed = any(not scene.repeats for scene in scenes)
        if changed or is_due or after.keys != before.keys or others != others_before:
            self._changed = True
        if self._changed:  # also by what happened while the gate was closed
            self._front_pid = self._find_front_pid()
        self._echo.watch(self._front_pid, has_input=self._input_pending)
        if self._backend.locked != self._locked:
            self._locked, self._changed = self._backend.locked, True
        surroundings = self._links.surroundings()
        if surroundings is not self._surroundings and surroundings != self._surroundings:
            self._changed = True
        self._surroundings = surroundings
        if self._controls is not None:
            fence.prove(self._controls.proofs(fence.scene))
            if self._changed or fence.visibilities is not self._published:
                self._published = fence.visibilities
                self._controls.publish(fence, locked=self._is_locked)
        self._judge_hearing()

    def _is_as_seen(self, now_ns: int) -> bool:
        """Return whether nothing is to be taken in but painting: there is no new state, and nothing due by time."""
        fence, controls = self._fence, self._controls
        due = (fence.next_ns, self._window_events.due_ns)
        return not (
            self._changed
            or any(due_ns is not None and now_ns >= due_ns for due_ns in due)
            or self._backend.locked != self._locked
            or self._links.surroundings() is not self._surroundings
            or fence.needs_painting
            or fence.needs_painting_inside
            or (controls is not None and controls.proofs(fence.scene) != fence.proofs)
        )

    def _judge_hearing(self) -> None:
        """Open or close the ear; it stays shut where nothing tells of calls, or which windows there are."""
        if self._fence.has_shown_excluded:  # and may show it no longer: what was said meanwhile is dropped
            self._links.ear.close()
        tells = self._backend.capabilities.windows.level is not Level.NONE
        if tells and self._surroundings.call is False and not self._is_locked and not self._fence.shows_excluded:
            self._links.ear.open()
        else:
            self._links.ear.close()

    def _find_front_pid(self) -> int:
        """Return the process of the window in front; 0 where that may not be seen."""
        active = active_window(self._fence.scene)
        if active is None or self._fence.visibility(active.client) is not Visibility.ALLOWED:
            return 0
        return next(filter(None, (active.pid, *active.connected)), 0)

    @property
    def _is_locked(self) -> bool:
        """Whether the screen is known to be locked."""
        return any_of((self._fence.locked or None, self._backend.locked, self._surroundings.locked)) is True

    def _watch_painting(self, scenes: Sequence[Scene]) -> None:
        """Follow what is painted where the fence needs it; then painting alone is looked at in turns."""
        self._backend.watch_painting(on=self._fence.needs_painting, inside=self._fence.needs_painting_inside)
        self._only_painted = bool(scenes) and all(scene.repeats for scene in scenes)

    def _picture_due_ns(self, now_ns: int) -> int | None:
        """Return when the next picture should be asked for; None if none is, or one is under way."""
        return self._scheduler.due_ns(now_ns) if self.has_frames and self._pictures.raw is None else None

    def _input_due_ns(self, now_ns: int) -> int:
        """Return when input is handed over: with the next picture, if that comes before the next hand-over."""
        if self._queue.urgent:
            return self._drained_ns + URGENT_NS
        due_ns = max(self._drained_ns + self._collecting_ns, self._queue.due_ns)
        picture_ns = None if self._queue.flush_requested else self._picture_due_ns(now_ns)
        return picture_ns if picture_ns is not None and due_ns < picture_ns <= due_ns + self._drain_ns else due_ns

    @property
    def _collecting_ns(self) -> int:
        """For how long input is collected."""
        return URGENT_NS if self._queue.flush_requested else self._drain_ns

    def _input_is_due(self, now_ns: int) -> bool:
        drops_ns = self._input_filter.due_ns
        is_due = any(t is not None and now_ns >= t for t in (drops_ns, self._held_due_ns()))
        return (self._input_pending and now_ns >= self._input_due_ns(now_ns)) or is_due

    def _held_due_ns(self) -> int | None:
        """Return when keys that wait for where they went should be handed over: with the next input at the earliest."""
        held_ns = self._controls.due_ns if self._controls is not None else None
        return None if held_ns is None else max(held_ns, self._drained_ns + self._collecting_ns)

    def _check_suspend(self) -> None:
        slept_ns = self._clock.suspended_ns() - self._suspended_ns
        if slept_ns > MIN_SUSPEND_NS:
            self._suspended_ns += slept_ns
            self._links.on_records([Wake(slept_ns=slept_ns)])

    # ------------------------------------------------------------ windows and input

    def _drain(self, now_ns: int) -> None:
        """Hand over what happened to windows and the user's input, in the order of their times."""
        events, lost = self._take_events()
        if events or (self._controls is not None and self._controls.has_pending):
            self._backend.sync()  # by now all window changes are known that came before these events
            self._update_windows(now_ns)
        self._hand_over(events, lost, now_ns)

    def _take_events(self) -> tuple[list[InputEvent], int]:
        self._undelivered = True
        events, lost = self._queue.drain()
        return self._backend.with_places(events), lost

    def _hand_over(self, events: list[InputEvent], lost: int, now_ns: int) -> None:
        self._input_pending, self._drained_ns = bool(events), now_ns
        merged = self._merger.merge(events, now_ns)
        allowed = self._input_filter.apply(merged, self._input_zones, now_ns)
        allowed = self._key_grids.without_places(allowed, self._fence.scene, now_ns)
        if self._controls is not None:
            allowed = self._controls.protect(allowed, now_ns)
        self._input_zones = self._fence.zones
        changes = self._window_events.emit(self._fence, self._environment, now_ns) if self._changed else []
        self._changed = False
        for event in allowed:
            self._scheduler.note_input(event.t_ns)
            if event.kind in PRESENCE:
                self._scheduler.is_present = event.kind is EventKind.ACTIVE
            if event.kind in (EventKind.BUTTON_DOWN, EventKind.BUTTON_UP):
                self._scheduler.expect_answer(event.t_ns)
        if any(isinstance(record, Focus) for record in changes):
            self._queue.has_moved = True  # only ever set here: the thread of the input sets it as well
        if any(isinstance(record, Focus | WindowEvent) for record in changes):
            self._scheduler.expect_answer(now_ns)
        for record in changes:
            if isinstance(record, Focus):
                self._queue.fallback = fallback_of(record.app)
        records: list[Record] = [*allowed, *changes]
        if self._controls is not None:
            records += self._controls.records(self._fence, allowed, now_ns, locked=self._is_locked)
        records = self._key_grids.coarse(records)
        records.sort(key=lambda record: getattr(record, "t_ns", 0))  # switches have no time of their own: first
        records = list(with_coarse_keys(records))  # only now: exact times decide the order
        records += self._input_filter.dropped(now_ns)
        if lost:
            records.append(Dropped(what="events", count=lost, reason="overload"))
        if records:
            self._links.on_records(records)
            self._stored_ns = now_ns
        elif events:
            self._revert_activity()
        self._undelivered = self._holds_input

    @property
    def _holds_input(self) -> bool:
        return self._controls is not None and self._controls.due_ns is not None

    def _environment(self, scene: Scene) -> Environment:
        return Environment(
            full_screen=fills_screen(scene),
            locked=any_of((self._fence.locked or None, self._backend.locked, self._surroundings.locked)),
            do_not_disturb=self._surroundings.do_not_disturb,
            call=self._surroundings.call,
            on_battery=self._on_battery,
        )

    def _check_battery(self) -> None:
        now_ns = self._clock.now_ns()
        if self._battery_checked_ns is None or now_ns - self._battery_checked_ns > CHECK_S * NS_PER_S:
            self._battery_checked_ns = now_ns
            state = on_battery()
            if state != self._on_battery:
                self._on_battery, self._changed = state, True
                self._scheduler.on_battery = bool(state)

    def _revert_activity(self) -> None:
        """Report the last stored time: the newest activity may not be stored, so it is not missing from the log."""
        if not self._queue.has_pending:
            self._links.on_activity(self._stored_ns)

    # ------------------------------------------------------------ pictures

    def _step_pictures(self, now_ns: int) -> None:
        pictures = self._pictures
        due_ns = self._picture_due_ns(now_ns)
        if due_ns is not None and now_ns >= due_ns:
            self._grab()
        if pictures.raw is not None and self._clock.now_ns() >= pictures.release_ns:
            if self._controls is not None and self._controls.must_wait(self._clock.now_ns()):
                pictures.release_ns = self._clock.now_ns() + URGENT_NS
            else:
                self._redact(pictures.raw)
        if self._gate.is_open:
            pictures.repeat(now_ns)

    def _grab(self) -> None:
        """Grab what was painted, then take in the window changes of the meantime."""
        self._check_battery()
        pictures, epoch = self._pictures, self._gate.epoch
        damage = self._backend.take_damage()
        now_ns = self._clock.now_ns()
        self._update_windows(now_ns)
        screen: RedactedScreen | None = None
        try:
            screen = self._current_screen()
            if not self._gate.is_open:
                screen.invalidate()
                return
            pictures.zones = zones = self._with_fields(self._fence.zones, now_ns)
            raw = screen.grab(damage, zones, now_ns)
        except NotNow:
            if screen is not None:
                screen.invalidate()
            self._scheduler.note_frame(now_ns, changed=False)
            if self._backend.damaged:
                self._scheduler.note_paint(now_ns)
            self._drain(now_ns)
            return
        self._backend.sync()  # now the pictures are there
        events, lost = self._take_events()
        if events or (self._controls is not None and self._controls.has_pending):
            self._backend.sync()  # and all window changes are known that came before these events
        self._update_windows(self._clock.now_ns())
        if not self._gate.passed(epoch):
            screen.invalidate()
            return
        if events or lost or self._changed or self._input_is_due(self._clock.now_ns()):
            self._hand_over(events, lost, self._clock.now_ns())  # a picture comes after the input it may answer
        self._undelivered = self._holds_input
        pictures.raw, pictures.raw_epoch = raw, epoch
        pictures.release_ns = now_ns + HOLD_NS if self._fence.titles_matter else now_ns
        if self._controls is not None:
            pictures.release_ns = max(pictures.release_ns, now_ns + self._controls.hold_ns)

    def _redact(self, raw: RawGrab) -> None:
        """Apply the fence to a grab and hand the frame over, unless the screen or the gate changed since."""
        pictures = self._pictures
        try:
            screen = self._current_screen()
        except NotNow:
            return
        is_same, pictures.raw = pictures.raw is raw, None
        now_ns = self._clock.now_ns()
        if not is_same or not self._gate.passed(pictures.raw_epoch):
            screen.invalidate()
            return
        if self._controls is not None and self._controls.due_ns is not None:
            self._hand_over([], 0, now_ns)  # keys that waited come before the picture of their answer
        pictures.zones = self._with_fields(pictures.zones, raw.t_ns)
        records = self._key_grids.coarse(pictures.redact(raw, screen, now_ns))
        if self._backend.damaged or not pictures.zones.same_boxes(self._fence.zones):
            self._scheduler.note_paint(now_ns)
        if records:
            self._stored_ns = now_ns
            self._links.on_records(records)
        else:
            self._revert_activity()

    def _look_at(self, area: Box) -> Pixels | None:
        """Return what a part of the desktop shows now, without what is covered; None where it cannot be read."""
        monitors = [monitor.box for monitor in self._backend.monitors()]
        place = intersection(area, around(monitors)) if monitors else None
        if place is None:
            return None
        try:
            pixels = self._backend.grab(place)
        except EnvironmentFault:  # said where the next picture is taken
            return None
        covered = [box for box in self._fence.zones.covered if intersection(box, place) is not None]
        if covered:
            pixels = pixels.copy()
        for box in covered:
            fill(pixels, place, box)
        return pixels

    def _picture_of(self, area: Box) -> tuple[Pixels, Box] | None:
        """Return what the fence leaves now of an area of the last picture, and where; none from before a pause."""
        if not self._gate.passed(self._pictures.shown_epoch):
            return None
        now_ns = self._clock.now_ns()
        return self._pictures.part(area, self._with_fields(self._fence.zones, now_ns).hidden)

    def _with_fields(self, zones: Zones, since_ns: int) -> Zones:
        """Return the zones with the password fields that had the keyboard since then, and terminals that draw stars."""
        scene, boxes = self._fence.scene, frozenset[Box]()
        if self._controls is not None:
            boxes = self._controls.protected(scene, since_ns, self._clock.now_ns())
        if terminal := self._echo.drawn_for(since_ns - LINGER_NS):
            boxes |= {window.box for window in scene.windows if terminal in (window.pid, *window.connected)}
        return zones | Zones(covered=boxes) if boxes else zones

    def _current_screen(self) -> RedactedScreen:
        """Return the picture of the monitor in use; raise `NotNow` where there is none, as while a lid is closed."""
        if self._backend.resized:
            logger.info("the monitors or their resolution changed")
            self._backend.resized = False
            self._pictures.reset()
        if not self._backend.monitors():
            self._pictures.reset()
            raise NotNow
        return self._pictures.screen_of(self._active_monitor())

    def _active_monitor(self) -> Monitor:
        monitors = self._backend.monitors()
        if len(monitors) == 1:
            return monitors[0]
        scene = self._fence.scene
        active = next((window.box for window in scene.windows if window.client == scene.active), None)
        x, y = (active.x + active.w // 2, active.y + active.h // 2) if active is not None else self._backend.pointer()
        return next((monitor for monitor in monitors if contains((monitor.box,), x, y)), monitors[0])
