"""What holds for all streaming features together: reading changes nothing, and hour, screen and pace hardly matter."""

import random
from dataclasses import replace
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings

from detectors.features.table import EXTRACTED, TABLE, features_hash
from detectors.features.tracker import FeatureTracker
from storage.records import Box, Focus, Frame, InputEvent, Record, Switch, SwitchName, Wake, WindowEvent
from tests.fakes.sessions.desk import Desk
from tests.fakes.sessions.people import FLUENT, undo_loop, work
from tests.fakes.sessions.strokes import Strokes
from tests.fakes.sessions.timed_records import actions, records_of

S = 1_000_000_000
NEW = tuple(EXTRACTED)
SHARES = [name for name in NEW if TABLE[name][0] == "1" and not name.startswith("failed")]


def session(seed: int, seconds: float = 60.0) -> Desk:
    desk = Desk(seed, caret=seed % 2 == 0)
    work(desk, seconds)
    undo_loop(desk)
    return desk


def seen(stream: list[Record], now_ns: int, *, look_every: int = 0) -> dict[str, float]:
    tracker = FeatureTracker()
    tracker.open_window(stream[0].t_ns)  # type: ignore[attr-defined]  # all records made here have a time
    for number, record in enumerate(stream):
        tracker.take(record)
        if look_every and number % look_every == 0:
            tracker.values(record.t_ns)  # type: ignore[attr-defined]  # same
    values = tracker.values(now_ns)
    return {name: values[name] for name in NEW}


def moved(record: Record, by_ns: int) -> Record:
    return replace(record, t_ns=record.t_ns + by_ns)  # type: ignore[call-arg,attr-defined]  # same


def larger(record: Record, times: int) -> Record:
    """Return a record as it would be on a screen of the same kind with more pixels."""

    def box(of: Box) -> Box:
        return Box(*(times * side for side in of))

    changes: dict[str, Any] = {}
    if isinstance(record, InputEvent) and record.x is not None and record.y is not None:
        changes = {"x": record.x * times, "y": record.y * times, "path": record.path * times}
    elif isinstance(record, Frame):
        size = record.size[0] * times, record.size[1] * times
        changes = {"size": size, "changed": tuple(box(of) for of in record.changed)}
    elif isinstance(record, (Focus, WindowEvent)):
        changes = {"geometry": box(record.geometry)}
    return replace(record, **changes)


@settings(max_examples=60)
@given(actions)
def test_reading_changes_nothing(steps: list[tuple[int, int, int]]) -> None:
    """Live and replayed prefixes may lie at other moments: the features at the end are the same."""
    stream = [Strokes().records[0], *records_of(steps)]
    end_ns = max(record.t_ns for record in stream) + 3 * S  # type: ignore[attr-defined]  # all have one
    assert seen(stream, end_ns, look_every=1) == seen(stream, end_ns)


@settings(max_examples=60)
@given(actions)
def test_shares_are_shares(steps: list[tuple[int, int, int]]) -> None:
    """Whatever comes, in whatever order, what is called a share lies between 0 and 1."""
    stream = [Strokes().records[0], *records_of(steps)]
    random.Random(len(steps)).shuffle(stream)
    values = seen(stream, max(record.t_ns for record in stream) + S)  # type: ignore[attr-defined]  # all have one
    assert all(0.0 <= values[name] <= 1.0 + 1e-6 for name in SHARES)


def test_the_hour_does_not_matter() -> None:
    desk = session(3)
    end_ns = round(desk.now * S)
    later = [moved(record, 86_400 * S) for record in desk.records]
    assert seen(later, end_ns + 86_400 * S) == pytest.approx(seen(desk.records, end_ns), abs=2e-4)


def test_long_ago_is_forgotten() -> None:
    """After three hours of trouble and a quarter of an hour of other work only the work is told."""
    calm = Desk(5)
    work(calm, 910.0)
    end_ns = round(calm.now * S)
    trouble = session(4).records
    before = [moved(record, -10_800 * S) for record in trouble] + [moved(record, -800 * S) for record in trouble]
    with_past, without = seen(before + calm.records, end_ns), seen(calm.records, end_ns)
    differing = [name for name in NEW if with_past[name] != pytest.approx(without[name], abs=2e-3)]
    assert differing == []


def test_after_a_long_silence_nothing_is_left_but_rest() -> None:
    for silence_s in (3_600, 86_400):
        desk = session(2)
        values = seen(desk.records, round((desk.now + silence_s) * S))
        assert all(0.0 <= value < 100.0 for value in values.values())
        assert values["spent_rest_8s"] == 1.0
        assert all(values[name] == 0.0 for name in NEW if "rate" in name)


def test_twice_the_pixels_are_the_same_work() -> None:
    """On a screen with twice the pixels either way, what is measured against screen and window is the same.

    The size of a caret is known in pixels alone, so only changes that are larger on both are compared.
    """
    strokes = Strokes()
    strokes.move((300, 60), (500, 60), (300, 60), rest=1.0).press(1200, 700).answered(0.2, Box(256, 256, 640, 320))
    strokes.press(1200, 700, to=(900, 300)).answered(0.2, Box(512, 512, 640, 320)).move((1000, 900), rest=2.5)
    fine = [larger(record, 2) for record in strokes.records]
    assert seen(fine, strokes.now_ns) == pytest.approx(seen(strokes.records, strokes.now_ns), abs=0.01)


@pytest.mark.parametrize("end", [Switch(name=SwitchName.PAUSED, on=True, by="person"), Wake(slept_ns=900 * S)])
def test_a_break_of_watching_is_no_pause_of_the_person(end: Record) -> None:
    """Nobody rested, waited for an answer or had a menu open while nobody watched."""
    strokes = Strokes().keys("kkk").press().popup()
    strokes.records.append(end)
    resumed = strokes.wait(900.0).keys("cc").values()
    for name in ("pause_rate", "pause_length", "unanswered_now", "menu_length", "inside_8s", "dead_rate_8s"):
        assert resumed[name] == 0.0


def test_memory_stays_bounded() -> None:
    rng = random.Random(7)
    stream: list[Record] = []
    while len(stream) < 8_000:
        step = records_of([(0, rng.randint(0, 9), rng.randint(0, 1_000_000))])
        stream += [moved(record, len(stream) * S // 10) for record in step]
    place: dict[str, Any] = {"window": 1, "title_digest": "t", "geometry": Box(0, 0, 9, 9)}
    stream += [Focus(t_ns=900 * S + number, app=f"a{number}", **place) for number in range(200)]
    tracker = FeatureTracker()
    for record in stream:
        tracker.take(record)
    parts = [value for extractor in tracker._features.extractors for value in vars(extractor).values()]
    stores = [part for part in parts if hasattr(part, "__len__")]
    assert len(stores) > 20
    assert max(len(store) for store in stores) <= 128


def test_the_hash_covers_the_definitions_of_the_named_features_alone() -> None:
    names = list(TABLE)[:5]
    stored = features_hash(names)
    others = (
        features_hash(reversed(names)),
        features_hash(names[1:]),
        features_hash(names, {name: ("px", words) for name, (_, words) in TABLE.items()}),
        features_hash(names, {name: (unit, "otherwise") for name, (unit, _) in TABLE.items()}),
    )
    assert len({stored, *others}) == 5
    assert features_hash(names, {**TABLE, "added": ("1", "one more")}) == stored


def test_slow_and_fast_people_spend_their_time_alike() -> None:
    one_round = "cccccccccb"

    def typed(gap: float) -> dict[str, float]:
        ends = []
        for further in range(len(one_round)):
            strokes = Strokes()
            for _ in range(round(12 / gap)):
                strokes.keys(one_round, gap)
            ends.append(strokes.keys(one_round[:further], gap).values())
        return {name: mean(end[name] for end in ends) for name in ends[0]}

    fast, slow = typed(0.15), typed(0.45)
    for name in ("spent_typing_8s", "spent_erasing_8s", "spent_rest_8s", "runs_text_8s", "runs_erase_8s"):
        assert slow[name] == pytest.approx(fast[name], abs=0.07)
    assert fast["act_rate_6s"] > 2.5 * slow["act_rate_6s"]


def test_fluent_and_stuck_people_differ_in_many_features() -> None:
    """Of simulated people at least forty features tell apart, by more than half a spread: a model has much to go by."""
    reported: dict[bool, list[dict[str, float]]] = {True: [], False: []}
    for seed in range(8):
        desk = session(seed, 40.0)
        reported[True].append(seen(desk.records, round(desk.now * S)))
        calm = Desk(100 + seed, caret=seed % 2 == 0)
        for _ in range(6):
            FLUENT[calm.rng.randrange(len(FLUENT))](calm)
        reported[False].append(seen(calm.records, round(calm.now * S)))

    def middle(stuck: bool, name: str) -> float:
        return sorted(values[name] for values in reported[stuck])[4]

    def width(name: str) -> float:
        every = sorted(values[name] for both in reported.values() for values in both)
        return every[12] - every[3] + 1e-9

    telling = [name for name in NEW if abs(middle(True, name) - middle(False, name)) > 0.5 * width(name)]
    assert len(telling) >= 40
