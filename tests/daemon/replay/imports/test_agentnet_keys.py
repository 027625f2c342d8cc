"""Key classes are the same in a recording as live: one table, whoever wrote the presses down."""

from dataclasses import dataclass
from itertools import chain, combinations

import pytest

from daemon.capture.keys import KeyClassifier as LiveReader
from daemon.replay.imports.agentnet.input import AgentNetKeys as ImportReader
from storage.records import KeyClass


@dataclass(frozen=True)
class Key:
    """A key as pynput reports it live."""

    name: str | None = None
    char: str | None = None
    vk: int | None = None


HELD = ("ctrl_l", "alt_l", "shift", "cmd", "alt_gr")
NAMED = (
    *("enter", "tab", "backspace", "delete", "esc", "space", "menu", "insert", "caps_lock", "num_lock", "media_next"),
    *("left", "right", "up", "down", "home", "end", "page_up", "page_down"),
    *(f"f{number}" for number in range(1, 21)),
)
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0159.-+"
LEFT_OUT = ({"ctrl_l", "alt_gr"}, {"cmd", "alt_gr"})  # Windows reports AltGr so, and there it types a character


def both(presses: list[str]) -> list[tuple[KeyClass, KeyClass]]:
    """Return the classes of presses, all held until the end, by the reader of our capture and that of recordings."""
    live, imported = LiveReader(), ImportReader(mac=False)
    found = []
    for name in presses:
        key = Key(char=name, vk=ord(name)) if len(name) == 1 else Key(name=name)
        found.append((live.press(key), imported.press(name)))
    return found


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
    """Every key under every combination of keys held with it, characters as they are and in capitals."""
    characters = CHARACTERS.upper() if "shift" in held else CHARACTERS
    for key in (*NAMED, *characters):
        classes = both([*held, key])
        assert [(key, live) for live, _ in classes] == [(key, imported) for _, imported in classes]


def test_a_story_has_the_same_classes_live_and_imported() -> None:
    """With releases in between: menus by their letters, F10, undo, shortcuts of windows, and plain typing."""
    live, imported = LiveReader(), ImportReader(mac=False)
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
        key = Key(char=name, vk=ord(name)) if len(name) == 1 else Key(name=name)
        if step.startswith("-"):
            live.release(key)
            imported.release(f"Key.{name}")
        else:
            classes.append((step, live.press(key), imported.press(name if len(name) == 1 else f"Key.{name}")))
    assert [(step, one) for step, one, _ in classes] == [(step, other) for step, _, other in classes]
    assert {one for _, one, _ in classes} >= {KeyClass.MENU, KeyClass.UNDO, KeyClass.SHORTCUT, KeyClass.PASTE}
