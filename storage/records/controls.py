"""Controls, dialogs and messages, seen through the accessibility interface."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from storage.records.base import Box, Record


class ControlRole(StrEnum):
    """What a control is, whatever toolkit drew it."""

    BUTTON = "button"
    TOGGLE = "toggle"
    CHECK_BOX = "check_box"
    RADIO_BUTTON = "radio_button"
    MENU = "menu"
    MENU_ITEM = "menu_item"
    LINK = "link"
    TAB = "tab"
    ENTRY = "entry"
    PASSWORD = "password"  # noqa: S105  # a kind of control
    TEXT = "text"
    COMBO_BOX = "combo_box"
    SLIDER = "slider"
    SPIN_BUTTON = "spin_button"
    LIST_ITEM = "list_item"
    TREE_ITEM = "tree_item"
    CELL = "cell"
    LABEL = "label"
    STATUS = "status"
    NOTIFICATION = "notification"
    ALERT = "alert"
    DIALOG = "dialog"
    WINDOW = "window"
    DOCUMENT = "document"
    TERMINAL = "terminal"
    OUTPUT = "output"
    OTHER = "other"


class ControlState(StrEnum):
    """The state a control is in after an act; `PLAIN` where it has none to speak of."""

    PLAIN = "plain"
    ON = "on"
    OFF = "off"
    DISABLED = "disabled"


class MessageClass(StrEnum):
    """What a dialog or a message is about. Without consent to the recording this is all that remains of its words."""

    ERROR = "error"
    WARNING = "warning"
    QUESTION = "question"
    PROGRESS = "progress"
    PASSWORD = "password"  # noqa: S105  # a kind of dialog
    SUCCESS = "success"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One control on the screen; `name` only with the recording consent.

    `role` and `state` of controls that were read here are those of `ControlRole` and `ControlState`.
    """

    role: str
    box: Box
    name: str | None = None
    state: ControlState = ControlState.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements(Record):
    """Controls seen in the active window through the accessibility interface.

    Not `complete` where its limits ended a look at them. No password field is among them. `by_ocr`: the program says
    nothing of that window, and these are texts that were read off its picture, without what the fence covers.
    """

    KIND: ClassVar[str] = "elements"
    t_ns: int
    app: str
    elements: tuple[Element, ...]
    complete: bool = True
    by_ocr: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlAct(Record):
    """A control was pressed, toggled, chosen or typed into (`what`), and the state it was in afterwards.

    This and the four after it: seen through the accessibility interface, only with consent to it. Digests are keyed per
    session, with numbers and quoted parts masked; `name`, `title`, `text` and `label` only with the recording consent.
    """

    KIND: ClassVar[str] = "control_act"
    t_ns: int
    app: str
    what: str
    role: ControlRole
    name_digest: str
    state: ControlState = ControlState.PLAIN
    box: Box | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogSeen(Record):
    """A dialog appeared. `text_digest` is of its labels."""

    KIND: ClassVar[str] = "dialog"
    t_ns: int
    app: str
    role: ControlRole
    title_digest: str
    text_digest: str
    about: MessageClass
    title: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSeen(Record):
    """A message appeared in a window: an error text, a notification, an entry marked as wrong, an error in a formula.

    That of a formula is of a cell and has no words, so its digest is empty. One of the role "output" says how a
    command went, as the program wrote it: which error, or, after one, a success, which has no words either. Its digest
    is of its words with the names in them, so that one missing name after the other is not the same error.
    """

    KIND: ClassVar[str] = "message"
    t_ns: int
    app: str
    role: ControlRole
    text_digest: str
    about: MessageClass
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLoaded(Record):
    """A page or a document was loaded."""

    KIND: ClassVar[str] = "document_loaded"
    t_ns: int
    app: str
    title_digest: str
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoLabel(Record):
    """What the program's next undo would take back, by the digest of its label."""

    KIND: ClassVar[str] = "undo_label"
    t_ns: int
    app: str
    label_digest: str
    label: str | None = None
