"""A program's main window: where it is, what else the program has open, how a user brings it to the front.

Windows of a program are known by its process id. The X server is queried each time, because windows are
moved, filled to the screen and covered while a session goes on.
"""

from pathlib import Path

from Xlib import X
from Xlib.error import BadWindow

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, inside
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

_TITLE_BAR = 10
_AGO = 3
_PANEL = "trayer"
_TITLE_BUTTONS = 130


class MainWindow:
    """The window `xid` of one process."""

    def __init__(self, user: SimulatedUser, desktop: VirtualDesktop, window: WindowInfo) -> None:
        self._user = user
        self._desktop = desktop
        self._window = window
        self.xid = window.xid
        self.pid = window.pid

    def now(self) -> WindowInfo:
        """Return the window as it is now; raises LookupError where it is gone."""
        window = self._desktop.windows.refresh(self._window)
        if window is None:
            raise LookupError("the program's window is gone")
        return window

    @property
    def box(self) -> Box:
        """Where it is, without its title bar."""
        return self.now().box

    def at(self, x: int, y: int) -> tuple[int, int]:
        """Return the desktop's point for one of the window; negative numbers count from the right or the bottom."""
        return inside(self.box, x, y)

    def is_front(self) -> bool:
        """Return whether it has the keyboard."""
        return self._desktop.windows.is_active(self._window)

    def others(self) -> list[WindowInfo]:
        """Return the program's other windows (dialogs), topmost first; menus are not among them."""
        windows = self._desktop.windows.list_all()
        return [
            window
            for window in reversed(windows)
            if window.pid == self.pid and window.xid != self.xid and not window.popup
        ]

    def leave_others(self) -> bool:
        """Leave open dialogs by Escape, in the worst case by their close button; return whether there were any."""
        met = False
        for attempt in range(6):
            others = self.others()
            if not others:
                return met
            met = True
            if self._is_stopped():
                raise LookupError("the program does not answer")  # to insist would make the window manager end it
            active = self._desktop.windows.active()
            if attempt < 3 and active is not None and active.xid == others[0].xid:  # noqa: PLR2004  # then be firm
                self._user.hands.chord("Escape")
            else:
                self._desktop.windows.close(others[0])
            self._user.hands.wait(0.4)
        raise LookupError("a dialog does not close")

    def come_to_front(self) -> None:
        """Get there by alt+Tab or a click on the title bar where it can be seen; else the window manager does it.

        A window that belongs to it, such as a progress bar, is as far as one gets while that is open.
        """
        if self._is_reached():
            return
        point, back = self.free_title(), self._windows_ago()
        if point is not None and not (back <= _AGO and self._user.by_key()):
            self._user.hands.click(*point)
        elif back <= _AGO:
            self._user.hands.switch(back)
        for attempt in range(40):
            self._user.hands.wait(0.1)
            if self._is_reached():
                return
            if attempt % 10 == 4:  # noqa: PLR2004
                self._desktop.windows.activate(self.now())
        raise LookupError("the window does not come to the front")

    def _is_reached(self) -> bool:
        active = self._desktop.windows.active()
        return active is not None and self.xid in {active.xid, *self._numbers(active.xid, "WM_TRANSIENT_FOR")}

    def _windows_ago(self) -> int:
        """Return how many windows lie above, which is about how many were used since."""
        windows = [
            window for window in reversed(self._desktop.windows.list_all()) if not window.popup and window.app != _PANEL
        ]
        return next((number for number, one in enumerate(windows) if one.xid == self.xid), len(windows))

    def free_title(self) -> tuple[int, int] | None:
        """Return a place on the title bar that no other window covers, away from its buttons."""
        windows = self._desktop.windows.list_all()
        position = next((index for index, one in enumerate(windows) if one.xid == self.xid), None)
        if position is None:
            return None
        box = windows[position].box
        above = [window.box for window in windows[position + 1 :] if window.box.w > 1]
        y = box.y - _TITLE_BAR if self._is_framed() else box.y + 2 * _TITLE_BAR
        left = box.x + (40 if self._is_framed() else box.w // 2)
        places = [left + part * (box.x + box.w - _TITLE_BUTTONS - left) // 8 for part in range(9)]
        free = [x for x in places if y > 0 and not any(_holds(window, x, y) for window in above)]
        return (self._user.rng.choice(free), y) if free else None

    def _is_stopped(self) -> bool:
        try:
            return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
        except OSError:
            return False

    def _is_framed(self) -> bool:
        """Return whether the window manager draws the title bar; some browsers draw their own, tabs on the left."""
        extents = self._numbers(self.xid, "_NET_FRAME_EXTENTS")
        return not extents or any(extents)

    def _numbers(self, xid: int, name: str) -> list[int]:
        """Return what a window's property holds, nothing where there is none."""
        display = self._desktop.display
        try:
            answer = display.create_resource_object("window", xid).get_full_property(
                display.intern_atom(name), X.AnyPropertyType
            )
        except BadWindow:
            return []
        return [] if answer is None else list(answer.value)


def _holds(box: Box, x: int, y: int) -> bool:
    """Return whether a window with its frame may cover a point."""
    return box.x - 8 <= x <= box.x + box.w + 8 and box.y - 28 <= y <= box.y + box.h + 8
