"""A throw-away Wayland session: sway on a monitor in memory, with XWayland, a session bus and accessibility.

sway refuses to run as root, so there it runs as nobody; programs and Kairos run as whoever asked for them. Keys come
from wtype, which is a keyboard of its own for as long as it runs: one of them stays, or no window would have the focus.
"""

import json
import os
import pwd
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from demo.virtual_desktop.desktop import VirtualDesktop, program
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.input_devices import input_devices
from demo.virtual_desktop.sway_hands import SIZE, SwayHands
from demo.virtual_desktop.windows import CARD_CLASS, WindowInfo, Windows, listens, open_display, poll
from storage.clock import SystemClock
from storage.ports import CARD_TITLE
from storage.records import Box

_OTHER_USER = "nobody"
_A_DAY_MS = 86_400_000
_CONFIG = """\
xwayland enable
default_border pixel 2
focus_follows_mouse no
output {output} resolution {width}x{height}
output {output} background #35566e solid_color
exec sh -c 'xhost +SI:localuser:{user} && env > "{folder}/ready.new" && mv "{folder}/ready.new" "{folder}/ready"'
{more}
"""
_LOOK = "[org/gnome/desktop/interface]\nfont-name='Sans 10'\n"
"""Menus of the size that they have on X11, where scripts know them."""

_TOLD = ("WAYLAND_DISPLAY", "DISPLAY", "SWAYSOCK")


class ViewedWindows(Windows):
    """The windows of the compositor's own list, and those of XWayland that stand in none: our card."""

    def __init__(self, desktop: "SwayDesktop", display: Any) -> None:
        """Look at a desktop."""
        super().__init__(display)
        self._desktop = desktop
        self.menu: WindowInfo | None = None
        """The menu that somebody has opened; nothing lists it."""

    def list_all(self) -> list[WindowInfo]:
        """Return all windows, those of X11 last."""
        return [_described(view) for view in self._desktop.views() if view.get("app_id")] + super().list_all()

    def card(self) -> WindowInfo | None:
        """Return the card, by XWayland alone: it is looked for all the time."""
        found = [window for window in super().list_all() if window.app == CARD_CLASS and CARD_TITLE in window.title]
        return found[-1] if found else None

    def popups(self) -> list[WindowInfo]:
        """Return the menu that is open."""
        return [self.menu] if self.menu is not None else []

    def place(self, window: WindowInfo, box: Box) -> WindowInfo:  # noqa: ARG002  # a tile has no place of its own
        """Leave a window where sway has put it."""
        return window

    def is_active(self, window: WindowInfo) -> bool:
        """Return whether a window has the keyboard."""
        return any(view["focused"] and view["id"] == window.xid for view in self._desktop.views())


class SwayDesktop(VirtualDesktop):
    """The session as a context manager; `display` and `windows` are of its XWayland, which knows no other windows."""

    def __init__(self, size: tuple[int, int] = SIZE, *, config: str = "", on_x11: bool = False) -> None:
        """Describe it; `config` are more lines of sway's configuration.

        With `on_x11` its monitor is a window of an X server. Then the pointer is in no picture unless that is asked
        for, as on a graphics card; on a monitor in memory it is in each.
        """
        super().__init__(size, wm="openbox", compositor=False, tray="none", a11y=True)
        self._config, self._on_x11 = config, on_x11

    def type(self, *words: str) -> None:
        """Type as wtype is told to: texts, `-k` and a key, `-M` and `-m` with a modifier.

        It lets go of a key in the end that nobody has pressed: the last one in wtype's map does nothing.
        """
        subprocess.run([program("wtype"), "-d", "30", *words, "-p", "F20"], env=self.env, check=True, timeout=60)

    def command(self, text: str) -> None:
        """Give sway a command of its configuration language."""
        subprocess.run([program("swaymsg"), "--", text], env=self.env, check=True, timeout=10, capture_output=True)

    def views(self) -> list[dict[str, Any]]:
        """Return the windows that sway lists."""
        argv = [program("swaymsg"), "-r", "-t", "get_tree"]
        found = subprocess.run(argv, env=self.env, check=True, timeout=10, capture_output=True).stdout
        return list(_views(json.loads(found)))

    def wait_for(self, app: str) -> dict[str, Any]:
        """Wait until a program has a window, and return it."""
        return poll(
            lambda: next((view for view in self.views() if view.get("app_id") == app), None),
            what=f"a window of {app}",
            timeout_s=40.0,
        )

    @contextmanager
    def person(self, log: ScriptLog, rng: random.Random, clock: SystemClock) -> Iterator[tuple[Hands, Windows]]:
        """Yield hands at a keyboard and a mouse that the service for input tells of, and a view of the windows."""
        with (
            input_devices(self.directory / "input") as devices,
            closing(open_display(self.env)) as display,
            closing(SwayHands(self.env, devices, log, rng, clock)) as hands,
        ):
            yield hands, self._look(display)

    def screenshot(self, path: Path) -> Path:
        """Save what is on the screen as PNG, and return the path."""
        subprocess.run([program("grim"), str(path)], env=self.env, check=True, timeout=20, capture_output=True)
        return path

    def _needed(self) -> list[str]:
        more = ["Xvfb"] if self._on_x11 else []
        return [*more, "sway", "swaymsg", "Xwayland", "xhost", "wtype", "grim", "dbus-daemon", "at-spi-bus-launcher"]

    def _prepare_profile(self) -> None:
        super()._prepare_profile()
        for name in ("XAUTHORITY", "GDK_BACKEND", "QT_QPA_PLATFORM"):
            del self.env[name]
        self.env |= {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "sway", "GSETTINGS_BACKEND": "keyfile"}
        settings = Path(self.env["XDG_CONFIG_HOME"]) / "glib-2.0" / "settings" / "keyfile"
        settings.parent.mkdir(parents=True)
        settings.write_text(_LOOK)

    def _start_server(self) -> None:
        run = self.directory / "run"
        width, height = self._size
        user = pwd.getpwuid(os.geteuid()).pw_name
        config = run / "config"
        words = {"output": "X11-1" if self._on_x11 else "HEADLESS-1", "width": width, "height": height}
        config.write_text(_CONFIG.format(**words, user=user, folder=run, more=self._config))
        argv = [program("sway"), "-c", str(config)]
        env = {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1", "HOME": str(run)}
        if self._on_x11:
            super()._start_server()
            cookies = shutil.copy(self.directory / "Xauthority", run / "Xauthority")
            env |= {"WLR_BACKENDS": "x11", "XAUTHORITY": str(cookies)}
        if os.geteuid() == 0:
            other = pwd.getpwnam(_OTHER_USER)
            self.directory.chmod(0o711)
            for path in (run, *run.glob("Xauthority")):
                os.chown(path, other.pw_uid, other.pw_gid)
            ids = (f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}", "--clear-groups")
            argv = [program("setpriv"), *ids, *argv]
        process = self._start(argv, "sway", extra=env, cwd=run)
        self._infrastructure.append(process)
        self._server_pid = process.pid
        os.write(self._leash, f"{process.pid}\n".encode())
        poll((run / "ready").exists, what="starting sway", timeout_s=20.0)
        told = dict(line.partition("=")[::2] for line in (run / "ready").read_text().splitlines())
        self.env |= {name: told[name] for name in _TOLD}
        self.name = self.env["WAYLAND_DISPLAY"]

    def _start_session(self) -> None:
        bus = self.directory / "run" / "bus"
        self._add_infrastructure(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={bus}"], "bus"
        )
        poll(lambda: listens(bus), what="starting the session bus")
        self._start_accessibility()
        self._add_infrastructure(["wtype", "-s", str(_A_DAY_MS)], "keyboard")

    def _look(self, display: Any) -> ViewedWindows:
        return ViewedWindows(self, display)

    def _paint_background(self) -> None:
        """Leave it to sway."""


def _described(view: dict[str, Any]) -> WindowInfo:
    outer, inner = view["rect"], view["window_rect"]
    box = Box(outer["x"] + inner["x"], outer["y"] + inner["y"], inner["width"], inner["height"])
    return WindowInfo(
        xid=view["id"], app=view["app_id"], title=view["name"] or "", pid=view["pid"], box=box, popup=False
    )


def _views(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if node.get("pid"):
        yield node
    for child in (*node.get("nodes", ()), *node.get("floating_nodes", ())):
        yield from _views(child)
