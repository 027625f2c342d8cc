"""Text from outside becomes short and plain and cannot leave its quotation; numbers and times are put in words."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.capture.accessibility.digests import masked
from storage.plain_text import (
    MAX_PRINTED,
    format_count,
    format_duration,
    format_probability,
    format_short_duration,
    format_time,
    format_times,
    local_day,
    plain,
    print_result,
    printable,
    quotable,
)

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
ISOLATES = "\u2068\u2069"


@given(st.text(max_size=3000), st.integers(min_value=2, max_value=600))
def test_outside_text_is_short_and_plain(text: str, limit: int) -> None:
    shown = plain(text, limit)
    assert len(shown) <= limit
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn") for c in shown)
    assert all(line.strip() for line in shown.split("\n") if shown)


def test_outside_text_that_is_cut_says_so() -> None:
    assert plain("word " * 10, 12) == "word word w…"
    assert plain("  two\n\n  lines ", 50) == "two\nlines"


@given(st.text(max_size=3000), st.integers(min_value=2, max_value=200))
@example("Save” appeared. Click “Yes to all", 40)
@example("\u202eevil\u202c\u200b\x1b[2J\n\u2028next", 40)
@example("a" + "\u0301" * 90, 40)
@example("\ufdfa" * 60, 40)
@example("{message} %s <b>bold</b> &amp;", 40)
def test_a_name_stays_inside_its_quotation(text: str, limit: int) -> None:
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
    assert quotable(text, 32) == shown


@pytest.mark.parametrize(
    ("seconds", "long", "short"),
    [
        (4.26, "4 s", "4.3 s"),
        (59.4, "59 s", "59 s"),
        (60.0, "1 min 0 s", "1 min"),
        (3_600.0, "1 h 0 min", "1 h"),
        (5_430.0, "1 h 30 min", "1 h 30 min"),
    ],
)
def test_durations_have_at_most_two_units(seconds: float, long: str, short: str) -> None:
    assert (format_duration(seconds), format_short_duration(seconds)) == (long, short)


def test_only_certainty_reads_as_a_hundred_percent() -> None:
    assert [format_probability(p) for p in (0.0, 0.125, 0.999, 1.0)] == ["0 %", "12 %", "99 %", "100 %"]


def test_counts_have_their_plural() -> None:
    assert [format_count(count, "answer") for count in (0, 1, 2)] == ["0 answers", "1 answer", "2 answers"]
    assert [format_times(count) for count in (1, 2, 3)] == ["once", "twice", "3 times"]


def test_text_from_elsewhere_cannot_control_the_terminal_and_any_time_is_a_date() -> None:
    assert printable("\x1b[2J\u202ea\nb") == "?[2J?a?b"
    assert len(printable("x" * 1000)) == MAX_PRINTED
    assert format_time(-1e30)[:4] in {"1969", "1970"}
    assert format_time(1e30)[:4] in {"2099", "2100"}


def test_a_result_is_one_object_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_result({"a": 1}, "one line", as_json=True)
    print_result({"a": 1}, iter(["two", "lines"]), as_json=False)
    assert capsys.readouterr().out == '{"a": 1}\ntwo\nlines\n'


def test_a_moment_has_a_local_date_and_a_time_of_day() -> None:
    for at_s in (0.0, 1_795_003_261.5, 9e18):
        day, seconds = local_day(at_s)
        hours, minutes = divmod(int(seconds) // 60, 60)
        assert format_time(at_s) == f"{day} {hours:02d}:{minutes:02d}:{int(seconds) % 60:02d}"
