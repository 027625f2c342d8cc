"""What the settings window says. All of its words are here, but those of the settings themselves.

A page and its rows are made of what `storage.settings` declares, so a new setting needs nothing here.
"""

import contextlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum, auto
from functools import cache
from typing import get_origin

from storage.preferences import (
    Autostart,
    AutostartState,
    ModelsState,
    PresetRow,
    SettingsState,
    TierRow,
    TrialResult,
    Trouble,
)
from storage.settings import MAX_NUMBER, Basis, SettingInfo, Settings, TakesEffect, get_value, setting_infos
from storage.translation import SOURCE_LANGUAGE, Language, current_language, tr, translatable
from ui.views.essentials import FOUND_BY
from ui.views.text import as_sentence, view_fault

TITLE = translatable("Settings")
SEARCH, SEARCH_NAME = translatable("Search the settings"), translatable("Search the settings")
PAGES_NAME = translatable("Pages of settings")
ESSENTIAL = translatable("What most people change")
ADVANCED, ADVANCED_NAME = "advanced", translatable("Advanced")
"""The page before those of all tables: what was changed, and where it is kept."""

FOUND = translatable("Found")
READING = translatable("Reading…")
NOTHING_FOUND = translatable("No setting has these words in its name or its help.")
NOTHING_CHANGED = translatable("All settings are as they come.")
CHANGED_HEAD = translatable("What you have changed")
CHANGED = translatable("changed")
RESET = translatable("Back to the default")
WAITS = translatable("Waits for the next start of Kairos.")
ADD, REMOVE = translatable("Add"), translatable("Remove")
NEW_ENTRY = translatable("New entry")
FILE_LINE = translatable("All settings are kept in {file}. An edit of that file is shown here; its comments stay.")
DAMAGED = translatable("The settings file cannot be used, so nothing can be changed here until it is put right.")

AUTOSTART_NAME = "autostart"
AUTOSTART = translatable("&Start Kairos when I log in")
AUTOSTART_TEXT = {
    AutostartState.OFF: translatable("Off until you choose it. It is an entry of your own for the desktop: {file}"),
    AutostartState.ON: translatable("Kairos starts when you log in, because of {file}"),
}
BY_HAND = {
    True: translatable(
        "{file} starts Kairos when you log in. It was not written by Kairos, so it is left alone: change it by hand."
    ),
    False: translatable(
        "{file} keeps Kairos from starting. It was not written by Kairos, so it is left alone: change it by hand."
    ),
}

POINT = translatable("&Point at a window to exclude…")
POINT_TEXT = translatable(
    "Then click on any window: you see what would be excluded, and are asked. Escape cancels. What is excluded counts "
    "from the next look on; what was stored before stays, and can be forgotten in What Kairos saw."
)
POINTING = translatable("Click on the window. Escape cancels.")
POINT_NOWHERE = translatable("There is no window of a program there.")
POINT_OURS = translatable("That is a window of Kairos itself; it is never stored anyway.")
POINT_FAILED = translatable("The pointer is in use by another program. Try again.")
POINT_UNNAMED = translatable(
    "That window has no class, so its program cannot be named here. Exclude a part of its title instead."
)
POINT_X11 = translatable("Pointing works on X11 desktops alone. Write the name of the program into the list instead.")
EXCLUDE_TITLE = translatable("Exclude this program?")
EXCLUDE_TEXT = translatable(
    "All windows of “{name}”, now and from now on: no pixels, no titles, no keys of them are stored, and nothing is "
    "offered while you use them.\n\nAdded to the excluded programs: {name}"
)
EXCLUDE_YES, CANCEL = translatable("&Exclude"), translatable("&Cancel")
NAME_LIMIT = 80

AGREE_YES = translatable("&Yes, I agree")
AGREE_CONTROLS = translatable("Understand controls?")
AGREE_RECORDING = translatable("Record the screen?")
AGREE_SPEECH = translatable("Record what you say?")
AGREE_OUTPUTS = translatable("Look through what programs write?")
AGREE_SENT = translatable("Send pictures of the screen?")
AGREE_SENT_LEAD = translatable("From the next start on this is sent, whenever a model is asked:")
AGREE_HOW = translatable("You can take it back here at any time.")

TEST, STOP = translatable("&Test this model"), translatable("&Stop")
TEST_TEXT = translatable(
    "A test asks the model once about a picture made for it, never about your screen, and costs as much."
)
TESTING = translatable("Asking the model…")
MODEL_OFF = translatable("Off: no model is chosen, and nothing is sent.")
HERE, ELSEWHERE = translatable("Pictures stay on this machine"), translatable("Pictures of your screen go to {address}")
PRESET_HERE, PRESET_ELSEWHERE = translatable("on this machine"), translatable("on another machine")
NO_PRICE, FREE = translatable("price not known"), translatable("free")
PRICE = translatable("${price_in:g} in, ${price_out:g} out for a million tokens")
NO_PRESET = translatable("No model")
KEY_FOUND, KEY_MISSING = (
    translatable("The key {key} was found; it is shown and kept nowhere."),
    translatable("The key {key} was not found."),
)

RECORD, RECORDING = (
    translatable("Press keys…"),
    translatable("Press the keys now. Escape cancels, Backspace takes the shortcut away."),
)
NO_SHORTCUT = translatable("none")
SHORTCUT_UNFIT = translatable(
    "These keys cannot be taken from all programs: hold Ctrl, Alt or Super, and press a letter, digit or named key."
)
SHORTCUT_TAKEN = translatable("{keys} belongs to another program or the desktop. Nothing was changed.")
SHORTCUT_OURS = translatable("{keys} is a shortcut of Kairos already ({key}). Nothing was changed.")

DEFAULT_WORD = translatable("Default: {default}")
RANGE = translatable("From {low} to {high}")
AT_LEAST = translatable("At least {low}")
AT_MOST = translatable("Not above {label}")
WHOLE_NUMBER = translatable("Please enter a whole number.")
NO_UNIT = translatable("Please enter it with its unit, such as 30 s, 5 min, 2 h or 1 day.")
DAYS = translatable("{days:day|days}")
ANY_NUMBER = translatable("Please enter a number.")
ON, OFF = translatable("on"), translatable("off")
EMPTY = translatable("empty")

_CHOICES: Mapping[str, str] = {
    "on": ON,
    "off": OFF,
    "as-agreed": translatable("as agreed"),
    "on-request": translatable("on request"),
    "on-acceptance": translatable("on acceptance"),
    "ahead": translatable("ahead"),
    "bottom-right": translatable("bottom right"),
    "bottom-left": translatable("bottom left"),
    "top-right": translatable("top right"),
    "top-left": translatable("top left"),
    "rarely": translatable("rarely"),
    "now and then": translatable("now and then"),
    "often": translatable("often"),
    "system": translatable("the desktop's"),
    "light": translatable("light"),
    "dark": translatable("dark"),
    "en": "English",
    "de": "Deutsch",
}
"""How values to choose from are shown. A language is named in itself; a detector or policy by the name that it has."""

_BASIS: Mapping[Basis, str] = {
    "": "",
    "guess": translatable("The default is a guess"),
    "measured": translatable("The default was measured"),
    "simulated": translatable("The default was chosen on simulated sessions"),
}
_EFFECT: Mapping[TakesEffect, str] = {
    "now": translatable("Acts at once"),
    "more now": translatable("What you add acts at once; what you remove, from the next start on"),
    "less now": translatable("What you turn off acts at once; what you turn on, from the next start on"),
    "next start": translatable("Acts from the next start on"),
}
_UNITS = {
    "_fps": "pictures a second",
    "_per_s": "a second",
    "_s": "",
    "_days": "days",
    "_mb": "MB",
    "_gb": "GB",
    "_percent": "%",
}
_SPANS = {"d": 86_400, "h": 3600, "min": 60}
_SPAN = re.compile(
    r"([\d.]+)\s*(s|secs?|seconds?|sek|sekunden?|m|mins?|minutes?|minuten?|h|hrs?|hours?|std|stunden?|d|days?|t|tage?)\.?\Z",
    re.IGNORECASE,
)
_NAMES = {"Jpeg": "JPEG", "Url": "address", "Apps": "programs"}
_SAID = {
    "input recent": "Stay active after input for",
    "drain": "Collect input for",
    "ring": "Pictures in memory",
    "still repeat": "Repeat a still picture after",
    "settle": "Cover new browser windows for",
    "planned": "Length of a window",
    "slots": "Moments in a window",
    "away": "Away after",
    "send screens": "Send pictures of the screen",
    "quiet start": "Quiet first minutes",
    "quiet from hour": "Quiet from (hour)",
    "quiet until hour": "Quiet until (hour)",
    "evening review hour": "Evening review from (hour)",
    "backoff": "Rest after a dismissal",
    "backoff max": "Longest rest after dismissals",
    "cost false": "Cost of a needless offer",
    "interrupt break": "Cost of interrupting at a break",
    "interrupt busy": "Cost of interrupting work",
    "novelty": "Same topic again after",
    "break wait": "Wait for a break",
    "stale": "Withdraw an offer after",
    "sessions dir": "Folder of sessions",
    "flush": "On disk after",
    "max session": "Largest session",
    "video file": "Length of a video file",
    "min free": "Least free space",
    "shortcut ask": "Shortcut to ask",
    "shortcut card": "Shortcut to the card",
    "shortcut dismiss": "Shortcut to dismiss",
    "text": "Size of text",
    "offer visible": "Offer stays for",
}
"""What people call a setting whose key is short for something."""

_SPECIAL = re.compile(r"`([^`]+)`|\*([^*]+)\*|\[([^\]]+)\]\([^)]*\)")


class FieldKind(Enum):
    """How a value is entered."""

    SWITCH = auto()
    NUMBER = auto()
    TEXT = auto()
    CHOICE = auto()
    LIST = auto()
    SHORTCUT = auto()
    PRESET = auto()


@dataclass(frozen=True, slots=True)
class SettingRowView:
    """One setting: its name, help as rich text of our own, facts in one line, and how it is entered."""

    key: str
    label: str
    help: str
    facts: str
    kind: FieldKind
    choices: tuple[str, ...]
    others: bool


@dataclass(frozen=True, slots=True)
class PageView:
    """One table: what it is called, what is said above its rows, and their keys."""

    table: str
    title: str
    about: str
    keys: tuple[str, ...]


def pages() -> tuple[PageView, ...]:
    """Return a page for each table, in the order in which they are declared."""
    return _pages_in(current_language())


@cache
def _pages_in(language: Language) -> tuple[PageView, ...]:
    keys = tuple(setting_infos())
    return tuple(
        PageView(
            table=table.name,
            title=language.find(table.metadata["title"]),
            about=rich(language.find(table.metadata["about"])),
            keys=tuple(key for key in keys if key.startswith(f"{table.name}.")),
        )
        for table in fields(Settings)
    )


def view_row(info: SettingInfo) -> SettingRowView:
    """Return what is said about a setting."""
    return SettingRowView(
        key=info.key,
        label=label_of(info.key),
        help=rich(_help(info)),
        facts=_facts(info),
        kind=_kind(info),
        choices=info.choices,
        others=info.others,
    )


def label_of(key: str) -> str:
    """Return a setting's name for people, with its unit."""
    return tr(english_label(key))


def english_label(key: str) -> str:
    """Return the English name, which follows from the key."""
    name = key.partition(".")[2]
    ending = next((end for end in _UNITS if name.endswith(end)), "")
    unit, name = _UNITS.get(ending, ""), name.removesuffix(ending)
    words = _SAID.get(name.replace("_", " "), name.replace("_", " "))
    for short, full in _NAMES.items():
        words = re.sub(rf"\b{short.lower()}\b", full, words)
    words = words[:1].upper() + words[1:]
    return f"{words} ({unit})" if unit else words


def rich(markdown: str) -> str:
    """Return help as rich text: code, stress and links as words; everything else as it is."""

    def mark(found: re.Match[str]) -> str:
        code, stress, link = found.groups()
        return f"<code>{code}</code>" if code else f"<i>{stress}</i>" if stress else str(link)

    return _SPECIAL.sub(mark, html.escape(markdown, quote=False))


def plain_help(info: SettingInfo) -> str:
    """Return help without any marks, for screen readers and the search."""
    return _SPECIAL.sub(lambda found: next(filter(None, found.groups())), tr(info.help))


def value_text(value: object) -> str:
    """Return a value as it is typed."""
    if isinstance(value, bool):
        return tr(ON) if value else tr(OFF)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return current_language().number(value, ".10g")
    return str(value)


def shown_value(key: str, value: object) -> str:
    """Return a value as its field shows it: a length of time in the largest unit that it is a whole number of."""
    return _span(value) if _is_span(key) and isinstance(value, (int, float)) else value_text(value)


def _is_span(key: str) -> bool:
    return key.endswith("_s") and not key.endswith("_per_s") and is_number(key)


def _span(seconds: float) -> str:
    fitting = ((unit, size) for unit, size in _SPANS.items() if seconds >= size and seconds % size == 0)
    unit, size = next(fitting, ("s", 1))
    return tr(DAYS, days=round(seconds / size)) if unit == "d" else f"{value_text(seconds / size)} {unit}"


def choice_text(value: str) -> str:
    """Return one of several values as it is shown."""
    return tr(_CHOICES[value]) if value in _CHOICES else value


def read_number(key: str, typed: str) -> tuple[str, str]:
    """Return a number that was typed, as the file writes it, and what is wrong with it: one of both is empty.

    The decimal sign of the language and the point are taken; the daemon checks what depends on other settings.
    """
    info = setting_infos()[key]
    text = typed.strip()
    sign = current_language().number(0.5, ".1f")[1]
    if text.count(sign) == 1 and "." not in text:
        text = text.replace(sign, ".")
    if _is_span(key):
        found = _SPAN.match(text)
        if found is None:
            return "", tr(NO_UNIT)
        sizes = {unit[0]: size for unit, size in _SPANS.items()} | {"t": _SPANS["d"], "s": 1}
        size = _SPANS["h"] if found[2].lower().startswith("st") else sizes[found[2][0].lower()]
        with contextlib.suppress(ValueError):
            text = f"{float(found[1]) * size:.10g}"
    try:
        fits = info.low <= (int(text) if info.kind is int else float(text)) <= info.high
    except ValueError:
        fits = False
    if fits:
        return text, ""
    wanted = tr(WHOLE_NUMBER if info.kind is int else ANY_NUMBER)
    return "", f"{wanted} {as_sentence(_range(info))}"


def search(query: str) -> tuple[str, ...]:
    """Return the keys of settings with every word of a query in name, synonyms, help, choices or title of the table."""
    words = query.lower().split()
    if not words:
        return ()
    titles = {page.table: page.title for page in pages()}
    found: list[tuple[int, str]] = []
    for key, info in setting_infos().items():
        name = f"{key} {label_of(key)}".lower()
        choices = " ".join((*info.choices, *map(choice_text, info.choices)))
        others = f"{FOUND_BY.get(key, '')} {tr(FOUND_BY.get(key, ''))}"
        text = f"{name} {others} {plain_help(info)} {choices} {titles[key.partition('.')[0]]}".lower()
        if all(word in text for word in words):
            found.append((0 if all(word in f"{name} {others}".lower() for word in words) else 1, key))
    return tuple(key for _, key in sorted(found, key=lambda one: one[0]))


def found_autostart(query: str) -> bool:
    """Tell whether a search means the switch of autostart, which is no setting of the file."""
    text = f"{tr(AUTOSTART).replace('&', '')} {AUTOSTART_NAME} log in login boot".lower()
    words = query.lower().split()
    return bool(words) and all(word in text for word in words)


def changed_keys(state: SettingsState) -> tuple[str, ...]:
    """Return the keys of what differs from its default."""
    return tuple(key for key, info in setting_infos().items() if get_value(state.settings, key) != info.default)


def waits(state: SettingsState, key: str) -> bool:
    """Tell whether the file says something else of a setting than what is in force."""
    return bool(get_value(state.settings, key) != get_value(state.in_force, key))


def view_trouble(trouble: Trouble) -> str:
    """Return what is wrong and what to do."""
    return view_fault(trouble.what, trouble.remedy)


def view_autostart(autostart: Autostart) -> str:
    """Say what starts Kairos."""
    words = BY_HAND[autostart.starts] if autostart.state is AutostartState.BY_HAND else AUTOSTART_TEXT[autostart.state]
    return tr(words, file=autostart.file)


def view_preset(row: PresetRow) -> str:
    """Return a kind of model server with where pictures go and what it costs, in one line."""
    return f"{row.name}: {tr(PRESET_ELSEWHERE) if row.remote else tr(PRESET_HERE)}, {price_of(row)}"


def price_of(row: PresetRow) -> str:
    """Return what a million tokens cost."""
    if row.price_in is None or row.price_out is None:
        return tr(NO_PRICE) if row.remote else tr(FREE)
    if not row.price_in and not row.price_out:
        return tr(FREE)
    return tr(PRICE, price_in=row.price_in, price_out=row.price_out)


def view_tier(models: ModelsState, tier: TierRow) -> str:
    """Say of a model what it is, where pictures go, what it costs, and why it is not asked."""
    if not tier.preset:
        return tr(MODEL_OFF)
    row = next((preset for preset in models.presets if preset.name == tier.preset), None)
    parts = [f"{tier.preset}, {tier.model}" if tier.model else tier.preset]
    if tier.here is not None:
        parts.append(tr(HERE) if tier.here else tr(ELSEWHERE, address=tier.address))
    if row is not None:
        parts.append(price_of(row) if row.model == tier.model or not row.remote else f"{price_of(row)} ({row.model})")
    text = as_sentence("; ".join(parts))
    if tier.key_name:
        text += " " + (tr(KEY_FOUND, key=tier.key_name) if tier.key_found else tr(KEY_MISSING, key=tier.key_name))
    if row is not None and row.note:
        text += "\n" + as_sentence(tr(row.note))
    if tier.trouble is not None:
        text += "\n" + tr("Not asked: {why}", why=view_trouble(tier.trouble))
    return text


def view_trial(result: TrialResult) -> str:
    """Say what came of a trial."""
    if result.stopped:
        return tr("Stopped. Nothing was found out.")
    if result.trouble is not None:
        return tr("It does not work: {why}", why=view_trouble(result.trouble))
    model = result.model or tr("the model")
    if result.dollars is None:
        return tr("It works: {model} answered in {seconds:.1f} seconds.", model=model, seconds=result.seconds)
    return tr(
        "It works: {model} answered in {seconds:.1f} seconds, for ${dollars:.4f}.",
        model=model,
        seconds=result.seconds,
        dollars=result.dollars,
    )


def _help(info: SettingInfo) -> str:
    words = tr(info.help)
    return f"{words[:1].upper()}{words[1:]}."


def _number(value: float) -> str:
    """Write a bound: with marks of thousands only where they are not the decimal sign of others."""
    if 0 < value < 1e-4:  # noqa: PLR2004  # where "g" begins to write 1e-06
        return current_language().number(value, ".6f")
    return current_language().number(value, ",.10g" if current_language().code == SOURCE_LANGUAGE else ".10g")


def _range(info: SettingInfo) -> str:
    low, high = (_span(end) if _is_span(info.key) else _number(end) for end in (info.low, info.high))
    return tr(RANGE, low=low, high=high) if info.high < MAX_NUMBER else tr(AT_LEAST, low=low)


def is_number(key: str) -> bool:
    """Tell whether a setting is a number."""
    return _kind(setting_infos()[key]) is FieldKind.NUMBER


def _kind(info: SettingInfo) -> FieldKind:
    table, _, name = info.key.partition(".")
    if table == "interface" and name.startswith("shortcut_"):
        return FieldKind.SHORTCUT
    if table.endswith("_model") and name == "preset":
        return FieldKind.PRESET
    if get_origin(info.kind) is tuple:
        return FieldKind.LIST
    if info.kind is bool:
        return FieldKind.SWITCH
    if info.kind in (int, float):
        return FieldKind.NUMBER
    return FieldKind.CHOICE if info.choices else FieldKind.TEXT


def _default_text(info: SettingInfo) -> str:
    closed = info.choices and not info.others
    return choice_text(str(info.default)) if closed else shown_value(info.key, info.default)


def _facts(info: SettingInfo) -> str:
    parts = [tr(DEFAULT_WORD, default=_default_text(info) or tr(EMPTY))]
    if info.kind in (int, float) and (info.low, info.high) != (0, MAX_NUMBER):
        parts.append(_range(info))
    if info.at_most:
        parts.append(tr(AT_MOST, label=label_of(info.at_most)))
    parts.extend(tr(words) for words in (_BASIS[info.basis], _EFFECT[info.takes_effect]) if words)
    return ". ".join(parts) + "."
