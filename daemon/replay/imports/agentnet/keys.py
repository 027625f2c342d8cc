"""Reduces a recorder's key names to key classes at once: `KeyReader.press` stores no name.

The names are pynput's (`ctrl_l`, `page_up`, `a`), also with `Key.` before them, as a control character, or as the
capital letter that some recorders write instead of one. What a press means is decided by the table of our own capture;
here names are brought into its form, and what differs by system stands: commands go with the command key on a Mac,
where Option types characters, and Windows reports AltGr as Ctrl and AltGr.
"""

from daemon.capture.keys import MODIFIERS, class_of_character, class_of_name
from storage.records import KeyClass

_ALIASES = {
    "control": "ctrl",
    "option": "alt",
    "altgr": "alt_gr",
    **dict.fromkeys(("command", "super", "win", "windows", "meta"), "cmd"),
    **dict.fromkeys(("capslock", "caps lock"), "caps_lock"),
    "numlock": "num_lock",
    "scrolllock": "scroll_lock",
    " ": "space",
    **dict.fromkeys(("return", "numpad_enter"), "enter"),
    "del": "delete",
    "escape": "esc",
    **dict.fromkeys(("apps", "context_menu"), "menu"),
    "help": "f1",
    **dict.fromkeys(("pageup", "page up"), "page_up"),
    **dict.fromkeys(("pagedown", "page down"), "page_down"),
}
_SIDES = ("_l", "_r", "left", "right")
_SPACE = 0x20
_LETTERS = 0x40


class KeyReader:
    """Converts presses to key classes; stores only which modifiers are down."""

    def __init__(self, *, mac: bool) -> None:
        """Start with no modifier down, for a recording from a Mac or from elsewhere."""
        self._mac = mac
        self._down: set[str] = set()

    def press(self, name: str) -> KeyClass:
        """Return the class of a key press."""
        key = _plain(name)
        if key in MODIFIERS:
            self._down.add(key)
            return KeyClass.MODIFIER
        return self._classify_on_mac(key) if self._mac else self._classify(key)

    def release(self, name: str) -> None:
        """Note that a modifier is no longer down."""
        self._down.discard(_plain(name))

    def _classify(self, key: str) -> KeyClass:
        ctrl = bool(self._down & {"ctrl", "cmd"}) and "alt_gr" not in self._down
        return _class_of(key, ctrl=ctrl, alt="alt" in self._down, shift="shift" in self._down)

    def _classify_on_mac(self, key: str) -> KeyClass:
        command = "cmd" in self._down
        if len(key) == 1 and "ctrl" in self._down and not command:
            return KeyClass.SHORTCUT
        alt = command and "alt" in self._down
        return _class_of(key, ctrl=command, alt=alt, shift="shift" in self._down and key != "delete")


def _class_of(key: str, *, ctrl: bool, alt: bool, shift: bool) -> KeyClass:
    if len(key) == 1:
        return class_of_character(key, ctrl=ctrl, alt=alt, shift=shift)
    return class_of_name(key, ctrl=ctrl, alt=alt, shift=shift)


def _plain(name: str) -> str:
    """Return the name as our own capture has it, a modifier without its side; a control character as its letter."""
    if len(name) == 1:
        name = (chr(ord(name) + _LETTERS) if ord(name) < _SPACE else name).lower()
        return _ALIASES.get(name, name)
    key = name.removeprefix("Key.").lower()
    for side in _SIDES:
        whole = _ALIASES.get(key.removesuffix(side), key.removesuffix(side))
        if key.endswith(side) and whole in MODIFIERS:
            return whole
    return _ALIASES.get(key, key)
