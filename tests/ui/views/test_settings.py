"""What the settings window says: pages, names, help and search, made of the declarations alone."""

from dataclasses import replace

import pytest

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
from storage.settings import Settings, setting_infos
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
    assert label_of("policy.cooldown_s") == "Cooldown (seconds)"
    assert label_of("policy.offers_per_hour") == "Offers per hour"
    assert label_of("storage.keep_gb") == "Keep (GB)"


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
    assert is_number("policy.offers_per_hour")
    assert not is_number("help.model")
