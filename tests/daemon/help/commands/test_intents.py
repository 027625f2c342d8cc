"""What people say for a command is near to its line; the files of the package are those of the tables beside them."""

import numpy as np
import pytest

from daemon.help.commands.intents import BUCKETS, Intents, intents_of, tokens_of
from daemon.help.commands.words import LANGUAGES, language_of


def learned(code: str) -> Intents:
    found = intents_of(code)
    assert found is not None
    return found


def nearest(code: str, words: str) -> str:
    found = learned(code)
    return found.names[int(found.near_lines(found.vector(words)).argmax())]


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_was_learned_is_the_table_line_by_line(code: str) -> None:
    """After a change of a table `python -m lab.benchmarks.matching.intents` makes its file anew."""
    assert learned(code).names == [line.names[0] for line in language_of(code).asked]


@pytest.mark.parametrize(
    ("code", "words", "name"),
    [
        ("en", "my sentence vanished by mistake, bring it back", "Undo"),
        ("en", "strangers must not read this file", "Protect Document"),
        ("de", "mein Satz ist weg, hol ihn zurück", "Rückgängig"),
        ("de", "Blattzahlen unten auf dem Papier", "Seitennummer"),
    ],
)
def test_words_that_no_name_has_are_near_to_their_line(code: str, words: str, name: str) -> None:
    found = learned(code)
    near = found.near_lines(found.vector(words))
    places = np.argsort(-near)[:5].tolist()
    assert name in {other for place in places for other in language_of(code).asked[place].names}


def test_words_that_are_known_nowhere_are_near_to_nothing() -> None:
    assert not learned("en").vector("ψξ").any()
    assert not learned("en").vector("").any()
    assert intents_of("fr") is None


def test_german_words_are_known_by_their_parts_too() -> None:
    """The control is English, which has none."""
    assert learned("de").vector("Bildgrössenänderungswunsch").any()
    parts = [token for token, _ in tokens_of("Zeilenhöhe", language_of("de")) if isinstance(token, int)]
    assert parts
    assert all(0 <= part < BUCKETS for part in parts)
    assert parts == [token for token, _ in tokens_of("Zeilenhoehe", language_of("de")) if isinstance(token, int)]
    assert not [token for token, _ in tokens_of("row height", language_of("en")) if isinstance(token, int)]


def test_packed_vectors_are_those_of_the_texts() -> None:
    found = learned("en")
    packed = found.packed(("Undo", "Print"))
    assert packed.dtype == np.int8
    np.testing.assert_allclose(packed[1] / 127, found.vector("Print"), atol=0.005)


def test_who_says_a_phrase_that_was_learned_asks_for_its_line_in_any_order() -> None:
    found = learned("en")
    asked = {found.names[line] for line in found.lines_of("make the text bold").tolist()}
    assert "Bold" in asked
    assert found.lines_of("bold the text, make!").tolist() == found.lines_of("make text bold").tolist()
    assert not found.lines_of("make the text bold and green").tolist()


def test_long_texts_are_cut() -> None:
    found = learned("de")
    assert found.vector("rückgängig " * 5000).shape == found.vector("rückgängig").shape
    assert found.vector("x" * 100_000).shape == found.vector("rückgängig").shape
