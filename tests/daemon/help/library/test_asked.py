"""Typed words: rare ones count, others say the same, codes are words, and what nothing answers finds nothing."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from daemon.help.commands.command import Meant
from daemon.help.context import HelpContext
from daemon.help.library import HelpLibrary
from daemon.help.library.asked import FEATURES, QUESTIONS, AskedPages, tokens_of
from daemon.help.library.documentation import own_documentation
from daemon.help.library.index import LibraryIndex
from storage.db.connection import open_readonly
from storage.files import library_file

PAGES = {
    "freeze": "# Freezing Rows or Columns\n\nRows stay visible while you scroll.\n\n1. Choose **View > Freeze**.\n",
    "multiple": "# Applying Multiple Sheets\n\nGo back to the first sheet.\n\n1. Choose **Sheet > Select**.\n",
    "undo": "# Undoing what was done\n\nTake back the last act.\n\n1. Choose **Edit > Undo**.\n",
    "errors": "# Error codes\n\nErr:522 is a circular reference, #REF! a cell that was deleted.\n",
    "fixed": "# Addresses that do not move\n\nWith $A$1 the address is absolute.\n",
    "csv": "# Opening tables as text\n\nFiles that end with .csv hold a row a line.\n",
    "chart": "# Inserting Charts\n\n1. Choose **Insert > Chart**.\n",
    "picture": "# Adding images\n\n1. Choose **Insert > Image**.\n",
}


def library_of(folder: Path, pages: Mapping[str, str], app: str = "painter") -> HelpLibrary:
    documents = folder / "pages"
    documents.mkdir(exist_ok=True)
    for name, text in pages.items():
        (documents / f"{name}.md").write_text(text, encoding="utf-8")
    with LibraryIndex.open(library_file(folder)) as index:
        index.add(own_documentation(documents, app))
    return HelpLibrary.open(folder)


def titles(library: HelpLibrary, words: str, app: str = "painter") -> list[str]:
    return [match.page.title for match in library.search_words(HelpContext(app=app), words)]


@pytest.fixture
def library(tmp_path: Path) -> HelpLibrary:
    return library_of(tmp_path, PAGES)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("how do I freeze the first row", "Freezing Rows or Columns"),
        ("keep the headings in view while scrolling", "Freezing Rows or Columns"),
        ("undo", "Undoing what was done"),
        ("go back", "Undoing what was done"),
        ("what does Err:522 mean", "Error codes"),
        ("#REF!", "Error codes"),
        ("$ in an address", "Addresses that do not move"),
        (".csv", "Opening tables as text"),
        ("put a photo in", "Adding images"),
    ],
)
def test_typed_words_find_the_page_that_answers_first(library: HelpLibrary, words: str, title: str) -> None:
    assert titles(library, words)[0] == title


@pytest.mark.parametrize("words", ["", "   ", "?", "brew an espresso", "quantum entanglement"])
def test_what_no_page_answers_finds_nothing(library: HelpLibrary, words: str) -> None:
    assert titles(library, words) == []


def test_no_more_than_three_pages_come_unless_more_are_wanted_and_probabilities_fall(library: HelpLibrary) -> None:
    context = HelpContext(app="painter")
    found = library.search_words(context, "insert a chart or image, freeze rows, undo")
    assert len(found) == 3
    assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)
    assert all(0 < match.score < 1 for match in found)
    assert len(library.search_words(context, "insert a chart or image, freeze rows, undo", 5)) > 3


def test_what_was_seen_before_does_not_count_for_who_types(library: HelpLibrary) -> None:
    seen = HelpContext(app="painter", controls=("Sheet", "Select"), dialog="Multiple Sheets", evidence=("dialog_loop",))
    assert library.search_words(seen, "insert a chart") == library.search_words(
        HelpContext(app="painter"), "insert a chart"
    )


def test_a_program_without_pages_and_a_closed_library_find_nothing(library: HelpLibrary) -> None:
    assert titles(library, "undo", app="") == titles(library, "undo", app="unheard") == []
    library.close()
    assert titles(library, "undo") == []


def test_what_is_added_while_the_library_is_open_is_found(tmp_path: Path, library: HelpLibrary) -> None:
    assert titles(library, "rotate the canvas") == []
    library_of(tmp_path, {"rotate": "# Rotating the canvas\n\n1. Choose **Image > Rotate**.\n"}).close()
    assert titles(library, "rotate the canvas") == ["Rotating the canvas"]


def test_pages_in_a_language_of_which_no_vectors_are_known_are_found_by_their_words(tmp_path: Path) -> None:
    german = {
        "fett": "# Text fett machen\n\nMit dem Befehl wird der Text, der markiert ist, fett und nicht kursiv.\n",
        "zeile": "# Zeilen fixieren\n\nDie Zeile bleibt stehen, wenn man mit dem Rad nach unten geht.\n",
    }
    library = library_of(tmp_path, german)
    assert titles(library, "wie fixiere ich die erste Zeile")[0] == "Zeilen fixieren"
    assert library.language("painter") == "de"
    assert library.language("unheard") == ""


@pytest.mark.parametrize(
    ("words", "meant", "page"),
    [
        ("make a pie graph of my numbers", (), "chart"),
        ("make a pie graph of my numbers", ((("Adding Images", "Take a Picture"), 0.9),), "picture"),
        ("quantum entanglement of photons", (), ""),
        ("quantum entanglement of photons", ((("...", "Errors"), 0.9),), "errors"),
    ],
)
def test_a_page_is_named_by_what_the_words_ask_a_program_to_do(
    tmp_path: Path, library: HelpLibrary, words: str, meant: Meant, page: str
) -> None:
    connection = open_readonly(library_file(tmp_path)).conn
    named = AskedPages(connection, ("painter",)).features(words, meant=meant)[:, FEATURES.index("named")]
    connection.close()
    assert (named > 0.5).tolist() == [name == page for name in sorted(PAGES)]
    library.close()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Err:522", ("err", "522", "err:522")),
        ("#REF!", ("ref", "#ref!")),
        ("C++ & $", ("c++", "+", "+", "&", "$")),
        ("save .csv.", ("save", "csv", ".csv")),
        ("a = b", ("a", "b", "=")),
    ],
)
def test_codes_and_signs_are_words_too(text: str, codes: tuple[str, ...]) -> None:
    assert tokens_of(text) == codes


def test_what_people_ask_finds_the_page_of_that_program_alone(tmp_path: Path) -> None:
    pages = {"half": "# Entering Fractions\n\nChoose View.\n", "other": PAGES["chart"]}
    found = {}
    for app in ("libreoffice-calc", "painter"):
        (tmp_path / app).mkdir()
        with library_of(tmp_path / app, pages, app) as library:
            found[app] = titles(library, "one half", app)
    assert found == {"libreoffice-calc": ["Entering Fractions"], "painter": []}


def test_what_people_ask_counts_as_a_title_does_and_nothing_else_of_a_page_does(tmp_path: Path) -> None:
    page = "# {}\n\n## The heading scrolls away\n\nThe heading scrolls away.\n"
    pages = {"asked": page.format("Freezing Rows or Columns as Headers"), "plain": page.format("Rows")}
    library_of(tmp_path, pages, "libreoffice-calc").close()
    connection = open_readonly(library_file(tmp_path)).conn
    try:
        features = AskedPages(connection, ("libreoffice-calc",)).features("the heading scrolls away")
    finally:
        connection.close()
    question, title = features[:, FEATURES.index("question")], features[:, FEATURES.index("title_meaning")]
    assert question.tolist() == [pytest.approx(1.0, abs=0.05), title[1]]


def test_each_line_of_what_people_ask_is_a_title_and_questions_once() -> None:
    text = (files("daemon.help.library") / "data" / QUESTIONS).read_text(encoding="utf-8")
    for program in text.split("\n[")[1:]:
        lines = [line.partition(" = ") for line in program.strip().splitlines()[1:]]
        assert len({title.casefold() for title, _, asked in lines if asked.strip("; ")}) == len(lines)
