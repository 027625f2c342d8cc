"""People's words find commands: forms of words, other words for the same, keys; what nothing answers finds nothing."""

import math
from dataclasses import replace

import pytest

from daemon.help.commands.command import Command, CommandList
from daemon.help.commands.matching import CommandMatcher, CommandMatches, Scores
from daemon.help.commands.words import language_of
from lab.benchmarks.matching.gold import read_lists
from storage.records import ControlRole, ControlState

ENGLISH = (
    *("File > New", "File > Open", "File > Print", "File > Save As", "File > Export As > Export as PDF"),
    *("Edit > Undo", "Edit > Find and Replace", "View > Fullscreen", "View > Freeze Cells > Freeze First Row"),
    *("View > Freeze Cells > Freeze First Column", "View > Zoom > Zoom In", "View > Zoom > Zoom Out"),
    *("Insert > Chart", "Insert > Image", "Insert > Page Number", "Insert > Page Break", "Format > Text > Bold"),
    *("Format > Columns > Width", "Format > Rows > Height", "Format > Merge Cells", "Format > Arrange > Send to Back"),
    *("Document > Word Wrap", "Tools > Word Count", "Tools > AutoCorrect Options", "Data > Sort"),
)
GERMAN = (
    *("Datei > Öffnen", "Datei > Drucken", "Bearbeiten > Rückgängig", "Format > Zeilen > Höhe", "Format > Text > Fett"),
    *("Format > Spalten > Breite", "Format > Zellen verbinden", "Einfügen > Diagramm", "Einfügen > Seitennummer"),
    *("Einfügen > Bild", "Format > Abstand > Zeilenabstand: 1", "Ansicht > Erste Zeile fixieren", "Ansicht > Vollbild"),
)
KEYS = {"Edit > Undo": "Ctrl+Z", "Format > Text > Bold": "Ctrl+B", "View > Fullscreen": "F11"}


def of_names(*paths: str, language: str = "en") -> CommandList:
    commands = tuple(Command(path=tuple(path.split(" > ")), keys=KEYS.get(path, "")) for path in paths)
    return CommandList(app="program", language=language, commands=commands)


def paths(found: CommandMatches) -> list[str]:
    return [" > ".join(match.command.path) for match in found.matches]


def first(words: str, commands: CommandList) -> str:
    return next(iter(paths(CommandMatcher(commands).match(words))), "")


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("sorting", "Data > Sort"),
        ("full screen", "View > Fullscreen"),
        ("fullscren", "View > Fullscreen"),
        ("freze first row", "View > Freeze Cells > Freeze First Row"),
        ("lock top row", "View > Freeze Cells > Freeze First Row"),
        ("put two cells together", "Format > Merge Cells"),
        ("settings of autocorrect", "Tools > AutoCorrect Options"),
        ("zoom out", "View > Zoom > Zoom Out"),
    ],
)
def test_words_find_the_command(words: str, path: str) -> None:
    """More, in the commands of real programs: `test_new_users_questions.py`."""
    assert first(words, of_names(*ENGLISH)) == path


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("Höhe der Zeile", "Format > Zeilen > Höhe"),
        ("Zeilenhöhe", "Format > Zeilen > Höhe"),
        ("Hoehe der Zeilen", "Format > Zeilen > Höhe"),
        ("Spaltenbreite", "Format > Spalten > Breite"),
        ("ein Bild eingefügt", "Einfügen > Bild"),
        ("Zeilen fixieren", "Ansicht > Erste Zeile fixieren"),
        ("erste Zeile einfrieren", "Ansicht > Erste Zeile fixieren"),
        ("Abstand der Zeilen", "Format > Abstand > Zeilenabstand: 1"),
        ("Wie kann ich Zellen zusammenführen?", "Format > Zellen verbinden"),
        ("Seitenzahlen", "Einfügen > Seitennummer"),
        ("drukcen", "Datei > Drucken"),
    ],
)
def test_german_words_find_the_command_of_a_german_program(words: str, path: str) -> None:
    assert first(words, of_names(*GERMAN, language="de_DE")) == path


@pytest.mark.parametrize("words", ["ctrl b", "Ctrl+B", "strg+b", "what is ctrl b"])
def test_keys_find_their_command(words: str) -> None:
    assert paths(CommandMatcher(of_names(*ENGLISH)).match(words)) == ["Format > Text > Bold"]


def test_a_function_key_finds_its_command_and_alt_text_is_no_key() -> None:
    assert first("F11", of_names(*ENGLISH)) == "View > Fullscreen"
    assert first("alt text", of_names("Format > Alt Text", "Format > Text")) == "Format > Alt Text"


@pytest.mark.parametrize("words", ["book a flight", "what is the weather", "cheap hotels in rome", "xyzzy", "  ", "?"])
def test_what_nothing_answers_finds_nothing(words: str) -> None:
    assert CommandMatcher(of_names(*ENGLISH)).match(words).matches == ()


@pytest.mark.parametrize("words", ["mail merge", "slide transition", "freeze the first row", "make a pivot table"])
def test_what_other_programs_can_do_finds_nothing(words: str) -> None:
    assert CommandMatcher(read_lists()["gimp", "en"]).match(words).matches == ()


def test_without_what_other_programs_can_do_the_nearest_command_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    score = CommandMatcher.score

    def score_here(matcher: CommandMatcher, words: str) -> Scores | None:
        found = score(matcher, words)
        return None if found is None else replace(found, elsewhere=found.elsewhere[:0])

    monkeypatch.setattr(CommandMatcher, "score", score_here)
    assert first("slide transition", read_lists()["gimp", "en"]) != ""


def test_who_does_not_know_the_name_finds_it_by_what_people_call_it() -> None:
    assert first("hide the column on the left", of_names("View > Side Pane", *ENGLISH)) == "View > Side Pane"
    assert first("I clicked wrong, how it was before", of_names(*ENGLISH)) == "Edit > Undo"
    assert first("aus Versehen gelöscht", of_names(*GERMAN, language="de")) == "Bearbeiten > Rückgängig"


def test_a_name_that_people_ask_for_may_lie_over_two_menus() -> None:
    english = language_of("en")
    places = english.asked_of(("Sheet", "Insert Rows", "Rows Above"))
    names = {name for place in places for name in english.asked[place].names}
    assert {"Insert Rows", "Rows Above"} <= names
    assert "Delete Rows" not in names
    assert language_of("fr").asked_of(("Fichier", "Ouvrir")) == {}


def test_a_menu_answers_where_no_entry_in_it_fits_better() -> None:
    """What fits only as its entries do is not told beside it. The control is a list without menus."""
    listed = read_lists()["mousepad", "en"]
    matcher = CommandMatcher(listed)
    found = paths(matcher.match("change colors"))
    assert found[0] == "View > Color Scheme"
    assert not any(path.startswith("View > Color Scheme > ") for path in found)
    assert paths(matcher.match("solarized dark colors"))[0] == "View > Color Scheme > Solarized Dark"
    assert first("windows line endings", listed) == "Document > Line Ending > DOS / Windows (CR LF)", (
        "it says more of it"
    )
    assert "View > Color Scheme" not in paths(CommandMatcher(replace(listed, menus=())).match("change colors"))


def test_what_a_menu_leaves_out_is_nothing_to_be_far_before() -> None:
    entries = of_names("View > Colour Scheme > Classic", "View > Colour Scheme > Tango")
    menus = (Command(path=("View", "Colour Scheme"), role=ControlRole.MENU),)
    found = CommandMatcher(replace(entries, menus=menus)).match("colours")
    assert found.likeliest[0].command == menus[0]
    assert math.isfinite(found.odds or 0.0)


def test_words_that_match_nothing_are_named() -> None:
    found = CommandMatcher(of_names("Edit > Undo", "View > Select Font", "File > Text")).match("make the text bold")
    assert found.unmatched == ("bold",)
    assert CommandMatcher(of_names(*ENGLISH)).match("how do I sort by horoscope").unmatched == ("horoscope",)


def test_signs_that_stand_alone_are_words() -> None:
    commands = of_names("Format > Columns > Optimal Width", "Edit > Track Changes > Show", "File > Text")
    assert first("why does it show ###", commands) == "Format > Columns > Optimal Width"
    assert first("why does it show", commands) == "Edit > Track Changes > Show"
    assert CommandMatcher(of_names(*ENGLISH)).match("sort by @@").unmatched == ("@",)


def test_what_is_kept_from_key_to_key_changes_nothing() -> None:
    listed, words = read_lists()["libreoffice-calc", "en"], "how do i keep the first row while i scroll"
    matcher = CommandMatcher(listed)
    for end in range(len(words), 0, -7):  # as somebody deletes, with words coming back in other forms
        assert matcher.match(words[:end]) == CommandMatcher(listed).match(words[:end])


def test_back_is_not_undo_where_something_is_called_back() -> None:
    assert first("send to back", of_names(*ENGLISH)) == "Format > Arrange > Send to Back"
    assert first("undo", of_names("Format > Arrange > Back One", "Go > Back")) == ""


def test_what_is_typed_finds_while_its_last_word_is_unfinished() -> None:
    matcher = CommandMatcher(of_names(*ENGLISH))
    assert paths(matcher.match("page num"))[0] == "Insert > Page Number"
    assert paths(matcher.match("freeze first col"))[0] == "View > Freeze Cells > Freeze First Column"
    assert matcher.match("num ").matches == (), "a finished word is no beginning of another"


@pytest.mark.parametrize(
    ("program", "words", "found"),
    [
        ("libreoffice-calc", "unfreeze rows", "View > Freeze Rows and Columns"),
        ("libreoffice-calc", "rows disappeared", "Format > Rows > Show"),
        ("libreoffice-calc", "new sheet", "Sheet > Insert Sheet"),
        ("libreoffice-calc", "split table", ""),
        ("libreoffice-impress", "translate into french", ""),
    ],
    ids=["un- takes back", "gone means show", "a name before a phrase", "two words are not one", "no translator"],
)
def test_words_are_read_as_they_are_said(program: str, words: str, found: str) -> None:
    assert first(words, read_lists()[program, "en"]) == found


def test_more_likely_is_first_and_exact_words_are_likelier_than_others() -> None:
    matcher = CommandMatcher(of_names(*ENGLISH))
    scores = [match.score for match in matcher.match("page").matches]
    assert scores == sorted(scores, reverse=True)
    exact, other = matcher.match("image").matches[0], matcher.match("photo").matches[0]
    assert exact.command == other.command
    assert 0.5 < other.score < exact.score <= 1


def test_at_most_as_many_as_wanted_are_told() -> None:
    matcher = CommandMatcher(of_names(*(f"Tools > Report {number}" for number in range(30))))
    assert len(matcher.match("report", limit=3).matches) <= 3


def test_a_list_without_commands_finds_nothing() -> None:
    assert CommandMatcher(of_names()).match("undo") == CommandMatches()


def test_what_is_meant_has_all_its_names_whether_the_program_has_it_or_not() -> None:
    found = CommandMatcher(of_names("Edit > Undo Typing", "File > Print")).match("take back my mistake")
    (first, share), *others = found.meant
    assert {"Undo Typing", "Undo"} <= set(first)
    assert 0.3 < share <= 1
    assert {name for names, _ in others for name in names} - {"Undo Typing", "Undo", "Print"}, "what it lacks"


@pytest.mark.parametrize(("words", "is_named"), [("in", True), ("zoom", False)])
def test_the_very_name_of_a_command_leaves_no_doubt_whatever_the_odds(words: str, is_named: bool) -> None:
    found = CommandMatcher(of_names("View > Zoom > In", "View > Zoom > Out")).match(words)
    assert found.matches
    assert (found.odds == math.inf) is is_named


def test_greyed_commands_and_hints_are_found_too() -> None:
    greyed = Command(path=("Edit", "Paste"), state=ControlState.DISABLED, hint="Insert from the clipboard")
    found = CommandMatcher(CommandList(app="p", commands=(greyed,), language="en")).match("paste from the clipboard")
    assert [match.command for match in found.matches] == [greyed]


def test_the_language_is_guessed_where_it_is_not_known() -> None:
    assert first("Seitenzahlen", of_names(*GERMAN, "Extras > Auf die Seite und zurück", language="")) == (
        "Einfügen > Seitennummer"
    )
    assert first("sorting", of_names(*ENGLISH, language="")) == "Data > Sort"


def test_a_language_of_which_nothing_is_known_is_compared_word_by_word() -> None:
    commands = of_names("Fichier > Ouvrir", "Édition > Annuler", language="fr")
    assert first("annuler", commands) == "Édition > Annuler"
    assert first("annuler la saisie", commands) == "Édition > Annuler"
    assert first("bonjour", commands) == ""
    assert first("annulation", commands) == ""


def test_long_questions_and_names_are_cut() -> None:
    names = ("Edit > " + "very " * 5000 + "long", "Edit > Undo")
    assert first("undo " * 1000, of_names(*names)) == "Edit > Undo"
