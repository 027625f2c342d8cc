"""Names, keys and what is personal in them, without a program."""

import pytest

from daemon.capture.accessibility.atspi.commands.entry import (
    MenuEntry,
    shown_hint,
    shown_keys,
    shown_name,
    without_dots,
    without_keys,
    without_mnemonic,
)
from daemon.capture.accessibility.atspi.commands.personal import (
    holds_personal,
    looks_personal,
    without_act,
    without_personal,
)
from storage.records import ControlRole


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("<Primary><Shift>s", "Ctrl+Shift+S"),
        ("<Control>plus", "Ctrl++"),
        ("<Alt><Control>Page_Up", "Ctrl+Alt+PgUp"),
        ("Ctrl+Shift+N", "Ctrl+Shift+N"),
        ("Strg+Umschalt+B", "Ctrl+Shift+B"),
        ("Ctrl+T, O", "Ctrl+T, O"),
        ("Ctrl++", "Ctrl++"),
        ("Ctrl+,", "Ctrl+,"),
        ("F11", "F11"),
        ("<Super>l", "Super+L"),
        ("Delete", "Delete"),
        ("<Hyper>x", ""),
        ("", ""),
        ("x" * 200, ""),
    ],
)
def test_keys_are_written_as_people_write_them(given: str, shown: str) -> None:
    assert shown_keys(given) == shown


def test_names_lose_mnemonics_dots_and_keys() -> None:
    assert without_mnemonic("Save _As...") == ("Save As...", True)
    assert without_mnemonic("snake__case") == ("snake_case", False)
    assert without_mnemonic("打开(_O)...") == ("打开...", True)
    assert without_mnemonic("打开(O)...") == ("打开...", True)
    assert without_dots("Print…") == without_dots("Print ...") == "Print"
    assert without_keys("New tab (Ctrl+T)") == ("New tab", "Ctrl+T")
    assert without_keys("Zoom (100%)") == ("Zoom (100%)", "")
    assert shown_name("  two\n lines  ") == "two lines"
    assert shown_hint("Save.", "Save") == ""
    assert shown_hint("Writes the file", "Save") == "Writes the file"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "budget.ods",
            "notes.markdown",
            "letter.docx [~/marker]",
            "1: report.odt",
            "2. letters to Ann",
            "[3] x",
            "/home/ann/x",
            "~/x",
        ),
        *("C:\\Users\\ann", "https://example.org/x", "Search for “words”", 'Close "notes"', "Rename: 'old'"),
    ],
)
def test_what_looks_like_a_file_or_quotes_somebody_is_personal(name: str) -> None:
    assert looks_personal(name)


@pytest.mark.parametrize(
    "name",
    [
        *("Save As", "50 %", "16:1 (1600%)", "8 bit integer", "Export as PDF", "Line Spacing: 1.5", "Don't Save"),
        *("Undo: Insert Rows", "Upper/Lower Case", "Go to Line", "Ergebnis übernehmen", "Check for Updates"),
    ],
)
def test_what_programs_call_their_commands_is_not(name: str) -> None:
    assert not looks_personal(name)


@pytest.mark.parametrize(
    ("path", "title", "more", "kept"),
    [
        (("File", "Open Recent", "anything"), "", {}, False),
        (("Datei", "Zuletzt verwendete Dokumente", "irgendwas"), "", {}, False),
        (("Fichier", "Documents récents", "quelque chose"), "", {}, False),
        (("Signets", "une page"), "", {}, False),
        (("Archivo", "Abrir recientes", "algo"), "", {}, False),
        (("File", "New From Template", "mine"), "", {"marked": True, "keys": "F5"}, False),
        (("Bookmarks", "a page"), "", {"marked": True}, False),
        (("Lesezeichen", "Seite merken"), "", {"keys": "Ctrl+D"}, True),
        (("History", "a page"), "", {}, False),
        (("Window", "notes - Editor"), "", {"chosen_from": True, "marked": True}, False),
        (("View", "Normal"), "", {"chosen_from": True}, True),
        (("Window", "Budget plans"), "*Budget plans - Editor", {}, False),
        (("File", "Close budget plans"), "Budget plans - Editor", {"marked": True}, False),
        (("Insert", "Table"), "Table - Editor", {"marked": True}, False),
        (("Insert", "Table of Contents"), "Table - Editor", {}, True),
        (("File", "Templates", "Save as Template"), "", {}, True),
    ],
)
def test_entries_are_personal_by_where_they_stand_and_what_the_window_is_called(
    path: tuple[str, ...], title: str, more: dict[str, object], *, kept: bool
) -> None:
    role = ControlRole.RADIO_BUTTON if more.get("chosen_from") else ControlRole.MENU_ITEM
    entry = MenuEntry(path=path, role=role, **more)  # type: ignore[arg-type]  # a test's own table
    assert (without_personal([entry], title, None) == [entry]) is kept


def test_bars_of_collections_are_told_and_what_would_be_undone_is_cut() -> None:
    assert holds_personal("Bookmarks Toolbar")
    assert holds_personal("Lesezeichen-Symbolleiste")
    assert not holds_personal("Standard")
    assert without_act("Undo: Input: 'typed'") == "Undo"
    assert without_act("Rückgängig: Eingabe") == "Rückgängig"
    assert without_act("Flowchart: Process") == "Flowchart: Process"
