"""What somebody seems to look for: learned from moments, read from the names on the screen."""

import tracemalloc
from dataclasses import replace

import pytest

from daemon.help.context import HelpContext
from daemon.help.sought import sought_help, tokens_of_moment

APP = "libreoffice-writer"
SIDEWAYS = HelpContext(
    app=APP,
    dialog="Printer Properties",
    controls=("File", "Printer Settings...", "Properties...", "Orientation", "Landscape", "OK"),
)
PAGE, REPLACE = ("page", "style"), ("find", "and", "replace")


def test_the_names_on_the_screen_tell_what_is_sought() -> None:
    shares = sought_help().commands(SIDEWAYS, {PAGE, REPLACE, ("no", "such", "command")})
    assert shares.keys() == {PAGE, REPLACE}
    assert shares[PAGE] > 0.3
    assert shares[REPLACE] < 0.05


def test_a_share_is_of_all_commands_that_were_learned_of_the_program() -> None:
    """One of whose menus hardly any are known yet is not sure for that; what other programs have takes no part."""
    slide = ("slide", "properties")
    assert sought_help().commands(SIDEWAYS, {slide}) == {}
    assert sought_help().commands(replace(SIDEWAYS, app="libreoffice-impress"), {slide})
    alone = sought_help().commands(SIDEWAYS, {REPLACE})
    assert alone[REPLACE] < 0.05


@pytest.mark.parametrize(
    "context",
    [
        HelpContext(app=APP),
        HelpContext(app=APP, controls=("Qwfpgj", "", "...")),
        HelpContext(app=APP, controls=("Page Break",)),
        HelpContext(app=APP, messages=("word",)),
        replace(SIDEWAYS, app="some-writer"),
    ],
    ids=["nothing", "unknown names", "one name", "one word", "another program"],
)
def test_where_too_little_tells_nothing_is_sought(context: HelpContext) -> None:
    assert sought_help().commands(context, {PAGE}) == {}
    assert sought_help().pages(context) == {}


def test_a_page_of_the_documentation_is_sought_as_well() -> None:
    shares = sought_help().pages(SIDEWAYS)
    assert max(shares, key=shares.__getitem__) == "Changing Page Orientation"
    assert sum(shares.values()) == pytest.approx(1.0)
    assert "Add Layer Mask" in sought_help().pages(replace(SIDEWAYS, app="Gimp-2.10")).keys() - shares.keys()


def test_neither_the_title_nor_typed_words_count_and_what_was_touched_twice_counts_once() -> None:
    again = (*SIDEWAYS.controls, "Landscape", "landscape...")
    twice = replace(SIDEWAYS, title="sideways.odt", words="landscape", controls=again)
    assert list(tokens_of_moment(twice)) == list(tokens_of_moment(SIDEWAYS))


def test_a_word_that_a_message_repeats_counts_once() -> None:
    long, short = (HelpContext(app=APP, messages=("word " * times,)) for times in (10_000, 1))
    assert list(tokens_of_moment(long)) == list(tokens_of_moment(short))


def test_a_word_as_long_as_a_page_takes_no_memory() -> None:
    endless = replace(SIDEWAYS, messages=("w" * 1_000_000,))
    sought_help()
    tracemalloc.start()
    try:
        assert sought_help().commands(endless, {PAGE}) == sought_help().commands(SIDEWAYS, {PAGE})
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
