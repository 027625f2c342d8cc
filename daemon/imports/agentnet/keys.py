"""Reduces a recorder's key names to key classes at once: `KeyReader.press` stores no name.

The names are pynput's (`ctrl_l`, `page_up`, `a`), also with `Key.` before them, as a control character, or as the
capital letter that some recorders write instead of one.
"""

from storage.records import KeyClass

_MODIFIERS = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "shift": "shift",
    "fn": "fn",
    **dict.fromkeys(("alt", "option"), "alt"),
    **dict.fromkeys(("alt_gr", "altgr"), "alt_gr"),
    **dict.fromkeys(("cmd", "command", "super", "win", "windows", "meta"), "cmd"),
}
_LOCKS = {"caps_lock", "capslock", "caps lock", "num_lock", "numlock", "scroll_lock", "scrolllock"}
_CLASSES = {
    "tab": KeyClass.TAB,
    "backspace": KeyClass.BACKSPACE,
    "space": KeyClass.CHARACTER,
    **dict.fromkeys(("enter", "return", "numpad_enter"), KeyClass.ENTER),
    **dict.fromkeys(("delete", "del"), KeyClass.DELETE),
    **dict.fromkeys(("esc", "escape"), KeyClass.ESCAPE),
    **dict.fromkeys(("menu", "apps", "context_menu"), KeyClass.MENU),
    **dict.fromkeys(("f1", "help"), KeyClass.HELP),
    **dict.fromkeys(("up", "down", "left", "right", "home", "end"), KeyClass.NAVIGATION),
    **dict.fromkeys(("page_up", "page_down", "pageup", "pagedown", "page up", "page down"), KeyClass.NAVIGATION),
    **{f"f{number}": KeyClass.FUNCTION for number in range(2, 25)},
}
_SHORTCUTS = {
    "z": KeyClass.UNDO,
    "y": KeyClass.REDO,
    "c": KeyClass.COPY,
    "x": KeyClass.CUT,
    "v": KeyClass.PASTE,
    "s": KeyClass.SAVE,
    "f": KeyClass.FIND,
    "a": KeyClass.SELECT_ALL,
}
_SPACE = 0x20
_LETTERS = 0x40


class KeyReader:
    """Converts presses to key classes; stores only which modifiers are down."""

    def __init__(self, *, mac: bool) -> None:
        """Start with no modifier down; on a Mac commands go with the command key and Option types characters."""
        self._mac = mac
        self._down: set[str] = set()

    def press(self, name: str) -> KeyClass:
        """Return the class of a key press."""
        key = _plain(name)
        modifier = _modifier(key)
        if modifier is not None:
            self._down.add(modifier)
            return KeyClass.MODIFIER
        if key in _LOCKS:
            return KeyClass.MODIFIER
        return self._classify(key)

    def release(self, name: str) -> None:
        """Note that a modifier is no longer down."""
        modifier = _modifier(_plain(name))
        if modifier is not None:
            self._down.discard(modifier)

    def _classify(self, key: str) -> KeyClass:
        command = ("cmd" if self._mac else "ctrl") in self._down
        shift = "shift" in self._down
        if key == "insert":
            return KeyClass.PASTE if shift else KeyClass.COPY if command else KeyClass.OTHER
        if key == "delete" and shift and not self._mac:
            return KeyClass.CUT
        if key in _CLASSES:
            return _CLASSES[key]
        if len(key) != 1:
            return KeyClass.OTHER
        if "alt_gr" in self._down or (self._mac and "alt" in self._down and not command):
            return KeyClass.CHARACTER
        if command and "alt" not in self._down:
            if key == "z" and shift:
                return KeyClass.REDO
            return _SHORTCUTS.get(key, KeyClass.SHORTCUT) if not shift else KeyClass.SHORTCUT
        if self._down & {"ctrl", "alt", "cmd"}:
            return KeyClass.SHORTCUT
        return KeyClass.CHARACTER


def _plain(name: str) -> str:
    """Return the name without `Key.` and side, in lower case; a control character as its letter."""
    if len(name) == 1:
        return (chr(ord(name) + _LETTERS) if ord(name) < _SPACE else name).lower()
    return name.removeprefix("Key.").lower()


def _modifier(key: str) -> str | None:
    for side in ("_l", "_r", "left", "right"):
        if key.endswith(side) and key.removesuffix(side) in _MODIFIERS:
            return _MODIFIERS[key.removesuffix(side)]
    return _MODIFIERS.get(key)
