"""Classifies key presses, and rounds their times. Which key it was does not leave this module, and is not stored in it.

An input source passes on what the display server says of a press: the symbol of the key in the active group, what
is held, and the Latin letters that the key has elsewhere (`KeyPress`). Nothing is remembered between presses, so
latched and locked modifiers count as they do for programs. `class_of_name` and `class_of_character` are the one table
of what a press means; imported recordings are read by it too (`daemon.replay.imports.agentnet.input`): features
must not depend on where a session comes from.

Shortcuts go by the letter that the active group gives the key (on a German keyboard undo lies where others have Y).
Where that is no Latin letter, programs differ in what they fall back on (`Fallback`).

No exact time of a key leaves capture, because the rhythm of typing tells who types. A key has the time at which its
cell of `GRID_NS` began, and equal neighbors in a cell are one record with a count. Times are rounded down: a record
of a time that has not come would be invalid. Exact times decide what comes before what, so a key may follow a record
of a later `t_ns`, by less than a cell. Imported recordings are rounded by the same function.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from storage.records import EventKind, InputEvent, KeyClass, Record

_NAMES = {
    0xFF08: "backspace",
    0xFF09: "tab",
    0xFE20: "tab",  # with Shift
    0xFF0D: "enter",
    0xFE34: "enter",
    0xFF1B: "esc",
    0x0020: "space",
    0xFF50: "home",
    0xFF51: "left",
    0xFF52: "up",
    0xFF53: "right",
    0xFF54: "down",
    0xFF55: "page_up",
    0xFF56: "page_down",
    0xFF57: "end",
    0xFF63: "insert",
    0xFFFF: "delete",
    0xFF67: "menu",
    **{0xFFBE + number: f"f{number + 1}" for number in range(24)},
    # the keypad's
    0xFF89: "tab",
    0xFF8D: "enter",
    **{0xFF91 + number: f"f{number + 1}" for number in range(4)},
    **dict(
        zip(range(0xFF95, 0xFF9D), ("home", "left", "up", "right", "down", "page_up", "page_down", "end"), strict=True)
    ),
    0xFF9E: "insert",
    0xFF9F: "delete",
}
"""Keys that have a name rather than a character, by keysym (X11 and Wayland share the numbers)."""

_MODIFIERS = frozenset((*range(0xFE01, 0xFE14), 0xFF14, 0xFF7E, 0xFF7F, *range(0xFFE1, 0xFFEF)))
"""Keys that change others, and those that change the group of the keyboard."""

_CHARACTERS = (
    range(0x20, 0x7F),
    range(0xA0, 0xFD00),
    range(0xFE50, 0xFE94),  # dead keys
    (0xFF80, 0xFFBD, *range(0xFFAA, 0xFFBA)),  # the keypad's
    range(0x1000000, 0x1110000),  # Unicode
)
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
    0x1005FF72: KeyClass.COPY,
    0x1005FF74: KeyClass.PASTE,
    0x1005FF75: KeyClass.CUT,
    0x1008FF57: KeyClass.COPY,
    0x1008FF58: KeyClass.CUT,
    0x1008FF6D: KeyClass.PASTE,
    0x1008FF77: KeyClass.SAVE,
}
"""Keys of their own on some keyboards."""


class Fallback(Enum):
    """Which Latin letter a program takes for a shortcut where the active group gives the key none."""

    GROUPS = "groups"
    """That of the first group that gives the key one: GTK, Qt, Firefox."""
    US = "us"
    """The letter at this place of a US keyboard: Chromium, and what is built on it."""


_US_FALLBACK = (
    *(
        "brave",
        "chrome",
        "chromium",
        "com.brave",
        "com.google.chrome",
        "com.microsoft.edge",
        "com.opera",
        "com.vivaldi",
    ),
    *("google-chrome", "microsoft-edge", "net.thorium", "opera", "org.chromium", "thorium", "ungoogled", "vivaldi"),
    *("code", "codium", "cursor", "discord", "electron", "element", "figma", "mattermost", "notion", "obsidian"),
    *("postman", "signal", "slack", "spotify", "teams", "vscodium", "zettlr"),
)
"""Beginnings of the names of programs built on Chromium, up to a mark or a digit: `code-oss`, and not `codeblocks`."""


def fallback_of(app: str) -> Fallback:
    """Return how a program finds shortcuts on a keyboard without Latin letters, by its name."""
    app = app.lower()
    built = any(app.startswith(name) and not app[len(name) : len(name) + 1].isalpha() for name in _US_FALLBACK)
    return Fallback.US if built else Fallback.GROUPS


class KeyPress(NamedTuple):
    """A key press as a display server describes it."""

    keysym: int
    """The symbol in the active group, at the level that the modifiers choose; 0 if there is none."""
    letter: str = ""
    """The Latin letter (a-z) that the active group gives the key."""
    other_letter: str = ""
    """Where it gives another script's: the Latin letter in the first group that has one here."""
    us_letter: str = ""
    """Where it gives another script's: the letter at this place of a US keyboard."""
    shift: bool = False
    ctrl: bool = False
    alt: bool = False
    logo: bool = False


US_LETTERS = {
    first + at: letter
    for first, row in {16: "qwertyuiop", 30: "asdfghjkl", 44: "zxcvbnm"}.items()
    for at, letter in enumerate(row)
}
"""Letters of a US keyboard by the kernel's number of their keys."""

_LATIN_END = 0x100
"""Keysyms below are characters of Latin-1: a group that has one here is not of another script."""


def with_letters(press: KeyPress, level: int, active: int, groups: Iterable[int], code: int) -> KeyPress:
    """Return a press with its letters: level and first symbol in the active group, in each, and the kernel's number."""
    letter = _letter(press.keysym)
    if not letter and (
        level <= 1 or not press.keysym
    ):  # with AltGr a key is what it writes then: no undo, but a symbol
        letter = _letter(active)
    if letter or active < _LATIN_END:
        return press._replace(letter=letter)
    other = next(filter(None, map(_letter, groups)), "")
    return press._replace(other_letter=other, us_letter=US_LETTERS.get(code, ""))


def _letter(keysym: int) -> str:
    letter = chr(keysym).lower() if keysym < _LATIN_END else ""
    return letter if "a" <= letter <= "z" else ""


def class_of_press(press: KeyPress, fallback: Fallback = Fallback.GROUPS) -> KeyClass:
    """Return the class of a press; `fallback` is that of the program which gets it."""
    keysym, ctrl, alt, shift = press.keysym, press.ctrl, press.alt, press.shift
    if keysym in _MODIFIERS:
        return KeyClass.MODIFIER
    if keysym in _KEYSYMS:
        return _KEYSYMS[keysym]
    if press.logo:
        return KeyClass.SHORTCUT  # the desktop's, for windows
    if (name := _NAMES.get(keysym)) is not None:
        return class_of_name(name, ctrl=ctrl, alt=alt, shift=shift)
    if not any(keysym in symbols for symbols in _CHARACTERS):
        return KeyClass.OTHER
    letter = press.letter or (press.other_letter if fallback is Fallback.GROUPS else press.us_letter)
    return class_of_character(letter, ctrl=ctrl, alt=alt, shift=shift)


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
            if isinstance(record, InputEvent) and record.kind is EventKind.PROTECTED:
                yield replace(record, t_ns=cell_start(record.t_ns))
            else:
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
