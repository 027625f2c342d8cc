"""Local times for people, in the language of the interface."""

from datetime import UTC, date, datetime

from storage.translation import current_language, tr


def local_time(wall_ns: int | None) -> datetime | None:
    """Turn wall-clock nanoseconds into the person's local time."""
    return None if wall_ns is None else datetime.fromtimestamp(wall_ns / 1e9, tz=UTC).astimezone()


def long_day(day: date) -> str:
    """Name a day: "Monday 3 August 2026"."""
    language = current_language()
    return tr(
        "{weekday} {day} {month} {year}",
        weekday=language.weekday(day),
        day=str(day.day),
        month=language.month(day),
        year=str(day.year),
    )


def month_day(day: date) -> str:
    """Name a day without that of the week: "3 August 2026"."""
    month = current_language().month(day)
    return tr("{day} {month} {year}", day=str(day.day), month=month, year=str(day.year))


def weekday_clock(at: datetime, *, short: bool = False) -> str:
    """Return the day of the week and the time: "Monday 14:05", short "Mon 14:05"."""
    return f"{current_language().weekday(at, short=short)} {at:%H:%M}"
