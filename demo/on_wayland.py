"""`kairos demo --desktop sway`, `gnome`, `kwin` and `wayland`: the same person in a Wayland session.

Programs have keys and clicks from the compositor's virtual devices. Kairos has them from its service `kairos-input`,
which reads the same from pipes in place of devices: their decoding is real, the kernel's part is not. With `wayland` it
has neither this nor the list of windows, as where a compositor tells of nothing: what programs say is all.
"""

import argparse
import sys
from pathlib import Path

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from demo.command import Stage, present
from demo.user import DemoUser
from demo.virtual_desktop.daemon_process import KAIROS
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.gnome import GnomeDesktop
from demo.virtual_desktop.kwin import KwinDesktop
from demo.virtual_desktop.sway import SwayDesktop, ViewedWindows
from demo.virtual_desktop.windows import WindowInfo
from storage.records import Box
from storage.state.pictures import PicturePermission

APPS = ("mousepad", "calc")
_START = (
    "import sys; from daemon.capture.wayland import input_service; from storage import wayland; "
    "from daemon.capture.wayland.gnome import windows; input_service.SOCKET = sys.argv.pop(1); "
    "wayland.ANSWER_S = windows.ANSWER_S = float(sys.argv.pop(1)); "
    "from daemon.cli.main import main; sys.exit(main())"
)
_PATIENCE_S = 15
"""How long Kairos waits for a compositor here: GNOME's shell paints in software, and may take seconds to answer."""

_SIZE = (1920, 1080)
_OPENS_S = 0.35
_MENU = Box(-20, 13, 240, 300)
"""Where a menu is from the middle of its title, and how large at least: no list of windows has it."""


class SwayUser(DemoUser):
    """A user who knows that a click on a title opens a menu, since nothing tells a script of it."""

    windows: ViewedWindows

    def open_menu(self, x: int, y: int) -> WindowInfo:
        """Click on a menu's title and return the menu."""
        self.hands.click(x, y)
        return self._opened(x, y)

    def next_menu(self, x: int, y: int) -> WindowInfo:
        """Go to another menu's title while one is open; return the menu."""
        self.hands.move(x, y)
        return self._opened(x, y)

    def close_menus(self) -> None:
        """Close the menu that was opened; Escape does nothing where an entry has closed it."""
        if self.windows.menu is not None:
            self.hands.chord("Escape")
            self.hands.wait(_OPENS_S)
            self.windows.menu = None

    def _opened(self, x: int, y: int) -> WindowInfo:
        box = Box(max(0, x + _MENU.x), y + _MENU.y, _MENU.w, _MENU.h)
        self.windows.menu = menu = WindowInfo(xid=0, app="", title="", pid=0, box=box, popup=True)
        self.hands.wait(_OPENS_S)  # from here on a card may be noticed, and the menu is closed first
        return menu


def _kairos(desktop: VirtualDesktop) -> tuple[str, ...]:
    return sys.executable, "-c", _START, str(desktop.directory / "input" / "s"), str(_PATIENCE_S)


def _allow_pictures(desktop: VirtualDesktop, folder: Path) -> None:
    """Answer as somebody does whom GNOME has asked before."""
    assert isinstance(desktop, GnomeDesktop)  # for type checkers: the stage below has no other
    PicturePermission(folder / "state" / "kairos").save(desktop.allow_pictures())


def _gnome() -> VirtualDesktop:
    return GnomeDesktop(_SIZE, extension=True, portal=True, programs_on_x11=True)


STAGES = {
    "sway": Stage(desktop=lambda: SwayDesktop(on_x11=True), user=SwayUser, kairos=_kairos),
    "wayland": Stage(desktop=SwayDesktop, user=SwayUser, kairos=lambda _: ("/usr/bin/env", "-u", "SWAYSOCK", *KAIROS)),
    "gnome": Stage(desktop=_gnome, kairos=_kairos, prepare=_allow_pictures),
    "kwin": Stage(desktop=lambda: KwinDesktop(_SIZE, programs_on_x11=True), kairos=_kairos),
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos demo` on one of `STAGES`."""
    return present(arguments, STAGES[arguments.desktop])
