"""Global shortcuts by a portal: what is asked for, what counts, and that nothing is left where there is none.

The last test has the real portal in front, where it is installed (`packaging/prove-wayland.sh gnome`).
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from PySide6.QtCore import QCoreApplication

from storage.clock import NS_PER_S, SystemClock
from storage.settings import InterfaceSettings
from tests.fakes.accessibility.private_bus import Answers, FakeService
from tests.fakes.commands.background import in_a_thread
from ui.desktop.wayland import PortalShortcuts
from ui.views.shortcuts import ShortcutCommand

NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
BEHIND, BEHIND_NAME = "org.freedesktop.impl.portal.GlobalShortcuts", "org.freedesktop.impl.portal.desktop.kairos"
PORTAL = "/usr/libexec/xdg-desktop-portal"
SETTINGS = InterfaceSettings(shortcut_ask="Ctrl+Super+Space", shortcut_card="Ctrl+Alt+K")
ASKED = [("ask", "CTRL+LOGO+space"), ("card", "CTRL+ALT+k")]
CLOCK = SystemClock()
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def shortcuts(qapp: QCoreApplication, bus: str) -> Iterator[PortalShortcuts]:  # they need both
    made = PortalShortcuts(SETTINGS)
    yield made
    made.close()


def asked_for(shortcuts: list[Any]) -> list[tuple[str, str]]:
    return [(name, facts["preferred_trigger"].value) for name, facts in shortcuts]


def test_what_is_pressed_counts_while_it_is_held(bus: str, shortcuts: PortalShortcuts, until: Until) -> None:
    """The keys of the card count only while there is one; what belongs to another session never does."""
    answers: Answers = {(SHORTCUTS, "CreateSession"): ("o", ["/r/1"]), (SHORTCUTS, "BindShortcuts"): ("o", ["/r/2"])}
    pressed: list[ShortcutCommand] = []
    shortcuts.pressed.connect(pressed.append)
    with ExitStack() as stack:
        portal = stack.enter_context(in_a_thread(lambda: FakeService(bus, NAME, answers)))
        assert shortcuts.start() == ()
        shortcuts.hold([ShortcutCommand.ASK])
        for number, results in ((1, {"session_handle": Variant("s", "/s/1")}), (2, {})):
            until(lambda: len(portal.bodies) == number)  # noqa: B023  # at once
            portal.say(f"/r/{number}", "org.freedesktop.portal.Request", "Response", "ua{sv}", [0, results])
        assert asked_for(portal.bodies[1][1]) == ASKED
        for session, name in (("/s/2", "ask"), ("/s/1", "card"), ("/s/1", "dismiss"), ("/s/1", "ask")):
            portal.say(PATH, SHORTCUTS, "Activated", "osta{sv}", [session, name, 1, {}])
        until(lambda: bool(pressed))
    assert pressed == [ShortcutCommand.ASK]


def test_where_there_is_no_portal_nothing_is_left(shortcuts: PortalShortcuts, until: Until) -> None:
    shortcuts.start()
    process = shortcuts._process
    until(lambda: shortcuts._link is None)
    assert process.returncode is not None


class Behind(FakeService):
    """What the real portal passes requests on to, as a desktop brings it."""

    def __init__(self, address: str) -> None:
        super().__init__(address, BEHIND_NAME, {})
        self.session = ""
        self.bound: list[Any] = []

    def _answer(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != BEHIND:
            return super()._answer(message)
        results = {}
        if message.member == "BindShortcuts":
            self.session, self.bound = message.body[1:3]
            chosen = [
                [name, {"description": facts["description"], "trigger_description": Variant("s", "some keys")}]
                for name, facts in self.bound
            ]
            results = {"shortcuts": Variant("a(sa{sv})", chosen)}
        return Message.new_method_return(message, "ua{sv}", [0, results])


@pytest.mark.skipif(shutil.which(PORTAL) is None, reason=f"not installed here: {PORTAL}")
def test_the_real_portal_passes_them_on(bus: str, shortcuts: PortalShortcuts, until: Until, tmp_path: Path) -> None:
    """It looks into the process that asks, which must let it."""
    (tmp_path / "kairos.portal").write_text(f"[portal]\nDBusName={BEHIND_NAME}\nInterfaces={BEHIND};\nUseIn=kairos\n")
    env = os.environ | {"XDG_DESKTOP_PORTAL_DIR": str(tmp_path), "XDG_CURRENT_DESKTOP": "kairos"}
    pressed: list[ShortcutCommand] = []
    shortcuts.pressed.connect(pressed.append)
    with ExitStack() as stack:
        behind = stack.enter_context(in_a_thread(lambda: Behind(bus)))
        portal = stack.enter_context(subprocess.Popen([PORTAL], env=env))
        stack.callback(portal.kill)
        until(lambda: b"true" in has_owner(bus))
        shortcuts.start()
        shortcuts.hold([ShortcutCommand.ASK])
        until(lambda: bool(behind.bound))
        assert asked_for(behind.bound) == ASKED
        while not pressed:  # the portal knows its session only once it has answered
            behind.say(PATH, BEHIND, "Activated", "osta{sv}", [behind.session, "ask", 1, {}])
            until(sent(after_s=0.1))
    assert set(pressed) == {ShortcutCommand.ASK}


def sent(*, after_s: float) -> Callable[[], bool]:
    """Return what is true once so much time has gone by."""
    end_ns = CLOCK.now_ns() + round(after_s * NS_PER_S)
    return lambda: CLOCK.now_ns() >= end_ns


def has_owner(bus: str) -> bytes:
    words = ["dbus-send", f"--bus={bus}", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]
    argv = [*words, "org.freedesktop.DBus.NameHasOwner", f"string:{NAME}"]
    return subprocess.run(argv, check=True, capture_output=True).stdout
