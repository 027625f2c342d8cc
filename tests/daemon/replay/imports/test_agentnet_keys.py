"""Key classes are the same in a recording as live: one table, whoever wrote the presses down."""

from collections.abc import Collection, Sequence
from itertools import chain, combinations

import pytest

from daemon.capture.keys import KeyPress, class_of_press
from daemon.replay.imports.agentnet.input import AgentNetKeys
from storage.records import KeyClass

HELD = {"ctrl_l": "ctrl", "alt_l": "alt", "shift": "shift", "alt_gr": ""}
"""Modifiers of a recording, and what live presses call them; AltGr only chooses the symbol. Of the key with the logo a
recording does not tell whether it is a Mac's."""

NAMED = {
    "enter": 0xFF0D,
    "tab": 0xFF09,
    "backspace": 0xFF08,
    "delete": 0xFFFF,
    "esc": 0xFF1B,
    "space": 0x20,
    "menu": 0xFF67,
    "insert": 0xFF63,
    "caps_lock": 0xFFE5,
    "num_lock": 0xFF7F,
    "media_next": 0x1008FF17,
    "left": 0xFF51,
    "right": 0xFF53,
    "up": 0xFF52,
    "down": 0xFF54,
    "home": 0xFF50,
    "end": 0xFF57,
    "page_up": 0xFF55,
    "page_down": 0xFF56,
    "ctrl_l": 0xFFE3,
    "alt_l": 0xFFE9,
    "shift": 0xFFE1,
    "cmd": 0xFFEB,
    "alt_gr": 0xFE03,
    **{f"f{number}": 0xFFBD + number for number in range(1, 21)},
}
"""Keysyms of keys by the names that recordings have for them."""

CHARACTERS = "abcdefghijklmnopqrstuvwxyz0159.-+"
LEFT_OUT = ({"ctrl_l", "alt_gr"},)  # Windows reports AltGr so, and there it types a character


def live_class(name: str, held: Collection[str]) -> KeyClass:
    keysym = NAMED[name] if name in NAMED else ord(name)
    letter = name.lower() if len(name) == 1 and name.isalpha() else ""
    shift, ctrl, alt = (name in {HELD[modifier] for modifier in held} for name in ("shift", "ctrl", "alt"))
    return class_of_press(KeyPress(keysym, letter, shift=shift, ctrl=ctrl, alt=alt))


def both(presses: Sequence[str]) -> list[tuple[KeyClass, KeyClass]]:
    imported = AgentNetKeys(mac=False)
    return [
        (live_class(name, [held for held in presses[:at] if held in HELD]), imported.press(name))
        for at, name in enumerate(presses)
    ]


@pytest.mark.parametrize(
    "held",
    [
        held
        for held in chain(*(combinations(HELD, count) for count in range(4)))
        if not any(pair <= set(held) for pair in LEFT_OUT)
    ],
    ids="+".join,
)
def test_the_same_keys_have_the_same_classes_live_and_imported(held: tuple[str, ...]) -> None:
    characters = CHARACTERS.upper() if "shift" in held else CHARACTERS
    for key in (*NAMED, *characters):
        classes = both([*held, key])
        assert [(key, live) for live, _ in classes] == [(key, imported) for _, imported in classes]


def test_a_story_has_the_same_classes_live_and_imported() -> None:
    imported = AgentNetKeys(mac=False)
    held: set[str] = set()
    classes = []
    for step in [
        "+alt_l",
        "f",
        "-alt_l",
        "f10",
        "+ctrl_l",
        "z",
        "z",
        "-ctrl_l",
        "+alt_l",
        "tab",
        "f4",
        "backspace",
        "-alt_l",
        "+shift",
        "insert",
        "a",
        "-shift",
        "x",
    ]:
        name = step.lstrip("+-")
        if step.startswith("-"):
            held.discard(name)
            imported.release(f"Key.{name}")
            continue
        classes.append((step, live_class(name, held), imported.press(name if len(name) == 1 else f"Key.{name}")))
        if step.startswith("+"):
            held.add(name)
    assert [(step, one) for step, one, _ in classes] == [(step, other) for step, _, other in classes]
    assert {one for _, one, _ in classes} >= {KeyClass.MENU, KeyClass.UNDO, KeyClass.SHORTCUT, KeyClass.PASTE}
