"""kill -9 at any moment of a purge: each session is the old or the new one, and the next start finishes what began."""

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from daemon.purge.purge import begin, finish, is_pending
from daemon.purge.span import last
from daemon.replay.replay import replay
from storage.clock import SystemClock
from storage.files import sessions_folder, state_file, state_folder
from storage.records import SessionStart
from storage.session.log import SessionReader, list_sessions
from storage.session.verify import verify
from tests.fakes.accessibility.remembered import MARKERS, Remembered, files_with, marked_pictures
from tests.fakes.sessions.killed import killed_at

STEPS = (
    ("daemon.purge.plan.plan_purge", "before"),
    ("daemon.purge.purge.write_intent", "after"),
    ("storage.sent.log.SentLog.compact", "before"),
    ("storage.state.store.StateStore.compact", "before"),
    ("daemon.purge.carry_out.remove_session", "before"),
    ("storage.session.retention.shutil.rmtree", "before"),
    ("daemon.purge.carry_out.shorten_videos", "before"),
    ("daemon.purge.videos.put_in_place", "before"),
    ("daemon.purge.carry_out.shorten", "before"),
    ("daemon.purge.rows.put_in_place", "before"),
    ("daemon.purge.rows.put_in_place", "after"),
    ("daemon.purge.purge.clear_intent", "before"),
)


def begin_marked(remembered: Remembered) -> None:
    begin(last(remembered.last_s, remembered.now_wall_ns), sessions_folder(), state_file())


def check_whole_then_finish(remembered: Remembered) -> None:
    """Each session can be read to its end; once the purge is finished no mark is left and what stays replays."""
    for folder in list_sessions(sessions_folder()):
        with SessionReader(folder) as reader:
            assert isinstance(next(iter(reader)), SessionStart)
            assert sum(1 for _ in reader) > 100
    assert verify(remembered.cut).ok
    finish(state_file())
    assert not is_pending(state_file())
    assert {name: len(files_with(marker)) for name, marker in MARKERS.items()} == dict.fromkeys(MARKERS, 0)
    assert marked_pictures(sessions_folder()) == 0
    assert {path.name for path in sessions_folder().iterdir()} == {remembered.before.name, remembered.cut.name}
    assert verify(remembered.cut).problems == ()
    assert replay(remembered.cut, check=True).identical
    assert not [path for path in state_folder().rglob("*") if path.name.endswith((".new", "-journal", "-wal"))]


@pytest.mark.parametrize(("step", "when"), STEPS)
def test_a_purge_that_is_killed_at_a_step_is_finished_by_the_next_start(
    remembered: Remembered, step: str, when: str
) -> None:
    begin_marked(remembered)
    assert killed_at(step, when, lambda: finish(state_file()))
    assert is_pending(state_file())
    check_whole_then_finish(remembered)


def test_a_purge_that_is_killed_at_random_moments_is_finished_by_the_next_start(
    remembered_once: tuple[Path, Remembered], remembered: Remembered
) -> None:
    """Twice in a row, at moments that a fixed seed draws, all over the time that one takes.

    One that had ended already took less time than the first on a busy machine, so the next ones are killed earlier.
    """
    clock, chance = SystemClock(), random.Random(11)
    began_ns = clock.now_ns()
    begin_marked(remembered)
    finish(state_file())
    took_s = (clock.now_ns() - began_ns) / 1e9
    killed = tries = 0
    while tries < 4 or killed < 3:
        assert tries < 30, "hardly any purge was killed before it had ended"
        tries += 1
        shutil.rmtree(state_folder())
        shutil.copytree(remembered_once[0], state_folder())
        begin_marked(remembered)
        for _ in range(2):
            if _killed_after(chance.uniform(0.0, took_s), clock):
                killed += 1
            else:
                took_s *= 0.7
        check_whole_then_finish(remembered)


def _killed_after(wait_s: float, clock: SystemClock) -> bool:
    child = os.fork()
    if child == 0:
        try:
            finish(state_file())
        finally:
            os._exit(0)
    clock.sleep_s(wait_s)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)
