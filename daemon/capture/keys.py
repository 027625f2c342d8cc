"""Classifies key presses, and rounds their times. Which key it was does not leave this module, and is not stored in it.

`class_of_name` and `class_of_character` are the one table of what a press means; imported recordings are read by it too
(`daemon.replay.imports.agentnet.input`), because features must not depend on where a session comes from.

Shortcuts go by the letter that the layout gives the key (on a German keyboard undo lies where others have Y); on
layouts without Latin letters by the letter that the same key has in another group.

No exact time of a key leaves capture, because the rhythm of typing tells who types. A key has the time at which its
cell of `GRID_NS` began, and equal neighbors in a cell are one record with a count. Times are rounded down: a record
of a time that has not come would be invalid. Exact times decide what comes before what, so a key may follow a record
of a later `t_ns`, by less than a cell. Imported recordings are rounded by the same function.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from storage.records import EventKind, InputEvent, KeyClass, Record

MODIFIERS = {
    **dict.fromkeys(("ctrl", "ctrl_l", "ctrl_r"), "ctrl"),
    **dict.fromkeys(("alt", "alt_l", "alt_r"), "alt"),
    **dict.fromkeys(("shift", "shift_l", "shift_r"), "shift"),
    **dict.fromkeys(("cmd", "cmd_l", "cmd_r"), "cmd"),
    **dict.fromkeys(("alt_gr", "fn", "caps_lock", "num_lock", "scroll_lock"), ""),
}
"""Names of keys that change others, and what they count as; empty: they change which character it is, or nothing."""

_NAMED = {
    "enter": KeyClass.ENTER,
    "tab": KeyClass.TAB,
    "backspace": KeyClass.BACKSPACE,
    "delete": KeyClass.DELETE,
    "esc": KeyClass.ESCAPE,
    "space": KeyClass.CHARACTER,
    "menu": KeyClass.MENU,
    "f1": KeyClass.HELP,
    "f10": KeyClass.MENU,
    **dict.fromkeys(("left", "right", "up", "down", "home", "end", "page_up", "page_down"), KeyClass.NAVIGATION),
    **{f"f{number}": KeyClass.FUNCTION for number in range(2, 25) if number != 10},  # noqa: PLR2004  # F10: the menu
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
_KEYSYMS = {
    0xFF65: KeyClass.UNDO,
    0xFF66: KeyClass.REDO,
    0xFF68: KeyClass.FIND,
    0xFF6A: KeyClass.HELP,
    0x1008FF57: KeyClass.COPY,
    0x1008FF58: KeyClass.CUT,
    0x1008FF6D: KeyClass.PASTE,
    0x1008FF77: KeyClass.SAVE,
}
"""Keys of their own on some keyboards, by keysym (X11 and Wayland share the numbers)."""


class Key(Protocol):
    """A key as a backend reports it: a `name` (`ctrl_l`, `f1`), or a `char` with its keysym `vk` and `is_dead`.

    Backends pass on the objects of their library: a conversion would cost time for each event.
    """


class KeyClassifier:
    """Turns key presses into classes; tracks which modifiers are down."""

    def __init__(self) -> None:
        """Start with no modifier down and a Latin layout."""
        self._down: set[str] = set()
        self._latin: Mapping[int, str] = {}

    def use_layout(self, latin: Mapping[int, str]) -> None:
        """Take the Latin letter on the key of each keysym; may be called from another thread."""
        self._latin = latin

    def reset(self) -> None:
        """Reset which modifiers are down: releases may have been missed."""
        self._down.clear()

    @property
    def is_commanding(self) -> bool:
        """Whether Ctrl or the key with the logo is down: Enter runs something then."""
        return bool(self._down & {"ctrl", "cmd"})

    def press(self, key: Key | None) -> KeyClass:
        """Return the class of a press."""
        name = getattr(key, "name", None)
        if isinstance(name, str) and name in MODIFIERS:
            self._down.add(MODIFIERS[name])
            return KeyClass.MODIFIER
        ctrl, alt, shift = self.is_commanding, "alt" in self._down, "shift" in self._down
        if isinstance(name, str):
            return class_of_name(name, ctrl=ctrl, alt=alt, shift=shift)
        char, keysym = getattr(key, "char", None), getattr(key, "vk", None)
        if keysym in _KEYSYMS:
            return _KEYSYMS[keysym]
        if ctrl:
            letter = char.lower() if isinstance(char, str) else ""
            if not ("a" <= letter <= "z") and isinstance(keysym, int):
                letter = self._latin.get(keysym, letter)
            return class_of_character(letter, ctrl=ctrl, alt=alt, shift=shift)
        if char is None and not getattr(key, "is_dead", False):
            return KeyClass.OTHER
        return class_of_character("", ctrl=ctrl, alt=alt, shift=shift)

    def release(self, key: Key | None) -> None:
        """Track the release of a modifier."""
        name = getattr(key, "name", None)
        if isinstance(name, str):
            self._down.discard(MODIFIERS.get(name, ""))


def class_of_character(character: str, *, ctrl: bool, alt: bool, shift: bool) -> KeyClass:
    """Return the class of a key that enters a character; without `ctrl` it does not matter which."""
    if not ctrl:
        return KeyClass.MENU if alt else KeyClass.CHARACTER
    if character == "z" and shift:
        return KeyClass.REDO
    return KeyClass.SHORTCUT if alt else _SHORTCUTS.get(character, KeyClass.SHORTCUT)


def class_of_name(name: str, *, ctrl: bool, alt: bool, shift: bool) -> KeyClass:
    """Return the class of a key that has a name rather than a character."""
    if name == "insert":
        return KeyClass.COPY if ctrl else KeyClass.PASTE if shift else KeyClass.OTHER
    if name == "delete" and shift:
        return KeyClass.CUT
    if name == "backspace" and alt and not ctrl:
        return KeyClass.UNDO
    if alt and name in {"tab", "esc", "f4", "space"}:
        return KeyClass.SHORTCUT  # these change windows, they enter nothing
    if ctrl and name == "space":
        return KeyClass.SHORTCUT
    return _NAMED.get(name, KeyClass.OTHER)


GRID_NS = 50_000_000
"""Estimates and offers hardly notice it; a coarser one moves features of rhythm (lab/docs/decisions.md)."""


def cell_start(t_ns: int) -> int:
    """Return when the cell began that a time lies in."""
    return t_ns - t_ns % GRID_NS


def cell_end(t_ns: int) -> int:
    """Return when the next cell begins."""
    return cell_start(t_ns) + GRID_NS


def with_coarse_keys(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records in their order, with the times of keys rounded and equal neighbors in a cell merged.

    A merged record has the `at_ns` of its last key, if any: it was not there before.
    """
    run: InputEvent | None = None
    for record in records:
        if not isinstance(record, InputEvent) or record.kind is not EventKind.KEY:
            if run is not None:
                yield run
                run = None
            yield record
            continue
        key = replace(record, t_ns=cell_start(record.t_ns))
        if run is None:
            run = key
        elif (run.t_ns, run.key_class, run.own) == (key.t_ns, key.key_class, key.own):
            run = replace(key, count=run.count + key.count)
        else:
            yield run
            run = key
    if run is not None:
        yield run
