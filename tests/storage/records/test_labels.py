"""What people say of a stretch: when it says enough, by what lot it is blind, and which one a stretch is about."""

from dataclasses import replace

import pytest

from storage.records import State
from storage.records.labels import (
    BlindLot,
    Judgement,
    LabelTask,
    NeedLabel,
    SegmentLabel,
    answer_id,
    asked_about,
    blank_answer,
    draw_quiz,
    overlapping,
    passed_quiz,
    quiz_score,
    without_proposals,
)


def label(label_id: str, start_ns: int, end_ns: int) -> SegmentLabel:
    return SegmentLabel(label_id=label_id, rater="me", start_ns=start_ns, end_ns=end_ns)


@pytest.mark.parametrize("states", [(), (State.FRUSTRATION,)])
@pytest.mark.parametrize("need", [None, NeedLabel.NO])
def test_a_label_says_enough_with_states_and_need(states: tuple[State, ...], need: NeedLabel | None) -> None:
    found = SegmentLabel(label_id="a", rater="me", start_ns=0, end_ns=9, states=states, need=need)
    assert found.is_set == (bool(states) and need is not None)
    assert found.judgement == Judgement(by="me", states=states, need=need)


def test_the_lot_draws_its_share_and_the_same_again() -> None:
    lot = BlindLot(share=0.25, seed=3)
    drawn = [lot.draws("session", "me", start) for start in range(2000)]
    assert 400 < sum(drawn) < 600
    assert drawn == [lot.draws("session", "me", start) for start in range(2000)]
    assert drawn != [BlindLot(share=0.25, seed=4).draws("session", "me", start) for start in range(2000)]
    assert all(BlindLot().draws("session", "me", start) for start in range(100))
    assert not any(BlindLot(share=0.0).draws("session", "me", start) for start in range(100))


def test_a_stretch_is_about_the_label_that_shares_most_with_it() -> None:
    labels = [label("a", 0, 10), label("b", 10, 40)]
    assert overlapping(labels, 5, 20) == labels[1]
    assert overlapping(labels, 0, 9) == labels[0]
    assert overlapping(labels, 40, 50) is None
    assert overlapping([], 0, 9) is None


def gold(number: int, *states: State) -> SegmentLabel:
    return replace(label(f"g{number}", 10 * number, 10 * number + 9), rater="gold", states=states)


def test_a_quiz_has_a_stretch_of_each_state_by_lot() -> None:
    """Of those that have it alone; what is proposed, dropped or somebody else's is none. Fewer where one is missing."""
    labels = [gold(number, list(State)[number % 9]) for number in range(27)]
    other = [replace(each, label_id=f"x{each.label_id}", rater="ben") for each in labels]
    both = [gold(40, State.WAITING, State.DEBUGGING), replace(gold(41, State.WAITING), proposed=True)]
    drawn = draw_quiz([*other, *labels, *both, replace(gold(42, State.WAITING), dropped=True)], "gold", 1)
    assert sorted(each.states[0] for each in drawn) == sorted(State)
    assert {each.rater for each in drawn} == {"gold"}
    assert max(each.start_ns for each in drawn) < 400
    assert [each.start_ns for each in drawn] == sorted(each.start_ns for each in drawn)
    assert drawn == draw_quiz(labels, "gold", 1) != draw_quiz(labels, "gold", 2)
    assert len(draw_quiz(labels[:8], "gold", 1)) == 8


def test_a_score_counts_states_that_are_right() -> None:
    """What is not said yet, and what was proposed and verified, does not count."""
    asked = [gold(number, state) for number, state in enumerate(State)]
    answers = [replace(blank_answer(each, "anna", blind=True), states=each.states) for each in asked]
    answers[3] = replace(answers[3], states=(State.WAITING, State.DEBUGGING))
    answers[4] = replace(answers[4], states=())
    proposal = replace(gold(50, State.WAITING), proposed=True)
    verified = replace(blank_answer(proposal, "anna", blind=True), states=(State.WAITING,))
    labels = [*asked, *answers, proposal, verified]
    assert quiz_score(labels, "anna") == (7, 8)
    assert quiz_score(labels, "ben") == (0, 0)
    assert len(asked_about(labels, "anna")) == 10
    assert passed_quiz(labels, "anna") == ""  # of nine, one is not said yet
    rest = [label for label in labels if label.label_id != answers[4].label_id]
    whole = [*rest, replace(answers[4], states=asked[4].states)]
    assert len(passed_quiz(whole, "anna")) == 32  # eight of nine are right
    wrong = replace(answers[5], states=(State.WAITING, State.DEBUGGING))
    assert passed_quiz([*(each for each in whole if each.label_id != wrong.label_id), wrong], "anna") == ""


def test_an_answer_shows_what_it_is_about_unless_it_is_blind() -> None:
    asked = replace(gold(1, State.WAITING), need=NeedLabel.NO)
    shown, blind = (blank_answer(asked, "anna", blind=blind) for blind in (False, True))
    assert (shown.shown, shown.judged_ns) == (asked.judgement, (10, 19))
    assert (blind.shown, blind.judged_ns) == (None, None)
    assert shown.label_id == blind.label_id == answer_id(asked, "anna") != answer_id(asked, "ben")


def test_what_is_said_depends_on_the_task() -> None:
    """A quiz asks what was being done; otherwise a label says both, or is dropped."""
    done = replace(label("a", 0, 9), states=(State.WAITING,))
    dropped = replace(label("a", 0, 9), dropped=True)
    found = [[task.is_said(each) for each in (label("a", 0, 9), done, dropped)] for task in TASKS]
    assert found == [[False, False, True], [False, False, True], [False, True, True]]
    assert [task.is_given for task in TASKS] == [False, True, True]


TASKS = (LabelTask(), LabelTask(proposed="m"), LabelTask(quiz="gold"))


def test_words_that_were_taken_over_go_with_the_proposal() -> None:
    """What a person said in their own words stays, and what they did."""
    proposed = replace(gold(1), proposed=True, wanted="a word that was said", would_help="another")
    verified = replace(gold(2, State.FRUSTRATION), wanted="a word that was said", would_help="my own")
    assert without_proposals([proposed, verified]) == [replace(verified, wanted="")]
    assert without_proposals([replace(verified, would_help="another"), proposed])[0].would_help == ""
