"""Sentences with places: English by default, another language where one is installed."""

import datetime as dt
from collections.abc import Iterator, Mapping

import pytest

from storage.translation import ENGLISH, Language, current_language, install_language, tr, translatable


class Pairs(Language):
    """A language that knows a few sentences."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._sentences = sentences

    def find(self, source: str) -> str:
        return self._sentences.get(source, source)


@pytest.fixture
def installed() -> Iterator[Pairs]:
    language = Pairs(
        {
            "Stop": "Halt",
            "{rows:row|rows} in {app}": "{app}: {rows:Zeile|Zeilen}",
            "broken {rows}": "kaputt {lines}",
            "once": "einmal",
        }
    )
    install_language(language)
    yield language
    install_language(None)


def test_english_is_the_source_itself() -> None:
    """Without an interface nothing is translated: logs, replays and commands are the same everywhere."""
    assert current_language() is ENGLISH
    assert tr("Stop") == translatable("Stop") == "Stop"
    assert tr("{not} filled") == "{not} filled"  # a sentence without values is no template


@pytest.mark.parametrize(
    ("source", "count", "said"),
    [
        ("{n:click|clicks}", 1, "1 click"),
        ("{n:click|clicks}", 0, "0 clicks"),
        ("{n:|is|are} there", 1, "is there"),
        ("{n:|is|are} there", 2, "are there"),
        ("{n:times}", 1, "once"),
        ("{n:times}", 2, "twice"),
        ("{n:times}", 7, "7 times"),
        ("{n:s}", 13.6, "14 s"),
        ("{n}", 3.0, "3"),
        ("{n:.1f}", 2.25, "2.2"),
        ("{n:g} GB", 2.5, "2.5 GB"),
    ],
)
def test_numbers_are_written_as_their_place_says(source: str, count: float, said: str) -> None:
    assert tr(source, n=count) == said


@pytest.mark.usefixtures("installed")
def test_another_language_has_its_own_order_and_forms() -> None:
    """Places have names, so a sentence may turn around."""
    assert tr("Stop") == "Halt"
    assert tr("{rows:row|rows} in {app}", rows=2, app="Writer") == "Writer: 2 Zeilen"
    assert tr("{n:times}", n=1) == "einmal"
    assert tr("Never heard") == "Never heard"


@pytest.mark.usefixtures("installed")
def test_a_faulty_catalogue_stops_nothing() -> None:
    assert tr("broken {rows}", rows=3) == "broken 3"
    with pytest.raises(KeyError):
        tr("{rows:row|rows} in {app}", rows=3)


def test_what_is_put_in_is_never_read_as_a_template() -> None:
    """Words from the screen may look like places."""
    assert tr("in {app}", app="{secret} {0} {app:x|y}") == "in {secret} {0} {app:x|y}"


def test_days_have_english_names_whatever_the_process_locale_is() -> None:
    """Not those of strftime."""
    day = dt.date(2026, 8, 3)
    assert (ENGLISH.weekday(day), ENGLISH.weekday(day, short=True), ENGLISH.month(day)) == ("Monday", "Mon", "August")
