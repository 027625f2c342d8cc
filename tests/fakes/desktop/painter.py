"""A painter of plain windows and a harness around the capture thread, for tests on a virtual desktop."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from Xlib import X, Xatom, Xutil
from Xlib.ext import xtest
from Xlib.protocol import request

from daemon.capture.accessibility.sense import ControlSense
from daemon.capture.accessibility.walk_rate import WalkRate
from daemon.capture.backend import CaptureBackend
from daemon.capture.gate import Gate
from daemon.capture.observer import DesktopObserver
from daemon.capture.picture_ring import PictureRing
from daemon.capture.thread import CaptureSession, CaptureThread
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import open_display, poll
from storage.clock import SystemClock
from storage.records import Box, Elements, EventKind, Focus, Frame, InputEvent, KeyClass, Record, Switch, SwitchName
from storage.session.video import Picture, VideoPlan
from storage.settings import Settings

MAGENTA = 0xFF00FF
GREEN = 0x20A040

R = TypeVar("R", bound=Record)
C = TypeVar("C", bound="RunningCapture")


ANOTHERS = 1 << 23
"""A process that no machine has: more than there can be."""


class Painter:
    """Draws windows as other programs would: those of each class over a connection of their own."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        self._desktop = desktop
        self.display = open_display(desktop.env)
        self.root = self.display.screen().root
        self._programs: dict[str | None, Any] = {}

    def program(self, app: str | None) -> Any:
        if app not in self._programs:
            self._programs[app] = open_display(self._desktop.env)
        return self._programs[app]

    def window(
        self,
        app: str | None,
        box: Box,
        *,
        colour: int | None = GREEN,
        title: str = "",
        pid: int = ANOTHERS,
        popup: bool = False,
    ) -> Any:
        """Map a window and wait until it is on the screen; without a colour it has no background, as most programs.

        It names a process, of its own unless `pid` says which: all that name none would be one program, this one.
        """
        root = self.program(app).screen().root
        background = {} if colour is None else {"background_pixel": colour}
        window = root.create_window(
            *box, 0, X.CopyFromParent, override_redirect=popup, event_mask=X.ExposureMask, **background
        )
        if app is not None:
            window.set_wm_class(app.lower(), app)
        window.set_wm_name(title)
        window.set_wm_normal_hints(flags=1 | 4, x=box.x, y=box.y)
        if pid:
            atom = self.display.intern_atom("_NET_WM_PID")
            window.change_property(atom, Xatom.CARDINAL, 32, [pid])
        window.map()
        poll(lambda: window.get_attributes().map_state == X.IsViewable, what="mapping a window")
        if not popup:
            state = self.display.intern_atom("WM_STATE")
            poll(lambda: window.get_full_property(state, state), what="taking a window into care")
        return window

    def destroy(self, window: Any) -> None:
        """Take a window away, and never give another one its number, as other programs would not.

        python-xlib gives it to the next window: a window manager that is late in tidying up takes that one away, too.
        """
        request.DestroyWindow(display=window.display, window=window.id)
        window.display.flush()

    def fill(self, window: Any, colour: int, box: Box = Box(0, 0, 5000, 5000)) -> None:  # noqa: B008  # a constant
        context = window.create_gc(foreground=colour)
        window.fill_rectangle(context, *box)
        context.free()
        window.get_geometry()  # by the reply it is painted

    def minimise(self, window: Any) -> None:
        message = self._message(window, self.display.intern_atom("WM_CHANGE_STATE"), Xutil.IconicState)
        self.root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self.display.sync()
        poll(lambda: window.get_attributes().map_state != X.IsViewable, what="minimising a window")

    def on_screen(self, place: Box) -> Any:
        """Return the pixels that the screen shows in a place, as numbers like 0xRRGGBB: shape (h, w)."""
        image = self.root.get_image(*place, X.ZPixmap, 0xFFFFFF)
        return np.frombuffer(image.data, np.uint32).reshape(place.h, place.w) & 0xFFFFFF

    def activate(self, window: Any) -> None:
        atom = self.display.intern_atom("_NET_ACTIVE_WINDOW")
        message = self._message(window, atom)
        self.root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self.display.sync()
        poll(lambda: self._active() == window.id, what="activating a window")

    def key(self, keysym_name: str) -> None:
        from Xlib import XK

        code = self.display.keysym_to_keycode(XK.string_to_keysym(keysym_name))
        xtest.fake_input(self.display, X.KeyPress, code)
        xtest.fake_input(self.display, X.KeyRelease, code)
        self.display.sync()

    def chord(self, *keysym_names: str) -> None:
        from Xlib import XK

        *held, last = keysym_names
        codes = [self.display.keysym_to_keycode(XK.string_to_keysym(name)) for name in held]
        for code in codes:
            xtest.fake_input(self.display, X.KeyPress, code)
        self.key(last)
        for code in reversed(codes):
            xtest.fake_input(self.display, X.KeyRelease, code)
        self.display.sync()

    def resize(self, width: int, height: int) -> None:
        """Change the resolution, as far as a virtual server can: its one monitor is turned off, the screen shrinks."""
        found = self.root.xrandr_get_screen_resources()
        self.display.xrandr_set_crtc_config(found.crtcs[0], found.config_timestamp, 0, 0, 0, 1, [])
        self.root.xrandr_set_screen_size(width, height, width // 4, height // 4)
        self.display.sync()

    def move(self, x: int, y: int) -> None:
        xtest.fake_input(self.display, X.MotionNotify, x=x, y=y)
        self.display.sync()

    def click(self, x: int, y: int, *, held_s: float = 0.0) -> None:
        """Move there and click; a person holds the button for about a tenth of a second."""
        xtest.fake_input(self.display, X.MotionNotify, x=x, y=y)
        xtest.fake_input(self.display, X.ButtonPress, 1)
        self.display.sync()
        SystemClock().sleep_s(held_s)
        xtest.fake_input(self.display, X.ButtonRelease, 1)
        self.display.sync()

    def menu(self, x: int, y: int) -> None:
        xtest.fake_input(self.display, X.MotionNotify, x=x, y=y)
        xtest.fake_input(self.display, X.ButtonPress, 3)
        xtest.fake_input(self.display, X.ButtonRelease, 3)
        self.display.sync()

    def embed(self, guest: Any, host: Any) -> None:
        """Put a window of one program into that of another.

        It is withdrawn first: a window manager that still manages it would put it back on the screen.
        """
        state = self.display.intern_atom("WM_STATE")
        guest.unmap()
        guest.get_geometry()

        def is_withdrawn() -> bool:
            found = guest.get_full_property(state, state)
            return found is None or found.value[0] == Xutil.WithdrawnState

        poll(is_withdrawn, what="withdrawing a window")
        guest.reparent(host, 0, 0)
        guest.map()
        guest.get_geometry()  # by the reply it is there

    def close(self) -> None:
        for display in (*self._programs.values(), self.display):
            display.close()

    def _message(self, window: Any, atom: int, value: int = 2) -> Any:
        from Xlib.protocol import event

        return event.ClientMessage(window=window, client_type=atom, data=(32, [value, 0, 0, 0, 0]))

    def _active(self) -> int:
        answer = self.root.get_full_property(self.display.intern_atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
        return int(answer.value[0]) if answer else 0

    def raise_above(self, window: Any) -> None:
        window.configure(stack_mode=X.Above)
        window.get_geometry()  # by the reply it is in front


class RunningCapture:
    """A running capture thread and everything it handed over."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        pictures: bool = True,
        controls: bool = False,
        record_titles: bool = True,
        ring: PictureRing | None = None,
        open_backend: Callable[[SystemClock], CaptureBackend] | None = None,
    ) -> None:
        """Prepare; full-size pictures, so that no pixel hides in the scaling."""
        settings = settings or Settings()
        settings = replace(settings, capture=replace(settings.capture, store_width=5000))
        self.clock = SystemClock()
        self.gate = Gate()
        self.records: list[Record] = []
        self.handed_ns: list[int] = []
        """When each record was handed over."""
        self.pictures: list[Picture] = []
        self._lock = threading.Lock()
        self._free = threading.Event()
        self._free.set()
        self._stopped = threading.Event()
        self.thread = CaptureThread(
            clock=self.clock,
            settings=settings,
            gate=self.gate,
            session=CaptureSession(
                key=b"k" * 32,
                record_titles=record_titles,
                plan=VideoPlan(300.0) if pictures else None,
                controls=controls,
            ),
            on_records=self._take,
            on_picture=self._keep if pictures else None,
            ring=ring,
            open_backend=open_backend,
        )

    def _keep(self, picture: Picture) -> bool:
        self.pictures.append(picture)
        return True

    def _take(self, records: Sequence[Record]) -> None:
        with self._lock:
            self.records.extend(records)
            self.handed_ns += [self.clock.now_ns()] * len(records)
        if not self._free.wait(0):
            self._stopped.set()
            self._free.wait()

    @contextmanager
    def held(self, action: Callable[[], None]) -> Iterator[None]:
        """Let the capture thread see what `action` does and then nothing, as on an overloaded machine."""
        self._free.clear()
        try:
            action()
            self.until(self._stopped.is_set, "holding the capture thread")
            yield
        finally:
            self._free.set()

    def of(self, kind: type[R]) -> list[R]:
        with self._lock:
            return [record for record in self.records if isinstance(record, kind)]

    def until(self, check: Callable[[], Any], what: str, timeout_s: float = 30.0) -> None:
        poll(lambda: bool(check()), what=what, timeout_s=timeout_s)

    def frame_after(self, count: int) -> None:
        self.until(lambda: len(self.of(Frame)) > count, f"frame {count + 1}")

    @property
    def observer(self) -> DesktopObserver:
        assert self.thread._observer is not None
        return self.thread._observer

    def wait_closed(self) -> None:
        """Wait until the capture thread has noticed that the gate is closed: what it had in hand is handed over."""
        self.until(lambda: self.observer._open_epoch is None, "closing the gate")

    def wait_idle(self) -> None:
        """Wait until no input is under way, so that the next key may be handed over at once."""
        observer = self.observer
        self.until(
            lambda: not observer._input_pending and self.clock.now_ns() > observer._input_due_ns(self.clock.now_ns()),
            "ending the flow of input",
        )

    def keyboard_at(self, app: str) -> None:
        """Wait until the focus is reported at an application, "" if excluded, and its keys are kept or not."""
        self.until(lambda: [focus.app for focus in self.of(Focus)][-1:] == [app], f'reporting the focus of "{app}"')
        self.until(lambda: not app or not self.is_excluding(), "opening the fence")

    def is_excluding(self) -> bool:
        return any(switch.on for switch in self.of(Switch)[-1:] if switch.name is SwitchName.EXCLUDED)

    def characters(self, since_ns: int = 0) -> int:
        typed = [event for event in self.of(InputEvent) if event.key_class is KeyClass.CHARACTER]
        return sum(event.count for event in typed if event.t_ns >= since_ns)

    def type_until_seen(self, painter: Painter, timeout_s: float = 10.0) -> None:
        """Type a letter until one of them has been seen: by then the program has the keyboard."""

        def is_seen() -> bool:
            painter.key("a")
            return self.characters() > 0

        self.until(is_seen, "a first letter", timeout_s)

    def keys(self) -> int:
        return sum(event.count for event in self.of(InputEvent) if event.kind is EventKind.KEY)

    def elements(self, timeout_s: float = 10.0) -> Elements | None:
        answers: list[Elements | None] = []
        self.thread.request_elements(answers.append)
        self.until(lambda: answers, "an answer", timeout_s)
        return answers[0]

    def write_frames(self, file: Path) -> None:
        file.write_text("".join(json.dumps([f.t_ns, f.changed]) + "\n" for f in self.of(Frame)))

    def reads(self, log: Path, read: Callable[..., int]) -> int:
        """Return how many numbers of the content's log can be read in a picture taken while they were there."""
        found: set[int] = set()
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        erased = {line["number"]: line["erased_ns"] for line in lines if "erased_ns" in line}
        for line in lines:
            if "drawn_ns" in line:
                for picture in self.pictures:
                    luma = picture.planes[: picture.height]
                    shown = line["drawn_ns"] <= picture.t_ns <= erased.get(line["number"], 0)
                    if shown and read(luma, Box(*line["box"])) == line["number"]:
                        found.add(line["number"])
        return len(found)

    def end_listeners(self) -> None:
        for thread in threading.enumerate():
            if thread.name == "input":
                thread._target.__self__.stop()  # type: ignore[attr-defined]  # a thread keeps what it runs to itself

    def shows(self, colour: int, *, since_ns: int = 0) -> int:
        """Return how many quarter-pixels of all pictures so far, or of those since a time, have a colour."""
        return sum(quarter_pixels(picture, colour) for picture in list(self.pictures) if picture.t_ns >= since_ns)


@contextmanager
def capturing(
    desktop: VirtualDesktop, settings: Settings | None = None, *, pictures: bool = True, controls: bool = False
) -> Iterator[RunningCapture]:
    with running(RunningCapture(settings, pictures=pictures, controls=controls), desktop) as capture:
        yield capture


def walking(settings: Settings | None = None, *, recording: bool = True) -> RunningCapture:
    capture = RunningCapture(settings, pictures=False, controls=True, record_titles=recording)
    sense = capture.thread._sense
    assert isinstance(sense, ControlSense)
    sense._rate = WalkRate(gap_ns=0, per_minute=1_000)
    return capture


@contextmanager
def running(capture: C, desktop: VirtualDesktop) -> Iterator[C]:
    with desktop.entered():
        capture.thread.start()
        try:
            capture.gate.open()
            yield capture
        finally:
            assert capture.thread.stop(5.0)


def own_pid() -> int:
    return os.getpid()


def quarter_pixels(picture: Picture, colour: int) -> int:
    red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
    wanted_u = 128 - 0.168736 * red - 0.331264 * green + 0.5 * blue
    wanted_v = 128 + 0.5 * red - 0.418688 * green - 0.081312 * blue
    flat = picture.planes.reshape(-1).astype(np.int16)
    luma, chroma = picture.width * picture.height, picture.width * picture.height // 4
    u, v = flat[luma : luma + chroma], flat[luma + chroma :]
    return int(np.count_nonzero((abs(u - wanted_u) < 12) & (abs(v - wanted_v) < 12)))
