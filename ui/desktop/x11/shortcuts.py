"""Global shortcuts under X11: the server hands over just these keys, whatever program is in front, and no others.

A passive grab is asked for each combination, on a connection of its own. No key but those set is ever seen here, none
is logged, and those for the card are held only while something of ours is there to reach. Wayland has no such thing.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations

from PySide6.QtCore import QSocketNotifier, QTimer
from Xlib import XK, X
from Xlib.display import Display
from Xlib.error import BadAccess, CatchError, ConnectionClosedError, DisplayError, XError
from Xlib.protocol.event import KeyPress, KeyRelease, MappingNotify

from storage.settings import InterfaceSettings
from ui.desktop.protocol import Shortcuts
from ui.views.shortcuts import Modifier, Shortcut, ShortcutCommand, parse_shortcut

_FAULTS = (DisplayError, ConnectionClosedError, XError, OSError)
_SYMBOLS = {
    Modifier.ALT: ("Alt_L", "Alt_R"),
    Modifier.SUPER: ("Super_L", "Super_R"),
}
_LOCKS = ("Num_Lock", "Scroll_Lock")
_MASKS = (
    X.ShiftMask,
    X.LockMask,
    X.ControlMask,
    X.Mod1Mask,
    X.Mod2Mask,
    X.Mod3Mask,
    X.Mod4Mask,
    X.Mod5Mask,
)
_MASK_BITS = 0xFF

Keys = tuple[int, int]  # a keycode, and the modifiers that are held with it, without locks


class X11Shortcuts(Shortcuts):
    """The shortcuts that are set, grabbed from the server."""

    def __init__(self, settings: InterfaceSettings) -> None:
        """Read the settings; nothing is grabbed yet."""
        super().__init__(settings)
        self._display: Display | None = None
        self._notifier: QSocketNotifier | None = None
        self._held: dict[Keys, ShortcutCommand] = {}
        self._commands: frozenset[ShortcutCommand] = frozenset()
        self._released: Keys = (0, 0)
        self._locks = X.LockMask
        self._variants = [0]

    def start(self) -> tuple[ShortcutCommand, ...]:
        """Try all shortcuts; return those that somebody else has. Only `hold` makes them work."""
        if not self._wanted or self._display is not None:
            return ()
        try:
            self._display = Display()
        except _FAULTS:
            return ()
        self._notifier = QSocketNotifier(self._display.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._read)
        taken = self._grab(self._wanted)
        self._release()
        self._commands = frozenset()  # a notice may have come up before, and asked for keys that could not be had yet
        return taken

    def hold(self, commands: Iterable[ShortcutCommand]) -> None:
        """Hold the shortcuts of these commands and no others; what is held already stays held all the while."""
        wanted = frozenset(commands)
        if wanted == self._commands:
            return
        self._commands = wanted
        for keys, command in tuple(self._held.items()):
            if command not in wanted:
                del self._held[keys]
                self._ungrab(keys)
        new = wanted - set(self._held.values())
        self._grab({command: shortcut for command, shortcut in self._wanted.items() if command in new})
        QTimer.singleShot(0, self, self._read)

    def close(self) -> None:
        """Give all keys back. A second call changes nothing."""
        display, self._display = self._display, None
        if display is None:
            return
        if self._notifier is not None:
            self._notifier.setEnabled(False)
        self._held = {}
        try:
            display.close()  # the server ends all grabs with the connection
        except _FAULTS:
            return

    def _regrab(self) -> None:
        self._release()
        self._grab({command: shortcut for command, shortcut in self._wanted.items() if command in self._commands})

    def _grab(self, shortcuts: Mapping[ShortcutCommand, Shortcut]) -> tuple[ShortcutCommand, ...]:
        display = self._display
        if display is None:
            return ()
        taken: list[ShortcutCommand] = []
        try:
            masks = _masks(display)
            each = [X.LockMask, *(mask for name, mask in masks.items() if name in _LOCKS)]
            self._variants = _with_and_without(each)
            self._locks = sum(set(each))
            root = display.screen().root
            for command, shortcut in shortcuts.items():
                keys = _keys(display, masks, shortcut)
                refused = CatchError(BadAccess)
                for extra in self._variants if keys is not None else ():
                    code, held = keys or (0, 0)
                    root.grab_key(code, held | extra, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
                display.sync()
                if keys is None or keys in self._held or refused.get_error() is not None:
                    taken.append(command)
                    self._ungrab(keys)
                else:
                    self._held[keys] = command
        except _FAULTS:
            self.close()
        return tuple(taken)

    def _ungrab(self, keys: Keys | None) -> None:
        """Give keys back, unless they are held for another command."""
        if keys is None or keys in self._held or self._display is None:
            return
        try:
            for extra in self._variants:
                self._display.screen().root.ungrab_key(keys[0], keys[1] | extra)
            self._display.sync()
        except _FAULTS:
            self.close()

    def _release(self) -> None:
        self._held = {}
        if self._display is None:
            return
        try:
            self._display.screen().root.ungrab_key(X.AnyKey, X.AnyModifier)
            self._display.sync()
        except _FAULTS:
            self.close()

    def _read(self) -> None:
        """Take in what the server has sent: presses and releases of these keys, and news of the keyboard's layout.

        Any answer of the server may bring events along, which then wake nobody: so the loop ends only without any.
        """
        try:
            while self._display is not None and self._display.pending_events():
                event = self._display.next_event()
                if isinstance(event, KeyPress):
                    self._on_press(event)
                elif isinstance(event, KeyRelease):
                    self._released = (event.detail, event.time)
                elif isinstance(event, MappingNotify):
                    self._display.refresh_keyboard_mapping(event)
                    if self._moved():
                        self._regrab()
        except _FAULTS:
            self.close()

    def _moved(self) -> bool:
        """Tell whether other keys are meant now. Else they stay grabbed: a press in between would be lost."""
        if self._display is None:
            return False
        masks = _masks(self._display)
        held = {_keys(self._display, masks, self._wanted[command]) for command in self._held.values()}
        return held != set(self._held)

    def _on_press(self, event: KeyPress) -> None:
        command = self._held.get((event.detail, event.state & _MASK_BITS & ~self._locks))
        if command is None:
            return
        if self._released != (event.detail, event.time):  # of a key held down X sends both with the same time
            self.pressed.emit(command)


def is_taken(text: str) -> bool:
    """Tell whether somebody has the keys of a shortcut, or they are not there; no where that cannot be told."""
    shortcut = parse_shortcut(text)
    if shortcut is None:
        return False
    try:
        display = Display()
    except _FAULTS:
        return False
    try:
        keys = _keys(display, _masks(display), shortcut)
        if keys is None:
            return True
        refused = CatchError(BadAccess)
        root = display.screen().root
        root.grab_key(*keys, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
        display.sync()
        return refused.get_error() is not None
    except _FAULTS:
        return False
    finally:
        display.close()  # which gives the keys back


def _keys(display: Display, masks: Mapping[str, int], shortcut: Shortcut) -> Keys | None:
    """Return the keys of a shortcut on this keyboard; None where it lacks one."""
    code = display.keysym_to_keycode(XK.string_to_keysym(shortcut.key))
    held = 0
    for modifier in shortcut.modifiers:
        if modifier is Modifier.CTRL:
            held |= X.ControlMask
        elif modifier is Modifier.SHIFT:
            held |= X.ShiftMask
        else:
            mask = next((masks[name] for name in _SYMBOLS[modifier] if name in masks), 0)
            if not mask:
                return None
            held |= mask
    return (code, held) if code else None


def _masks(display: Display) -> dict[str, int]:
    """Return which modifier each of the keys stands for that a shortcut or a lock may need."""
    names = (*_LOCKS, *_SYMBOLS[Modifier.ALT], *_SYMBOLS[Modifier.SUPER])
    codes = {display.keysym_to_keycode(XK.string_to_keysym(name)): name for name in names}
    found: dict[str, int] = {}
    for mask, row in zip(_MASKS, display.get_modifier_mapping(), strict=False):
        for code in row:
            if code and code in codes:
                found[codes[code]] = mask
    return found


def _with_and_without(masks: list[int]) -> list[int]:
    """Return every combination of these masks: a shortcut works whatever lock is on."""
    sets = (chosen for count in range(len(masks) + 1) for chosen in combinations(masks, count))
    return sorted({sum(set(chosen)) for chosen in sets})
