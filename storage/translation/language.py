"""What a language can do, and English, which is the language of all sources. Standard library only."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    import datetime as dt

SOURCE_LANGUAGE: Final = "en"

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class Sentence(str):
    """A sentence in English, filled in, that can still be said in another language: its `source` and `values` stay.

    It is a text like any other for logs, files and the command line. What is cut or joined of it is only a text.
    """

    __slots__ = ("source", "values")
    source: str
    values: Mapping[str, object]

    def __new__(cls, source: str, values: Mapping[str, object]) -> Self:
        """Fill the source in."""
        kept = {name: value if isinstance(value, (str, int, float)) else str(value) for name, value in values.items()}
        made = super().__new__(cls, ENGLISH.say(source, kept) if kept else source)
        made.source, made.values = source, kept
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[str, Mapping[str, object]]]:
        """Keep source and values on the way to another process."""
        return type(self), (self.source, self.values)


def translatable(source: str, /, **values: object) -> str:
    """Mark a sentence for the catalogue, where it is defined but not yet shown; returns it as it is.

    With `values` it is filled in at once, as a `Sentence`: `tr` says it in another language all the same.

    Raises:
        KeyError: a value is missing that the source names.
        ValueError: a value cannot be written as the source demands.
    """
    return Sentence(source, values) if values else source


def phrase(source: str, /) -> "Sentence":
    """Mark words for the catalogue that are put into other sentences, and translated there."""
    return Sentence(source, {})


class Language:
    """English: each sentence is its own translation. Other languages override what differs."""

    code: str = SOURCE_LANGUAGE

    def find(self, source: str) -> str:
        """Return a sentence in this language, its places still to be filled; the source where there is none."""
        return source

    def plural(self, count: int) -> int:
        """Return which of the forms of "{count:click|clicks}" a count takes, from 0 on."""
        return 0 if count == 1 else 1

    def number(self, value: float, how: str) -> str:
        """Write a number by a format of Python, such as ".1f"."""
        return format(value, how)

    def weekday(self, day: "dt.date", *, short: bool = False) -> str:
        """Name the day of the week."""
        name = _DAYS[day.weekday()]
        return name[:3] if short else name

    def month(self, day: "dt.date") -> str:
        """Name the month."""
        return _MONTHS[day.month - 1]

    def inside(self, phrase: str) -> str:
        """Return a phrase as it stands within a sentence: English begins it small, German as it is."""
        return phrase[:1].lower() + phrase[1:]

    def say(self, source: str, values: Mapping[str, object] | None = None) -> str:
        """Return a sentence in this language, filled in.

        Raises:
            KeyError: a value is missing that the source names.
            ValueError: a value cannot be written as the source demands.
        """
        places = {name: self._place(value) for name, value in (values or {}).items()}
        found = self.find(source)
        if found != source:
            try:
                return found.format_map(places)
            except (KeyError, ValueError, IndexError, AttributeError):  # a faulty catalogue must not stop anything
                pass
        return source.format_map(places)

    def say_again(self, text: str) -> str:
        """Return a text in this language if it is a sentence that knows its source; any other as its own source."""
        if isinstance(text, Sentence):
            return self.say(text.source, text.values) if text.values else self.find(text.source)
        return self.find(text)

    def _place(self, value: object) -> object:
        if isinstance(value, Sentence):
            return self.say_again(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _Number(value, self)
        return value


class _Number(float):
    """A number in a sentence of a language; the part behind the colon says how it is written."""

    language: Language

    def __new__(cls, value: float, language: Language) -> Self:
        made = super().__new__(cls, value)
        made.language = language
        return made

    def __format__(self, how: str) -> str:
        if how == "times":
            count = round(self)
            source = {1: ONCE, 2: TWICE}.get(count, TIMES)
            return self.language.say(source, {"count": count})
        if how == "s":
            return f"{self:.0f} s"
        if "|" in how:
            forms = how.split("|")
            alone = not forms[0]  # "|is|are"
            forms = forms[1:] if alone else forms
            form = forms[min(self.language.plural(round(self)), len(forms) - 1)]
            return form if alone else f"{self:.0f} {form}"
        if not how and self.is_integer():
            return f"{float(self):.0f}"
        return self.language.number(float(self), how)

    def __str__(self) -> str:
        return format(self, "")


ENGLISH: Final = Language()

ONCE = translatable("once")
TWICE = translatable("twice")
TIMES = translatable("{count} times")
