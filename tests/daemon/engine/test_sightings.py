"""What an offer can name, found in records: never more than was seen."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.engine.sightings import MAX_RECORDS, RecentRecords
from daemon.engine.span import effect_ns
from storage.clock import NS_PER_S
from storage.messages import SIGHTINGS
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    DialogSeen,
    DocumentLoaded,
    Dropped,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    MessageClass,
    MessageSeen,
    Problem,
    Record,
    Sighting,
    UndoLabel,
    Wake,
)
from storage.settings import CaptureSettings

APP, OTHER = "editor", "browser"
BUTTON = Box(100, 100, 80, 30)
NAMELESS = "trouble_pattern"
Timed = tuple[float, Record]


def act(s: float, name: str = "compile", **more: Any) -> Timed:
    values: dict[str, Any] = {"app": APP, "what": "pressed", "role": ControlRole.BUTTON, "box": BUTTON} | more
    return s, ControlAct(t_ns=ns(s), name_digest=name, **values)


def message(s: float, text: str = "error", about: MessageClass = MessageClass.ERROR, app: str = APP) -> Timed:
    return s, MessageSeen(t_ns=ns(s), app=app, role=ControlRole.LABEL, text_digest=text, about=about)


def marked(s: float, name: str = "postcode", role: ControlRole = ControlRole.ENTRY) -> Timed:
    """An entry is marked as wrong; what is known of it is its name."""
    return s, MessageSeen(t_ns=ns(s), app=APP, role=role, text_digest=name, about=MessageClass.ERROR)


def dialog(s: float, text: str = "refused", about: MessageClass = MessageClass.ERROR, app: str = APP) -> Timed:
    return s, DialogSeen(
        t_ns=ns(s), app=app, role=ControlRole.ALERT, title_digest="title", text_digest=text, about=about
    )


def press(s: float, key_class: KeyClass = KeyClass.CHARACTER, count: int = 1) -> Timed:
    return s, InputEvent(t_ns=ns(s), kind=EventKind.KEY, key_class=key_class, count=count)


def click(s: float, x: int = 140, y: int = 115) -> Timed:
    return s, InputEvent(t_ns=ns(s), kind=EventKind.BUTTON_DOWN, button="left", x=x, y=y)


def changed(s: float, *boxes: Box) -> Timed:
    return s, Frame(t_ns=ns(s), monitor="m", size=(800, 600), digest="", changed=boxes)


def page(s: float, title: str = "form") -> Timed:
    return s, DocumentLoaded(t_ns=ns(s), app=APP, title_digest=title)


def label(s: float, name: str = "paste") -> Timed:
    return s, UndoLabel(t_ns=ns(s), app=APP, label_digest=name)


def focus(s: float, app: str = APP, *, is_dialog: bool = False) -> Timed:
    return s, Focus(t_ns=ns(s), app=app, window=1, title_digest="", geometry=BUTTON, dialog=is_dialog)


def ns(s: float) -> int:
    return round((100 + s) * NS_PER_S)


def found(
    timed: Iterable[Timed], topic: str = NAMELESS, now_s: float = 60.0, settings: CaptureSettings | None = None
) -> Sighting:
    recent = RecentRecords(settings or CaptureSettings())
    for s, record in sorted(timed, key=lambda one: one[0]):
        recent.add(replace(record, at_ns=ns(s)), APP, stopped=False)
    return recent.find(topic, APP, ns(now_s))


def seen(code: str, digests: dict[str, str] | None = None, **numbers: float) -> Sighting:
    return Sighting(code=code, numbers=numbers, digests=digests or {})


def formula(s: float) -> Timed:
    return marked(s, "", ControlRole.CELL)


def compiled(*times: float) -> list[Timed]:
    return [record for s in times for record in (press(s - 3), act(s - 1), message(s))]


# ---------------------------------------------------------------- messages and dialogs


def test_a_message_that_comes_back_after_the_same_control_is_named_with_it() -> None:
    for topic in (NAMELESS, "undo_bursts", "from_a_plugin"):
        words = {"message": "error", "control": "compile"}
        assert found(compiled(10, 20, 33.5), topic) == seen("message_after_control", words, count=3.0, span_s=24.0)


def test_an_entry_that_is_marked_as_wrong_again_is_named_and_not_taken_for_a_message() -> None:
    refused = [record for s in (10, 20, 33.5) for record in (press(s - 3), act(s - 1, "save"), marked(s))]
    words = {"entry": "postcode", "control": "save"}
    assert found(refused, "value_flip_flop") == seen("entry_after_control", words, count=3.0, span_s=24.0)
    said = [message(s + 0.2) for s in (10, 20, 33.5)]
    assert found([*refused, *said]).code == "message_after_control"
    assert found([record for record in refused if not isinstance(record[1], ControlAct)]).code == "entry_again"
    assert found([marked(40)], now_s=52.9).digests == {"entry": "postcode"}
    assert found([marked(40, role=ControlRole.ALERT)], now_s=52.9).digests == {"message": "postcode"}


def test_a_dialog_and_its_text_reported_by_itself_are_one_appearance() -> None:
    """As Qt does it: a label of the dialog, the dialog, or either alone; it is called a dialog if each time one was."""
    both = [record for s in (10, 20) for record in (press(s - 3), message(s, "refused"), dialog(s + 0.3))]
    assert found(both, "undo_bursts").code == "dialog_again"
    assert found(both, "undo_bursts").numbers["count"] == 2.0
    one_each = [press(7), dialog(10), press(17), message(20, "refused")]
    refused = {"message": "refused"}
    assert found(one_each, "undo_bursts") == seen("message_again", refused, count=2.0, span_s=10.0)


@pytest.mark.parametrize(
    "second",
    [
        [message(14)],
        [press(10.2), message(10.5)],
        [press(19), message(20, "another")],
        [press(19), message(20, about=MessageClass.WARNING)],
    ],
)
def test_one_appearance_is_no_return(second: list[Timed]) -> None:
    assert found([*compiled(10), *second], "undo_bursts").code == ""
    assert found([*compiled(10), press(19), message(20)], "undo_bursts").code == "message_after_control"


def test_what_another_program_shows_is_not_named_but_its_dialogs_are_under_any_name() -> None:
    """A program's dialogs may have another class than its windows."""
    foreign = [record for s in (10, 20) for record in (press(s - 1), message(s, app=OTHER))]
    assert found(foreign, "undo_bursts").code == ""
    own = [
        record
        for s in (10, 20)
        for record in (press(s - 1), dialog(s, app="Dialogs"), focus(s + 1, "Dialogs", is_dialog=True))
    ]
    assert found(own).code == "dialog_again"


@pytest.mark.parametrize(
    ("about", "code"),
    [
        (MessageClass.ERROR, "dialog_after_control"),
        (MessageClass.PASSWORD, "password_again"),
        (MessageClass.QUESTION, ""),
        (MessageClass.OTHER, ""),
    ],
)
def test_a_dialog_counts_only_with_an_error_or_a_password_in_it(about: MessageClass, code: str) -> None:
    """One that comes back with a question is everyday work."""
    records = [record for s in (10, 20) for record in (act(s - 1), dialog(s, about=about), focus(s + 1))]
    assert found(records).code == code


def test_a_single_error_is_named_for_half_a_minute_where_nothing_else_is() -> None:
    """For topics that say little, and until a page was loaded."""
    assert found([message(40)], now_s=52.9) == seen("error_seen", {"message": "error"}, age_s=12.0)
    assert found([message(40)], "undo_bursts", 52.9).code == ""
    assert found([message(40), page(45)], now_s=52.9).code == ""
    assert found([message(20)], now_s=52.9).code == ""


# ---------------------------------------------------------------- acts without effect, undo, pages


def test_a_control_that_is_pressed_in_vain_is_counted() -> None:
    drawn = [changed(s + 0.1, Box(98, 98, 84, 34)) for s in (10, 15, 20)]
    vain = seen("control_in_vain", {"control": "compile"}, count=3.0, span_s=10.0)
    assert found([act(10), act(15), act(20), *drawn]) == vain


@pytest.mark.parametrize(
    "effect",
    [
        changed(20.5, Box(500, 500, 10, 10)),
        dialog(20.5, about=MessageClass.OTHER),
        focus(20.5, OTHER),
        page(20.5),
        act(20.5, "box", what="toggled"),
        (20.5, Dropped(what="events", count=10, reason="overload")),
    ],
)
def test_any_effect_of_the_last_press_ends_the_count(effect: Timed) -> None:
    assert found([act(10), act(15), act(20), effect]).code == ""


def test_presses_of_controls_that_differ_are_not_added_up() -> None:
    assert found([act(10), act(15, "save"), act(20)]).code == ""
    assert found([act(10, ""), act(15, ""), act(20, "", box=Box(0, 0, 9, 9))]).code == ""
    assert found([act(10, ""), act(15, ""), act(20, "")]).digests == {}


def test_the_same_step_undone_again_is_counted_by_presses_of_undo() -> None:
    """With work in between; undone in one go it is everyday work."""
    goes = [
        *(label(5), press(6, KeyClass.UNDO, 2), label(7, "type"), press(8), label(9)),
        *(press(10, KeyClass.UNDO), press(12, KeyClass.REDO)),
    ]
    assert found(goes) == seen("step_undone", {"step": "paste"}, count=3.0, tries=2.0, span_s=4.0)
    assert found(goes, "undo_bursts").code == "step_undone"
    assert found(goes, "dead_clicks").code == ""
    assert found([label(5), press(6, KeyClass.UNDO, 9)]).code != "step_undone"


# ---------------------------------------------------------------- gestures


@pytest.mark.parametrize(
    ("records", "code", "numbers"),
    [
        ([click(s) for s in (10, 13, 16, 19.5)], "place_in_vain", {"count": 4.0, "span_s": 10.0}),
        (
            [record for s in (10, 13, 16, 19) for record in (click(s), changed(s + 1, BUTTON))],
            "place_again",
            {"count": 4.0, "span_s": 9.0},
        ),
        ([press(s, KeyClass.UNDO, 2) for s in (10, 20)], "undone", {"count": 4.0}),
        ([focus(s, is_dialog=s % 2 == 0) for s in range(10, 16)], "dialogs", {"count": 3.0}),
        (
            [(s, InputEvent(t_ns=ns(s), kind=EventKind.SCROLL, dy=(-1) ** s)) for s in range(50, 56)],
            "turns",
            {"count": 5.0},
        ),
        ([press(38)], "pause", {"age_s": 22.0}),
        ([press(55)], "", {}),
        ([click(s) for s in (10, 10.2, 13, 13.2)] + [press(55)], "", {}),
    ],
)
def test_gestures_are_named_where_no_single_sign_is(records: list[Timed], code: str, numbers: dict[str, float]) -> None:
    assert found(records) == Sighting(code=code, numbers=numbers)
    assert found(records, "dead_clicks") == Sighting()


# ---------------------------------------------------------------- in all


@pytest.mark.parametrize("gap", [Wake(slept_ns=1), Problem(code="screen_unreadable")])
def test_nothing_is_counted_over_a_gap(gap: Record) -> None:
    assert found([*compiled(10, 20, 30), (25, gap)], now_s=55).code == "error_seen"
    assert found([*compiled(10, 20, 30)], now_s=55).numbers["count"] == 3.0
    assert found([*compiled(10, 20), (25, gap)]).code == ""
    recent = RecentRecords(CaptureSettings())
    for s, record in compiled(10, 20):
        recent.add(replace(record, at_ns=ns(s)), APP, stopped=False)
    recent.add(replace(press(21)[1], at_ns=ns(21)), APP, stopped=True)
    assert recent.find(NAMELESS, APP, ns(30)) == Sighting()


def test_memory_is_bounded() -> None:
    recent = RecentRecords(CaptureSettings())
    for number in range(10_000):
        recent.add(replace(press(10)[1], at_ns=ns(10) + number), APP, stopped=False)
    assert len(recent._records) == MAX_RECORDS


_EVENTS = st.one_of(
    st.builds(act, st.floats(0, 60)),
    st.builds(message, st.floats(0, 60), st.sampled_from("ab")),
    st.builds(dialog, st.floats(0, 60)),
    st.builds(marked, st.floats(0, 60)),
    st.builds(click, st.floats(0, 60)),
    st.builds(page, st.floats(0, 60)),
    st.builds(label, st.floats(0, 60), st.sampled_from("ab")),
    st.builds(press, st.floats(0, 60), st.sampled_from([KeyClass.UNDO, KeyClass.CHARACTER])),
    st.builds(lambda s: changed(s, BUTTON), st.floats(0, 60)),
    st.builds(lambda s: focus(s, is_dialog=True), st.floats(0, 60)),
)
_CEILING: dict[str, Any] = {
    "message": (MessageSeen, DialogSeen),
    "dialog": (MessageSeen, DialogSeen),
    "password": DialogSeen,
    "entry": MessageSeen,
    "control": ControlAct,
    "page": DocumentLoaded,
    "place": InputEvent,
    "undone": InputEvent,
    "step": InputEvent,
    "dialogs": Focus,
}


@given(st.lists(_EVENTS, max_size=40), st.sampled_from([NAMELESS, "undo_bursts"]))
def test_no_count_is_above_what_was_seen(records: list[Timed], topic: str) -> None:
    named = found(records, topic)
    if not named.code:
        assert named == Sighting()
        return
    assert named.code in SIGHTINGS
    kind = _CEILING.get(named.code.split("_")[0])
    if kind is not None and "count" in named.numbers:
        assert 2 <= named.numbers["count"] <= sum(isinstance(record, kind) for _, record in records)
    assert named.numbers.get("span_s", 1.0) <= 60.0


def test_formulas_without_a_result_are_named_though_they_have_no_words() -> None:
    typed = [record for s in (10, 20, 33.5) for record in (press(s - 1), formula(s))]
    for topic in (NAMELESS, "value_flip_flop"):
        assert found(typed, topic) == Sighting(code="formula_again", numbers={"count": 3.0, "span_s": 24.0}, digests={})
    assert found([press(9), formula(10)]).code != "formula_again"
    assert found([press(9), formula(10), formula(10.5)]).code != "formula_again"
    assert found([*typed, *(record for s in (12, 22) for record in (press(s - 1), message(s)))]).code == "message_again"


def test_the_control_is_named_only_if_it_was_the_last_before_each() -> None:
    other = [*compiled(10, 20), press(27), act(29, "save"), message(30)]
    late = [*compiled(10, 20), act(24), press(39), message(40)]
    for records in (other, late):
        assert found(records).code == "message_again"
        assert found(records).digests == {"message": "error"}


def test_a_press_whose_control_is_not_known_is_not_taken_for_the_last_known_one() -> None:
    """A program may not say in time what was clicked: between its dialogs only their own button is known then."""
    dismissed = [record for s in (10, 20) for record in (click(s - 1), dialog(s), click(s + 3), act(s + 3, "ok"))]
    assert found(dismissed, "undo_bursts").code == "dialog_again"
    known = [record for s in (10, 20) for record in (click(s - 1), act(s - 1), press(s - 0.4), dialog(s))]
    assert found(known, "undo_bursts").code == "dialog_after_control"
    shortcut = [record for s in (10, 20) for record in (act(s - 2), press(s - 1, KeyClass.FUNCTION), dialog(s))]
    assert found(shortcut, "undo_bursts").code == "dialog_again"


def test_what_is_older_than_a_minute_does_not_count() -> None:
    records = compiled(10, 20, 30)
    assert found(records, now_s=69).numbers["count"] == 3.0
    assert found(records, now_s=71).numbers["count"] == 2.0
    assert found(records, "undo_bursts", now_s=81).code == ""


def test_an_error_dialog_that_still_has_the_keyboard_is_open() -> None:
    opened = [dialog(20), focus(20.3, is_dialog=True)]
    assert found(opened, now_s=45.9) == seen("error_open", {"message": "refused"}, age_s=25.0)
    assert found(opened, now_s=25).code == ""
    assert found([*opened, focus(30)], now_s=45).code == ""


def test_a_press_is_not_judged_before_its_effect_would_have_been_seen() -> None:
    """A frame may come late, and later where the screen is looked at less often."""
    presses = [act(10), act(15), act(20)]
    assert found(presses, now_s=22.5).code == ""
    assert found(presses, now_s=23.1).code == "control_in_vain"
    slow = CaptureSettings(active_fps=0.5, passive_fps=0.5)
    assert effect_ns(slow) == round(4.5 * NS_PER_S)
    assert found(presses, now_s=24, settings=slow).code == ""
    assert found(presses, now_s=26, settings=slow).code == "control_in_vain"


def test_pages_of_one_title_are_counted_if_the_person_acted_in_between() -> None:
    """A page that loads itself again is no try."""
    tried = [record for s in (10, 20, 30) for record in (click(s - 1, 10 * int(s)), changed(s, BUTTON), page(s))]
    assert found(tried).numbers == {"count": 3.0, "span_s": 20.0}
    assert found(tried).code == "page_again"
    assert found([page(10), page(20), page(30)]).code == ""


def test_gestures_in_another_program_do_not_count() -> None:
    """What was done there is not what the offer is about."""
    recent = RecentRecords(CaptureSettings())
    for s in (10, 13, 16, 19):
        recent.add(replace(click(s)[1], at_ns=ns(s)), OTHER, stopped=False)
    assert recent.find(NAMELESS, OTHER, ns(25)).code == "place_in_vain"
    assert recent.find(NAMELESS, APP, ns(25)).code == ""


def test_a_models_judgement_is_named_as_such() -> None:
    """Whatever was seen: the card must say that a model looked at pictures."""
    assert found(compiled(10, 20, 30), "model_judgement") == Sighting()
