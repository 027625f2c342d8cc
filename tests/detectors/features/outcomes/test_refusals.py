"""Errors that are said again: which count, for how long, and in which program."""

import pytest

from detectors.features.outcomes.errors import ECHO_NS, SAID_NS, Refusals
from storage.records import ControlRole, MessageClass, MessageSeen

GAP_NS = SAID_NS // 10


def count(*texts: str, role: ControlRole = ControlRole.ALERT, about: MessageClass = MessageClass.ERROR) -> float:
    refusals = Refusals()
    for number, text in enumerate(texts):
        seen = MessageSeen(t_ns=number * GAP_NS, app="editor", role=role, text_digest=text, about=about)
        refusals.take((seen.app, text), seen)
    return refusals.value("editor", len(texts) * GAP_NS)


@pytest.mark.parametrize(
    ("texts", "expected"), [((), 0.0), (("a",), 1.0), (("a", "b"), 1.0), (("a", "b", "a"), 2.0), (("a",) * 4, 4.0)]
)
def test_the_error_that_was_said_most_often_counts(texts: tuple[str, ...], expected: float) -> None:
    assert count(*texts) == expected


@pytest.mark.parametrize("role", [ControlRole.STATUS, ControlRole.CELL, ControlRole.OUTPUT, ControlRole.ENTRY])
def test_what_stands_there_as_long_as_it_is_so_is_not_said_again(role: ControlRole) -> None:
    assert count("a", "a", role=role) == 0.0


def test_a_warning_may_be_read_and_answered_each_time() -> None:
    assert count("a", "a", about=MessageClass.WARNING) == 0.0


def test_an_echo_is_the_same_one_and_all_is_forgotten_in_time_and_elsewhere() -> None:
    refusals = Refusals()
    for t_ns in (0, ECHO_NS - 1, SAID_NS - 1):
        seen = MessageSeen(t_ns=t_ns, app="editor", role=ControlRole.ALERT, text_digest="a", about=MessageClass.ERROR)
        refusals.take(("editor", "a"), seen)
    assert [refusals.value("editor", t_ns) for t_ns in (SAID_NS - 1, SAID_NS + ECHO_NS, 2 * SAID_NS)] == [2.0, 1.0, 0.0]
    assert refusals.value("browser", SAID_NS - 1) == 0.0
