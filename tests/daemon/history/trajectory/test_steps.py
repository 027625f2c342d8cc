"""Steps of a session: which events make one, what is counted, and where a trajectory ends."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from daemon.history.trajectory.steps import FoundStep, StepFolder, trajectories
from daemon.history.trajectory.trajectory import Step, Target
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    Element,
    Elements,
    EventKind,
    InputEvent,
    KeyClass,
    Record,
    Switch,
    SwitchName,
    Wake,
)
from tests.fakes.sessions.rows import start
from tests.fakes.sessions.timed_records import S, click, focus, frame, key, keys


def taken_in(rows: Iterable[Record]) -> list[Record]:
    """Return rows as the core takes them in: at the time at which things happened."""
    return [replace(row, at_ns=getattr(row, "t_ns", row.at_ns)) for row in rows]


def steps_of(*rows: Record) -> list[Step]:
    folder = StepFolder()
    found: list[FoundStep] = []
    for row in taken_in([focus(0, "editor"), *rows]):
        found += folder.add(row)
    return [step.step for step in [*found, *folder.cut()]]


def acts(*rows: Record) -> list[tuple[str, dict[str, object]]]:
    return [(step.action.verb, dict(step.action.args)) for step in steps_of(*rows)]


def act(t_s: float, name: str | None = None, box: Box | None = None, app: str = "editor") -> ControlAct:
    return ControlAct(
        t_ns=round(t_s * S), app=app, what="pressed", role=ControlRole.BUTTON, name_digest="d", box=box, name=name
    )


CLICK = ("click", {"x": 500, "y": 500})
DOUBLE = ("double_click", {"x": 500, "y": 500})


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (click(1.0), [CLICK]),
        (click(1.0, to=(508, 500)), [CLICK]),
        (click(1.0, to=(509, 500)), [("drag", {"x": 500, "y": 500, "to_x": 509, "to_y": 500})]),
        ([*click(1.0), *click(1.5)], [DOUBLE]),
        ([*click(1.0), *click(1.51)], [CLICK] * 2),
        ([*click(1.0), *click(1.3, x=520)], [CLICK, ("click", {"x": 520, "y": 500})]),
        ([*click(1.0), *click(1.2), *click(1.4)], [DOUBLE, CLICK]),
    ],
    ids=["click", "8 px", "9 px", "double", "too slow", "elsewhere", "three"],
)
def test_buttons(rows: list[Record], expected: list[tuple[str, dict[str, object]]]) -> None:
    assert acts(*rows) == expected


def test_characters_are_counted_and_command_keys_apart() -> None:
    rows = [*keys(1.0, "ccc"), key(3.4, KeyClass.CHARACTER), *keys(4.0, "uu"), key(4.4, KeyClass.REDO)]
    assert acts(*rows, key(6.5, KeyClass.CHARACTER), key(8.6, KeyClass.CHARACTER)) == [
        ("type", {"count": 4}),
        ("key", {"key": "undo", "count": 2}),
        ("key", {"key": "redo", "count": 1}),
        ("type", {"count": 1}),
        ("type", {"count": 1}),
    ]


def test_a_protected_span_has_no_count() -> None:
    span = InputEvent(t_ns=S, kind=EventKind.PROTECTED)
    assert acts(span, key(1.5, KeyClass.CHARACTER)) == [("type", {}), ("type", {"count": 1})]


def test_scrolling_one_way_is_one_step() -> None:
    def scroll(t_s: float, dy: int) -> InputEvent:
        return InputEvent(t_ns=round(t_s * S), kind=EventKind.SCROLL, x=1, y=1, dy=dy)

    assert acts(scroll(1, -1), scroll(1.9, -2), scroll(2.1, 1), scroll(3.2, 1)) == [
        ("scroll", {"way": "down", "steps": 3}),
        ("scroll", {"way": "up", "steps": 1}),
        ("scroll", {"way": "up", "steps": 1}),
    ]


@pytest.mark.parametrize(
    "between",
    [
        Switch(at_ns=2 * S, name=SwitchName.PAUSED, on=True, by="person"),
        Switch(at_ns=2 * S, name=SwitchName.PRIVATE, on=True, by="person"),
        Switch(at_ns=2 * S, name=SwitchName.EXCLUDED, on=True, by="fence"),
        Wake(at_ns=2 * S, slept_ns=S),
    ],
    ids=["pause", "private", "excluded", "wake"],
)
def test_what_ends_a_trajectory(between: Record) -> None:
    rows = [start(session_id="s"), *taken_in([focus(0, "editor"), *click(1.0)]), between, *taken_in(click(3.0))]
    found = list(trajectories(rows))
    assert [(trajectory.key, trajectory.app, trajectory.whose, len(trajectory.steps)) for trajectory in found] == [
        ("s/1", "editor", "person", 1),
        ("s/2", "editor", "person", 1),
    ]
    assert [trajectory.steps[0].number for trajectory in found] == [1, 1]


def test_absence_ends_a_trajectory_and_is_no_waiting() -> None:
    near = [*taken_in([focus(0, "editor"), *click(1.0), *click(121.0)])]
    far = [*taken_in([focus(0, "editor"), *click(1.0), *click(121.2)])]
    assert [len(trajectory.steps) for trajectory in trajectories([start(), *near])] == [3]
    assert [len(trajectory.steps) for trajectory in trajectories([start(), *far])] == [1, 1]


def test_pictures_before_and_after() -> None:
    def shown(t_s: float, ref: str) -> Record:
        return replace(frame(t_s, "d"), image_ref=ref)

    rows = [shown(0.5, "a"), key(1.0, KeyClass.CHARACTER), shown(1.2, "b"), key(1.4, KeyClass.CHARACTER)]
    first, second = steps_of(*rows, shown(1.6, "c"), *click(2.0), shown(2.5, "d"))
    assert (first.before, first.after) == ("a", "c")
    assert (second.before, second.after) == ("c", "d")


def test_the_target_is_the_smallest_element_round_the_point() -> None:
    elements = Elements(
        t_ns=S,
        app="editor",
        elements=(
            Element(role="panel", box=Box(0, 0, 900, 900), name="All"),
            Element(role="button", box=Box(490, 490, 50, 50), name="Save"),
            Element(role="button", box=Box(600, 490, 5, 5), name="Other"),
        ),
    )
    (step,) = steps_of(elements, *click(2.0))
    assert step.target == Target(name="Save", role="button", box=Box(490, 490, 50, 50))
    assert step.elements == elements.elements
    (step,) = steps_of(elements, *click(2.0), act(2.3, "Store", Box(495, 495, 20, 20)))
    assert step.target == Target(name="Store", role="button", box=Box(495, 495, 20, 20))
    (step,) = steps_of(elements, focus(1.5, "editor", dialog=True), *click(2.0))
    assert step.target is None


@pytest.mark.parametrize(
    "seen",
    [act(5.0, "Late"), act(2.3, "Elsewhere", Box(0, 0, 9, 9)), act(2.3, "Foreign", app="other")],
    ids=["late", "elsewhere", "other program"],
)
def test_a_target_is_never_made_up(seen: ControlAct) -> None:
    (step,) = steps_of(*click(2.0), seen)
    assert step.target is None


def test_a_right_click_and_other_buttons() -> None:
    right = [replace(row, button="right") for row in click(1.0) if isinstance(row, InputEvent)]
    middle = [replace(row, button="middle") for row in click(2.0) if isinstance(row, InputEvent)]
    assert acts(*right, *middle) == [
        ("right_click", {"x": 500, "y": 500}),
        ("click", {"x": 500, "y": 500, "button": "middle"}),
    ]


def test_own_input_and_modifiers_make_no_step() -> None:
    own = [replace(row, own=True) for row in click(1.0) if isinstance(row, InputEvent)]
    assert acts(*own, key(2.0, KeyClass.MODIFIER)) == []


def test_another_application_and_waiting_are_steps() -> None:
    rows = [*click(1.0), focus(2.0, "browser"), *click(11.0), *click(21.5)]
    assert [verb for verb, _ in acts(*rows)] == ["click", "switch_app", "click", "wait", "click"]
    assert acts(*rows)[3] == ("wait", {"seconds": 10.4})


def test_without_names_there_is_the_role_alone() -> None:
    """As in the journal."""
    (step,) = steps_of(*click(2.0), act(2.3))
    assert step.target == Target(role="button")
