"""Chooses the language of the interface and puts Qt's translation beneath `storage.translation.tr`.

The desktop's own list of languages decides, unless the setting `interface.language` names one. A language that we have
no catalogue for is English. Dates, numbers and the decimal sign follow the language too, so that a sentence is in one
language from end to end.
"""

import datetime as dt
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from storage.translation import SOURCE_LANGUAGE, Language, install_language

CONTEXT = "Kairos"  # the one context of our catalogues: a sentence means the same in every window
PLURAL_FORM = "plural form of %n"
"""What every catalogue says of the plurals of its language: one translation for each form, "0", "1" and so on."""

FOLDER = Path(__file__).parent / "data"
SYSTEM = "system"


class CatalogueLanguage(Language):
    """A language with a catalogue that Qt has loaded."""

    def __init__(self, code: str) -> None:
        """Prepare for a language such as "de"; its catalogue is installed in the application."""
        self.code = code
        self._locale = QLocale(code)
        self._found: dict[str, str] = {}
        self._plurals: dict[int, int] = {}

    def find(self, source: str) -> str:
        """Return a sentence in this language, its places still to be filled; the source where there is none."""
        found = self._found.get(source)
        if found is None:
            found = self._found[source] = QCoreApplication.translate(CONTEXT, source) if source else ""
        return found

    def plural(self, count: int) -> int:
        """Return which of the forms of "{count:click|clicks}" a count takes, from 0 on."""
        form = self._plurals.get(count)
        if form is None:
            answer = QCoreApplication.translate(CONTEXT, PLURAL_FORM, None, abs(count))
            form = self._plurals[count] = int(answer) if answer.isdecimal() else super().plural(count)
        return form

    def number(self, value: float, how: str) -> str:
        """Write a number by a format of Python, with the decimal sign of this language."""
        written = format(value, how)
        return written.translate({ord("."): self._locale.decimalPoint(), ord(","): self._locale.groupSeparator()})

    def weekday(self, day: dt.date, *, short: bool = False) -> str:
        """Name the day of the week."""
        form = QLocale.FormatType.ShortFormat if short else QLocale.FormatType.LongFormat
        return self._locale.standaloneDayName(day.isoweekday(), form)

    def month(self, day: dt.date) -> str:
        """Name the month."""
        return self._locale.monthName(day.month, QLocale.FormatType.LongFormat)


def available_languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the codes of the languages that the interface speaks, English first."""
    found = sorted(file.stem.removeprefix("kairos_") for file in folder.glob("kairos_*.qm"))
    return (SOURCE_LANGUAGE, *found)


def choose_language(setting: str, wanted: list[str], available: tuple[str, ...]) -> str:
    """Return the language to speak.

    Args:
        setting: `interface.language`: a code, or "system".
        wanted: the person's languages, the most wanted first, such as `["de-AT", "de", "en-US"]`.
        available: the codes that there are.
    """
    for name in wanted if setting == SYSTEM else [setting]:
        code = name.replace("_", "-").partition("-")[0].lower()
        if code in available:
            return code
    return SOURCE_LANGUAGE


class _Installed:
    """The translators that the application uses now: Qt keeps no reference to them."""

    translators: tuple[QTranslator, ...] = ()


def speak(setting: str, folder: Path = FOLDER) -> str:
    """Have the whole interface speak a language from now on, Qt's own words too; returns its code.

    An application must be there. Windows that exist keep their words.
    """
    for translator in _Installed.translators:
        QCoreApplication.removeTranslator(translator)
    _Installed.translators = ()
    code = choose_language(setting, QLocale.system().uiLanguages(), available_languages(folder))
    if code == SOURCE_LANGUAGE:
        install_language(None)
        return code
    ours, of_qt = QTranslator(), QTranslator()
    if not ours.load(f"kairos_{code}", str(folder)):
        install_language(None)
        return SOURCE_LANGUAGE
    found = [ours]
    if of_qt.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        found.insert(0, of_qt)
    for translator in found:
        QCoreApplication.installTranslator(translator)
    _Installed.translators = tuple(found)
    install_language(CatalogueLanguage(code))
    return code
