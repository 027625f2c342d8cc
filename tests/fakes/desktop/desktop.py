"""The fixtures `desktop` and `bare_desktop`: a virtual X11 desktop as it comes up, for tests marked `display`.

A desktop that its test left as it was is the next test's too; the start of each takes 0.3 s of CPU. `Shelf` says what
"as it was" means. The top-level conftest offers the fixtures to every test.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from Xlib import X
from Xlib.error import ConnectionClosedError, XError
from Xlib.protocol import display as connections
from Xlib.protocol import event

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.process_cleanup import token_processes
from storage.clock import NS_PER_S, SystemClock
from tests.fakes.warm_python import WarmPython

_event_classes = cached_property(lambda _: event.event_class.copy())
_event_classes.__set_name__(connections.Display, "event_classes")
connections.Display.event_classes = _event_classes  # type: ignore[assignment]  # it stands in for one
"""Of each connection its own: python-xlib shares it, and fails with a server that numbers its extensions otherwise."""

SETTLE_NS = NS_PER_S
"""How long windows and processes of a test may take to go; then its desktop is not used again."""

START_S = 0.2
"""How long nothing changes on a desktop that has started."""

POINTER = (640, 400)
"""The middle, where the server puts the pointer first."""

_PASSING = ("_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING", "GDK_VISUALS")
"""Properties of the root window that say what its windows say, or the same wherever a program of GTK ran."""

_FOLDERS = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


@dataclass(frozen=True, slots=True)
class _Looks:
    """What a test could find different: what others see of the desktop, and what of it lasts."""

    processes: frozenset[int]
    windows: tuple[int, ...]
    root: MappingProxyType[int, tuple[int, bytes]]
    selections: tuple[int, ...]
    monitors: tuple[tuple[int, int, int, int], ...]
    keys: tuple[Any, ...]
    pointer: tuple[int, int, int]
    environment: MappingProxyType[str, str]


def _look(desktop: VirtualDesktop) -> _Looks:
    display = desktop.display
    root = display.screen().root
    properties = {}
    passing = {display.intern_atom(name) for name in _PASSING}
    for atom in set(root.list_properties()) - passing:
        with suppress(AttributeError):  # it may have gone meanwhile
            found = root.get_full_property(atom, X.AnyPropertyType)
            properties[atom] = (found.property_type, bytes(str(list(found.value)), "ascii"))
    low, high = display.display.info.min_keycode, display.display.info.max_keycode
    held = root.query_pointer()
    named = ("_NET_WM_CM_S0", "_NET_SYSTEM_TRAY_S0", "_XSETTINGS_S0", "WM_S0", "CLIPBOARD", "PRIMARY")
    owners: list[Any] = [display.get_selection_owner(display.intern_atom(name)) for name in named]
    monitors = root.xrandr_get_monitors().monitors
    return _Looks(
        processes=frozenset(token_processes(desktop._token)),
        windows=tuple(sorted(window.xid for window in desktop.windows.list_all())),
        root=MappingProxyType(properties),
        selections=tuple(int(getattr(owner, "id", owner)) for owner in owners),
        monitors=tuple((area.x, area.y, area.width_in_pixels, area.height_in_pixels) for area in monitors),
        keys=(
            tuple(map(tuple, display.get_keyboard_mapping(low, high - low + 1))),
            tuple(map(tuple, display.get_modifier_mapping())),
            tuple(display.query_keymap()),
            display.get_keyboard_control().led_mask,
        ),
        pointer=(held.root_x, held.root_y, held.mask),
        environment=MappingProxyType(dict(desktop.env)),
    )


class WarmDesktop(VirtualDesktop):
    """A desktop on which programs in Python begin warm."""

    def _start(self, argv: Sequence[str], name: str, **given: Any) -> "subprocess.Popen[bytes]":
        if argv[0] != sys.executable:
            return super()._start(argv, name, **given)
        with (given["log"] or self.directory / "log" / f"{name}.log").open("ab") as output:
            return WarmPython(
                argv,
                env=self.env | given["extra"],
                cwd=given["cwd"] or self.env["HOME"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


class Shelf:
    """Keeps one desktop of each kind for the next test, if the last one left nothing on it.

    Between two tests every program that is not the desktop's own is ended, and the person's folders are emptied. Then
    processes, windows, the root window's properties, selections, monitors, keyboard, pointer and environment must be
    those of the start; else the desktop ends, and the next test gets a new one.
    """

    def __init__(self) -> None:
        self._kept: dict[bool, tuple[VirtualDesktop, _Looks]] = {}

    def lend(self, *, bare: bool) -> Iterator[VirtualDesktop]:
        desktop, looks = self._kept.pop(bare) if bare in self._kept else self._start(bare=bare)
        try:
            yield desktop
        finally:
            with suppress(OSError, XError, ConnectionClosedError):
                if self._is_as_it_was(desktop, looks):
                    self._kept[bare] = (desktop, looks)
            if bare not in self._kept:
                desktop.__exit__(None, None, None)

    def _start(self, *, bare: bool) -> tuple[VirtualDesktop, _Looks]:
        options: dict[str, Any] = {"compositor": False, "tray": "none"} if bare else {}
        desktop = WarmDesktop((1280, 800), **options).__enter__()
        desktop.display.screen().root.warp_pointer(*POINTER)
        clock = SystemClock()
        before, looks = None, _look(desktop)
        while looks != before:  # the window manager and the tray are there and still say what they can
            clock.sleep_s(START_S)
            before, looks = looks, _look(desktop)
        return desktop, looks

    def _is_as_it_was(self, desktop: VirtualDesktop, looks: _Looks) -> bool:
        if desktop.display.display.recv_active:  # python-xlib has failed in its loop: the next request waits for ever
            return False
        for process in reversed(desktop._children):
            desktop.stop(process)
        desktop._children.clear()
        for pid in set(token_processes(desktop._token)) - looks.processes:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for name in _FOLDERS:
            folder = Path(desktop.env[name])
            shutil.rmtree(folder)
            folder.mkdir(mode=0o700)
        root = desktop.display.screen().root
        root.change_attributes(event_mask=X.NoEventMask)
        root.warp_pointer(*POINTER)
        desktop.display.set_error_handler(None)
        clock = SystemClock()
        deadline_ns = clock.now_ns() + SETTLE_NS
        while _look(desktop) != looks:
            if clock.now_ns() > deadline_ns:
                return False
            clock.sleep_s(0.02)
        while desktop.display.pending_events():
            desktop.display.next_event()
        return True

    def close(self) -> None:
        for desktop, _ in self._kept.values():
            desktop.__exit__(None, None, None)


@pytest.fixture(scope="session")
def shelf() -> Iterator[Shelf]:
    made = Shelf()
    yield made
    made.close()


@pytest.fixture
def desktop(shelf: Shelf) -> Iterator[VirtualDesktop]:
    """Yield a running 1280x800 desktop with window manager, compositor and tray."""
    yield from shelf.lend(bare=False)


@pytest.fixture
def bare_desktop(shelf: Shelf) -> Iterator[VirtualDesktop]:
    """Yield a running 1280x800 desktop with a window manager alone: nothing on it paints by itself."""
    yield from shelf.lend(bare=True)
