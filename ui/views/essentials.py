"""The ten settings that people look for: a heading, what it does as it stands, and words by which it is found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from storage.preferences import SettingsState
from storage.settings import get_value, is_chosen
from storage.translation import tr, translatable
from ui.views.text import keys_text


@dataclass(frozen=True, slots=True)
class Essential:
    """A heading, the keys below it, and what they do as they stand."""

    title: str
    keys: tuple[str, ...]
    effect: Callable[[SettingsState], str]


_OFTEN: Mapping[str, str] = {
    "rarely": translatable("In calm work help is offered about once in ten hours."),
    "now and then": translatable("In calm work help is offered about once in two hours."),
    "often": translatable("In calm work help is offered about twice an hour."),
}
_ANY_HOUR = translatable("Help may be offered at any hour.")
_QUIET = translatable("From {begin}:00 to {end}:00 nothing is offered; you can still ask.")
_RECORDED = translatable("A video of the screen and full titles are kept, so that you can look at a moment again.")
_JOURNAL = translatable("What happened is kept, and no pictures, no window titles, no text.")
_KEPT = translatable(
    "After {days:day|days} it is deleted, or sooner where all takes more than {gb:g} GB. You are told before."
)
_CONTROLS = translatable(
    "Kairos knows which button, field and dialog you use: a ring shows where to click, and what is offered fits better."
)
_NO_CONTROLS = translatable(
    "Kairos sees only that the screen changes. No ring shows where to click, and browser windows stay covered where it "
    "cannot tell whether they are private."
)
_FENCED = translatable("Password managers, lock screens and private windows are never kept.")
_EXCLUDED = translatable("{fenced} Nor is what you have excluded: {names}.")
_SHORTCUT = translatable("{keys} opens the field to ask in, from any program.")
_NO_SHORTCUT = translatable("You ask from the tray. Keys of your own open the field from any program.")
_LANGUAGE = translatable("The language of all windows, from the next start on.")
_LOOK = translatable("Colours change with the next window, the size of text with the next start.")
_MODEL = translatable("The small model of Kairos works here. This one is asked besides: {name}.")
_NO_MODEL = translatable("The small model of Kairos works here, and nothing is sent. Another can be asked besides.")


def _is_on(state: SettingsState, key: str) -> bool:
    """Tell whether something is on now that can be agreed to with the consent."""
    return is_chosen(get_value(state.in_force, key), is_agreed=key in state.agreed)


def _hours(state: SettingsState) -> str:
    interface = state.settings.interface
    if not interface.quiet_hours or interface.quiet_from_hour == interface.quiet_until_hour:
        return tr(_ANY_HOUR)
    return tr(_QUIET, begin=interface.quiet_from_hour, end=interface.quiet_until_hour)


def _kept_for(state: SettingsState) -> str:
    return tr(_KEPT, days=state.settings.storage.keep_days, gb=state.settings.storage.keep_gb)


def _excluded(state: SettingsState) -> str:
    names = ", ".join((*state.settings.fence.excluded_apps, *state.settings.fence.excluded_titles))
    return tr(_EXCLUDED, fenced=tr(_FENCED), names=names) if names else tr(_FENCED)


def _shortcut(state: SettingsState) -> str:
    keys = state.settings.interface.shortcut_ask
    return tr(_SHORTCUT, keys=keys_text(keys)) if keys else tr(_NO_SHORTCUT)


def _models(state: SettingsState) -> str:
    names = [name for name in (state.settings.local_model.preset, state.settings.strong_model.preset) if name]
    return tr(_MODEL, name=", ".join(names)) if names else tr(_NO_MODEL)


ESSENTIALS = (
    Essential(
        translatable("How often may I speak?"),
        ("policy.how_often",),
        lambda state: tr(_OFTEN[state.settings.policy.how_often]),
    ),
    Essential(
        translatable("What is kept"),
        ("capture.record_screen",),
        lambda state: tr(_RECORDED if _is_on(state, "capture.record_screen") else _JOURNAL),
    ),
    Essential(
        translatable("What is understood"),
        ("capture.understand_controls",),
        lambda state: tr(_CONTROLS if _is_on(state, "capture.understand_controls") else _NO_CONTROLS),
    ),
    Essential(translatable("What is excluded"), ("fence.excluded_apps",), _excluded),
    Essential(translatable("For how long"), ("storage.keep_days",), _kept_for),
    Essential(
        translatable("Quiet hours"),
        ("interface.quiet_hours", "interface.quiet_from_hour", "interface.quiet_until_hour"),
        _hours,
    ),
    Essential(translatable("Which shortcut"), ("interface.shortcut_ask",), _shortcut),
    Essential(translatable("Language"), ("interface.language",), lambda _: tr(_LANGUAGE)),
    Essential(
        translatable("Look"),
        ("interface.look", "interface.text_percent", "interface.high_contrast"),
        lambda _: tr(_LOOK),
    ),
    Essential(translatable("Models"), ("local_model.preset",), _models),
)

FOUND_BY: Mapping[str, str] = {
    "policy.how_often": translatable("too many offers, too few offers, quieter, annoying, disturb, less, more"),
    "interface.quiet_hours": translatable("night, evening, weekend, do not disturb, silence"),
    "capture.record_screen": translatable("recording, video, pictures, screenshots, what is kept"),
    "capture.record_speech": translatable("microphone, voice, speech, think aloud, sound, audio"),
    "storage.keep_days": translatable("how long, old sessions, delete, disk space"),
    "capture.understand_controls": translatable("ring, buttons, menus, dialogs, accessibility, what is understood"),
    "fence.excluded_apps": translatable("password, bank, secret, private, incognito, never watch, blacklist, program"),
    "fence.excluded_titles": translatable("password, bank, secret, private, website, window"),
    "interface.shortcut_ask": translatable("hotkey, keyboard, keys, shortcut"),
    "interface.language": translatable("English, German, translation"),
    "interface.look": translatable("dark, light, night, theme, colours, appearance"),
    "interface.text_percent": translatable("font size, larger, smaller, letters, zoom, scale"),
    "interface.high_contrast": translatable("contrast, colours, hard to read, accessibility"),
    "interface.corner": translatable("position, place, card, move"),
    "local_model.preset": translatable("AI, language model, local, download"),
    "strong_model.preset": translatable("AI, language model, cloud, key, cost"),
}
"""Words by which people look for a setting that are neither its name nor in its help."""
