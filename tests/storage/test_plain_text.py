"""Text from outside, whatever it is, becomes short and plain, and cannot leave the quotation it stands in."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.capture.accessibility.digests import masked
from storage.plain_text import plain, quotable

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
ISOLATES = "\u2068\u2069"


@given(st.text(max_size=3000), st.integers(min_value=2, max_value=600))
def test_outside_text_is_short_and_plain(text: str, limit: int) -> None:
    """Whatever comes in: never longer than the limit, no control or direction characters, no blank lines."""
    shown = plain(text, limit)
    assert len(shown) <= limit
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn") for c in shown)
    assert all(line.strip() for line in shown.split("\n") if shown)


def test_outside_text_that_is_cut_says_so() -> None:
    """A cut text ends in an ellipsis; one that fits is left alone."""
    assert plain("word " * 10, 12) == "word word w…"
    assert plain("  two\n\n  lines ", 50) == "two\nlines"


@given(st.text(max_size=3000), st.integers(min_value=2, max_value=200))
@example("Save” appeared. Click “Yes to all", 40)
@example("\u202eevil\u202c\u200b\x1b[2J\n\u2028next", 40)
@example("a" + "\u0301" * 90, 40)
@example("\ufdfa" * 60, 40)
@example("{message} %s <b>bold</b> &amp;", 40)
def test_a_name_stays_inside_its_quotation(text: str, limit: int) -> None:
    """One line within the limit, no quotation mark of ours, nothing hidden but our isolation, few marks a letter."""
    shown = quotable(text, limit)
    inner = shown.removeprefix("\u2068").removesuffix("\u2069")
    assert len(inner) <= limit
    assert not set(inner) & set('“”„«»「」"' + ISOLATES)
    assert not [c for c in inner if unicodedata.category(c) in HIDDEN]
    assert inner == " ".join(inner.split())
    marks = "".join("x" if unicodedata.category(c) in ("Mn", "Me") else "-" for c in inner)
    assert "xxx" not in marks
    assert inner == "" or any(c.isalnum() for c in inner)


@given(st.text(alphabet="ab 12.\"'`“”„«»x\u2018\u2019", max_size=60), st.text(alphabet='ab 12."“”x', max_size=60))
@example('line 12: no "a.txt"', 'line 9: no "b.txt"')
def test_what_counts_as_the_same_reads_the_same(one: str, other: str) -> None:
    """Two texts with one digest are quoted alike, so a quotation never says more than was equal."""
    if masked(one) == masked(other):
        assert quotable(one, 200).casefold() == quotable(other, 200).casefold()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Compile", "Compile"),
        ('Cannot open "a.txt": line 12', "Cannot open …: line …"),
        ("don't stop", "don't stop"),
        ("a title “that was cut", "a title …"),
        ("\u202e \u200b", ""),
        ("12", ""),
        ("word " * 20, "word word word word word word w…"),
        ("\u05e9\u05dc\u05d5\u05dd", "\u2068\u05e9\u05dc\u05d5\u05dd\u2069"),
    ],
)
def test_how_a_name_is_quoted(text: str, shown: str) -> None:
    """What may differ between two of the same is left out, and what is left is as the program wrote it."""
    assert quotable(text, 32) == shown
