"""AT-SPI's names and numbers, and what its answers mean here. Roles go by number: Qt 6 names passwords "text"."""

import re
from collections.abc import Mapping, Sequence

from storage.records import Box, ControlRole, ControlState

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
APPLICATION = "org.a11y.atspi.Application"
COMPONENT = "org.a11y.atspi.Component"
TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
REGISTRY, REGISTRY_PATH = "org.a11y.atspi.Registry", "/org/a11y/atspi/registry"
ROOT = "/org/a11y/atspi/accessible/root"
NOTHING = "/org/a11y/atspi/null"
EVENTS = "org.a11y.atspi.Event"
SCREEN = 0
MAX_WINDOWS = 24
FIELDS = (ControlRole.TEXT, ControlRole.ENTRY)
"""Roles of what is typed into; one may be a password field of GTK 4."""

_TYPE_NAME = re.compile(r"(Gtk|Adw)[A-Z]\w+", re.ASCII)
_TYPE_OF_FIELD = re.compile(r"([A-Z][a-z]+)+(Entry|Text|View)", re.ASCII)
"""What GTK 4 calls a control that nobody gave a name: by the type of its widget. People hardly call a field so."""

PASSWORD = 40
PLAIN_TEXT = 61
FRAME = 23
PANEL, INTERNAL_FRAME = 39, 28
ROLES: Mapping[int, ControlRole] = {
    2: ControlRole.ALERT,
    7: ControlRole.CHECK_BOX,
    8: ControlRole.MENU_ITEM,
    9: ControlRole.DIALOG,
    11: ControlRole.COMBO_BOX,
    16: ControlRole.DIALOG,
    19: ControlRole.DIALOG,
    22: ControlRole.DIALOG,
    23: ControlRole.WINDOW,
    29: ControlRole.LABEL,
    32: ControlRole.LIST_ITEM,
    33: ControlRole.MENU,
    35: ControlRole.MENU_ITEM,
    37: ControlRole.TAB,
    40: ControlRole.PASSWORD,
    43: ControlRole.BUTTON,
    44: ControlRole.RADIO_BUTTON,
    45: ControlRole.MENU_ITEM,
    51: ControlRole.SLIDER,
    52: ControlRole.SPIN_BUTTON,
    54: ControlRole.STATUS,
    56: ControlRole.CELL,
    59: ControlRole.MENU_ITEM,
    60: ControlRole.TERMINAL,
    61: ControlRole.TEXT,
    62: ControlRole.TOGGLE,
    69: ControlRole.WINDOW,
    73: ControlRole.TEXT,
    77: ControlRole.ENTRY,
    79: ControlRole.ENTRY,
    82: ControlRole.DOCUMENT,
    83: ControlRole.LABEL,
    88: ControlRole.LINK,
    90: ControlRole.LIST_ITEM,
    91: ControlRole.TREE_ITEM,
    92: ControlRole.DOCUMENT,
    93: ControlRole.DOCUMENT,
    94: ControlRole.DOCUMENT,
    95: ControlRole.DOCUMENT,
    96: ControlRole.DOCUMENT,
    101: ControlRole.NOTIFICATION,
    102: ControlRole.NOTIFICATION,
    116: ControlRole.LABEL,
    129: ControlRole.BUTTON,
}
"""By AtspiRole; every other role is `OTHER`."""

ACTIONABLE = frozenset(
    {
        *(ControlRole.BUTTON, ControlRole.TOGGLE, ControlRole.CHECK_BOX, ControlRole.RADIO_BUTTON, ControlRole.MENU),
        *(ControlRole.MENU_ITEM, ControlRole.LINK, ControlRole.TAB, ControlRole.ENTRY, ControlRole.PASSWORD),
        *(ControlRole.COMBO_BOX, ControlRole.SLIDER, ControlRole.SPIN_BUTTON, ControlRole.LIST_ITEM),
        *(ControlRole.TREE_ITEM, ControlRole.CELL),
    }
)
"""What can be acted upon: a text leaf inside of one of these stands for it."""

PARAGRAPH = 73
HOLDS_WORK = frozenset({55, 56, 60, PARAGRAPH, 82, 92, 93, 94, 95, 96})
"""Roles of documents and their parts, of sheets and of terminals. Where one has the keyboard no output is elsewhere."""

HOLDS_LABELS = frozenset({2, 16, 20, 21, 25, 28, 36, 39, 46, 49, 53, 68, 82, 84, 85, 87, 95, 99, 101, 102, 110})
"""Roles of containers that are looked into for the labels of a dialog; none of them draws thousands of children."""

SHOWS_MESSAGES = frozenset({2, 29, 54, 61, 73, 83, 85, 101, 102, 116})
"""Roles whose change of name may be a message."""

_CHECKED, _SENSITIVE, _ENABLED, _CHECKABLE, _PRESSED = 4, 24, 8, 41, 20
ACTIVE, DEFUNCT, EDITABLE, FOCUSED, MULTI_LINE, SHOWING, VISIBLE, MANAGES_DESCENDANTS = 1, 6, 7, 12, 17, 25, 30, 31
LABELLED_BY = 2
WEB_DOCUMENT = 95
_HAS_STATE = frozenset({ControlRole.TOGGLE, ControlRole.CHECK_BOX, ControlRole.RADIO_BUTTON})


def role_of(number: object) -> ControlRole:
    """Return what a role is here."""
    return ROLES.get(number, ControlRole.OTHER) if isinstance(number, int) else ControlRole.OTHER


def has_state(words: object, state: int) -> bool:
    """Return whether a set of states, two words of 32 bits, holds a state."""
    if not isinstance(words, Sequence) or len(words) <= state // 32:
        return False
    return bool(int(words[state // 32]) >> state % 32 & 1)


def state_of(role: ControlRole, words: object) -> ControlState:
    """Return the state that a control of a role is in."""
    if not has_state(words, _SENSITIVE) and not has_state(words, _ENABLED):
        return ControlState.DISABLED
    if role in _HAS_STATE or has_state(words, _CHECKABLE):
        # A toggle that is on is pressed; any other control is pressed while it is held down, before anything changes.
        on = has_state(words, _CHECKED) or (role is ControlRole.TOGGLE and has_state(words, _PRESSED))
        return ControlState.ON if on else ControlState.OFF
    return ControlState.PLAIN


def without_type(name: str, role: ControlRole | None = None) -> str:
    """Return a name in GTK 4; nothing where it is only the type of a widget."""
    is_type = _TYPE_NAME.fullmatch(name) or (role in FIELDS and _TYPE_OF_FIELD.fullmatch(name))
    return "" if is_type else name


def box_from(found: object) -> Box | None:
    """Return the box of an answer; None if it has no room."""
    if isinstance(found, Sequence) and len(found) == 4 and all(isinstance(n, int) for n in found):  # noqa: PLR2004  # x, y, width, height
        box = Box(*found)
        return box if box.w > 0 and box.h > 0 else None
    return None


def object_path(reference: object) -> str | None:
    """Return the path of a reference to an object of the same program."""
    if isinstance(reference, Sequence) and len(reference) == 2 and isinstance(reference[1], str):  # noqa: PLR2004  # name and path
        return None if reference[1] == NOTHING else reference[1]
    return None


def label_in(relations: object) -> str | None:
    """Return the object that labels a control, by its relations to others."""
    for relation in relations if isinstance(relations, Sequence) else ():
        match relation:
            case [kind, [target, *_]] if kind == LABELLED_BY and (label := object_path(target)) is not None:
                return label
            case _:
                pass
    return None
