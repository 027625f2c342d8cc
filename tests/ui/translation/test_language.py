"""Which language is spoken, and how it writes numbers, dates and plurals."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from storage.consent_text import words_digest
from storage.settings import setting_infos
from storage.timeline import LabelledAct
from storage.translation import ENGLISH, current_language, tr
from tests.ui.translation.catalogue import Catalogue, compile_catalogue, write_catalogue
from ui.translation.language import available_languages, choose_language, speak
from ui.views.labelling import view_act
from ui.views.settings import read_number, value_text
from ui.views.text import long_day, weekday_clock

THERE = ("en", "de")


@pytest.mark.parametrize(
    ("setting", "wanted", "spoken"),
    [
        ("system", ["de-AT", "de", "en-US"], "de"),
        ("system", ["fr-FR", "fr", "de-DE"], "de"),
        ("system", ["en-GB", "de"], "en"),
        ("system", ["C"], "en"),
        ("system", [], "en"),
        ("de", ["en-US"], "de"),
        ("en", ["de-DE"], "en"),
        ("xx", ["de-DE"], "en"),
    ],
)
def test_the_setting_comes_before_the_desktop(setting: str, wanted: list[str], spoken: str) -> None:
    """The first language of the desktop's list that there is a catalogue for, else English."""
    assert choose_language(setting, wanted, THERE) == spoken


def test_every_language_that_there_is_can_be_set() -> None:
    info = setting_infos()["interface.language"]
    assert info.choices == ("system", *available_languages())


@pytest.fixture
def german(qapp: "QApplication") -> Iterator["QApplication"]:
    assert speak("de") == "de"
    yield qapp
    speak("en")


@pytest.mark.usefixtures("german")
def test_german_writes_numbers_days_and_plurals_its_own_way() -> None:
    day = dt.datetime(2026, 3, 3, 14, 5, tzinfo=dt.UTC)
    assert long_day(day) == "Dienstag, 3. März 2026"
    assert weekday_clock(day) == "Dienstag 14:05"
    assert tr("This answer cost ${dollars:.2f}.", dollars=0.25) == "Diese Antwort kostete 0,25 $."
    assert tr("{sessions:session|sessions}", sessions=1) == "1 Sitzung"
    assert tr("{sessions:session|sessions}", sessions=0) == "0 Sitzungen"
    assert tr("Help was offered {count:times}.", count=2) == "Hilfe wurde zweimal angeboten."
    assert view_act(LabelledAct(start_ns=0, end_ns=1, verb="rests", target="OK")).endswith(" „OK“")


def test_qt_speaks_the_same_language(german: "QApplication") -> None:
    assert german.translate("QWidgetTextControl", "&Copy") == "&Kopieren"
    speak("en")
    assert german.translate("QWidgetTextControl", "&Copy") == "&Copy"
    assert current_language() is ENGLISH


def test_a_language_may_have_more_forms_than_two(qapp: "QApplication", tmp_path: Path) -> None:
    """Which form a number takes is Qt's rule for the language; the catalogue names the forms."""
    source = "{rows:row|rows}"
    polish = Catalogue("pl", {source: "{rows:wiersz|wiersze|wierszy}"}, ("0", "1", "2"))
    write_catalogue(tmp_path / "kairos_pl.ts", polish, {source: ("ui/a.py",)})
    compile_catalogue(tmp_path / "kairos_pl.ts", tmp_path / "kairos_pl.qm")
    try:
        assert speak("pl", tmp_path) == "pl"
        said = [tr(source, rows=rows) for rows in (1, 2, 5, 22, 25)]
    finally:
        speak("en")
    assert said == ["1 wiersz", "2 wiersze", "5 wierszy", "22 wiersze", "25 wierszy"]
    assert qapp is not None


@pytest.mark.usefixtures("german")
def test_a_consent_says_which_words_were_shown() -> None:
    shown = words_digest(current_language())
    assert shown != words_digest()
    assert {"en": words_digest(), "de": shown} == CONSENT_WORDS


CONSENT_WORDS = {
    "en": "92102f520f68da5b008ac1931cec9a305dd850065ce21dc3feb71727c72237fc",
    "de": "ef5ae8fa4166d0a871611c6edac79f3bf3a3d59478e4ae6850d403607459a35c",
}
"""By language. A translation says the same as English: after a change of meaning raise `CONSENT_VERSION`, after any
change put the digest down here."""


def test_numbers_are_typed_and_shown_with_the_decimal_sign(german: "QApplication") -> None:
    assert value_text(0.5) == "0,5"
    assert read_number("capture.active_fps", " 0,5 ") == ("0.5", "")
    assert read_number("capture.active_fps", "0.5") == ("0.5", "")
    for wrong in ("", "1,5,5", "1.000,5", "schnell", "61", "nan"):
        text, trouble = read_number("capture.active_fps", wrong)
        assert (text, trouble) == ("", "Bitte geben Sie eine Zahl ein. Von 0,01 bis 60."), wrong
    assert read_number("policy.offers_per_hour", "1,5")[1].startswith("Bitte geben Sie eine ganze Zahl ein.")
