"""What lateness costs an observer who is never wrong: nothing is lost without it, and more with each second."""

from pathlib import Path

import pytest

from lab.benchmarks.detector import late_observer
from lab.benchmarks.detector.late_observer import LATE_S, late_observers
from lab.simulation.recording.pack import read_manifest, read_packed
from lab.training.dataset import samples_of
from tests.fakes.lab.desk_sessions import pack_desks


def test_a_late_observer_misses_the_begin_and_reports_need_after_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In time, all need is found and nothing else; long after, hardly any, and what was found is wrong."""
    folder = pack_desks(tmp_path, programs=("a",), people=1)
    (entry,) = read_manifest(folder).sessions
    packed = read_packed(entry.path(folder))
    samples = samples_of(packed)
    found = late_observers(samples, [packed])
    assert tuple(found) == LATE_S
    recalls = [one.recall for one in found.values()]
    assert recalls == sorted(recalls, reverse=True)
    assert recalls[-1] < 1.0
    assert found[LATE_S[-1]].false_positives > 0.0
    monkeypatch.setattr(late_observer, "LATE_S", (0, 100_000))
    found = late_observers(samples, [packed])
    assert (found[0].recall, found[0].false_positives) == (1.0, 0.0)
    assert (found[100_000].recall, found[100_000].false_positives) == (0.0, 0.0)
