"""Local times for people, and what is said of faults, in the language of the interface."""

from datetime import UTC, date, datetime

from storage.plain_text import plain
from storage.translation import SOURCE_LANGUAGE, Sentence, current_language, tr, translatable

TITLE_LIMIT, PATH_LIMIT, SOURCE_LIMIT = 90, 60, 80
"""Characters of a page's title, of the way to a control, and of where a page comes from."""

_KEYS = (
    *(translatable("Ctrl"), translatable("Shift"), translatable("Space"), translatable("Enter"), translatable("Home")),
    *(translatable("Insert"), translatable("Delete"), translatable("End"), translatable("Backspace")),
    *(translatable("PageUp"), translatable("PageDown"), translatable("Up"), translatable("Down"), translatable("Left")),
    translatable("Right"),
)
_COMMANDS = ("kairos", "chmod")  # what lines to be typed begin with


def keys_text(shortcut: str) -> str:
    """Write a shortcut with the words on the keys: "Ctrl+Space" is "Strg+Leertaste" in German."""
    return "+".join(tr(name) if name in _KEYS else name for name in shortcut.split("+"))


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


def view_fault(what: str, remedy: str = "", *, limit: int = 400) -> str:
    """Return what happened and what to do, as sentences; neither is longer than the limit."""
    return " ".join(filter(None, (as_sentence(in_our_language(part, limit)) for part in (what, remedy))))


def as_sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop; a command or the name of a setting begins as it is."""
    text = text.strip()
    first = text.partition(" ")[0].rstrip(",;:.!?")
    if first.isalpha() and first not in _COMMANDS:
        text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".!?…" else f"{text}."


def in_our_language(text: str, limit: int = 400) -> str:
    """Return words of a fault, plain and of limited length; what has no translation is quoted."""
    found = plain(tr(text), limit)
    if not text or current_language().code == SOURCE_LANGUAGE or isinstance(text, Sentence) or found != text:
        return found
    return tr("In English: “{text}”", text=found)


def one_line(text: str, limit: int) -> str:
    """Return text from outside as one line of plain characters."""
    return plain(" ".join(text[: 4 * limit].split()), limit)
