"""Commands and pages together: which comes first, and what a command looks like as a page."""

import math
from dataclasses import replace

import pytest

from daemon.help.candidates import (
    COMMAND_FEATURES,
    COMMAND_ID,
    PAGE_FEATURES,
    asks_for_explanation,
    features_of,
    is_answered,
    join,
    name_for_people,
    page_of,
)
from daemon.help.commands.matching import EVIDENCE, CommandMatch, CommandMatcher, CommandMatches
from daemon.help.context import HelpMatch
from daemon.help.library.asked import FEATURES
from storage.ports import CandidateKind, Command, CommandList, HelpStep
from storage.records import ControlState
from tests.fakes.help.help_library import FREEZE

KEY = b"k" * 16
APP = "libreoffice-calc"
BOLD = Command(path=("Format", "Text", "Bold"), keys="Ctrl+B")


def kinds(words: str, command: float, page: float, unmatched: tuple[str, ...] = (), weight: float = 1.0) -> str:
    """Return the kinds of what is found by their first letters, best first; `weight` is what the command counts for."""
    match = CommandMatch(command=BOLD, score=command, share=command, evidence=(command,) * len(EVIDENCE))
    commands = CommandMatches(matches=(match,), unmatched=unmatched, odds=4 * command, likeliest=(match,))
    evidence = (2 * page, page, page, page / 2, page / 2, page / 2, 0.0, 0.0, 0.0, 0.0)
    pages = [HelpMatch(page=FREEZE, score=page, evidence=evidence)]
    found = join(commands, pages, words, APP, KEY, lambda of, _: 1.0 if of is FREEZE else weight)
    return "".join(candidate.kind.value[0] for candidate in found)


def test_commands_and_pages_stand_by_how_likely_each_is() -> None:
    assert [kinds("make text bold", *likely) for likely in ((0.6, 0.6), (0.3, 0.9))] == ["cp", "pc"]
    assert kinds("make text fancy", 0.6, 0.8) == "cp"
    assert kinds("make text fancy", 0.6, 0.8, unmatched=("make", "text", "fancy")) == "pc"
    assert kinds("why is my text bold", 0.6, 0.8) == "pc"
    assert [kinds("make text bold", 0.3, 0.7, weight=weight) for weight in (99.0, 0.01)] == ["cp", "p"]


def test_a_page_and_a_command_that_it_names_speak_for_each_other() -> None:
    command = CommandMatch(command=BOLD, score=0.5, share=0.5, evidence=(0.5,) * len(EVIDENCE))
    rows = {}
    for name in ("Bold", "Paste"):
        page = replace(FREEZE, steps=(HelpStep(text=name, controls=(name,)),))
        found = CommandMatches(likeliest=(command,), odds=1.0)
        pages = [HelpMatch(page=page, score=0.18, evidence=(0.5,) * len(FEATURES))]
        named = [
            COMMAND_FEATURES.index("named_by_pages"),
            len(COMMAND_FEATURES) + PAGE_FEATURES.index("names_commands"),
        ]
        rows[name] = features_of(found, pages, "bold")[[0, 1], named].tolist()
    assert rows == {"Bold": [0.18, 0.5], "Paste": [0.0, 0.0]}


def test_a_command_whose_whole_name_was_typed_comes_before_any_page() -> None:
    match = CommandMatch(command=BOLD, score=0.5, share=1.0, evidence=(0.0,) * len(EVIDENCE))
    pages = [HelpMatch(page=FREEZE, score=0.99, evidence=(4.0, *(1.0,) * 6, 1.0, 0.0, 0.0))]
    named = CommandMatches(matches=(match,), likeliest=(match,), odds=math.inf)
    order = [join(each, pages, "bold", APP, KEY)[0].kind for each in (named, replace(named, odds=3.0))]
    assert order == [CandidateKind.COMMAND, CandidateKind.PAGE]


@pytest.mark.parametrize(
    ("words", "explained"),
    [
        ("how do I make text bold", False),
        ("why is my text bold", True),
        ("what does #REF! mean", True),
        ("Err:508", True),
        ("warum ist alles fett", True),
        ("bold is not working", True),
        ("the text won\u2019t get bold", True),
        ("bold is greyed out", True),
        ("fett funktioniert einfach nicht", True),
        ("nicht fett", False),
        ("the bold is broken", True),
        ("a bold broken line", False),  # nothing failed
        ("bold error bars", False),
        ("how does sorting work", True),
        ("the mean in bold", False),
        ("bold, with a hang indent", False),
    ],
)
def test_who_asks_why_wants_it_explained(words: str, *, explained: bool) -> None:
    assert asks_for_explanation(words) is explained


@pytest.mark.parametrize(
    ("odds", "page", "answered"),
    [
        (0.0, 0.5, True),
        (0.0, 0.15, False),
        (-5.0, 0.3, False),  # the list knows nothing of it
        (6.0, 0.2, True),
        (-8.0, 0.95, True),
        (None, 0.1, True),  # there is no list: the page was likely enough for itself
    ],
)
def test_a_doubtful_page_answers_where_the_list_of_commands_does_too(
    odds: float | None, page: float, answered: bool
) -> None:
    pages = [HelpMatch(page=FREEZE, score=page, evidence=(2 * page,) * len(FEATURES))]
    assert is_answered(CommandMatches(odds=odds), pages) is answered


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


def test_commands_alone_are_told_where_they_are_likely_enough() -> None:
    def told(score: float, words: str, *unmatched: str) -> bool:
        found = CommandMatches(matches=(CommandMatch(command=BOLD, score=score),), unmatched=unmatched)
        return bool(join(found, (), words, APP, KEY))

    assert not told(0.05, "make text fancy")
    assert told(0.5, "strike it out")
    assert not told(0.5, "strike it out", "strike")  # no word of it is in the command
    assert told(0.5, "bolder, quickly", "quickly")
    assert told(0.7, "strike it out", "strike")


def test_a_tool_button_of_what_is_in_a_menu_is_no_second_answer() -> None:
    button, other = replace(BOLD, path=("bold",)), replace(BOLD, path=("Paste",))
    matches = tuple(CommandMatch(command=each, score=0.9) for each in (button, BOLD, other))
    found = join(CommandMatches(matches=matches), (), "bold", APP, KEY)
    assert [candidate.page.title for candidate in found] == ["Bold", "Paste"]


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
