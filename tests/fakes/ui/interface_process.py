"""The interface in a process of its own on a virtual desktop, driven by strings, with a keyboard and a pointer."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, Self

from Xlib import XK, X
from Xlib.error import BadAccess, CatchError
from Xlib.ext import xtest
from Xlib.protocol import request

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from tests.fakes.narrowing import present
from tests.fakes.warm_python import WarmPython

TIMEOUT_S = 40.0
STILL_NS = NS_PER_S
HELD_S = 1.0


class DrivenProcess:
    """A program of this folder on the desktop, told what to do by lines; what it says comes as JSON, a line each."""

    def __init__(self, desktop: VirtualDesktop, program: str, *words: str, **variables: str) -> None:
        self.desktop = desktop
        self.process = WarmPython(
            [sys.executable, str(Path(__file__).with_name(program)), *words],
            env=desktop.env | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.heard: Queue[dict[str, Any]] = Queue()
        self._ear = Thread(target=self._listen, daemon=True)
        self._ear.start()
        assert self.hear() == {"ready": True}

    def _listen(self) -> None:
        for line in present(self.process.stdout):
            self.heard.put(json.loads(line))

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        return self.heard.get(timeout=TIMEOUT_S)

    def order(self, do: str) -> None:
        self.say(do)

    def end(self) -> int:
        if self.process.poll() is None:
            self.order("end")
        try:
            return self.process.wait(TIMEOUT_S)
        finally:
            self.process.kill()
            self.process.wait()
            self._ear.join()
            for pipe in (self.process.stdin, self.process.stdout):
                present(pipe).close()


class Puppet(DrivenProcess):
    """The interface in a process of its own on the desktop, and the strings it hangs on."""

    def __init__(self, desktop: VirtualDesktop, **settings: object) -> None:
        super().__init__(desktop, "ui_puppet.py", json.dumps(settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End it; after a test that went well it must have ended in order."""
        assert self.end() == 0 or kind is not None

    def order(self, do: str, **facts: object) -> None:
        self.say(json.dumps({"do": do, **facts}))

    def ask(self, do: str, **facts: object) -> dict[str, Any]:
        self.order(do, **facts)
        return self.hear()


def press(desktop: VirtualDesktop, *keys: str) -> None:
    codes = [desktop.display.keysym_to_keycode(XK.string_to_keysym(key)) for key in keys]
    for code in codes:
        xtest.fake_input(desktop.display, X.KeyPress, code)
    for code in reversed(codes):
        xtest.fake_input(desktop.display, X.KeyRelease, code)
    desktop.display.sync()


def click(desktop: VirtualDesktop, point: tuple[int, int]) -> None:
    """Click. A window manager holds a click back until it has looked at it, and keys pressed meanwhile overtake it."""
    xtest.fake_input(desktop.display, X.MotionNotify, x=point[0], y=point[1])
    xtest.fake_input(desktop.display, X.ButtonPress, 1)
    xtest.fake_input(desktop.display, X.ButtonRelease, 1)
    desktop.display.sync()
    with suppress(EnvironmentFault):  # a menu that it opens keeps the pointer
        poll(lambda: _is_pointer_free(desktop), what="a click that is taken", timeout_s=HELD_S)


def _is_pointer_free(desktop: VirtualDesktop) -> bool:
    """Tell whether no program has the pointer for itself; asked in one go, so that none is refused it meanwhile."""
    way, now = X.GrabModeAsync, X.CurrentTime
    facts = {"event_mask": 0, "pointer_mode": way, "keyboard_mode": way, "confine_to": 0, "cursor": 0, "time": now}
    root = desktop.display.screen().root
    grab = request.GrabPointer(display=root.display, defer=True, owner_events=False, grab_window=root, **facts)
    desktop.display.ungrab_pointer(now)
    grab.reply()
    return bool(grab.status == X.GrabSuccess)


def find_button(puppet: Puppet, name: str) -> tuple[int, int]:
    """Return the middle of a button once it stands still: a window manager may move a window after it was shown."""
    clock = SystemClock()
    point: list[int] | None = None
    since_ns = clock.now_ns()
    while point is None or clock.now_ns() < since_ns + STILL_NS:
        found = poll(lambda: puppet.ask("button", name=name)["button"], what=f"the button {name!r}")
        if found != point:
            point, since_ns = found, clock.now_ns()
        clock.sleep_s(0.05)
    return point[0], point[1]


def popups_of(desktop: VirtualDesktop, puppet: Puppet) -> list[WindowInfo]:
    return [window for window in desktop.windows.popups() if window.pid == puppet.process.pid]


def open_editor(desktop: VirtualDesktop, path: Path) -> WindowInfo:
    path.touch()
    desktop.spawn(["mousepad", str(path)], "mousepad")
    window = desktop.windows.wait("mousepad", path.name)
    poll(lambda: (active := desktop.windows.active()) is not None and active.xid == window.xid, what="focus")
    handle = desktop.display.create_resource_object("window", window.xid)
    handle.configure(x=0, y=0, width=1270, height=720)
    desktop.display.sync()
    return window


def is_held(desktop: VirtualDesktop, key: str) -> bool:
    """Tell whether somebody else has Ctrl+Alt and this key."""
    code = desktop.display.keysym_to_keycode(XK.string_to_keysym(key))
    root, held = desktop.display.screen().root, X.ControlMask | X.Mod1Mask
    refused = CatchError(BadAccess)
    root.grab_key(code, held, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
    desktop.display.sync()
    if refused.get_error() is None:
        root.ungrab_key(code, held)
        desktop.display.sync()
    return refused.get_error() is not None
