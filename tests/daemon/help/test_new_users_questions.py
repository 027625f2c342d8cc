"""Questions that a new user typed with a program in front, and what answers each first; real programs' commands."""

from functools import cache

import pytest

from daemon.help.answers import TypedAnswers
from daemon.help.commands.command import TakeCommands
from daemon.help.context import HelpContext, HelpMatch
from daemon.help.library.asked import FEATURES
from daemon.help.ports import Library
from storage.ports import CandidateKind, HelpPage, HelpStep
from tests.fakes.help.help_library import FakeLibrary
from tests.fakes.help.recorded_commands import recorded_commands

LITTLE = (0.1,) * len(FEATURES)
DUPLICATES = HelpPage(
    page_id="calc/duplicates",
    title="Removing Duplicates",
    steps=(HelpStep(text="Choose Data > More Filters > Standard Filter.", controls=("Data", "More Filters")),),
    source="LibreOffice Help 7.4",
    app="libreoffice-calc",
)


class Pages(FakeLibrary):
    """Knows one page, about duplicates."""

    def search_words(self, context: HelpContext, words: str, limit: int = 3) -> list[HelpMatch]:
        return [HelpMatch(page=DUPLICATES, score=0.8, evidence=LITTLE)][:limit] if "duplicates" in words else []


class OtherPages(FakeLibrary):
    """Knows an English page that says next to nothing of what is asked."""

    def search_words(self, context: HelpContext, words: str, limit: int = 3) -> list[HelpMatch]:
        return [HelpMatch(page=DUPLICATES, score=0.01, evidence=LITTLE)]


@cache
def answers_in(program: str) -> tuple[TypedAnswers, str]:
    commands = recorded_commands(program)

    def request(take: TakeCommands, app: str = "") -> None:
        take(commands if app == commands.app else None)

    return TypedAnswers(request, lambda: None), commands.app


def first_answer(program: str, words: str, library: Library | None = None) -> str:
    answers, app = answers_in(program)
    found = answers.find(HelpContext(app=app, words=words), library or Pages(), 1.0).candidates
    if not found:
        return ""
    is_page = found[0].kind is CandidateKind.PAGE
    return found[0].page.title if is_page else " > ".join(found[0].page.steps[0].controls)


@pytest.mark.parametrize(
    ("program", "words", "answer"),
    [
        ("mousepad-en", "make text bold", ""),
        ("mousepad-en", "change the font", "View > Select Font"),
        ("mousepad-en", "undo", "Edit > Undo"),
        ("mousepad-en", "find and replace", "Search > Find and Replace"),
        ("libreoffice-calc-en", "how do I freeze the first row", "View > Freeze Cells > Freeze First Row"),
        ("libreoffice-calc-en", "sort by column", "Data > Sort"),
        ("libreoffice-calc-en", "make text bold", "Format > Text > Bold"),
        ("libreoffice-calc-en", "undo", "Edit > Undo"),
        ("libreoffice-calc-en", "insert a chart", "Insert > Chart"),
        ("libreoffice-calc-en", "column width", "Format > Columns > Width"),
        ("libreoffice-calc-en", "print area", "Print Area"),
        ("libreoffice-calc-en", "remove duplicates", "Removing Duplicates"),
        ("libreoffice-calc-en", "export as pdf", "File > Export as PDF"),
        ("libreoffice-calc-en", "put two cells into one", "Format > Merge and Unmerge Cells > Merge Cells"),
        ("libreoffice-calc-en", "colour cells below zero red", "Conditional"),
        ("mousepad-en", "make the letters bigger", "View > Select Font"),
        ("libreoffice-writer-en", "make a table", "Table > Insert Table"),
        ("libreoffice-writer-en", "delete table", "Table > Delete > Table"),
        ("libreoffice-writer-en", "turn the page sideways", "Format > Page Style"),
        ("libreoffice-writer-en", "page numbers", "Insert > Page Number"),
        ("libreoffice-writer-en", "word count", "Tools > Word Count"),
        ("libreoffice-writer-en", "export as pdf", "File > Export As > Export as PDF"),
        ("libreoffice-writer-en", "bold", "Format > Text > Bold"),
        ("libreoffice-writer-en", "line spacing", "Format > Spacing > Line Spacing: 1"),
        ("libreoffice-writer-en", "insert a picture", "Insert > Image"),
        (
            "libreoffice-writer-en",
            "table of contents",
            "Insert > Table of Contents and Index > Table of Contents, Index or Bibliography",
        ),
        ("libreoffice-writer-en", "undo", "Edit > Undo"),
        ("mousepad-en", "text fett machen", ""),
        ("mousepad-en", "Zeile fixieren", ""),
        ("libreoffice-calc-en", "text fett machen", ""),
        ("libreoffice-calc-en", "Zeile fixieren", ""),
        ("libreoffice-writer-en", "text fett machen", ""),
        ("libreoffice-calc-de", "text fett machen", "Format > Text > Fett"),
        ("libreoffice-calc-de", "erste Zeile fixieren", "Ansicht > Zellen fixieren > Erste Zeile fixieren"),
        ("libreoffice-writer-de", "text fett machen", "Format > Text > Fett"),
        ("libreoffice-impress-en", "run it from the slide I am on", "Slide Show > Start from Current Slide"),
        ("libreoffice-impress-en", "bullet points appear one by one", "View > Animation"),
        ("inkscape-en", "space things out evenly", "Object > Align and Distribute"),
        ("evince-en", "the page is upside down", "File options > Rotate ⤵"),
        ("gimp-de", "Bild verkleinern", "Bild > Bild skalieren"),
        ("libreoffice-calc-de", "nur Zeilen zeigen in denen Berlin steht", "Daten > AutoFilter"),
    ],
)
def test_each_question_of_a_new_user_is_answered_first_by_what_does_it(program: str, words: str, answer: str) -> None:
    assert first_answer(program, words) == answer


@pytest.mark.parametrize(
    ("program", "words", "answer"),
    [
        ("libreoffice-calc-de", "erste Zeile fixieren", "Ansicht > Zellen fixieren > Erste Zeile fixieren"),
        ("libreoffice-writer-de", "Seitenzahlen unten einfügen", "Einfügen > Seitennummer"),
        ("gimp-de", "Hintergrund durchsichtig machen", "Farben > Farbe nach Alpha"),
        ("gimp-en", "why does it smell of paint", ""),
    ],
)
def test_pages_speak_against_commands_of_their_own_language_alone(program: str, words: str, answer: str) -> None:
    """Most documentation is English whatever the language of the program."""
    assert first_answer(program, words, OtherPages()) == answer
