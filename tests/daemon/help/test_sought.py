"""What somebody seems to look for: learned from moments, read from the names on the screen."""

from dataclasses import replace

import numpy as np

from daemon.help.context import HelpContext
from daemon.help.sought import sought_commands, tokens_of_moment

SIDEWAYS = HelpContext(
    app="libreoffice-writer",
    dialog="Printer Properties",
    controls=("File", "Printer Settings...", "Properties...", "Orientation", "Landscape", "OK"),
)
PAGE, REPLACE = ("page", "style"), ("find", "and", "replace")


def test_the_names_on_the_screen_tell_what_is_sought() -> None:
    shares = sought_commands().shares(SIDEWAYS, {PAGE, REPLACE, ("no", "such", "command")})
    assert shares.keys() == {PAGE, REPLACE}
    assert shares[PAGE] > 0.3
    assert shares[REPLACE] < 0.05


def test_a_share_is_of_all_commands_that_were_learned() -> None:
    """A program that has hardly any of them is not sure for that."""
    alone = sought_commands().shares(SIDEWAYS, {REPLACE})
    assert alone[REPLACE] < 0.05


def test_where_nothing_tells_nothing_is_sought() -> None:
    assert sought_commands().shares(HelpContext(app="calc"), {PAGE}) == {}
    assert sought_commands().shares(HelpContext(app="calc", controls=("Qwfpgj", "", "...")), {PAGE}) == {}


def test_neither_the_title_nor_typed_words_count_and_what_was_touched_twice_counts_once() -> None:
    twice = replace(SIDEWAYS, title="sideways.odt", words="landscape", controls=SIDEWAYS.controls * 2)
    assert list(tokens_of_moment(twice)) == list(tokens_of_moment(SIDEWAYS))


def test_a_long_message_counts_no_more_than_a_short_one() -> None:
    long = HelpContext(app="calc", messages=("word " * 10_000,))
    assert np.linalg.norm([count for _, count in tokens_of_moment(long)]) <= 1.01
