"""Sessions as desktops sense them that do not tell pixels, keys or clicks, and models that know what is missing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from detectors.features.table import BLANKS, seen
from lab.benchmarks.days.benchmark import SENSES
from lab.simulation.persona import Split
from lab.training import dataset
from lab.training.command import DEALT
from lab.training.dataset import NAMES
from lab.training.detector_metrics import modes_table
from lab.training.extract import PLAIN, Variant, extract
from lab.training.model import LACKING, blank_line, missing_in
from storage.capabilities import Level, unsensed
from storage.clock import NS_PER_S
from storage.records import (
    ControlAct,
    DesktopSenses,
    EventKind,
    Frame,
    InputEvent,
    KeyClass,
    Record,
    TileDigests,
    WindowEvent,
)
from storage.testing import plain
from tests.fakes.lab.desk_sessions import desk_session, pack_desks
from tests.fakes.lab.samples import samples_from, window

ROWS, LABELS = desk_session(1)
SWAY = Variant(keys=Level.PART, clicks=False)


def at(seconds: float, row: Record) -> Record:
    return replace(row, at_ns=round(seconds * NS_PER_S))


DESK = [
    at(1.0, plain(InputEvent, kind=EventKind.KEY, key_class=KeyClass.CHARACTER)),
    at(1.5, plain(InputEvent, kind=EventKind.KEY, key_class=KeyClass.UNDO)),
    at(2.0, plain(Frame)),
    at(2.1, TileDigests(now="AAAA")),
    at(5.0, plain(InputEvent, kind=EventKind.BUTTON_DOWN)),
    at(5.1, plain(ControlAct, what="pressed", name_digest="one")),
    at(5.2, plain(ControlAct, what="pressed", name_digest="one")),
    at(5.3, plain(ControlAct, what="toggled", name_digest="one")),
    at(5.4, plain(WindowEvent, popup=True)),
    at(5.5, plain(WindowEvent, popup=False)),
]


def kinds(variant: Variant) -> list[str]:
    return [
        str(row.key_class or row.kind) if isinstance(row, InputEvent) else type(row).__name__
        for row in variant.sensed(DESK)
    ]


def test_as_recorded_nothing_is_changed() -> None:
    assert PLAIN.sensed(DESK) == DESK


def test_without_clicks_letters_alone_are_left_as_programs_tell_them_and_whether_anybody_is_active() -> None:
    """A press of the same control again has no effect, and only effects are told; a pop-up is on no list."""
    first, *others = SWAY.sensed(DESK)
    assert isinstance(first, DesktopSenses)
    assert first.levels == {
        "clicks": "none", "scrolls": "none", "pointer": "none", "popups": "none", "keys": "part",
    }  # fmt: skip
    assert kinds(SWAY)[1:] == [
        "active", "character", "Frame", "TileDigests", "idle", "active", "ControlAct", "ControlAct", "WindowEvent",
    ]  # fmt: skip
    assert [row.what for row in others if isinstance(row, ControlAct)] == ["pressed", "toggled"]
    assert [row.at_ns / NS_PER_S for row in others if isinstance(row, InputEvent)] == [1.0, 1.0, 2.5, 5.0]


@pytest.mark.parametrize(
    ("variant", "gone"),
    [
        (Variant(frames=False), {"Frame", "TileDigests"}),
        (Variant(keys=Level.NONE), {"character", "undo"}),
        (Variant(clicks=False), {"button_down"}),
    ],
)
def test_what_is_not_told_is_gone_and_named(variant: Variant, gone: set[str]) -> None:
    """Frames, keys, clicks: what the rest of the session tells stays."""
    assert set(kinds(PLAIN)) - set(kinds(variant)) == gone
    blank = [name for name, value in seen(tuple(variant.levels)).items() if not value]
    assert {sample.features[name] for sample in extract(ROWS, LABELS, variant).samples for name in blank} == {0.0}
    assert {sample.features[name] for sample in extract(ROWS, LABELS).samples for name in blank} == {1.0}


def test_each_session_is_dealt_two_versions_in_turn_and_all_come_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = pack_desks(tmp_path / "desks", programs=("a", "b"), people=1)
    lacking = [Variant(keys=Level.NONE), Variant(clicks=False), Variant(frames=False), Variant(controls=False)]
    samples = dataset.load_samples([folder], Split.TRAIN, workers=1, dealt=lacking)
    of = {
        name: {tuple(row) for row in missing_in(samples)[~samples.plain & (samples.program == name)]} for name in "ab"
    }
    assert of == {
        "a": {(False, True, False, False, True), (False, False, True, True, True)},
        "b": {(True, False, False, False, True), (False, False, False, False, True)},
    }
    assert len(samples.where(samples.blank)) > 0
    assert not samples.blank[samples.plain].any()
    assert {tuple(variant.levels) for variant in DEALT} > {(), tuple(SWAY.levels), tuple(SENSES["sway+input"].levels)}


def test_the_line_of_blank_input_is_that_of_what_is_missing() -> None:
    """The same log-odds say less without keys here; the control: without clicks they say what they say."""
    rng = np.random.default_rng(1)
    needs = [bool(need) for need in rng.random(8000) < 0.5]
    samples = samples_from([window(number, needs[4 * number : 4 * number + 4]) for number in range(2000)])
    odds = np.where(samples.need, 1.0, -1.0) + rng.normal(0.0, 1.0, len(samples))
    keyless = rng.random(len(samples)) < 0.5
    odds[keyless] = rng.normal(0.0, 1.0, int(keyless.sum()))
    features = samples.features.copy()
    features[:, NAMES.index("keys_seen")] = ~keyless
    features[:, NAMES.index("clicks_seen")] = keyless
    samples = replace(samples, features=features)
    line = blank_line(samples, odds)
    assert line is not None
    found = line.at(np.full(len(samples), 2.0), missing_in(samples))
    assert found[~keyless].min() > found[keyless].max() + 2.0
    assert len(line.slopes) == len(line.offsets) == 1 + len(LACKING)
    rows = {row[0]: float(row[3]) for row in modes_table(samples, odds).rows}
    assert rows["keys, controls"] == pytest.approx(0.5, abs=0.05)
    assert rows["clicks, controls"] > 0.85
    assert blank_line(samples.where(~samples.blank), odds[~samples.blank]) is None


def test_what_is_told_of_a_desktop_is_a_feature_that_a_model_may_read() -> None:
    assert seen(()) == dict.fromkeys(BLANKS, 1.0)
    assert seen(("scrolls", "tray")) == {**seen(()), "clicks_seen": 0.0}
    assert seen(unsensed(SENSES["sway+input"].levels)) == {**seen(()), "pointer_seen": 0.0}
    assert set(BLANKS) <= set(NAMES)
