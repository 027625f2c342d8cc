"""The windows, and the circumstances of the desktop."""

from dataclasses import dataclass
from typing import ClassVar

from storage.records.base import Box, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus(Record):
    """The active window changed: application, keyed title digest, geometry.

    `window` is a number that is stable within the session. `dialog` tells a dialog or utility window from a main
    window. `title` is stored only with the recording consent. `app` is empty when nothing is active.
    """

    KIND: ClassVar[str] = "focus"
    t_ns: int
    app: str
    window: int
    title_digest: str
    geometry: Box
    dialog: bool = False
    own: bool = False
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowEvent(Record):
    """A window appeared or vanished without (or before) a change of focus: a menu, a dialog, a tool tip.

    `popup` is true for menus and other override-redirect windows. Windows of ours and excluded ones leave none.
    """

    KIND: ClassVar[str] = "opened"
    t_ns: int
    app: str
    popup: bool
    gone: bool
    geometry: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment(Record):
    """Sensed facts of the desktop, logged on change; None where the platform does not provide them.

    `full_screen`: the program worked in fills a screen. `call`: a microphone, a camera or a shared screen is in use,
    by whatever program.
    """

    KIND: ClassVar[str] = "environment"
    full_screen: bool | None = None
    locked: bool | None = None
    do_not_disturb: bool | None = None
    call: bool | None = None
    on_battery: bool | None = None
