"""The X11 windows of a Wayland desktop that its compositor lists nowhere: our own cards, menus of X11 programs."""

from contextlib import suppress

from Xlib.display import Display
from Xlib.ext import randr

from daemon.capture.scene import DesktopWindow
from daemon.capture.x11.connecting import LOST, connected
from daemon.capture.x11.windows import WindowTable
from storage.clock import Clock
from storage.errors import EnvironmentFault

_NAME = "XWAYLAND"
"""How its extension is called, and its monitors begin."""


class XWaylandPopups:
    """The windows that place themselves, in the coordinates of the compositor's layout where no screen has a scale."""

    def __init__(self, name: str, clock: Clock) -> None:
        """Connect to the display `name`; raises `EnvironmentFault` where none answers."""
        with connected():
            self._display = Display(name)
            self._display.set_error_handler(lambda *_: None)
            self._display.xfixes_query_version()  # before this the server refuses newer requests
            self._table = WindowTable(self._display, clock)
            self._asking = Display(name)  # for the thread of the input; the library gets ready at the first answer
            self._asking.screen().root.query_pointer()
        self.popups: tuple[DesktopWindow, ...] = ()
        """The newest ones, bottom first."""

    def fileno(self) -> int:
        """Return the connection's descriptor."""
        descriptor: int = self._display.fileno()
        return descriptor

    def read(self, *, sync: bool = False) -> None:
        """Process what has arrived, with `sync` everything that happened before this call."""
        with connected():
            if sync:
                self._display.sync()
            while self._display.pending_events():
                event = self._display.next_event()
                self._table.note_serial(event.sequence_number)
                self._table.handle(event)
            self._table.settle()
        scenes = self._table.take_scenes()
        if scenes:
            self.popups = tuple(window for window in scenes[-1].windows if window.popup)

    def pointer(self) -> tuple[int, int] | None:
        """Return where the pointer is, from another thread than the rest; None where no window of X11 is below it."""
        with suppress(EnvironmentFault), connected():
            found = self._asking.screen().root.query_pointer()
            return (found.root_x, found.root_y) if found.child else None
        return None

    def close(self) -> None:
        """Disconnect."""
        for display in (self._display, self._asking):
            try:
                display.close()
            except LOST:
                display.display.socket.close()


def is_xwayland(display: Display) -> bool:
    """Return whether a display is one inside of a Wayland compositor, of which X11 shows a part alone."""
    if display.has_extension(_NAME):
        return True
    if not display.has_extension("RANDR"):
        return False
    found = randr.get_screen_resources_current(display.screen().root)
    outputs = (randr.get_output_info(display, output, found.config_timestamp).name for output in found.outputs)
    return any(str(name).startswith(_NAME) for name in outputs)
