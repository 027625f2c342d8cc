"""A throw-away session of KWin on a screen in memory, with XWayland, a bus and accessibility; it paints in software."""

import os
import shutil
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop, program
from demo.virtual_desktop.windows import poll

MISSING = ", ".join(name for name in ("kwin_wayland", "Xwayland") if shutil.which(name) is None)
"""What a session of KWin needs and is not installed here."""


def make_socket_folder() -> None:
    """Make where X servers listen, as the first one does: GNOME's shell makes it so that it refuses it, KWin never."""
    if not (folder := Path("/tmp/.X11-unix")).exists():  # noqa: S108  # no other place counts
        folder.mkdir()
        folder.chmod(0o1777)


class KwinDesktop(VirtualDesktop):
    """The session as a context manager; `display` and `windows` are of its XWayland, which knows no other windows."""

    def __init__(self, size: tuple[int, int] = (1280, 800)) -> None:
        super().__init__(size, compositor=False, tray="none", a11y=True)

    def _needed(self) -> list[str]:
        return ["kwin_wayland", "Xwayland", "dbus-daemon", "at-spi-bus-launcher"]

    def _prepare_profile(self) -> None:
        super()._prepare_profile()
        for name in ("GDK_BACKEND", "QT_QPA_PLATFORM", "XAUTHORITY"):
            del self.env[name]
        self.env |= {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "KDE", "WAYLAND_DISPLAY": "wayland-0"}

    def _start_server(self) -> None:
        make_socket_folder()
        run = self.directory / "run"
        argv = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={run / 'bus'}"]
        self._add_infrastructure(argv, "bus")
        poll((run / "bus").exists, what="starting a bus")
        copy = self.directory / "kwin_wayland"  # with the capabilities of the file it would not start here
        shutil.copy(program("kwin_wayland"), copy)
        copy.chmod(0o755)
        width, height = self._size
        tell = 'env > "$XDG_RUNTIME_DIR/ready.new" && mv "$XDG_RUNTIME_DIR/ready.new" "$XDG_RUNTIME_DIR/ready"'
        script = self.directory / "tell.sh"
        script.write_text(f"#!/bin/sh\n{tell}\nexec sleep 86400\n")
        script.chmod(0o755)
        argv = [str(copy), "--virtual", "--width", str(width), "--height", str(height), "--xwayland"]
        kwin = self._start([*argv, "--socket", "wayland-0", str(script)], "server", extra={"KWIN_COMPOSE": "Q"})
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
