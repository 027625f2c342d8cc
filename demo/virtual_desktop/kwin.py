"""A throw-away session of KWin on a screen in memory, with XWayland, a bus and accessibility; it paints in software."""

import os
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from demo.virtual_desktop.desktop import VirtualDesktop, program
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.input_devices import InputDevices, input_devices
from demo.virtual_desktop.told_hands import CalledWindows, ToldHands
from demo.virtual_desktop.windows import Windows, listens, open_display, poll
from storage.clock import SystemClock
from storage.wayland import WaylandConnection

MISSING = ", ".join(name for name in ("kwin_wayland", "Xwayland") if shutil.which(name) is None)
"""What a session of KWin needs and is not installed here."""


_EXTRA = {"KWIN_COMPOSE": "Q", "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1"}
"""It paints in software, and lets hands in."""

_STEP = 15 << 8
"""How far a step of the wheel scrolls, as a fixed-point number."""


def make_socket_folder() -> None:
    """Make where X servers listen, as the first one does: GNOME's shell makes it so that it refuses it, KWin never."""
    if not (folder := Path("/tmp/.X11-unix")).exists():  # noqa: S108  # no other place counts
        folder.mkdir()
        folder.chmod(0o1777)


class KwinDesktop(VirtualDesktop):
    """The session as a context manager; `display` and `windows` are of its XWayland, which knows no other windows."""

    def __init__(self, size: tuple[int, int] = (1280, 800), *, programs_on_x11: bool = False) -> None:
        """Describe it; programs are its own, or use XWayland."""
        super().__init__(size, compositor=False, tray="none", a11y=True)
        self._programs_on_x11 = programs_on_x11

    @contextmanager
    def person(self, log: ScriptLog, rng: random.Random, clock: SystemClock) -> Iterator[tuple[Hands, Windows]]:
        """Yield hands at a keyboard and a mouse that the service for input tells of, and a view of X11's windows."""
        with (
            input_devices(self.directory / "input") as devices,
            closing(open_display(self.env)) as display,
            closing(KwinHands(self, devices, log, rng, clock)) as hands,
        ):
            yield hands, CalledWindows(display)

    def screenshot(self, path: Path) -> Path:
        """Leave it: what is painted here nobody can have."""
        return path

    def _needed(self) -> list[str]:
        return ["kwin_wayland", "Xwayland", "dbus-daemon", "at-spi-bus-launcher"]

    def _prepare_profile(self) -> None:
        super()._prepare_profile()
        for name in ("QT_QPA_PLATFORM", "XAUTHORITY", *(() if self._programs_on_x11 else ("GDK_BACKEND",))):
            del self.env[name]
        self.env |= {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "KDE", "WAYLAND_DISPLAY": "wayland-0"}

    def _start_server(self) -> None:
        make_socket_folder()
        run = self.directory / "run"
        argv = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={run / 'bus'}"]
        self._add_infrastructure(argv, "bus")
        poll(lambda: listens(run / "bus"), what="starting a bus")
        copy = self.directory / "kwin_wayland"  # with the capabilities of the file it would not start here
        shutil.copy(program("kwin_wayland"), copy)
        copy.chmod(0o755)
        width, height = self._size
        tell = 'env > "$XDG_RUNTIME_DIR/ready.new" && mv "$XDG_RUNTIME_DIR/ready.new" "$XDG_RUNTIME_DIR/ready"'
        script = self.directory / "tell.sh"
        script.write_text(f"#!/bin/sh\n{tell}\nexec sleep 86400\n")
        script.chmod(0o755)
        argv = [str(copy), "--virtual", "--width", str(width), "--height", str(height), "--xwayland"]
        kwin = self._start([*argv, "--socket", "wayland-0", str(script)], "server", extra=_EXTRA)
        self._infrastructure.append(kwin)
        self._server_pid = kwin.pid
        os.write(self._leash, f"{kwin.pid}\n".encode())
        ready: Path = run / "ready"
        poll(ready.exists, what="starting KWin", timeout_s=60.0)
        told = dict(line.partition("=")[::2] for line in ready.read_text().splitlines())
        self.env |= {name: told[name] for name in ("WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY") if name in told}
        self.name = self.env["DISPLAY"]

    def _start_session(self) -> None:
        self._start_accessibility()

    def _paint_background(self) -> None:
        """Leave it to KWin."""


class KwinHands(ToldHands):
    """Two hands in a session of KWin, by the input that it takes for real where its checks are off."""

    def __init__(
        self, desktop: KwinDesktop, devices: InputDevices, log: ScriptLog, rng: random.Random, clock: SystemClock
    ) -> None:
        """Connect to the session."""
        super().__init__(devices, log, rng, clock)
        self._connection = WaylandConnection(desktop.env, clock)
        self._input = self._connection.bind(self._connection.offers("org_kde_kwin_fake_input")[0], 4)
        self._connection.request(self._input, 0, "hands", "a test")
        self._connection.round_trip()

    def close(self) -> None:
        """Disconnect."""
        self._connection.close()

    def move_to(self, x: int, y: int) -> None:
        """Put the pointer at a place."""
        self._connection.request(self._input, 9, x << 8, y << 8)

    def press_key(self, code: int, *, down: bool) -> None:
        """Press a key, or let go of it."""
        self._connection.request(self._input, 10, code, down)

    def press_button(self, code: int, *, down: bool) -> None:
        """Press a button, or let go of it."""
        self._connection.request(self._input, 2, code, down)

    def turn_wheel(self, way: int) -> None:
        """Turn the wheel by one step."""
        self._connection.request(self._input, 3, 0, way * _STEP)

    def _sync(self) -> None:
        self._connection.round_trip()
