"""The judge takes onset, breaks and false offers from the script alone, and notices when an offer is misplaced."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.judge import is_break, judge_offer, parse_script, percentile, read_script
from storage.errors import BadFile

S = 1_000_000_000


def line(at_s: float, kind: str, **facts: Any) -> dict[str, Any]:
    return {"t_ns": 0, "wall_ns": int(at_s * S), "kind": kind, **facts}


def failed(at_s: float, thing: str = "menu") -> dict[str, Any]:
    return line(at_s, "attempt", thing=thing, outcome="failed")


STORY = [
    line(100, "phase", name="fluent"),
    line(101, "key", late_ms=1.0),
    line(102, "key", late_ms=3.0),
    line(160, "phase", name="stuck"),
    line(161, "button", late_ms=2.0),
    failed(165),
    line(168, "move", late_ms=0.0),
    line(169, "moved"),
    failed(170),
    line(175, "key", late_ms=0.0),
    line(190, "attempt", thing="menu", outcome="succeeded"),
    line(195, "end"),
]


def test_need_begins_when_a_second_attempt_at_the_same_thing_has_failed() -> None:
    story = parse_script(STORY)
    assert story.onset_ns == 170 * S
    assert story.need_end_ns == 190 * S
    assert story.seconds(170 * S) == 70.0


def test_failures_at_different_things_are_no_onset() -> None:
    """Two things that failed once each, or one that succeeded in between, are ordinary work."""
    begin = line(1, "phase", name="fluent")
    assert parse_script([begin, failed(2, "menu"), failed(3, "dialog")]).onset_ns is None
    success = line(3, "attempt", thing="menu", outcome="succeeded")
    assert parse_script([begin, failed(2), success, failed(4)]).onset_ns is None
    assert parse_script([begin, failed(2), success, failed(4), failed(5)]).onset_ns == 5 * S


@pytest.mark.parametrize(("at_s", "false"), [(120, True), (169.9, True), (170.1, False), (189, False), (191, True)])
def test_an_offer_is_false_before_onset_and_after_the_end_of_need(at_s: float, *, false: bool) -> None:
    assert judge_offer(parse_script(STORY), int(at_s * S)).false is false


def test_the_delay_is_counted_from_the_onset() -> None:
    """An offer four seconds after the second failure has a delay of four seconds."""
    assert judge_offer(parse_script(STORY), 174 * S).delay_from_onset_s == 4.0


@pytest.mark.parametrize(
    ("at_s", "still"),
    [(174.9, True), (175.2, False), (175.8, False), (176.0, True), (101.5, False), (168.5, False), (169.5, False)],
)
def test_a_break_is_about_a_second_without_input(at_s: float, *, still: bool) -> None:
    assert judge_offer(parse_script(STORY), int(at_s * S)).at_break is still


def test_lateness_is_reported() -> None:
    assert parse_script(STORY).late_ms == (1.0, 3.0, 2.0, 0.0, 0.0)
    assert percentile(parse_script(STORY).late_ms, 0.95) == 3.0
    assert percentile((), 0.95) == 0.0


def test_a_log_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text("no json\n")
    with pytest.raises(BadFile, match="not the log of a script"):
        read_script(path)
    path.write_text(json.dumps(line(1, "key", late_ms=0.0)) + "\n")
    with pytest.raises(BadFile, match="when work began"):
        parse_script(read_script(path))


def test_every_offer_is_false_where_nobody_was_stuck() -> None:
    judged = judge_offer(parse_script([line(1, "phase", name="fluent"), line(2, "end")]), 2 * S)
    assert judged.false
    assert judged.delay_from_onset_s is None


@given(gaps=st.lists(st.floats(0.05, 3.0), min_size=1, max_size=30), pick=st.integers(0, 1000))
def test_no_moment_right_after_a_key_is_a_break(gaps: list[float], pick: int) -> None:
    """Whatever the rhythm, the moment after a key is no break, and one second after the last key is."""
    at_s, lines = 10.0, [line(10, "phase", name="fluent")]
    for gap in gaps:
        at_s += gap
        lines.append(line(at_s, "key", late_ms=0.0))
    story = parse_script(lines)
    key_ns = story.input[pick % len(story.input)][0]
    assert not is_break(story, key_ns + S // 2)
    assert is_break(story, story.input[-1][1] + S)
