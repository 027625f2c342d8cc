"""The tracker's own features that tell times, and that the value of every feature is asserted somewhere."""

import ast
from pathlib import Path

import pytest

from detectors.features.table import EXTRACTED, TRACKED
from storage.records import Box, EventKind, InputEvent, Record
from tests.fakes.detectors.feature_stories import CASES, stem
from tests.fakes.sessions.timed_records import S, click, dialog_visit, frame, keys, menu_visit, popup, seen

FIELD = Box(448, 480, 128, 32)


def motion(t_s: float) -> InputEvent:
    return InputEvent(t_ns=round(t_s * S), kind=EventKind.MOTION, x=900, y=500, path=40)


def toggled(t_s: float, digest: str) -> list[Record]:
    return [*click(t_s), frame(t_s + 0.3, digest, FIELD)]


def test_presses_and_frames_are_counted_whatever_button_and_place() -> None:
    values = seen([*click(2.0), frame(2.3, "a", FIELD), *click(4.0, 100, 100), frame(4.3, "b", FIELD)], 5.0)
    assert (values["clicks"], values["frames"]) == (2.0, 2.0)
    assert seen(keys(1.0, "cc"), 5.0)["clicks"] == 0.0


def test_idle_is_the_time_since_any_input_and_still_leaves_motion_aside() -> None:
    values = seen([*keys(1.0, "c"), motion(4.0)], 6.5)
    assert (values["idle_s"], values["still_s"]) == (2.5, 5.5)
    assert seen(keys(1.0, "c"), 6.5)["idle_s"] == 5.5
    assert seen([], 6.5)["idle_s"] == 999.0


def test_times_since_a_failure_and_since_kept_work_are_told_apart() -> None:
    values = seen(keys(1.0, "cccu"), 6.6)
    assert values["since_kept_s"] == pytest.approx(5.2)
    assert values["since_failure_s"] == pytest.approx(5.0)
    later = seen([*keys(1.0, "cccu"), *keys(5.0, "c")], 6.6)
    assert later["since_kept_s"] == pytest.approx(1.6)
    assert later["since_failure_s"] == pytest.approx(5.0)
    assert seen([], 6.6)["since_kept_s"] == seen([], 6.6)["since_failure_s"] == 999.0


def test_clicks_without_an_answer_are_remembered_for_a_minute() -> None:
    dead = [*click(2.0), *click(4.0, 900, 300)]
    assert seen(dead, 8.1)["unanswered"] == 2.0
    assert seen(dead, 63.0)["unanswered"] == 1.0
    assert seen(dead, 65.0)["unanswered"] == 0.0
    assert seen(toggled(2.0, "new"), 8.0)["unanswered"] == 0.0


TWICE: dict[str, tuple[list[Record], float]] = {
    "undo_span_s": ([*keys(1.0, "cccu"), *keys(5.0, "cccu")], 1.6),
    "dead_click_span_s": ([*click(2.0), *click(6.0)], 2.0),
    "repeat_click_span_s": ([record for n in range(3) for record in toggled(2.0 + n, ("on", "off")[n % 2])], 3.0),
    "menu_span_s": (
        [r for t in (2.0, 6.0) for r in menu_visit(t, [*keys(t + 1, "e"), popup(t + 1.1, gone=True)])],
        3.1,
    ),
    "dialog_span_s": ([r for t in (2.0, 7.0) for r in dialog_visit(t, keys(t + 1, "e"), t + 1.2)], 3.2),
    "retype_span_s": (keys(1.0, "cccccbbbbb") + keys(5.0, "cccccbbbbb"), 2.8),
}
"""Two failures of each kind, and when the first of them was."""


@pytest.mark.parametrize("name", TWICE)
def test_the_span_goes_from_the_first_of_two_failures_until_now(name: str) -> None:
    """While both are told; a minute after the first it goes from the second, and after both it is nothing."""
    records, first_s = TWICE[name]
    count = name.replace("span_s", "count")
    values = seen(records, 12.0)
    assert values[count] == 2.0
    assert values[name] == pytest.approx(12.0 - first_s, abs=0.01)
    second = seen(records, first_s + 60.5)
    assert second[count] == 1.0
    assert 0.0 < second[name] < 60.0
    assert seen(records, 80.0)[name] == 0.0


LEVELS = {
    "repeat_click_level": "repeat_click_span_s",
    "retype_level": "retype_span_s",
    "dead_click_count": "dead_click_span_s",
}
"""What rises with each failure, and where two of them are to be had."""


@pytest.mark.parametrize("name", LEVELS)
def test_levels_of_clicks_and_entries_rise_with_each_failure(name: str) -> None:
    records, _ = TWICE[LEVELS[name]]
    assert seen(records, 12.0)[name] > seen(records[: len(records) // 2], 12.0)[name]
    assert seen([], 12.0)[name] == 0.0


def asserted(path: Path) -> set[str]:
    """Return the texts by which assertions of a module look values up, or name them in a mapping to compare with."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    keys: list[ast.expr | None] = []
    for part in (part for node in ast.walk(tree) if isinstance(node, ast.Assert) for part in ast.walk(node)):
        keys += [part.slice] if isinstance(part, ast.Subscript) else part.keys if isinstance(part, ast.Dict) else []
    return {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def test_the_value_of_every_feature_is_asserted() -> None:
    """Own ones in the two modules about them, streaming ones (by what comes before the half-life) with a story."""
    own = Path(__file__)
    named = asserted(own) | asserted(own.with_name("test_tracker.py")) | TWICE.keys() | LEVELS.keys()
    assert TRACKED.keys() - named == set()
    assert {stem(name) for name in EXTRACTED} <= CASES.keys()
