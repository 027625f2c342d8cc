"""Following somebody through the steps of a page."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from daemon.help.content import choose_page, fit_candidates
from daemon.help.context import HelpMatch
from daemon.help.guide import Guide
from storage.ports import CandidateKind, HelpCandidate, HelpCandidates, HelpPage, HelpStep
from storage.records import Box, ControlRole, ControlState, Element
from tests.fakes.help.help_library import FREEZE, FREEZE_ITEM, GENERAL, OK, VIEW
from tests.fakes.narrowing import present


def test_another_control_changes_nothing_and_a_shorter_way_counts() -> None:
    guide = Guide(FREEZE)
    assert not guide.act("Bold")
    assert guide.step == 0
    assert guide.act("Freeze Rows and Columns")
    assert guide.step == 2
    assert guide.act("OK")


def test_the_best_page_that_can_be_followed_is_chosen() -> None:
    strange = replace(
        FREEZE, page_id="calc/strange", steps=(HelpStep(text="Choose Foo > Bar.", controls=("Foo", "Bar")),)
    )
    matches = [HelpMatch(page=page, score=0.5) for page in (strange, FREEZE)]
    fitting, blind = choose_page(matches, [VIEW, OK]), choose_page(matches, [])
    assert fitting is not None
    assert blind is not None
    assert (fitting.match.page.page_id, fitting.checked) == ("calc/freeze", True)
    assert (blind.match.page.page_id, blind.checked) == ("calc/strange", False)
    assert fitting.steps[1].element == VIEW
    part = present(choose_page(matches[:1], [OK], complete=False))
    assert (part.match.page.page_id, part.missing, part.checked) == ("calc/strange", (), False)
    assert choose_page(matches[:1], [VIEW, FREEZE_ITEM]) is None
    assert choose_page([HelpMatch(page=replace(FREEZE, steps=()), score=1.0)], []) is None


def test_a_page_with_a_control_in_sight_comes_before_one_without() -> None:
    words_alone = replace(FREEZE, page_id="calc/words", steps=(HelpStep(text="Type it into the cell.", controls=()),))
    advice = replace(
        GENERAL, page_id="general/advice", steps=(HelpStep(text="Look into View.", controls=("View",)),), app=""
    )
    words, freeze, general = (HelpMatch(page=page, score=0.5) for page in (words_alone, FREEZE, advice))

    def chosen(*matches: HelpMatch, elements: Sequence[Element] = (VIEW,)) -> str:
        found = choose_page(matches, elements, instead=[general])
        return "" if found is None else found.match.page.page_id

    assert chosen(words, freeze) == "calc/freeze"
    assert chosen(words) == "general/advice"
    assert chosen(words, elements=[OK]) == "calc/words"
    assert chosen(words, elements=()) == "calc/words"
    assert chosen() == "general/advice"


def test_of_what_answers_typed_words_the_best_that_can_be_followed_is_chosen() -> None:
    words_alone = replace(FREEZE, page_id="calc/words", steps=(HelpStep(text="Type it into the cell.", controls=()),))
    strange = replace(FREEZE, page_id="calc/strange", steps=(HelpStep(text="Choose Foo.", controls=("Foo",)),))
    pages = [HelpCandidate(page=page, kind=CandidateKind.PAGE, score=0.5) for page in (strange, words_alone, FREEZE)]
    asked = HelpCandidates(words="freeze", app="libreoffice-calc", candidates=tuple(pages))

    def chosen(page_id: str = "", *, asked: HelpCandidates = asked) -> tuple[str, int]:
        kept, fitting = fit_candidates(asked, page_id, [VIEW, OK], complete=True, in_dialog=False)
        return "" if fitting is None else fitting.match.page.page_id, len(kept.candidates)

    assert chosen() == ("calc/words", 2)  # a page of words alone too
    assert chosen("calc/freeze") == ("calc/freeze", 2)
    assert chosen("calc/strange") == ("calc/strange", 3)
    command = replace(pages[0], kind=CandidateKind.COMMAND)
    assert chosen(asked=replace(asked, candidates=(command,))) == ("calc/strange", 1)
    assert chosen(asked=replace(asked, candidates=(pages[0],))) == ("", 0)


def test_a_step_whose_control_is_not_there_is_passed_over() -> None:
    guide = Guide(FREEZE, missing=(1,))
    assert (guide.step, guide.is_yours) == (0, True)
    guide.finish(0)
    assert guide.step == 2
    assert Guide(FREEZE, missing=(1, 2)).is_done


def test_a_page_without_controls_has_nothing_to_point_at() -> None:
    guide = Guide(GENERAL)
    assert guide.is_done
    assert not guide.act("View")


def test_what_a_dialog_does_not_have_comes_once_it_is_closed() -> None:
    """In the program's own window the same page cannot be followed (the control)."""
    match = HelpMatch(page=FREEZE, score=0.5)
    cancel = replace(OK, name="Cancel")
    found = present(choose_page([match], [cancel], in_dialog=True))
    assert (found.missing, found.steps_fit, found.checked, found.is_in_sight) == ((), (0, 1, 2), True, False)
    own = present(choose_page([match], [cancel]))
    assert own.missing == (1, 2)


def test_a_page_whose_control_takes_no_click_is_not_in_sight() -> None:
    grey = replace(VIEW, state=ControlState.DISABLED)
    other = replace(FREEZE, page_id="calc/ok", steps=(FREEZE.steps[2],))
    freeze, confirm = (HelpMatch(page=page, score=0.5) for page in (FREEZE, other))
    assert choose_page([freeze, confirm], [grey, OK], instead=[]) is not None
    found = present(choose_page([replace(freeze, page=replace(FREEZE, steps=FREEZE.steps[:2])), confirm], [grey, OK]))
    assert found.match.page.page_id == "calc/ok"
    alone = present(choose_page([freeze], [grey]))
    assert (alone.is_in_sight, alone.missing) == (False, ())


def command(*path: str, text: str = "", title: str = "") -> HelpPage:
    return replace(FREEZE, title=title, steps=(HelpStep(text=text or " > ".join(path), controls=path),))


def switch(name: str, state: ControlState, role: ControlRole = ControlRole.MENU_ITEM) -> Element:
    return Element(role=role, box=Box(1, 2, 30, 20), name=name, state=state)


def test_a_step_without_controls_is_the_person_s_and_counts_as_done_with_the_next_control() -> None:
    guide = Guide(FREEZE)
    assert (guide.step, guide.is_yours, guide.first) == (0, True, 1)
    assert guide.act("View")
    assert (guide.step, guide.is_yours, guide.first) == (1, False, 1)
    behind = Guide(replace(FREEZE, steps=(*FREEZE.steps, HelpStep(text="Look at it."))))
    assert behind.act("OK")
    assert (behind.step, behind.is_yours, behind.is_done) == (3, True, False)
    behind.finish(3)
    assert (behind.is_yours, behind.is_done) == (False, True)


def test_the_person_s_own_steps_do_not_shorten_how_far_ahead_an_act_counts() -> None:
    own, steps = HelpStep(text="Look."), FREEZE.steps
    guide = Guide(replace(FREEZE, steps=(steps[1], own, own, steps[2], HelpStep(text="Close.", controls=("Close",)))))
    assert not guide.act("Close")
    assert guide.act("OK")
    assert guide.step == 4


@pytest.mark.parametrize(
    ("text", "title", "before", "done"),
    [
        ("Choose View > Freeze First Row.", "Freezing rows", ControlState.ON, True),
        ("Choose View > Freeze First Row.", "Freezing rows", ControlState.OFF, False),
        ("Choose View > Freeze First Row.", "", ControlState.ON, False),
        ("View > First Row", "Turn off the fixed row", ControlState.OFF, True),
        ("View > First Row", "Turn off the fixed row", ControlState.ON, False),
        ("View > First Row", "Show or hide it", ControlState.ON, False),
        ("View > First Row", "Zeile fixieren", ControlState.ON, True),
    ],
)
def test_what_is_set_already_as_the_page_says_is_done(
    text: str, title: str, before: ControlState, *, done: bool
) -> None:
    guide = Guide(command("View", text.rsplit("> ", maxsplit=1)[-1].strip("."), text=text, title=title))
    name = text.rsplit("> ", maxsplit=1)[-1].strip(".")
    assert guide.see([switch(name, before)]) is done
    assert guide.is_done is done


@pytest.mark.parametrize(
    ("asked", "before", "done"),
    [
        ("hide the ruler", ControlState.ON, False),
        ("hide the ruler", ControlState.OFF, True),
        ("show the ruler", ControlState.ON, True),
        ("ruler", ControlState.ON, False),
        ("ruler", ControlState.OFF, False),
    ],
)
def test_what_is_asked_for_counts_and_not_what_the_control_is_called(
    asked: str, before: ControlState, *, done: bool
) -> None:
    page = command("View", "Show Ruler", text="View > Show Ruler", title="Show Ruler")
    assert Guide(page, asked=asked).see([switch("Show Ruler", before)]) is done


@pytest.mark.parametrize("role", [ControlRole.TOGGLE, ControlRole.CHECK_BOX])
def test_what_toggles_without_a_word_of_the_state_is_done_once_it_is_another_one(role: ControlRole) -> None:
    guide = Guide(command("Format", "Bold"))
    assert not guide.see([VIEW, switch("Bold", ControlState.PLAIN)])
    assert not guide.may_toggle
    assert not guide.see([switch("Italic", ControlState.OFF), switch("_Bold", ControlState.ON, role)])
    assert guide.may_toggle
    assert not guide.see([switch("Bold", ControlState.ON, ControlRole.LIST_ITEM)])
    assert guide.see([switch("Bold", ControlState.OFF)])
    assert guide.is_done
    assert not guide.see([switch("Bold", ControlState.ON)])
