"""Keys by the server's own map: what was undone is what the focused program undid, whatever layouts there are."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest
from Xlib.protocol import rq

from daemon.capture.gate import Gate
from daemon.capture.input import InputQueue
from daemon.capture.x11 import keymap
from daemon.capture.x11.input import InputListener
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, open_display, poll
from storage.clock import SystemClock
from storage.records import KeyClass
from tests.fakes.desktop import shortcut_probe

pytestmark = pytest.mark.display

LAYOUTS = (
    *("us,de", "de,fr", "fr,us", "us,ru", "ru,de", "gr,fr", "il,us", "us(dvorak),us", "ch,ru", "us,ara", "cz,us"),
    *("es,bg", "us,de,ru"),
)
CTRL, SHIFT, F12, ALTGR = 37, 50, 96, 108
LETTER_KEYS = (*range(24, 34), *range(38, 47), *range(52, 59))
"""Keycodes of the letters of a US keyboard."""

PROBES = {"qt": [sys.executable, "-m", "tests.fakes.desktop.shortcut_probe"]}
PROBES |= {kind: ["/usr/bin/python3", str(shortcut_probe.__file__), kind] for kind in ("gtk3", "gtk4")}
START_S = 60.0
SHORTCUTS = {KeyClass(name) for name in shortcut_probe.SHORTCUTS}


class _LatchLockState(rq.Request):
    """XKB's request to lock a group, and to lock or latch modifiers."""

    _request = rq.Struct(
        *(rq.Card8("opcode"), rq.Opcode(5), rq.RequestLength(), rq.Card16("device")),
        *(rq.Card8("affect_locks"), rq.Card8("locks"), rq.Card8("lock_group"), rq.Card8("group")),
        *(rq.Card8("affect_latches"), rq.Card8("latches"), rq.Pad(1), rq.Card8("latch_group"), rq.Card16("latched")),
    )


class Keyboard:
    """A keyboard whose keys go to a window with shortcuts, and to capture."""

    def __init__(self, desktop: VirtualDesktop, log: Path, kind: str) -> None:
        self._desktop, self._log = desktop, log
        self._display = open_display(desktop.env)
        keymap._UseExtension(display=self._display.display, opcode=self._xkb, wanted_major=1, wanted_minor=0)
        self._program = desktop.spawn(PROBES[kind], "probe", log=log)
        windows = Windows(self._display)
        windows.activate(windows.wait(None, shortcut_probe.TITLE, timeout_s=START_S))
        gate = Gate()
        self.queue = InputQueue(SystemClock(), gate, lambda: None)
        gate.open()
        with desktop.entered():
            self._listener = InputListener(self.queue)
        self.queue.accept_from(gate.epoch, 1)
        self._read = len(self._log.read_text(errors="replace").split())

    @property
    def _xkb(self) -> int:
        extension = self._display.query_extension("XKEYBOARD")
        assert extension is not None
        return int(extension.major_opcode)

    def close(self) -> None:
        with self._desktop.entered():
            self._listener.stop()
        self._desktop.stop(self._program)
        self._display.close()

    def use(self, layouts: str) -> None:
        names, _, variant = layouts.partition("(")
        variant = variant.rstrip("),us") if variant else ""
        words = ["setxkbmap", names if not variant else "us,us", "-variant", f"{variant}," if variant else ""]
        subprocess.run(words, env=self._desktop.env, check=True)

    def set_state(self, *, group: int = 0, latches: int = 0) -> None:
        """Lock a group, and latch modifiers for the next key."""
        _LatchLockState(
            display=self._display.display,
            opcode=self._xkb,
            device=0x100,
            affect_locks=0xFF,
            locks=0,
            lock_group=1,
            group=group,
            affect_latches=latches,
            latches=latches,
            latch_group=0,
            latched=0,
        )
        self._display.sync()

    def tap(self, *keycodes: int) -> None:
        for keycode in keycodes:
            xtest.fake_input(self._display, X.KeyPress, keycode)
        for keycode in reversed(keycodes):
            xtest.fake_input(self._display, X.KeyRelease, keycode)
        self._display.sync()

    def understood(self) -> list[str]:
        def ended() -> list[str] | None:
            words = self._log.read_text(errors="replace").split()
            return words[self._read :] if "end" in words[self._read :] else None

        self.tap(F12)
        words: list[str] = poll(ended, what="the end of a round", timeout_s=START_S)
        self._read += len(words)
        return [word for word in words if word in shortcut_probe.SHORTCUTS]

    def captured(self) -> list[KeyClass]:
        """Return the classes of the presses of a round that has ended, without those of modifiers."""
        found: list[KeyClass] = []

        def ended() -> bool | None:
            found.extend(event.key_class for event in self.queue.drain()[0] if event.key_class is not None)
            return KeyClass.FUNCTION in found or None

        poll(ended, what="the end of a round", timeout_s=START_S)
        return [key_class for key_class in found if key_class not in (KeyClass.MODIFIER, KeyClass.FUNCTION)]


@pytest.fixture
def keyboard(bare_desktop: VirtualDesktop, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Keyboard]:
    made = Keyboard(bare_desktop, tmp_path / "probe.log", getattr(request, "param", "qt"))
    yield made
    made.close()


def campaign(keyboard: Keyboard) -> tuple[int, list[str]]:
    """Press Ctrl with every letter key in each group of all layouts; return how many, and what was misread."""
    total, misread = 0, []
    for layouts in LAYOUTS:
        keyboard.use(layouts)
        for group in range(layouts.count(",") + 1):
            keyboard.set_state(group=group)
            for keycode in LETTER_KEYS:
                keyboard.tap(CTRL, keycode)
            understood = keyboard.understood()
            captured = [str(key_class) for key_class in keyboard.captured() if key_class in SHORTCUTS]
            total += len(understood)
            if understood != captured:
                misread.append(f"{layouts} {group}: {understood} but {captured}")
    return total, misread


@pytest.mark.parametrize("keyboard", ["qt"], indirect=True)
def test_shortcuts_are_what_the_focused_program_understands(keyboard: Keyboard) -> None:
    """In every group of pairs of layouts, set while capture runs: the program's own log is the truth."""
    total, misread = campaign(keyboard)
    assert misread == []
    assert total > 8 * len(LAYOUTS)


@pytest.mark.parametrize("keyboard", ["qt"], indirect=True)
def test_control_without_groups_shortcuts_are_misread(keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read by the first group alone, many are another thing than the program did."""
    press = keymap.Keymap.press
    monkeypatch.setattr(keymap.Keymap, "press", lambda self, keycode, state: press(self, keycode, state & 0x1FFF))
    assert len(campaign(keyboard)[1]) > len(LAYOUTS) / 2


@pytest.mark.parametrize(
    "keyboard", ["qt", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("gtk3", "gtk4"))], indirect=True
)
def test_with_altgr_no_shortcut_is_claimed_that_the_program_does_not_do(keyboard: Keyboard) -> None:
    """It writes another sign then. GTK takes that for no shortcut; Qt takes the letter, which no event tells apart."""
    claimed = []
    for layouts in ("de", "fr", "us(altgr-intl)", "pl"):
        keyboard.use(layouts)
        for keycode in LETTER_KEYS:
            keyboard.tap(CTRL, ALTGR, keycode)
        understood = keyboard.understood()
        captured = [str(key_class) for key_class in keyboard.captured() if key_class in SHORTCUTS]
        claimed += [f"{layouts}: {name}" for name in captured if name not in understood]
    assert claimed == []


@pytest.mark.slow
@pytest.mark.parametrize("keyboard", ["gtk3", "gtk4"], indirect=True)
def test_toolkits_fall_back_on_latin_letters_alike(keyboard: Keyboard) -> None:
    """GTK 3 and 4, but for named limits.

    Beside a group without Latin letters they choose by chance between two that have some; and where a group of another
    script has a punctuation mark they take the letter of another group all the same.
    """
    limits = ("us,de,ru 2:", "gr,fr 0:", "il,us 0:")
    assert [line for line in campaign(keyboard)[1] if not line.startswith(limits)] == []


def test_latched_modifiers_count_for_the_next_key(keyboard: Keyboard) -> None:
    """As with sticky keys: Ctrl is pressed and let go, then Z; the key after that types."""
    keyboard.set_state(latches=X.ControlMask)
    keyboard.tap(52)
    keyboard.tap(52)
    keyboard.set_state(latches=X.ControlMask | X.ShiftMask)
    keyboard.tap(52)
    assert keyboard.understood() == ["undo", "redo"]
    assert keyboard.captured() == [KeyClass.UNDO, KeyClass.CHARACTER, KeyClass.REDO]


def test_without_xkb_the_core_table_is_read(keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    """As some remote servers have it turned off: one group, two levels."""
    monkeypatch.setattr(keymap, "_xkb_keys", lambda *_: None)
    keyboard.tap(CTRL, 52)
    keyboard.tap(CTRL, SHIFT, 52)
    keyboard.tap(52)
    assert keyboard.understood() == ["undo", "redo"]
    assert keyboard.captured() == [KeyClass.UNDO, KeyClass.REDO, KeyClass.CHARACTER]


def test_a_key_that_is_bound_for_a_moment_is_read_by_that_binding(keyboard: Keyboard) -> None:
    """Tools bind a spare key to a letter that the layout lacks, press it, wait a moment, and bind it back."""
    display: Display = keyboard._display
    display.change_keyboard_mapping(247, [(0x06D1, 0x06F1)])
    keyboard.tap(247)
    SystemClock().sleep_s(0.2)
    display.change_keyboard_mapping(247, [(0xFF65, 0xFF65)])
    keyboard.tap(247)
    keyboard.understood()
    assert keyboard.captured() == [KeyClass.CHARACTER, KeyClass.UNDO]
