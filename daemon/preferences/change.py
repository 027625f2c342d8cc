"""One change of the settings file: checked, agreed to where it must be, and written; for terminal and window."""

from dataclasses import dataclass
from pathlib import Path

from storage.consent_text import SETTING_TEXTS
from storage.errors import UsageError
from storage.files import expand_user
from storage.settings import Settings, get_value, replace_value, setting_infos
from storage.settings_file import (
    check_order,
    read_file,
    remove_value,
    with_default,
    with_value,
    write_value,
)
from storage.translation import current_language, translatable

RECORDING_KEY = "capture.record_screen"
CONTROLS_KEY, OUTPUTS_KEY = "capture.understand_controls", "capture.read_outputs"
SPEECH_KEY = "capture.record_speech"
MODEL_TABLES = ("local_model", "strong_model")
SHORTEST_KEY = 20
"""Characters; no provider's keys are shorter."""

NOTHING_SENT = translatable("With these settings nothing is sent. See: kairos doctor")
SENT = translatable("Sent from the next start on: {words}")


def as_agreed(settings: Settings) -> Settings:
    """Return settings in which the consent decides what is kept and understood."""
    for key in SETTING_TEXTS:
        settings = replace_value(settings, key, setting_infos()[key].default)
    return settings


def forget_choices(path: Path) -> None:
    """Have the consent decide again what is kept and understood: a yes from before it counts no more.

    Raises:
        UsageError: the file is not one that this can be written into.
        EnvironmentFault: the file cannot be written.
    """
    for key in SETTING_TEXTS if path.exists() else ():
        remove_value(path, key)


@dataclass(frozen=True, slots=True)
class Change:
    """A checked change that is not written yet: the settings of the file before and after it."""

    key: str
    before: Settings
    after: Settings
    reset: bool = False

    @property
    def agreement(self) -> str:
        """What somebody has to say yes to: what is then read or sent that was not before; empty: nothing."""
        if self.key in SETTING_TEXTS and self._value == "on" and self._old_value != "on":
            return current_language().find(SETTING_TEXTS[self.key])
        if self._is_about_sending:
            words = _sent(self.after)
            return words if words and words != _sent(self.before) else ""
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What follows of it, in words."""
        if self.key.startswith(MODEL_TABLES):
            words = _sent(self.after)
            language = current_language()
            return (language.say(SENT, {"words": words}) if words else language.find(NOTHING_SENT),)
        return ()

    @property
    def _value(self) -> object:
        return get_value(self.after, self.key)

    @property
    def _old_value(self) -> object:
        return get_value(self.before, self.key)

    @property
    def _is_about_sending(self) -> bool:
        return self.key.startswith((*MODEL_TABLES, "help."))

    def write(self, path: Path) -> None:
        """Write it; comments and everything else stay.

        Raises:
            UsageError: the file is not one that this can be written into.
            EnvironmentFault: the file cannot be written.
        """
        if self.reset:
            remove_value(path, self.key)
            return
        write_value(path, self.key, self.after)
        if self.after.capture.read_outputs != self.before.capture.read_outputs and self.key == CONTROLS_KEY:
            write_value(path, OUTPUTS_KEY, self.after)


def check_change(path: Path, key: str, value: object, *, where: str) -> Change:
    """Check a new value against the file as it stands; a text is read as in a terminal, None is the default.

    Raises:
        UsageError: the file or the value is wrong; a detector or policy of this name cannot be used.
        BadFile: a model file cannot be used.
        EnvironmentFault: the file cannot be read.
    """
    before = read_file(path)
    if value is None:
        after = with_default(before, key, where=where)
    else:
        after = with_value(before, key, _absolute(key, value), where=where)
    turned_on = after.capture.understand_controls == "on" != before.capture.understand_controls
    if key == CONTROLS_KEY and turned_on and before.capture.read_outputs != "off":
        after = with_value(after, OUTPUTS_KEY, "on", where=where)  # its words say so
    check_order(after, where=where, key=key)
    _check_loads(key, after)
    return Change(key, before, after, reset=value is None)


def _sent(settings: Settings) -> str:
    from daemon.models.disclosure import describe_sent

    return describe_sent(settings, current_language())


def _absolute(key: str, value: object) -> object:
    """Return a value that means the same in whatever folder Kairos is started: a path is written in full."""
    if key in {"storage.sessions_dir", "narration.model_folder"} and isinstance(value, str) and value:
        return str(expand_user(value).absolute())
    if key == "detector.name" and isinstance(value, str):
        from detectors.registry import MODEL_SUFFIX

        if value.endswith(MODEL_SUFFIX):
            return str(expand_user(value).absolute())
    return value


def _check_loads(key: str, settings: Settings) -> None:
    """Load the detector, policy or model server that is being set: a name that stands for nothing is not written.

    Raises:
        UsageError: it stands for nothing.
        BadFile: the model file cannot be used.
    """
    table, _, name = key.partition(".")
    if key == "detector.name":
        from detectors import registry as detector_registry

        detector_registry.load(settings.detector)
    elif key == "policy.name":
        from policies import registry as policy_registry

        policy_registry.load(settings.policy, settings.detector.base_rate)
    elif table in MODEL_TABLES and name == "preset" and get_value(settings, key):
        from daemon.models.tiers import preset_of

        preset_of(str(get_value(settings, key)))
    elif table in MODEL_TABLES and name == "key_name" and _looks_like_a_key(str(get_value(settings, key))):
        raise UsageError(
            translatable(
                "{key} wants the name of a key, and this looks like a key itself; nothing was written", key=key
            ),
            remedy=translatable("put the key into an environment variable or the keyring, and give its name here"),
        )


def _looks_like_a_key(text: str) -> bool:
    """Tell whether a text is rather a key than the name of one: long, with digits among small letters."""
    return len(text) >= SHORTEST_KEY and any(map(str.isdigit, text)) and any(map(str.islower, text))
