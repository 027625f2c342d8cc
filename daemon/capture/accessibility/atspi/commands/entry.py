"""An entry of a menu as a program gives it, and its name and key as people read them. Pure; all is foreign text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from storage.plain_text import plain
from storage.records import ControlRole, ControlState

MAX_NAME = 100
MAX_HINT = 200
MAX_ENTRIES = 4_000
MAX_DEPTH = 8

_DOTS = re.compile(r"\s*(?:\.{3}|…)\s*$")
_MNEMONIC = re.compile(r"_(.)", re.DOTALL)
_MNEMONIC_BEHIND = re.compile(r"\s*\(_?&?\w\)(?=\s*(?:\.{3}|…|:)?\s*$)")
"""Languages without Latin letters put it behind: "打开(_O)..."."""

_MODIFIERS: Mapping[str, str] = {
    **dict.fromkeys(("primary", "control", "ctrl", "ctl", "strg"), "Ctrl"),
    **dict.fromkeys(("alt", "mod1"), "Alt"),
    **dict.fromkeys(("shift", "umschalt"), "Shift"),
    **dict.fromkeys(("super", "mod4", "meta"), "Super"),
}
_ORDER = ("Ctrl", "Alt", "Shift", "Super")
_KEYS: Mapping[str, str] = {
    **dict(
        zip(("plus", "minus", "equal", "comma", "period", "slash", "backslash", "semicolon"), "+-=,./\\;", strict=True)
    ),
    **dict(zip(("colon", "grave", "apostrophe", "bracketleft", "bracketright", "question"), ":`'[]?", strict=True)),
    "prior": "PgUp",
    "page_up": "PgUp",
    "next": "PgDown",
    "page_down": "PgDown",
    "pgdown": "PgDown",
    "pgup": "PgUp",
    "return": "Enter",
    "escape": "Esc",
    "del": "Delete",
    "ins": "Insert",
}
_ANGLED = re.compile(r"<(\w+)>")
_ANY_MODIFIER = re.compile(r"(?i)^(ctrl|strg|shift|umschalt|alt|meta)\+(?=.)")
_KEYS_BEHIND = re.compile(r"(?i)\s*\(((?:(?:ctrl|strg|shift|umschalt|alt|meta)\+)+[^\s()]{1,12}|F\d{1,2})\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuEntry:
    """One entry: the names down to it, as they are shown, and what the program says of it.

    `marked` is whether a letter of its name opens it, as in nearly all that was named by who made the program.
    `chosen_from`: it is one of several of which one is set. `holds` is how many entries are below it; None for none.
    """

    path: tuple[str, ...]
    role: ControlRole = ControlRole.MENU_ITEM
    state: ControlState = ControlState.PLAIN
    keys: str = ""
    hint: str = ""
    marked: bool = False
    chosen_from: bool = False
    holds: int | None = None
    in_menu: bool = True


def shown_name(name: str) -> str:
    """Return a name as it is shown, on one line, without what a terminal would act on; cut where it is too long."""
    return " ".join(plain(name, MAX_NAME).split())


def without_dots(name: str) -> str:
    """Return a name without the dots that say that a dialog follows."""
    return _DOTS.sub("", name)


def without_mnemonic(label: str, sign: str = "_") -> tuple[str, bool]:
    """Return a label without the sign before the letter that opens it, and whether it has one."""
    if sign not in label and "(" not in label:
        return label, False
    bare = _MNEMONIC_BEHIND.sub("", label)
    if bare != label:
        return bare.replace(2 * sign, sign), True
    marked = sign in label.replace(2 * sign, "")
    return (_MNEMONIC if sign == "_" else re.compile(f"{sign}(.)", re.DOTALL)).sub(r"\1", label), marked


def without_keys(name: str) -> tuple[str, str]:
    """Return the name or tip of a button without the shortcut behind it, as in "New tab (Ctrl+T)", and that."""
    found = _KEYS_BEHIND.search(name)
    return (name, "") if found is None else (name[: found.start()], shown_keys(found[1]))


def shown_hint(hint: str, name: str) -> str:
    """Return a tip on one line; nothing where it only says the name again."""
    shown = " ".join(plain(hint, MAX_HINT).split())
    return "" if shown.casefold().rstrip(".…") == name.casefold().rstrip(".…") else shown


def shown_keys(keys: str) -> str:
    """Return a shortcut as people write it: "<Primary><Shift>b" and "Ctrl+Shift+B" become the same; empty for none."""
    modifiers = {_MODIFIERS.get(found.lower(), "") for found in _ANGLED.findall(keys)}
    rest = _ANGLED.sub("", keys).strip()
    while (found := _ANY_MODIFIER.match(rest)) is not None:
        modifiers.add(_MODIFIERS[found[1].lower()])
        rest = rest[found.end() :]
    first, *others = rest.split(", ") if len(rest) > 1 else [rest]
    if not first or len(rest) > MAX_NAME or "" in modifiers:
        return ""
    key = _KEYS.get(first.lower(), first.upper() if len(first) == 1 else first[0].upper() + first[1:])
    chord = "+".join([*(name for name in _ORDER if name in modifiers), key])
    return ", ".join([chord, *others])
