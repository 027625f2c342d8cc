"""A desktop with real browsers, the running capture, and what a script did on it.

Everything private carries `MARK` in its title and address and is painted in one of the colours of `PRIVATE`; the
scenes that capture took in are kept, with a label for each window by who opened it.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import simplejpeg
from Xlib import X, Xatom
from Xlib.protocol.event import ClientMessage

from daemon.capture.backend import CaptureBackend
from daemon.capture.picture_ring import PictureRing
from daemon.capture.scene import DesktopWindow, Scene
from daemon.capture.x11.desktop import X11Backend
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.clock import SystemClock
from storage.records import Box, Focus, Frame, Record
from storage.session.video import Picture
from storage.settings import Settings
from tests.fakes.browsers.pages import PageServer, serving
from tests.fakes.browsers.scene_file import SceneLog
from tests.fakes.desktop.painter import GREEN, Painter, RunningCapture, quarter_pixels, running

MARK = "quince"
PAGE, POPUP, VIDEO, PANEL = 0xFF00FF, 0x6000FF, 0xFFFF00, 0xFF0060
PRIVATE = (PAGE, POPUP, VIDEO, PANEL)
ORDINARY = 0x00FF00

_TICKER = Box(1290, 4, 60, 30)
_EDGE = 80
"""Width in pixels of the strip at the right that is kept free for it, as for a panel."""

_ON_SCREEN = 2000
"""More pixels of a colour than this are a page, and not the edge of a letter."""


class _RecordingBackend(X11Backend):
    """Keeps what capture is given."""

    def __init__(self, clock: SystemClock, log: SceneLog) -> None:
        self._log = log
        super().__init__(clock)

    def take_scenes(self) -> tuple[Scene, ...]:
        scenes = super().take_scenes()
        self._log.scenes.extend(scenes)
        return scenes


class _KeepingRing(PictureRing):
    """Counts colours in what it is given, which is what a model would be."""

    def __init__(self, settings: Settings, counts: dict[int, int]) -> None:
        super().__init__(settings.capture)
        self._counts = counts

    def put(self, t_ns: int, jpeg: bytes, area: Box | None = None) -> None:
        super().put(t_ns, jpeg, area)
        pixels = simplejpeg.decode_jpeg(jpeg, colorspace="RGB")
        for colour in self._counts:
            self._counts[colour] += pixels_near(pixels, colour)


class BrowserCapture(RunningCapture):
    """A capture whose pictures are counted and dropped."""

    def __init__(self, log: SceneLog, settings: Settings | None = None) -> None:
        self.recorded = dict.fromkeys((*PRIVATE, ORDINARY), 0)
        """Quarter-pixels of each colour in the pictures that were handed over to the video."""
        self.in_ring = dict.fromkeys((*PRIVATE, ORDINARY), 0)
        """Pixels of each colour in the pictures that were kept in memory for models."""

        def open_backend(clock: SystemClock) -> CaptureBackend:
            return _RecordingBackend(clock, log)

        ring = _KeepingRing(settings or Settings(), self.in_ring)
        super().__init__(settings, ring=ring, open_backend=open_backend)

    def _keep(self, picture: Picture) -> bool:
        for colour in self.recorded:
            self.recorded[colour] += quarter_pixels(picture, colour)
        return True


class BrowserStage:
    """What scripts use: pages, hands, waiting, labels."""

    def __init__(self, desktop: VirtualDesktop, pages: PageServer, capture: BrowserCapture, log: SceneLog) -> None:
        self.desktop = desktop
        self.pages = pages
        self.capture = capture
        self.log = log
        self.hands = Painter(desktop)
        self._ticker = self.hands.window("Ticker", _TICKER)
        strut = self.hands.display.intern_atom("_NET_WM_STRUT_PARTIAL")
        self._ticker.change_property(strut, Xatom.CARDINAL, 32, [0, _EDGE, 0, 0, 0, 0, 0, 799, 0, 0, 0, 0])
        self._ticks = 0

    @contextmanager
    def opening(self, label: str, title: str = "") -> Iterator[None]:
        """Label all windows that appear meanwhile; one whose title contains `title` must."""
        before = set(self.log.seen())
        yield

        def is_there() -> bool:
            return any(title in window.title for client, window in self.log.seen().items() if client not in before)

        if title:
            self.capture.until(is_there, f'capture seeing a window "{title}"', 30)
        self.frame()
        for client, window in self.log.seen().items():
            if client not in before and window.pid:
                self.log.labels.setdefault(client, label)

    def frame(self) -> None:
        now_ns = self.capture.clock.now_ns()
        self._ticks += 1
        self.hands.move(_TICKER.x + 10 + self._ticks % 2, _TICKER.y + 20)  # without input it is only a clock that ticks
        self.hands.fill(self._ticker, GREEN + 0x10 * (self._ticks % 15))
        self.capture.until(lambda: any(f.t_ns > now_ns for f in self.capture.of(Frame)[-3:]), "taking a frame", 20)

    def shown(self, colour: int) -> None:
        """Wait until a colour is really on the screen, for those who look at it themselves, and have frames taken."""
        poll(lambda: self.count(colour) > _ON_SCREEN, what=f"painting {colour:06x}", timeout_s=30)
        self.frame()
        self.frame()

    def count(self, colour: int) -> int:
        size = self.hands.root.get_geometry()
        image = self.hands.root.get_image(0, 0, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
        pixels = np.frombuffer(image.data, np.uint8).reshape(size.height, size.width, 4)
        return pixels_near(pixels[:, :, 2::-1], colour)

    def window(self, title: str) -> WindowInfo:
        return self.desktop.windows.wait(title=title, timeout_s=30)

    def popup(self) -> None:
        poll(lambda: any(w.box.w > 60 and w.pid for w in self.desktop.windows.popups()), what="opening a menu")
        self.frame()

    def front(self, title: str) -> WindowInfo:
        window = self.window(title)
        self.desktop.windows.activate(window)
        poll(lambda: self.desktop.windows.is_active(window), what=f'activating "{title}"')
        return window

    def click(self, title: str) -> None:
        box = self.front(title).box
        self.hands.click(box.x + box.w // 2, box.y + box.h - 60)

    def close(self, title: str) -> None:
        window = self.window(title)
        self.desktop.windows.close(window)
        poll(lambda: self.desktop.windows.refresh(window) is None, what=f'closing "{title}"')

    def minimise(self, title: str) -> WindowInfo:
        found = self.window(title)
        window = self.hands.display.create_resource_object("window", found.xid)
        atom = self.hands.display.intern_atom("WM_CHANGE_STATE")
        message = ClientMessage(window=window, client_type=atom, data=(32, [3, 0, 0, 0, 0]))
        self.hands.root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self.hands.display.sync()
        poll(lambda: window.get_attributes().map_state != X.IsViewable, what=f'minimising "{title}"')
        return found

    def restore(self, window: WindowInfo) -> None:
        self.desktop.windows.activate(window)
        poll(lambda: self.desktop.windows.is_active(window), what="bringing a window back")

    def labelled(self, label: str) -> list[DesktopWindow]:
        return [window for client, window in self.log.seen().items() if self.log.labels.get(client) == label]

    def leaks(self) -> list[Record]:
        private = {client for client, label in self.log.labels.items() if label != "ordinary"}
        titles = {
            window.title for scene in self.log.scenes for window in (*scene.windows, *scene.hidden)
            if window.client in private and window.title
        }  # fmt: skip
        digests = {hashlib.blake2b(title.encode(), key=b"k" * 32, digest_size=8).hexdigest() for title in titles}
        return [
            record
            for record in list(self.capture.records)
            if MARK in repr(record) or (isinstance(record, Focus) and record.title_digest in digests)
        ]


@contextmanager
def browsing(settings: Settings | None = None, *, compositor: bool = False) -> Iterator[BrowserStage]:
    """Run a desktop, a page server and capture, whose stage is gone afterwards."""
    log = SceneLog()
    with VirtualDesktop((1360, 800), compositor=compositor, tray="none") as desktop, serving() as pages:
        capture = BrowserCapture(log, settings)
        with running(capture, desktop):
            capture.frame_after(0)
            stage = BrowserStage(desktop, pages, capture, log)
            try:
                yield stage
            finally:
                stage.hands.close()


def pixels_near(pixels: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]", colour: int) -> int:
    wanted = np.array([colour >> 16, colour >> 8 & 255, colour & 255], np.int16)
    return int(np.count_nonzero((abs(pixels.astype(np.int16) - wanted) < 24).all(axis=2)))
