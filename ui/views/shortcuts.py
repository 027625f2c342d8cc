"""Keyboard shortcuts as people write them: "Ctrl+Alt+K" is one key with at least one of Ctrl, Alt and Super."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from storage.plain_text import plain
from storage.settings import InterfaceSettings
from storage.translation import tr, translatable
from ui.views.notice import NoticeView, view_problem
from ui.views.settings import label_of
from ui.views.text import keys_text

TAKEN = "shortcut_taken"
UNKNOWN = "shortcut_unknown"
"""Problem codes of the interface's own: keys that somebody else has, and what names no keys."""

KEYS_OFFERED = "keys_offered"
"""Code of the notice that offers keys for the field."""

PROPOSED = ("Ctrl+Alt+Space", "Super+K", "Ctrl+Alt+K", "Ctrl+Super+Space")
"""Keys that are offered, if nobody has them; the first that are free."""

WELCOME = "welcome"
"""Code of the notice that says how to ask, where no keys can be offered."""

OFFERED_TITLE = translatable("Kairos is watching: ask with a key")
OFFERED_TEXT = translatable(
    "{keys} is free, and can open a field to ask in from any program. Type “freeze the first row”, for "
    "example: a card shows the steps. The tray opens the field too, and the settings change the keys."
)
WELCOME_TITLE = translatable("Kairos is watching: ask when you like")
WELCOME_KEYS = translatable(
    "{keys} opens a field to ask in. Type “freeze the first row”, for example: a card shows the steps."
)
WELCOME_TRAY = translatable(
    "Ask… in the tray opens a field. Type “freeze the first row”, for example: a card shows the steps."
)
USE_KEYS = translatable("Use these keys")

SHOWN = 40  # characters of a setting that a notice repeats


class ShortcutCommand(StrEnum):
    """What a shortcut does."""

    ASK = "ask"
    CARD = "card"
    DISMISS = "dismiss"


class Modifier(StrEnum):
    """A key that is held while another is pressed."""

    CTRL = "ctrl"
    ALT = "alt"
    SHIFT = "shift"
    SUPER = "super"


_MODIFIERS = {
    "ctrl": Modifier.CTRL,
    "control": Modifier.CTRL,
    "strg": Modifier.CTRL,
    "alt": Modifier.ALT,
    "shift": Modifier.SHIFT,
    "umschalt": Modifier.SHIFT,
    "super": Modifier.SUPER,
    "meta": Modifier.SUPER,
    "win": Modifier.SUPER,
}
_GERMAN = {
    "leertaste": "space", "eingabe": "Return", "rücktaste": "BackSpace", "einfg": "Insert", "entf": "Delete",
    "pos1": "Home", "ende": "End", "bild auf": "Prior", "bild ab": "Next", "pfeil auf": "Up", "pfeil ab": "Down",
    "pfeil links": "Left", "pfeil rechts": "Right",
}  # fmt: skip
_KEYS = {
    "esc": "Escape",
    "escape": "Escape",
    "enter": "Return",
    "return": "Return",
    "space": "space",
    "tab": "Tab",
    "home": "Home",
    "end": "End",
    "insert": "Insert",
    "delete": "Delete",
    "backspace": "BackSpace",
    "pageup": "Prior",
    "pagedown": "Next",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "pause": "Pause",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
    **_GERMAN,
}


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Keys pressed together: `key` by its X name."""

    modifiers: frozenset[Modifier]
    key: str


def parse_shortcut(text: str) -> Shortcut | None:
    """Read a shortcut; None where the text is none that may be taken from all programs.

    Shift alone is too little: such keys are typing.
    """
    *held, key = (part.strip().lower() for part in text.split("+"))
    modifiers = {_MODIFIERS.get(name) for name in held}
    name = key if len(key) == 1 and key.isascii() and key.isalnum() else _KEYS.get(key)
    found = frozenset(modifier for modifier in modifiers if modifier is not None)
    if name is None or None in modifiers or not found - {Modifier.SHIFT}:
        return None
    return Shortcut(found, name)


def texts_of(settings: InterfaceSettings) -> Mapping[ShortcutCommand, str]:
    """Return what is set for each command; what is empty is off."""
    texts = {
        ShortcutCommand.ASK: settings.shortcut_ask,
        ShortcutCommand.CARD: settings.shortcut_card,
        ShortcutCommand.DISMISS: settings.shortcut_dismiss,
    }
    return {command: text for command, text in texts.items() if text.strip()}


def view_offered(keys: str) -> NoticeView:
    """Offer keys for the field to ask in."""
    return NoticeView(tr(OFFERED_TITLE), tr(OFFERED_TEXT, keys=keys_text(keys)))


def view_welcome(keys: str) -> NoticeView:
    """Say how to ask: by keys that are set, or from the tray."""
    return NoticeView(tr(WELCOME_TITLE), tr(WELCOME_KEYS, keys=keys_text(keys)) if keys else tr(WELCOME_TRAY))


def view_unusable(code: str, commands: Sequence[ShortcutCommand], settings: InterfaceSettings) -> NoticeView:
    """Say which shortcuts do not work, why, and what to do."""
    texts = {command: keys_text(plain(text, SHOWN)) for command, text in texts_of(settings).items()}
    named = ", ".join(f"{texts[command]} ({label_of(f'interface.shortcut_{command}')})" for command in commands)
    view = view_problem(code)
    return NoticeView(view.title, f"{named}. {view.text}")
