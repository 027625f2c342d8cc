"""What is said before something is forgotten, and afterwards, without Qt."""

import datetime as dt

import pytest

from storage.clock import NS_PER_S
from storage.timeline import ForgetScope, TimelineTrouble
from tests.fakes.ui.requests import forget_report
from ui.views.forget import CLOSE, FORGET_NOW, KEEP, view_forget, view_trouble

AT = dt.datetime(2026, 9, 21, 14, 23)  # noqa: DTZ001  # a person's own time
BEGIN_NS = round(AT.timestamp()) * NS_PER_S


@pytest.mark.parametrize(
    ("scope", "before", "after"),
    [
        (ForgetScope.LAST, "the last 10 minutes", "all since Monday 14:23"),
        (ForgetScope.HOUR, "the last hour", "all since Monday 14:23"),
        (ForgetScope.DAY, "Monday 21 September 2026", "Monday 21 September 2026"),
        (ForgetScope.ALL, "everything", "everything"),
    ],
)
def test_forgetting_names_what_goes_and_what_stays_out_of_reach(scope: ForgetScope, before: str, after: str) -> None:
    report = forget_report(scope=scope, begin_wall_ns=BEGIN_NS, problems=("x cannot be read",))
    asked = view_forget(report)
    assert asked.title == f"Forget {before}?"
    assert asked.parts[0][1] == (
        "2 sessions of recorded work",
        "the end of 1 more session",
        "copies of 3 requests to models",
        "what was learned from your answers then",
        "the same in 1 later session, which no longer replays as it was",
    )
    assert asked.parts[1:] == (
        ("This could not be read, and stays", ("x cannot be read",)),
        ("Out of reach", ("backups",)),
        ("This stays", ("your consent",)),
    )
    done = view_forget(forget_report(scope=scope, begin_wall_ns=BEGIN_NS, done=True))
    assert done.title == f"Forgotten: {after}"
    assert done.parts[0] == ("Deleted", asked.parts[0][1])


def test_the_question_says_since_when_and_that_it_ends_with_the_yes() -> None:
    """Somebody who answers late has more than ten minutes forgotten, so they are told; a day has an end of its own."""
    heads = [view_forget(forget_report(scope=scope, begin_wall_ns=BEGIN_NS)).parts[0][0] for scope in ForgetScope]
    assert heads == [
        *["This goes for good: everything from Monday 14:23 until you say yes"] * 2,
        "This goes for good",
        "This goes for good",
    ]


def test_where_nothing_is_stored_it_is_said() -> None:
    nothing = {"sessions": 0, "cut": 0, "requests": 0, "learned": False, "began_after": 0}
    lines = [view_forget(forget_report(scope=scope, **nothing)).parts[0][1] for scope in ForgetScope]
    in_memory = ("what was in memory; nothing else was stored since then",)
    assert lines == [in_memory, in_memory, *[("nothing is there",)] * 2]


def test_a_refusal_says_why() -> None:
    view = view_trouble(TimelineTrouble(what="the <b>disk</b> is full", remedy="Free some."))
    assert (view.title, view.text) == ("This could not be done", "The <b>disk</b> is full. Free some.")
    assert len(view_trouble(TimelineTrouble(what="x" * 5000)).text) < 400


def test_no_two_keys_of_the_question_are_the_same() -> None:
    letters = {text[text.index("&") + 1].lower() for text in (FORGET_NOW, KEEP, CLOSE)}
    assert len(letters) == 3
