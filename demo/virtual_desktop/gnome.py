"""A throw-away GNOME session on a monitor in memory: the shell, XWayland, a bus, accessibility, and a portal if wanted.

Keys and the pointer come by mutter's RemoteDesktop, which is for tests alone: in the product it would go round what
the person allows. The shell would end without a system bus, so it gets an empty one.
"""

import asyncio
import os
import random
import re
import shutil
import sys
import threading
import uuid
from collections.abc import Coroutine, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

assert sys.platform == "linux"  # nothing else has it

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

from demo.virtual_desktop.desktop import VirtualDesktop, program
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.input_devices import InputDevices, input_devices
from demo.virtual_desktop.kwin import make_socket_folder
from demo.virtual_desktop.told_hands import CalledWindows, ToldHands
from demo.virtual_desktop.windows import Windows, listens, open_display, poll
from storage.clock import SystemClock

_REMOTE = "org.gnome.Mutter.RemoteDesktop"
_MAY_TAKE_PICTURES = "org.gnome.SettingsDaemon.MediaKeys"
"""Whose name the shell takes pictures for; on this bus nobody else has it."""

_EMPTY_BUS = """<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>"""
"""A bus that starts no service, as there would be one for a portal."""

_STORE, _STORE_PATH = "org.freedesktop.impl.portal.PermissionStore", "/org/freedesktop/impl/portal/PermissionStore"
_FAR = 10_000
_PORTALS = ("/usr/libexec/xdg-desktop-portal-gnome", "/usr/libexec/xdg-desktop-portal")
_PROGRAMS = ("gnome-shell", "Xwayland", "gsettings", "pipewire", "wireplumber", "pw-dump", *_PORTALS)
MISSING = ", ".join(name for name in _PROGRAMS if shutil.which(name) is None)
"""What a GNOME session needs and is not installed here."""

KEYS = {
    "space": 0x20,
    "Escape": 0xFF1B,
    "BackSpace": 0xFF08,
    "Return": 0xFF0D,
    "Alt": 0xFFE9,
    "Tab": 0xFF09,
    "Super": 0xFFEB,
}


class GnomeDesktop(VirtualDesktop):
    """The session as a context manager; `display` and `windows` are of its XWayland, which knows no other windows."""

    def __init__(
        self,
        size: tuple[int, int] = (1280, 800),
        *,
        extension: bool = False,
        portal: bool = False,
        programs_on_x11: bool = False,
    ) -> None:
        """Describe it: with Kairos' own extension, with PipeWire and the portal, with programs that use XWayland."""
        super().__init__(size, compositor=False, tray="none", a11y=True)
        self._extension, self._portal, self._programs_on_x11 = extension, portal, programs_on_x11
        self._bus: MessageBus | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def size(self) -> tuple[int, int]:
        """How large its monitor is."""
        return self._size

    def type(self, *words: str) -> None:
        """Type texts, or the keys of `KEYS`."""
        for word in words:
            for symbol in [KEYS[word]] if word in KEYS else map(ord, word):
                for is_down in (True, False):
                    self.remote("NotifyKeyboardKeysym", "ub", symbol, is_down)
                    SystemClock().sleep_s(0.02)

    @contextmanager
    def person(self, log: ScriptLog, rng: random.Random, clock: SystemClock) -> Iterator[tuple[Hands, Windows]]:
        """Yield hands at a keyboard and a mouse that the service for input tells of, and a view of X11's windows."""
        with input_devices(self.directory / "input") as devices, closing(open_display(self.env)) as display:
            yield GnomeHands(self, devices, log, rng, clock), CalledWindows(display)

    def screenshot(self, path: Path) -> Path:
        """Have the shell save what is on the screen as PNG, and return the path."""
        assert self._bus is not None
        self._await(self._bus.request_name(_MAY_TAKE_PICTURES))
        shell = "org.gnome.Shell.Screenshot"
        self.call(shell, "/org/gnome/Shell/Screenshot", shell, "Screenshot", "bbs", False, False, str(path))
        return path

    def say_yes(self) -> None:
        """Answer the window by which GNOME asks, which has the keyboard: choose the one screen, and share it."""
        for key in ("Tab", " ", "Tab", "Tab", "Return"):
            self.type(key)
            SystemClock().sleep_s(0.5)

    def allow_pictures(self) -> str:
        """Keep a yes as the portal itself does; return the token that stands for it."""
        restored = Variant("(xxa(uuv))", [1, 1, [[0, 1, Variant("s", "MetaVendor:MetaVirtualMonitor:0x00")]]])
        data = Variant("(suv)", ["GNOME", 1, restored])
        token = str(uuid.uuid4())
        self.call(_STORE, _STORE_PATH, _STORE, "Set", "sbsa{sas}v", "screencast", True, token, {"": ["yes"]}, data)
        return token

    def hold(self, key: str, *, down: bool) -> None:
        """Press a key, or let go of it."""
        self.remote("NotifyKeyboardKeysym", "ub", KEYS[key], down)

    def move(self, dx: int, dy: int) -> None:
        """Move the pointer, and wait for no answer: one that paints in software is not quick enough for each step."""
        assert self._bus is not None
        body, session = [float(dx), float(dy)], f"{_REMOTE}.Session"
        message = Message(
            *(_REMOTE, self._session, session, "NotifyPointerMotionRelative"),
            flags=MessageFlag.NO_REPLY_EXPECTED,
            signature="dd",
            body=body,
        )
        self._loop.call_soon_threadsafe(self._bus.send, message)

    def remote(self, member: str, signature: str = "", *body: object) -> Any:
        """Call a method of the remote control."""
        return self.call(_REMOTE, self._session, f"{_REMOTE}.Session", member, signature, *body)

    def call(self, name: str, path: str, interface: str, member: str, signature: str = "", *body: object) -> Any:
        """Call a method on the session bus and return the first value."""
        message = Message(name, path, interface, member, signature=signature, body=list(body))
        assert self._bus is not None
        reply: Message = self._await(self._bus.call(message))
        assert reply.message_type is MessageType.METHOD_RETURN, reply.body
        return reply.body[0] if reply.body else None

    def start_portal(self) -> None:
        """Start PipeWire, and the portal that GNOME's pictures come by."""
        config = Path(self.env["XDG_CONFIG_HOME"]) / "wireplumber" / "bluetooth.lua.d" / "51-none.lua"
        config.parent.mkdir(parents=True)
        config.write_text("bluez_monitor.enabled = false\n")  # it ends WirePlumber where there is no logind
        for argv in (["pipewire"], ["wireplumber"]):
            self._add_infrastructure(argv, argv[0])
        poll(lambda: listens(self.directory / "run" / "pipewire-0"), what="starting PipeWire")
        for path in _PORTALS:
            self._infrastructure.append(self._start([path], Path(path).name))
        poll(lambda: self._ask_bus("org.freedesktop.portal.Desktop"), what="starting the portal")

    def _needed(self) -> list[str]:
        found = ["gnome-shell", "Xwayland", "dbus-daemon", "at-spi-bus-launcher"]
        return [*found, "pipewire", "wireplumber", *_PORTALS] if self._portal else found

    def _prepare_profile(self) -> None:
        super()._prepare_profile()
        for name in ("QT_QPA_PLATFORM",) if self._programs_on_x11 else ("GDK_BACKEND", "QT_QPA_PLATFORM"):
            del self.env[name]
        self.env |= {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "GNOME", "WAYLAND_DISPLAY": "wayland-0"}
        self.env["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={self.directory / 'run' / 'system-bus'}"

    def _start_server(self) -> None:
        run = self.directory / "run"
        make_socket_folder()
        empty = run / "empty.conf"
        empty.write_text(_EMPTY_BUS)
        for name, kind in (("bus", "--session"), ("system-bus", f"--config-file={empty}")):
            argv = ["dbus-daemon", kind, "--nofork", "--nopidfile", f"--address=unix:path={run / name}"]
            self._add_infrastructure(argv, name)
            poll(partial(listens, run / name), what="starting a bus")
        if self._extension:
            from daemon.capture.wayland.gnome.installation import install

            with self.entered():
                install()
        width, height = self._size
        argv = [program("gnome-shell"), "--headless", "--wayland", "--wayland-display", "wayland-0"]
        shell = self._start([*argv, "--virtual-monitor", f"{width}x{height}"], "server")
        self._infrastructure.append(shell)
        self._server_pid = shell.pid
        os.write(self._leash, f"{shell.pid}\n".encode())
        log = self.directory / "log" / "server.log"
        found = poll(lambda: re.search(r"public X11 display (:\d+)", log.read_text()), what="starting XWayland")
        self.name = self.env["DISPLAY"] = found[1]
        cookie = poll(lambda: next(run.glob(".mutter-Xwaylandauth.*"), None), what="finding the cookie")
        self.env["XAUTHORITY"] = str(cookie)
        poll(lambda: "GNOME Shell started" in log.read_text(), what="starting the shell", timeout_s=40.0)

    def _start_session(self) -> None:
        self._start_accessibility()
        if self._portal:
            self.start_portal()
        self._thread.start()
        address = self.env["DBUS_SESSION_BUS_ADDRESS"]
        self._bus = self._await(_connected(address))
        self._session = self.call(_REMOTE, "/org/gnome/Mutter/RemoteDesktop", _REMOTE, "CreateSession")
        self.remote("Start")
        self.type("Escape")  # leaves the overview that a session begins with

    def _paint_background(self) -> None:
        """Leave it to the shell."""

    def _end(self) -> None:
        if self._thread.ident is not None:
            if self._bus is not None:
                self._bus.disconnect()
                self._await(self._bus.wait_for_disconnect())  # type: ignore[no-untyped-call]  # the library leaves it out
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()
        super()._end()

    def _await(self, doing: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(20.0)


class GnomeHands(ToldHands):
    """Two hands in a session of GNOME, by mutter's remote control."""

    def __init__(
        self, desktop: GnomeDesktop, devices: InputDevices, log: ScriptLog, rng: random.Random, clock: SystemClock
    ) -> None:
        """Put the pointer into a corner, where its place is known; the first one would open the overview."""
        super().__init__(devices, log, rng, clock)
        self._desktop = desktop
        width, height = desktop.size
        self._there = self._at = (width - 1, height - 1)
        desktop.move(_FAR, _FAR)

    def move_to(self, x: int, y: int) -> None:
        """Move the pointer by what is missing."""
        (from_x, from_y), self._there = self._there, (x, y)
        self._desktop.move(x - from_x, y - from_y)

    def press_key(self, code: int, *, down: bool) -> None:
        """Press a key, or let go of it."""
        self._desktop.remote("NotifyKeyboardKeycode", "ub", code, down)

    def press_button(self, code: int, *, down: bool) -> None:
        """Press a button, or let go of it."""
        self._desktop.remote("NotifyPointerButton", "ib", code, down)

    def turn_wheel(self, way: int) -> None:
        """Turn the wheel by one step."""
        self._desktop.remote("NotifyPointerAxisDiscrete", "ui", 0, way)


async def _connected(address: str) -> MessageBus:
    return await MessageBus(bus_address=address).connect()
