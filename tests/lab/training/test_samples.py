"""Samples: what a live window and a clip of a labelled session are, in columns, cached."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from detectors.features.table import BY_NAME, UNTRAINED, values_of
from detectors.features.tracker import FeatureTracker
from lab.simulation.command import LATE_MS
from lab.simulation.persona import Split
from lab.simulation.recording.labels import label_at
from lab.simulation.recording.pack import read_manifest, read_packed, write_manifest
from lab.training import dataset
from lab.training.dataset import INPUTS, NAMES
from lab.training.extract import PLAIN, Variant, clip_features, extract, is_sensed, live_prefixes
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Focus, Record, WindowEvent
from tests.fakes.lab.desk_sessions import desk_session, pack_desks

ROWS, LABELS = desk_session(1)
LOGS = Path(dataset.__file__).parents[1] / "logs" / "train"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_live_sample_has_the_label_of_its_prefixs_end() -> None:
    """State and need are those at the end, whatever was so at the start; prefixes without a label are counted."""
    found = extract(ROWS, LABELS)
    live = [sample for sample in found.samples if not sample.clip]
    for sample in live:
        label = label_at(LABELS, sample.end_ns)
        assert label is not None
        assert (sample.state, sample.need) == (label.state, label.needs_help(sample.end_ns))
    prefixes = list(live_prefixes(ROWS, 24.0))
    assert len(live) + found.unlabelled == len(prefixes)
    assert found.unlabelled > 0
    assert any(label_at(LABELS, s.start_ns) != label_at(LABELS, s.end_ns) for s in live)


def test_a_clip_sees_nothing_but_what_lies_inside_its_label() -> None:
    label = LABELS[5]
    whole = clip_features(ROWS, label.start_ns, label.end_ns)
    inside = [row for row in ROWS if label.start_ns <= row.at_ns <= label.end_ns]
    focus = [row for row in ROWS if type(row).__name__ == "Focus" and row.at_ns < label.start_ns][-1:]
    assert clip_features([*focus, *inside], label.start_ns, label.end_ns) == whole
    assert clip_features([*focus, *inside[:-40]], label.start_ns, label.end_ns)[-1] != whole[-1]
    assert [fraction for fraction, _, _ in whole] == [0.25, 0.5, 0.75, 1.0]
    assert whole[1][1] == pytest.approx((label.start_ns + label.end_ns) / 2, abs=2)


def test_a_slower_variant_takes_longer_and_keeps_its_labels() -> None:
    slow, plain = extract(ROWS, LABELS, Variant(tempo=2.0)), extract(ROWS, LABELS)
    assert max(s.end_ns for s in slow.samples) == pytest.approx(2 * max(s.end_ns for s in plain.samples), rel=0.05)
    assert {s.behavior for s in slow.samples} == {s.behavior for s in plain.samples}
    assert len([s for s in slow.samples if not s.clip]) > 1.7 * len([s for s in plain.samples if not s.clip])


def test_sessions_become_columns_and_are_read_from_the_cache_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time no log is opened; another log or other code would be."""
    folder = pack_desks(tmp_path, programs=("a", "b"), people=1)
    first = dataset.load_samples([folder], Split.TRAIN, workers=1, variants=(PLAIN, Variant(planned_s=20.0)))
    assert sorted(set(first.program)) == ["a", "b"]
    assert set(first.person) == {0, 10}
    assert len(first.sessions) == 2
    assert len(np.unique(first.group)) == len({*zip(first.group, first.session, first.plain, strict=True)})

    def unreadable(path: Path) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(dataset, "read_packed", unreadable)
    again = dataset.load_samples([folder], Split.TRAIN, workers=1, variants=(PLAIN, Variant(planned_s=20.0)))
    assert (again.features == first.features).all()
    assert again.sessions == first.sessions
    with pytest.raises(AssertionError):
        dataset.load_samples([folder], Split.TRAIN, workers=1, variants=(Variant(tempo=1.5),))
    monkeypatch.setattr(dataset, "code_hash", lambda: "other code")
    with pytest.raises(AssertionError):
        dataset.load_samples([folder], Split.TRAIN, workers=1)


def test_sessions_with_late_hands_are_left_out_and_counted(tmp_path: Path) -> None:
    """Their labels do not say what was done when; where none is left the remedy is fewer desktops at once."""
    folder, reported = pack_desks(tmp_path, programs=("a", "b"), people=1), list[str]()
    there = read_manifest(folder)
    first, second = (replace(entry, late_p95_ms=LATE_MS + 0.1) for entry in there.sessions)
    write_manifest(folder, there.with_entry(first))
    samples = dataset.load_samples([folder], Split.TRAIN, workers=1, report=reported.append)
    assert [facts.program for facts in samples.sessions] == [second.program]
    assert reported[0] == "1 of 2 sessions (train) had hands late by more than 20 ms: left out"
    write_manifest(folder, there.with_entry(first).with_entry(second))
    with pytest.raises(BadFile, match="2 of 2 sessions") as caught:
        dataset.load_samples([folder], Split.TRAIN, workers=1)
    assert "--desktops 1" in caught.value.remedy


def test_a_folder_without_sessions_of_the_split_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no session of the test split") as found:
        dataset.load_samples([pack_desks(tmp_path, programs=("a",), people=1)], Split.TEST, workers=1)
    assert "kairos simulate --split test --out DIR" in found.value.remedy
    with pytest.raises(BadFile, match=r"holds no packed sessions: there is no manifest\.json") as found:
        dataset.load_samples([tmp_path / "nowhere"], Split.TRAIN, workers=1)
    assert "kairos simulate --split train --out DIR" in found.value.remedy


def test_sessions_of_two_folders_are_read_together_and_each_folder_once(tmp_path: Path) -> None:
    """A session is known by its name, so the same folder twice would count it twice."""
    here = pack_desks(tmp_path / "here", programs=("a",), people=1)
    there = pack_desks(tmp_path / "there", programs=("b",), people=1)
    both = dataset.load_samples([here, there], Split.TRAIN, workers=1)
    assert [facts.program for facts in both.sessions] == ["a", "b"]
    assert len(both) == sum(len(dataset.load_samples([path], Split.TRAIN, workers=1)) for path in (here, there))
    assert dataset.data_hash([here, there]) not in (dataset.data_hash([here]), dataset.data_hash([there]))
    with pytest.raises(BadFile, match="is in two of the folders"):
        dataset.load_samples([here, here], Split.TRAIN, workers=1)


def test_models_read_nothing_that_a_programs_name_alone_changes() -> None:
    """The same work in a program of another name gives the same inputs; the control: other features do change."""
    packed = read_packed(LOGS / "train-102-0002-mousepad.jsonl.xz")
    sources = [row for row in packed.rows if is_sensed(row)][:3000]
    plain, renamed = (
        [values_of(prefix) for prefix in live_prefixes(_under(name, sources), PLAIN.planned_s)]
        for name in ("program", "firefox")
    )
    changed = {name for one, other in zip(plain, renamed, strict=True) for name in one if one[name] != other[name]}
    assert len(plain) > 50
    assert changed == set(BY_NAME)
    assert not changed & set(INPUTS)
    assert set(NAMES) - set(INPUTS) == {*BY_NAME, *UNTRAINED}


def _under(name: str, sources: Sequence[Record]) -> Iterator[Record]:
    return (replace(row, app=name) if isinstance(row, (Focus, WindowEvent)) and row.app else row for row in sources)


def test_live_features_are_those_the_engine_gives_at_that_moment() -> None:
    """A prefix holds what a tracker says that saw every record before its end, and none after."""
    prefix = next(window for window in live_prefixes(ROWS, 24.0) if window.fraction == 0.5)
    tracker = FeatureTracker()
    for row in ROWS:
        if row.at_ns >= prefix.end_ns:
            break
        tracker.take(row)
    assert tracker.values(prefix.end_ns)["failures"] == prefix.features.get("failures", 0.0)


def test_a_short_label_gives_no_clip() -> None:
    """Three seconds are too short for four prefixes that mean anything."""
    short = replace(LABELS[1], end_ns=LABELS[1].start_ns + 3 * NS_PER_S)
    assert not [sample for sample in extract(ROWS, [short]).samples if sample.clip]
