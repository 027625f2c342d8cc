"""`kairos label` on a real desktop: typed at, read back through the accessibility bus, and killed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.records import ControlState, NeedLabel, State
from storage.session.labels import read_labels
from storage.testing import SessionBuilder
from tests.fakes.ui.interface_process import press
from tests.fakes.ui.window_process import named, reading

pytestmark = pytest.mark.display

TITLE = "Kairos: How was it?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a session of a minute with pictures, among those of the data folder of this test."""
    session = SessionBuilder(recording=True)
    for number in range(12):
        session.wait(5).picture(20 * number)
    return session.end().write(tmp_path / "sessions")


def test_a_person_labels_by_keys_and_a_kill_loses_nothing_that_was_kept(
    bare_desktop: VirtualDesktop, folder: Path
) -> None:
    """The newest session with pictures opens by itself; every control has a name that says what it does."""
    bare_desktop.turn_accessibility_on()
    words = ["label", "--sessions", str(folder.parent), "--rater", "Anna"]
    env = bare_desktop.env | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-m", "daemon.cli.main", *words], env=env)
    try:
        info = bare_desktop.windows.wait(title=TITLE, timeout_s=60)
        with reading(bare_desktop, info) as reader:
            for name in ("Play", "Begin here (B)", "Delete it", "6  Looking for the fault"):
                named(reader, name)

            def ends_a_stretch() -> bool:
                """Press again: there is none before the session is read, and a second one would be too short."""
                press(bare_desktop, "End")
                press(bare_desktop, "e")
                return bool(read_labels(folder))

            poll(ends_a_stretch, what="a stretch")
            for key in ("5", "y"):
                press(bare_desktop, key)
            poll(lambda: named(reader, "5  Struggling").state is ControlState.ON, what="the tick")
            poll(lambda: read_labels(folder)[0].is_set, what="the label, kept")
    finally:
        process.kill()
        process.wait(20)
    (label,) = read_labels(folder)
    assert (label.rater, label.states, label.need) == ("Anna", (State.FRUSTRATION,), NeedLabel.YES)
    assert label.end_ns - label.start_ns == 60_000_000_000
    listed = subprocess.run(
        [sys.executable, "-m", "daemon.cli.main", *words, "--list", "--json"],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(listed.stdout)["labels"][0]["label_id"] == label.label_id
