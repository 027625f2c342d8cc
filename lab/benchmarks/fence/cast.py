"""Who takes part: each slot is one window of one program, with its colours and the marker in its title.

The control shows the same windows under names and titles that the fence does not know, and what was in private windows
in ordinary ones. Nothing of the fence is switched off for it: there is no such switch.
"""

from dataclasses import dataclass
from enum import StrEnum

from lab.benchmarks.fence.palette import (
    EXCLUDED_COLOURS,
    ORDINARY_COLOURS,
    excluded_label,
    ordinary_label,
)

BLACK = 0x000000

_STEP = 5
"""Windows that are next to each other get ordinary colours that are this far apart in the list."""

TITLE_PART = "confidential"
"""Titles with this are excluded in the settings of the campaign."""

OWN_VAULT = "Campaign Vault"
"""A class that the settings of the campaign exclude."""


class Kind(StrEnum):
    """What a slot's window is to the fence."""

    ORDINARY = "ordinary"
    EXCLUDED_APP = "excluded app"
    EXCLUDED_TITLE = "excluded title"
    TURNING = "turning"
    VEIL = "veil"
    BROWSER = "browser"
    PRIVATE_BROWSER = "private browser"


class Maker(StrEnum):
    """Which program shows a window."""

    CLIENT = "client"
    MOUSEPAD = "mousepad"
    FIREFOX = "firefox"
    CHROMIUM = "chromium"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One window that can be opened.

    Attributes:
        name: by which actions name it.
        app: the class of its window; empty where the program keeps its own.
        title: what its title begins with when it is opened.
        colour: what it is painted in, and `label` its label. Of a turning window: while it is ordinary.
        private: whether it is opened as a private window; not so in the control.
        secret: of a turning window the colour while it is excluded, and `secret_label` its label.
    """

    name: str
    kind: Kind
    maker: Maker
    app: str
    title: str
    colour: int
    label: int
    secret: int = 0
    secret_label: int = 0
    private: bool = False

    @property
    def is_excluded(self) -> bool:
        """Whether nothing of it may be stored, ever."""
        return self.kind in (Kind.EXCLUDED_APP, Kind.EXCLUDED_TITLE, Kind.PRIVATE_BROWSER)

    @property
    def is_browser(self) -> bool:
        """Whether a browser shows it."""
        return self.kind in (Kind.BROWSER, Kind.PRIVATE_BROWSER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """All slots of a campaign, and the settings that belong to them."""

    slots: tuple[Slot, ...]
    settings: dict[str, str]
    control: bool

    def slot(self, name: str) -> Slot:
        """Return a slot by its name."""
        return next(slot for slot in self.slots if slot.name == name)

    @property
    def secret_labels(self) -> dict[int, Slot]:
        """The labels that no picture may hold, with whose they are."""
        found = {slot.label: slot for slot in self.slots if slot.is_excluded}
        return found | {slot.secret_label: slot for slot in self.slots if slot.kind is Kind.TURNING}

    @property
    def ordinary_labels(self) -> dict[int, Slot]:
        """The labels of windows that should be recorded; those of browsers only where there is proof."""
        kinds = (Kind.ORDINARY, Kind.TURNING, Kind.BROWSER)
        return {slot.label: slot for slot in self.slots if slot.kind in kinds}


def marker(slot: Slot, number: int, *, secret: bool) -> str:
    """Return the word by which a title is found again; `number` counts the titles of a campaign."""
    return f"{'zqsecret' if secret else 'zqplain'}{slot.name}n{number}z"


def cast(*, browsers: bool, mousepad: bool = True, control: bool = False) -> Cast:
    """Return the slots; in the `control` under harmless names, and no setting excludes anything."""
    apps = ("KeePassXC", "KeePassXC", OWN_VAULT, "pinentry-gtk-2")
    harmless = ("Fieldwork Keys", "Fieldwork Keys", "Fieldwork Chest", "Fieldwork Prompt")
    secret = TITLE_PART if not control else "fieldwork"
    slots: list[Slot] = []

    def add(name: str, kind: Kind, maker: Maker, app: str, title: str) -> None:
        excluded = kind in (Kind.EXCLUDED_APP, Kind.EXCLUDED_TITLE, Kind.PRIVATE_BROWSER)
        secrets = sum(one.is_excluded or one.kind is Kind.TURNING for one in slots)
        ordinary = sum(not one.is_excluded and one.kind is not Kind.VEIL for one in slots)
        if kind is Kind.VEIL:
            slots.append(Slot(name=name, kind=kind, maker=maker, app=app, title=title, colour=BLACK, label=0))
            return
        index = secrets if excluded else ordinary * _STEP % len(ORDINARY_COLOURS)
        colour = (EXCLUDED_COLOURS if excluded else ORDINARY_COLOURS)[index]
        label = excluded_label(index) if excluded else ordinary_label(index)
        turning = kind is Kind.TURNING
        slots.append(
            Slot(
                name=name,
                kind=kind,
                maker=maker,
                app=app,
                title=title,
                colour=colour,
                label=label,
                secret=EXCLUDED_COLOURS[secrets] if turning else 0,
                secret_label=excluded_label(secrets) if turning else 0,
                private=kind is Kind.PRIVATE_BROWSER and not control,
            )
        )

    for number in range(6):
        app = ("Fieldwork Atlas", "Fieldwork Ledger", "Fieldwork Sketch")[number // 2]
        add(f"plain{number}", Kind.ORDINARY, Maker.CLIENT, app, "fieldwork")
    for number, app in enumerate(harmless if control else apps):
        add(f"app{number}", Kind.EXCLUDED_APP, Maker.CLIENT, app, "fieldwork")
    for number in range(2):
        add(f"title{number}", Kind.EXCLUDED_TITLE, Maker.CLIENT, "Fieldwork Notes", secret)
    add("turning0", Kind.TURNING, Maker.CLIENT, "Fieldwork Mail", "fieldwork")
    add("veil0", Kind.VEIL, Maker.CLIENT, "Fieldwork Shade", "fieldwork")
    if mousepad:
        add("pad0", Kind.ORDINARY, Maker.MOUSEPAD, "", "fieldwork")
        add("pad1", Kind.EXCLUDED_TITLE, Maker.MOUSEPAD, "", secret)
    if browsers:
        add("fox0", Kind.BROWSER, Maker.FIREFOX, "", "fieldwork")
        add("fox1", Kind.PRIVATE_BROWSER, Maker.FIREFOX, "", "fieldwork")
        add("chrome0", Kind.BROWSER, Maker.CHROMIUM, "", "fieldwork")
        add("chrome1", Kind.PRIVATE_BROWSER, Maker.CHROMIUM, "", "fieldwork")
    settings = {} if control else {"fence.excluded_apps": OWN_VAULT, "fence.excluded_titles": TITLE_PART}
    return Cast(slots=tuple(slots), settings=settings, control=control)
