"""The real `kairos run` on a real virtual desktop: what it captures, how it stops, and what is left."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.replay.replay import replay
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock
from storage.records import Frame, InputEvent, SessionEnd, Switch, SwitchName
from storage.session.log import SessionReader
from storage.session.verify import verify
from tests.fakes.desktop.live_stage import Stage

pytestmark = pytest.mark.display

STOP_S = 5.0


@pytest.fixture
def stage(bare_desktop: VirtualDesktop, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(bare_desktop, tmp_path)
    yield made
    made.close()


def test_a_pause_takes_nothing_in_until_resume(stage: Stage) -> None:
    """Keys typed and pixels painted while paused are nowhere; afterwards they are again."""
    stage.start()
    stage.hands.text("before", rate=30)
    stage.until(lambda: stage.characters() == 6, "the keys before the pause")
    clock = SystemClock()
    assert stage.kairos.command("pause", "--for", "15m")["state"] == "paused"
    paused_ns = clock.now_ns()
    stage.hands.text("never stored", rate=30)
    resumed_ns = clock.now_ns()
    assert stage.kairos.command("resume")["state"] == "watching"
    stage.until(lambda: stage.has_looked_since(resumed_ns), "a frame after the pause")
    stage.hands.text("after", rate=30)
    stage.until(lambda: stage.characters() >= 11, "the keys after the pause")
    stage.kairos.quit()
    assert stage.characters() == 11
    with SessionReader(stage.session) as reader:
        rows = list(reader)
    switches = [(row.seq, row.on) for row in rows if isinstance(row, Switch) and row.name is SwitchName.PAUSED]
    assert [on for _, on in switches] == [True, False]
    taken = [row for row in rows if isinstance(row, (Frame, InputEvent))]
    assert not [row for row in taken if paused_ns <= row.t_ns <= resumed_ns]
    between = [row for row in taken if switches[0][0] < row.seq < switches[1][0]]
    assert all(row.t_ns < paused_ns for row in between)  # one that was being handed over may follow the switch


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_every_key_is_in_the_session_that_a_signal_ends_in_order(stage: Stage, number: signal.Signals) -> None:
    """Within five seconds, with status 0; what was typed is counted to the last key, and a replay gives it again."""
    stage.start()
    text = "sixty characters that the session has to hold to the last one"
    stage.hands.text(text, rate=30)
    stage.until(lambda: stage.characters() == len(text), "all keys in the session")
    process = stage.kairos._process
    assert process is not None
    os.kill(process.pid, number)
    assert process.wait(STOP_S) == 0
    with SessionReader(stage.session) as reader:
        assert any(isinstance(row, SessionEnd) for row in reader)
    report = verify(stage.session)
    assert (report.ok, report.lost_s, report.problems) == (True, 0.0, ())
    assert report.frames > 1
    result = replay(stage.session, check=True)
    assert result.identical, result.reason
    assert stage.characters() == len(text)


def test_a_kill_loses_at_most_two_seconds(stage: Stage) -> None:
    """After kill -9 the session opens, replays, and its `lost_s` bounds what the hands know to be missing."""
    stage.start()
    clock = SystemClock()
    sent: list[int] = []
    for letter in "each of these letters is stamped before it is typed":
        sent.append(clock.now_ns())
        stage.hands.text(letter, rate=30)
    process = stage.kairos._process
    assert process is not None
    process.kill()
    process.wait(STOP_S)
    killed_ns = clock.now_ns()
    report = verify(stage.session)
    assert report.ok
    assert 0 < report.lost_s <= 2.0
    stored = stage.characters()
    assert stored > 0
    first_lost_ns = sent[stored] if stored < len(sent) else killed_ns
    assert (sent[-1] - first_lost_ns) / 1e9 <= report.lost_s
    assert replay(stage.session, check=True).identical
    shown = json.loads(json.dumps(report.as_json()))
    assert {"ok", "duration_s", "frames", "events", "lost_s", "problems"} <= shown.keys()
