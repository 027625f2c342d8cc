"""Reading the CUPS study and what can be known at one of its events, on made-up data in its layout."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.benchmarks.cups.features import NAMES, features
from lab.benchmarks.cups.study import ACCEPTED, REPLAYED, SHOWN, UNSURE, read
from storage.errors import BadFile
from tests.fakes.lab import studies as made_up_studies


def test_decided_suggestions_are_those_answered_next(tmp_path: Path) -> None:
    """Only the last display before an answer counts, and only within one session."""
    made_up_studies.cups(tmp_path)
    cups = read(tmp_path)
    assert len(cups.decided) == 6 * 30
    for n, accepted in zip(cups.decided, cups.accepted, strict=True):
        assert cups.events[n].event in (SHOWN, REPLAYED)
        assert cups.events[n].session == cups.events[n + 1].session
        assert accepted == (cups.events[n + 1].event == ACCEPTED)


def test_unsure_labels_are_no_state(tmp_path: Path) -> None:
    """Events whose programmer did not know the state are neither scored nor a class."""
    made_up_studies.cups(tmp_path)
    cups = read(tmp_path)
    assert UNSURE not in cups.states
    assert 0 < len(cups.labelled) < len(cups.events)
    assert all(cups.events[n].labeled_state in cups.states for n in cups.labelled)


def test_nothing_looks_ahead_or_at_another_programmer(tmp_path: Path) -> None:
    """Rows stay the same when everything after them, and everybody else, is cut away."""
    made_up_studies.cups(tmp_path, programmers=3, suggestions=8)
    cups = read(tmp_path)
    rows = features(cups.events)
    assert rows.shape == (len(cups.events), len(NAMES))
    own = np.flatnonzero(cups.programmers == 1)
    for cut in (1, 5, len(own)):
        alone = features([cups.events[n] for n in own[:cut]])
        assert (alone == rows[own[:cut]]).all()


def test_labels_change_no_feature(tmp_path: Path) -> None:
    """What is to be told is not among what is known."""
    made_up_studies.cups(tmp_path, programmers=2, suggestions=6)
    events = read(tmp_path).events
    assert (features([replace(event, labeled_state="Another") for event in events]) == features(events)).all()


def test_fields_known_only_later_are_not_read(tmp_path: Path) -> None:
    """Neither the edits that followed nor a length that may have been filled in afterwards reach a feature."""
    path = made_up_studies.cups(tmp_path, programmers=2, suggestions=6)
    before = features(read(tmp_path).events)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    changed = [{**line, "suggestion_chars": 7, "edit_percentage": [0.5] * 5} for line in lines]
    path.write_text("\n".join(json.dumps(line) for line in changed), encoding="utf-8")
    assert (features(read(tmp_path).events) == before).all()


def test_the_past_is_counted_as_named(tmp_path: Path) -> None:
    """Times shown again, decisions so far and the time since the event before are what their names say."""
    made_up_studies.cups(tmp_path, programmers=1, suggestions=10)
    events = read(tmp_path).events
    rows = features(events)
    again, decisions, back = (
        NAMES.index(name) for name in ("times shown again", "decisions so far", "seconds since, 1 back")
    )
    for n, event in enumerate(events):
        assert rows[n, decisions] == sum(one.event in (ACCEPTED, "Rejected") for one in events[:n])
        if event.event == SHOWN:
            assert rows[n, again] == 0
        if event.event == REPLAYED:
            assert rows[n, again] == rows[n - 1, again] + 1
        if n:
            assert rows[n, back] == pytest.approx((event.time - events[n - 1].time).total_seconds())


def test_lines_may_come_in_any_order(tmp_path: Path) -> None:
    """Events are put in order by session and number."""
    path = made_up_studies.cups(tmp_path, programmers=2, suggestions=4)
    cups = read(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(reversed(lines)), encoding="utf-8")
    assert read(path) == cups


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"event": "Danced"}, "unknown kind"),
        ({"time": "2022-08-08T09:00:00"}, "no time zone"),
        ({"session": "zero"}, "is no event"),
        ({"time": "2032-08-08T09:00:00Z"}, "not in order"),
        ({"i": 1}, "not in order"),
    ],
)
def test_foreign_lines_are_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    """A line that is no event of the study ends with its number or session and what to give instead."""
    path = made_up_studies.cups(tmp_path, programmers=1, suggestions=3)
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **change}), *rest]), encoding="utf-8")
    with pytest.raises(BadFile, match=said):
        read(tmp_path)


def test_a_wrong_folder_is_refused(tmp_path: Path) -> None:
    """A folder without the telemetry is none of the study's."""
    with pytest.raises(BadFile, match="cannot be read"):
        read(tmp_path)
