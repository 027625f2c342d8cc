"""A purge of the running Kairos on a real virtual desktop."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.replay.replay import replay
from daemon.runtime.control_client import send
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import environment, poll
from storage.clock import SystemClock
from storage.records import EventKind, Focus, Frame, InputEvent, KeyClass, SessionEnd
from storage.session.log import SessionReader, list_sessions
from storage.session.verify import verify
from tests.fakes.desktop.live_stage import Stage

pytestmark = pytest.mark.display


@pytest.fixture
def stage(bare_desktop: VirtualDesktop, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(bare_desktop, tmp_path)
    yield made
    made.close()


def typed_in(folder: Path) -> int:
    with SessionReader(folder) as reader:
        return sum(
            row.count
            for row in reader
            if isinstance(row, InputEvent) and row.kind is EventKind.KEY and row.key_class is KeyClass.CHARACTER
        )


def sees_a_window(folder: Path) -> bool:
    """Tell whether a session holds a window; keys that are typed before the desktop is seen are nobody's."""
    with SessionReader(folder) as reader:
        return any(isinstance(row, Focus) for row in reader)


def ask(stage: Stage, command: str, **details: object) -> Any:
    with environment(stage.desktop.env | stage.kairos.env):
        return send(command, **details)["purge"]


def test_what_happened_since_is_gone_and_a_new_session_begins(stage: Stage) -> None:
    """The running session is cut at the time named, verifies and replays; later everything goes, by the command."""
    stage.start()
    stage.hands.text("before", rate=30)
    stage.until(lambda: stage.characters() == 6, "the keys before")
    first, clock = stage.session, SystemClock()
    began_ns, began_wall_ns = clock.now_ns(), clock.wall_ns()
    stage.hands.text("in confidence", rate=30)
    stage.until(lambda: stage.characters() == 19, "the keys to be forgotten")
    ask(stage, "purge", scope="last", begin_ns=began_wall_ns, end_ns=None, sessions_dir=str(stage.kairos.sessions))
    done = poll(lambda: ask(stage, "purged")["report"], what="the purge", timeout_s=30)
    assert (done["cut"], done["deleted"]) == ([first.name], [])
    stage.until(lambda: stage.session != first and stage.kairos.state() == "watching", "the next session")
    assert typed_in(first) == 6
    with SessionReader(first) as reader:
        rows = list(reader)
    assert not [row for row in rows if isinstance(row, Frame | InputEvent) and row.t_ns >= began_ns]
    assert [row.reason for row in rows if isinstance(row, SessionEnd)] == ["purged"]
    report = verify(first)
    assert (report.ok, report.problems) == (True, ())
    result = replay(first, check=True)
    assert result.identical, result.reason
    stage.until(lambda: sees_a_window(stage.session), "a look at the windows")
    stage.hands.text("after", rate=30)
    stage.until(lambda: stage.characters() == 5, "the keys after it")
    second = stage.session
    gone = stage.kairos.command("purge", "--all", "--yes")
    assert gone["deleted"] == [first.name, second.name]
    stage.until(lambda: stage.kairos.state() == "watching", "the session after that")
    (left,) = list_sessions(stage.kairos.sessions)
    assert typed_in(left) == 0
    assert stage.kairos.quit() == 0
    assert stage.kairos.messages() == []
