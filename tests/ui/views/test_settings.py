"""What the settings window says: pages, names, help and search, made of the declarations alone."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

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
from storage.settings import InterfaceSettings, Settings, replace_value, setting_infos
from ui.translation.language import speak
from ui.views.essentials import ESSENTIALS
from ui.views.settings import (
    FieldKind,
    changed_keys,
    found_autostart,
    is_number,
    label_of,
    pages,
    plain_help,
    read_number,
    rich,
    search,
    shown_value,
    view_autostart,
    view_row,
    view_tier,
    view_trial,
    view_trouble,
    waits,
)

AUTOSTART = Autostart(state=AutostartState.OFF, file="/a", starts=False)
ELSEWHERE = PresetRow(
    name="far",
    remote=True,
    address="https://far",
    model="m",
    price_in=0.5,
    price_out=2.0,
    note="keeps it",
    key_name="K",
)


def test_every_setting_has_a_page_and_a_row_that_says_all_of_it() -> None:
    """No form is written by hand: help, default, range and when it acts are those that are declared."""
    infos = setting_infos()
    assert [key for page in pages() for key in page.keys] == list(infos)
    for key, info in infos.items():
        row = view_row(info)
        assert row.label
        assert plain_help(info)[1:20] in rich(info.help).replace("<code>", "").replace("</code>", "").replace(
            "<i>", ""
        ).replace("</i>", "")
        assert "Default: " in row.facts
        assert ("Acts at once" in row.facts) == (info.takes_effect == "now"), key
        assert ("What you turn off acts at once" in row.facts) == (info.takes_effect == "less now"), key
    assert "From 0.01 to 60. Not above Active (pictures a second)" in view_row(infos["capture.passive_fps"]).facts


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("help.library", FieldKind.SWITCH),
        ("policy.offers_per_hour", FieldKind.NUMBER),
        ("interface.corner", FieldKind.CHOICE),
        ("detector.name", FieldKind.CHOICE),
        ("fence.excluded_apps", FieldKind.LIST),
        ("local_model.url", FieldKind.TEXT),
        ("local_model.preset", FieldKind.PRESET),
        ("interface.shortcut_ask", FieldKind.SHORTCUT),
    ],
)
def test_the_field_goes_by_the_type(key: str, kind: FieldKind) -> None:
    assert view_row(setting_infos()[key]).kind is kind


def test_help_is_rich_text_of_ours_alone() -> None:
    assert rich("`a<b>` or *Show me*, [there](x.md#y) & <b>") == (
        "<code>a&lt;b&gt;</code> or <i>Show me</i>, there &amp; &lt;b&gt;"
    )


def test_the_search_finds_names_before_help_and_across_tables() -> None:
    """Every word counts, whatever its case; nothing is found for nothing."""
    found = search("excluded")
    assert found[:2] == ("fence.excluded_apps", "fence.excluded_titles")
    assert {key.partition(".")[0] for key in search("model pictures")} >= {"help", "local_model", "strong_model"}
    assert search("PICTURES a second")[0].startswith("capture.")
    assert search("") == search("nosuchword") == ()
    assert found_autostart("log in")
    assert not found_autostart("offers")


def test_names_for_people_carry_their_unit() -> None:
    assert label_of("policy.cooldown_s") == "Cooldown"
    assert label_of("capture.motion_per_s") == "Motion (a second)"
    assert label_of("policy.offers_per_hour") == "Offers per hour"
    assert label_of("storage.keep_gb") == "Keep (GB)"


@pytest.mark.parametrize(
    ("seconds", "shown", "typed"),
    [
        (300.0, "5 min", "5min"),
        (90.0, "90 s", "1.5 minutes"),
        (86_400.0, "1 day", "24 h"),
        (5.5, "5.5 s", "5.5 sec"),
        (0.0, "0 s", "0 d"),
        (172_800.0, "2 days", "2 Tage"),
        (7200.0, "2 h", "2 Stunden"),
    ],
)
def test_lengths_of_time_are_shown_and_typed_with_their_unit(seconds: float, shown: str, typed: str) -> None:
    key = "policy.cooldown_s"
    assert shown_value(key, seconds) == shown
    for text in (shown, typed):
        value, trouble = read_number(key, text)
        assert (float(value), trouble) == (seconds, "")


@pytest.mark.parametrize(
    ("language", "words", "key"),
    [
        ("en", "dark", "interface.look"),
        ("en", "font size", "interface.text_percent"),
        ("en", "password", "fence.excluded_apps"),
        ("en", "too many offers", "policy.how_often"),
        ("en", "do not disturb", "interface.quiet_hours"),
        ("en", "video", "capture.record_screen"),
        ("de", "dunkel", "interface.look"),
        ("de", "Schriftgröße", "interface.text_percent"),
        ("de", "Passwort", "fence.excluded_apps"),
        ("de", "zu viele Angebote", "policy.how_often"),
        ("de", "dark", "interface.look"),
    ],
)
def test_the_search_knows_words_that_people_use(qapp: QApplication, language: str, words: str, key: str) -> None:
    speak(language)
    try:
        assert search(words)[0] == key
    finally:
        speak("en")


def test_the_ten_settings_say_what_they_do_as_they_stand() -> None:
    """Each in another sentence once it is set otherwise."""
    assert len(ESSENTIALS) == 10
    before = SettingsState(settings=Settings(), in_force=Settings(), file="/f", autostart=AUTOSTART)
    others = {
        "policy.how_often": "rarely",
        "interface.quiet_hours": True,
        "capture.record_screen": "on",
        "storage.keep_days": 7,
        "capture.understand_controls": "on",
        "fence.excluded_apps": ("signal",),
        "interface.shortcut_ask": "Ctrl+Alt+K",
        "local_model.preset": "llama-server",
    }
    unchanged = []
    for essential in ESSENTIALS:
        for key in others.keys() & set(essential.keys):
            changed = replace_value(Settings(), key, others[key])
            if essential.effect(before) == essential.effect(replace(before, settings=changed, in_force=changed)):
                unchanged.append(essential.title)
    assert unchanged == []
    assert {key for essential in ESSENTIALS for key in essential.keys} >= set(others)
    for key in ("capture.record_screen", "capture.understand_controls"):
        (essential,) = (essential for essential in ESSENTIALS if key in essential.keys)
        agreed = replace(before, agreed=frozenset({key}))
        on, off = (replace(agreed, in_force=replace_value(Settings(), key, value)) for value in ("on", "off"))
        assert essential.effect(agreed) == essential.effect(on)
        assert essential.effect(off) == essential.effect(before)
        waits = replace(before, settings=replace_value(Settings(), key, "on"))
        assert essential.effect(waits) == essential.effect(before)  # it is on from the next start


def test_quiet_hours_that_end_when_they_begin_are_none() -> None:
    hours = InterfaceSettings(quiet_hours=True, quiet_from_hour=22, quiet_until_hour=22)
    (essential,) = (essential for essential in ESSENTIALS if "interface.quiet_hours" in essential.keys)
    settings = Settings(interface=hours)
    state = SettingsState(settings=settings, in_force=settings, file="/f", autostart=AUTOSTART)
    assert essential.effect(state) == essential.effect(replace(state, settings=Settings()))


def test_what_differs_and_what_waits() -> None:
    settings = replace(Settings(), help=replace(Settings().help, library=False))
    state = SettingsState(settings=settings, in_force=Settings(), file="/f", autostart=AUTOSTART)
    assert changed_keys(state) == ("help.library",)
    assert waits(state, "help.library")
    assert not waits(state, "help.model")


def test_a_model_says_where_pictures_go_what_it_costs_and_why_it_is_not_asked() -> None:
    """A key is named, never shown."""
    models = ModelsState(presets=(ELSEWHERE,))
    trouble = Trouble(what="pictures may not go there", remedy="allow it")
    tier = TierRow(table="strong_model", preset="far", model="m", address="far:443", here=False, key_name="K")
    text = view_tier(models, replace(tier, trouble=trouble))
    assert "Pictures of your screen go to far:443" in text
    assert "$0.5 in, $2 out for a million tokens" in text
    assert "The key K was not found." in text
    assert "Not asked: Pictures may not go there. Allow it." in text
    assert view_tier(models, TierRow(table="local_model", preset="")).startswith("Off")


def test_troubles_trials_and_autostart_in_words() -> None:
    assert view_trouble(Trouble(what="a is wrong", remedy="lower it")) == "A is wrong. Lower it."
    assert view_trial(TrialResult(table="t", model="m", seconds=1.25, dollars=0.0)).startswith("It works: m answered")
    assert view_trial(TrialResult(table="t", stopped=True)).startswith("Stopped")
    assert "Start it" in view_trial(TrialResult(table="t", trouble=Trouble(what="down", remedy="start it")))
    by_hand = Autostart(state=AutostartState.BY_HAND, file="/mine", starts=True)
    assert "/mine starts Kairos" in view_autostart(by_hand)
    assert "keeps Kairos from starting" in view_autostart(replace(by_hand, starts=False))


def test_a_number_is_checked_before_it_is_handed_over() -> None:
    """In English a comma is no decimal sign."""
    assert read_number("capture.active_fps", "2") == ("2", "")
    assert read_number("capture.active_fps", "0,5")[1] == "Please enter a number. From 0.01 to 60."
    assert read_number("policy.offers_per_hour", "1.5")[1].startswith("Please enter a whole number. ")
    for typed in ("5 min", "5 mins", "5 minutes", "5 Minuten", "300 s", "300 Sekunden", "300 sek."):
        assert read_number("policy.cooldown_s", typed) == ("300", "")
    assert read_number("policy.cooldown_s", "1 Std.") == read_number("policy.cooldown_s", "1 hr") == ("3600", "")
    assert read_number("policy.cooldown_s", "300")[1].startswith("Please enter it with its unit")
    assert read_number("policy.cooldown_s", "-5 min")[1].startswith("Please enter it with its unit")
    assert read_number("capture.drain_s", "1 min")[1] == "Please enter a number. From 0 s to 10 s."
    assert is_number("policy.offers_per_hour")
    assert not is_number("help.model")
