"""What the settings window shows: settings as they stand, what became of a change, models and their trials."""

from dataclasses import dataclass
from enum import StrEnum

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

    `in_force` are the settings that the running Kairos goes by: its start, and what has acted at once since.
    """

    settings: Settings
    in_force: Settings
    file: str
    autostart: Autostart
    trouble: Trouble | None = None


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
