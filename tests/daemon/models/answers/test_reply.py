"""What of an answer is shown while it is written, and what its numbers stand for."""

import json

import pytest

from daemon.models.answers.query import STEP_LIMIT, build_query, numbered_elements
from daemon.models.answers.reply import HelpReply, ReplyStep, ReplyText, first_box, reply_of, tied_steps
from storage.records import Box, ControlRole, Element
from tests.fakes.help.help_library import VIEW
from tests.fakes.mllm.answers import ANSWER, MOMENT


def reply_to(text: str) -> HelpReply | None:
    written = ReplyText()
    written.begin()
    for letter in text:
        written.add(letter)
    return written.reply()


def test_it_grows_with_each_letter_and_ends_as_the_checked_answer() -> None:
    """No state shows anything that the whole answer does not begin with; controls are tied once a step is whole."""
    whole = json.dumps(ANSWER)
    end = reply_of(ANSWER)
    shown = [reply for at in range(1, len(whole) + 1) if (reply := reply_to(whole[:at])) is not None]
    assert all(end.text.startswith(reply.text) for reply in shown)
    for reply in shown:
        for mine, its in zip(reply.steps, end.steps, strict=False):
            assert its.text.startswith(mine.text)
            assert mine.element in (0, its.element)
    assert shown[-1].steps == end.steps
    assert next(reply.text for reply in shown if reply.text) == "T"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Choose Vie", "Choose Vie"),
        ("Go to evil.co", "Go to"),
        ("Go to http:/", "Go to"),
        ("See [the", "See"),
        ("<scr", ""),
        ("Write to me@ev", "Write to"),
        ("Press F1", "Press"),
        ("Press F1 ", "Press F1"),
        ("Run sudo", ""),
        ("\\u00", ""),
    ],
)
def test_half_a_word_is_held_back_unless_it_is_letters_alone(text: str, shown: str) -> None:
    """Half of a link or of mark-up could be shown for what it is not."""
    reply = reply_to(f'{{"text": "{text}')
    assert reply is not None
    assert reply.text == shown


@pytest.mark.parametrize("text", ["", "no JSON", "<think>" + json.dumps(ANSWER), "[1, 2", '{"text": NaN'])
def test_nothing_is_shown_of_what_cannot_be_read(text: str) -> None:
    """Thoughts, prose and broken JSON show nothing."""
    assert reply_to(text) is None


def test_numbers_stand_for_controls_with_names_that_people_use() -> None:
    """Cells, texts and password fields get no number, since their names are what somebody wrote; nor the nameless."""
    box = Box(0, 0, 9, 9)
    others = [
        Element(role=role, box=box, name="secret")
        for role in (ControlRole.CELL, ControlRole.TEXT, ControlRole.PASSWORD, ControlRole.DOCUMENT)
    ]
    nameless = Element(role=ControlRole.BUTTON, box=box)
    assert numbered_elements([*others, nameless, VIEW]) == (VIEW,)
    assert len(numbered_elements([VIEW] * 500)) == 150


def test_controls_of_steps_are_those_that_were_numbered() -> None:
    """Numbers that were not given are no control; the first that is one gives the place of the ring."""
    asked = build_query(MOMENT, (VIEW,), None)
    steps = (ReplyStep(text="a", element=7), ReplyStep(text="b", element=1), ReplyStep(text="c"))
    reply = HelpReply(steps=steps)
    assert [step.controls for step in tied_steps(reply, asked)] == [(), ("View",), ()]
    assert first_box(reply, asked) == VIEW.box
    assert first_box(HelpReply(), asked) is None
    assert len(reply_of({"text": "", "steps": [{"text": "x " * 900, "element": 1}]}).steps[0].text) <= STEP_LIMIT


def test_a_number_that_is_still_written_ties_nothing() -> None:
    """The 1 of a 12 is no control yet."""
    begun = '{"text": "a", "steps": [{"text": "Open it.", "element": 1'
    reply = reply_to(begun)
    assert reply is not None
    assert reply.steps == (ReplyStep(text="Open it.", element=0),)
    reply = reply_to(begun + '2}, {"text": "B')
    assert reply is not None
    assert reply.steps == (ReplyStep(text="Open it.", element=12), ReplyStep(text="B", element=0))
