"""The worked example of a detector of one's own."""

from pathlib import Path

import pytest

from detectors import protocol
from detectors.registry import identity, load
from storage.records import State
from storage.settings import DetectorSettings
from tests.fakes.commands.worked_examples import worked_example
from tests.fakes.desktop.watching import prefix_of
from tests.fakes.detectors.fake_detectors import NoPictures


def test_the_worked_example_is_a_detector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named as `package.module:factory` it is loaded, identified and estimates."""
    (tmp_path / "my_undo_detector.py").write_text(worked_example(protocol))
    monkeypatch.syspath_prepend(tmp_path)
    detector = load(DetectorSettings(name="my_undo_detector:factory"))
    assert identity(detector)[:2] == ("undo", "1")
    calm, stuck = (detector.estimate(prefix_of({"undo_run_max": undos}, 24.0), NoPictures(), 7) for undos in (1.0, 5.0))
    assert (calm.help_need, stuck.help_need) == (0.02, 0.9)
    assert stuck.state_probs == {State.FRUSTRATION: 1.0}
    assert (stuck.prefix_id, stuck.made_at_ns, stuck.ready_at_ns) == ("w1/24.0", 7, 7)
