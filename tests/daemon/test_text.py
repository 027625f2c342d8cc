"""What commands print: numbers and times in words, and nothing that a terminal would act on."""

import pytest

from daemon.text import (
    MAX_PRINTED,
    format_count,
    format_duration,
    format_probability,
    format_short_duration,
    format_time,
    format_times,
    local_day,
    print_result,
    printable,
)


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
    """Tenths below ten seconds, and no second unit that is zero, where it is short."""
    assert (format_duration(seconds), format_short_duration(seconds)) == (long, short)


def test_only_certainty_reads_as_a_hundred_percent() -> None:
    """A probability is rounded to it only if it is 1."""
    assert [format_probability(p) for p in (0.0, 0.125, 0.999, 1.0)] == ["0 %", "12 %", "99 %", "100 %"]


def test_counts_have_their_plural() -> None:
    """With a noun, and as how often."""
    assert [format_count(count, "answer") for count in (0, 1, 2)] == ["0 answers", "1 answer", "2 answers"]
    assert [format_times(count) for count in (1, 2, 3)] == ["once", "twice", "3 times"]


def test_text_from_elsewhere_cannot_control_the_terminal_and_any_time_is_a_date() -> None:
    """Control characters become question marks, long text is cut, and times are limited to 1970 to 2100."""
    assert printable("\x1b[2J\u202ea\nb") == "?[2J?a?b"
    assert len(printable("x" * 1000)) == MAX_PRINTED
    assert format_time(-1e30)[:4] in {"1969", "1970"}
    assert format_time(1e30)[:4] in {"2099", "2100"}


def test_a_result_is_one_object_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Never both."""
    print_result({"a": 1}, "one line", as_json=True)
    print_result({"a": 1}, iter(["two", "lines"]), as_json=False)
    assert capsys.readouterr().out == '{"a": 1}\ntwo\nlines\n'


def test_a_moment_has_a_local_date_and_a_time_of_day() -> None:
    """The same that is printed, also of a time that no clock shows."""
    for at_s in (0.0, 1_795_003_261.5, 9e18):
        day, seconds = local_day(at_s)
        hours, minutes = divmod(int(seconds) // 60, 60)
        assert format_time(at_s) == f"{day} {hours:02d}:{minutes:02d}:{int(seconds) % 60:02d}"
