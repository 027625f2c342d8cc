"""What travels between the settings window and what reads and writes the settings file. Standard library only."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from storage.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What is wrong, and what to do about it."""

    what: str
    remedy: str = ""


class AutostartState(StrEnum):
    """Whether Kairos starts when the person logs in. `BY_HAND`: a file of their own decides, and is left alone."""

    ON = "on"
    OFF = "off"
    BY_HAND = "by hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Autostart:
    """The state, the file that decides it, and whether Kairos would be started as that file stands."""

    state: AutostartState
    file: str
    starts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsState:
    """The settings as the file says them. With `trouble` the file cannot be used, and nothing can be changed.

    `in_force` are the settings that the running Kairos goes by: its start, and what has acted at once since. `agreed`
    are the keys of what was agreed to with the consent.
    """

    settings: Settings
    in_force: Settings
    file: str
    autostart: Autostart
    trouble: Trouble | None = None
    agreed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDone:
    """A change that stands in the file; `notes` say what follows of it."""

    key: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRefused:
    """A change that was not written, and why."""

    key: str
    trouble: Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeNeedsYes:
    """A change that needs an explicit yes, because of what then is read or sent; nothing is written yet.

    The yes is the same change with `words` as what was agreed to, so that nobody agrees to other words than they read.
    """

    key: str
    value: object
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetRow:
    """A kind of model server. Prices are US dollars for a million tokens; None: not known, or it costs nothing.

    `remote`: pictures would go to somebody else's machine. `address` is empty where the person has to give one.
    """

    name: str
    remote: bool
    address: str
    model: str
    price_in: float | None
    price_out: float | None
    note: str
    key_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRow:
    """A model as the file has it: off, in use, or on and not asked, with why and what to do.

    `here`: what it is sent stays on this machine; None: that is not known. `key_name` is the name of its key.
    """

    table: str
    preset: str
    model: str = ""
    address: str = ""
    here: bool | None = None
    key_name: str = ""
    key_found: bool = False
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsState:
    """All kinds of model servers, and the two models of the settings."""

    presets: tuple[PresetRow, ...] = ()
    tiers: tuple[TierRow, ...] = ()
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """What came of a trial of a model with generated pictures. `dollars` is what it cost; None: not known."""

    table: str
    model: str = ""
    seconds: float = 0.0
    dollars: float | None = None
    stopped: bool = False
    trouble: Trouble | None = None


SettingsReply = SettingsState | ChangeDone | ChangeRefused | ChangeNeedsYes | ModelsState | TrialResult


class SettingsView(Protocol):
    """The interface, as it is answered. Called on any thread; returns at once."""

    def show_reply(self, reply: SettingsReply) -> None:
        """Show what was requested, or take up what has changed."""

    def open_window(self) -> None:
        """Bring the window up: somebody asked for it in a terminal."""


class SettingsRequests(Protocol):
    """What the window requests. Every call returns at once; replies come to the view, one request after the other."""

    def attach(self, view: SettingsView) -> None:
        """Name the view, once."""

    def read(self) -> None:
        """Request the settings as the file says them: a `SettingsState`."""

    def change(self, key: str, value: object, *, agreed: str = "") -> None:
        """Change a setting in the file; None: back to the default.

        `agreed` are the words that the person said yes to. A `ChangeDone` follows, a `ChangeRefused` or a
        `ChangeNeedsYes`, and then a `SettingsState`.
        """

    def add(self, key: str, entry: str) -> None:
        """Add an entry to a list as it stands in the file by then; replies as to `change`."""

    def remove(self, key: str, entry: str) -> None:
        """Take an entry off a list; replies as to `change`."""

    def set_autostart(self, *, on: bool) -> None:
        """Start Kairos with the desktop, or no longer; a `SettingsState` follows, after a `ChangeRefused` if any."""

    def read_models(self) -> None:
        """Request what is known of models, without connecting to any: a `ModelsState`."""

    def try_model(self, table: str) -> None:
        """Ask the model of a table once about a generated picture: a `TrialResult`. One at a time."""

    def stop_trial(self) -> None:
        """End the trial that is running."""

    def close(self) -> None:
        """The window was closed: end what only it wanted."""
