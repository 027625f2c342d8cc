"""Commands and pages together: which comes first, and what a command looks like as a page."""

from dataclasses import replace

import pytest

from daemon.help.candidates import COMMAND_ID, asks_for_explanation, is_answered, join, name_for_people, page_of
from daemon.help.commands.matching import CommandMatch, CommandMatcher, CommandMatches
from daemon.help.context import HelpMatch
from storage.ports import CandidateKind, Command, CommandList
from storage.records import ControlState
from tests.fakes.help.help_library import FREEZE

KEY = b"k" * 16
APP = "libreoffice-calc"
BOLD = Command(path=("Format", "Text", "Bold"), keys="Ctrl+B")


def kinds(words: str, command: float, page: float, unmatched: tuple[str, ...] = ()) -> str:
    """Return the kinds of what is found by their first letters, best first."""
    commands = CommandMatches(matches=(CommandMatch(command=BOLD, score=command),), unmatched=unmatched)
    found = join(commands, [HelpMatch(page=FREEZE, score=page)], words, APP, KEY)
    return "".join(candidate.kind.value[0] for candidate in found)


@pytest.mark.parametrize(
    ("words", "command", "page", "order"),
    [
        ("make text bold", 0.9, 0.9, "cp"),
        ("make text bold", 0.4, 0.7, "cp"),
        ("make text bold", 0.3, 0.7, "pc"),  # more than twice as likely
        ("how do I make text bold", 0.6, 0.9, "cp"),  # wants it done
        ("why is my text bold", 0.9, 0.5, "pc"),
        ("what does #REF! mean", 0.9, 0.5, "pc"),
        ("Err:508", 0.9, 0.5, "pc"),
        ("warum ist alles fett", 0.9, 0.5, "pc"),
        ("why is my text bold", 0.9, 0.2, "cp"),
        ("bold is not working", 0.9, 0.5, "pc"),  # wants it mended
        ("the text won\u2019t get bold", 0.9, 0.5, "pc"),
        ("bold is greyed out", 0.9, 0.5, "pc"),
        ("fett funktioniert einfach nicht", 0.9, 0.5, "pc"),
        ("nicht fett", 0.9, 0.5, "cp"),
        ("the bold is broken", 0.9, 0.5, "pc"),
        ("a bold broken line", 0.9, 0.5, "cp"),  # nothing failed
        ("bold error bars", 0.9, 0.5, "cp"),
        ("the mean in bold", 0.9, 0.5, "cp"),
        ("bold, with a hang indent", 0.9, 0.5, "cp"),
    ],
)
def test_a_page_comes_before_a_command_only_where_it_is_much_likelier(
    words: str, command: float, page: float, order: str
) -> None:
    assert kinds(words, command, page) == order


@pytest.mark.parametrize(
    ("odds", "page", "answered"),
    [
        (0.0, 0.3, True),
        (0.0, 0.15, False),
        (-3.0, 0.3, False),  # the list knows nothing of it
        (3.0, 0.1, True),
        (-8.0, 0.95, True),
        (None, 0.1, True),  # there is no list: the page was likely enough for itself
    ],
)
def test_a_doubtful_page_answers_where_the_list_of_commands_does_too(
    odds: float | None, page: float, answered: bool
) -> None:
    assert is_answered(CommandMatches(odds=odds), [HelpMatch(page=FREEZE, score=page)]) is answered


def test_a_command_whose_whole_name_was_typed_answers_beside_a_doubtful_page() -> None:
    """Without a list of names that people ask for, and where they ask for others by such a word."""
    for name, language in (("Name", "de"), ("Normal", "de"), ("Nom", "fr")):
        commands = CommandList(app="p", commands=(Command(path=("Format", name)),), language=language)
        found = CommandMatcher(commands).match(name.lower())
        assert [match.command.name for match in found.matches] == [name]
        assert is_answered(found, [HelpMatch(page=FREEZE, score=0.17)])


def test_commands_answer_without_pages() -> None:
    assert is_answered(CommandMatches(matches=(CommandMatch(command=BOLD, score=0.5),), odds=0.1), ())
    assert not is_answered(CommandMatches(odds=3.0), ())


def test_words_that_no_command_knows_speak_for_a_page() -> None:
    assert kinds("make text fancy", 0.6, 0.7) == "cp"
    assert kinds("make text fancy", 0.65, 0.4, unmatched=("fancy",)) == "pc"
    assert kinds("strike it out", 0.5, 0.3, unmatched=("strike",)) == "p"  # no answer at all
    assert kinds("strike it out", 0.5, 0.3) == "cp"
    assert kinds("bolder, quickly", 0.5, 0.15, unmatched=("quickly",)) == "cp"
    assert kinds("strike it out", 0.7, 0.25, unmatched=("strike",)) == "cp"
    assert kinds("make text fancy", 0.05, 0.3) == "p"


def test_a_tool_button_of_what_is_in_a_menu_is_no_second_answer() -> None:
    button, other = replace(BOLD, path=("bold",)), replace(BOLD, path=("Paste",))
    matches = tuple(CommandMatch(command=each, score=0.9) for each in (button, BOLD, other))
    found = join(CommandMatches(matches=matches), (), "bold", APP, KEY)
    assert [candidate.page.title for candidate in found] == ["Bold", "Paste"]


def test_words_that_want_a_thing_done_are_no_question_why() -> None:
    assert not [words for words in ("make it bold", "row error bars", "#1 heading") if asks_for_explanation(words)][1:]
    assert asks_for_explanation("how does sorting work")


def test_a_command_is_a_page_of_one_step_whose_id_says_nothing() -> None:
    page = page_of(BOLD, APP, KEY)
    assert (page.title, page.steps[0].text) == ("Bold", "Format > Text > Bold (Ctrl+B)")
    assert (page.steps[0].controls, page.source, page.app) == (BOLD.path, "LibreOffice Calc", APP)
    assert page.page_id.startswith(COMMAND_ID)
    assert "bold" not in page.page_id.lower()
    assert page_of(BOLD, APP, KEY) == page
    others = [page_of(BOLD, APP, b"x" * 16), page_of(BOLD, "mousepad", KEY)]
    assert len({page.page_id, *(other.page_id for other in others)}) == 3


def test_what_is_in_no_menu_is_nothing_to_point_at() -> None:
    assert page_of(replace(BOLD, in_menu=False), APP, KEY).steps[0].controls == ()


def test_a_candidate_says_whether_it_takes_a_click_and_is_on() -> None:
    states = (ControlState.DISABLED, ControlState.ON, ControlState.PLAIN)
    matches = [CommandMatch(command=replace(BOLD, state=state), score=0.5) for state in states]
    found = join(CommandMatches(matches=tuple(matches)), (), "bold", APP, KEY)
    assert [(candidate.greyed, candidate.on, candidate.keys) for candidate in found] == [
        (True, False, "Ctrl+B"),
        (False, True, "Ctrl+B"),
        (False, False, "Ctrl+B"),
    ]
    assert {candidate.kind for candidate in found} == {CandidateKind.COMMAND}


@pytest.mark.parametrize(
    ("app", "name"),
    [
        ("libreoffice-writer", "LibreOffice Writer"),
        ("Gimp-2.10", "GIMP"),
        ("org.gnome.Nautilus", "Nautilus"),
        ("mousepad", "Mousepad"),
        ("", ""),
    ],
)
def test_programs_have_names_for_people(app: str, name: str) -> None:
    assert name_for_people(app) == name
