"""The child that packs and sends for a study: when it starts, what it gets, and that it ends."""

import asyncio
import logging
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.runtime.study.work import EVERY_S, StudyWork, has_study, is_on_hold
from participant.delivery.outbox import IDLE_FROM, BrokerAddress, Outbox
from participant.delivery.review import Mode, set_mode, start_review
from storage.errors import BadFile
from tests.fakes.commands.background import HandLoop, in_loop, until, woken

ADDRESS = BrokerAddress(
    study="s1",
    participant="abcdefghij234567",
    host="broker.example.org",
    port=8883,
    ca=None,
    password="00" * 16,
    receipts_key=bytes(32),
)


def join(data: Path, name: str = "s1") -> Path:
    outbox = data / "studies" / name / "outbox.db"
    outbox.parent.mkdir(parents=True)
    with Outbox(outbox) as box:
        box.save_address(ADDRESS)
    return outbox


def forget_address(outbox: Path) -> None:
    with sqlite3.connect(outbox) as database:
        assert database.execute("DELETE FROM facts WHERE name = 'address'").rowcount == 1
    database.close()


def test_a_study_is_pending_while_its_outbox_has_an_address(tmp_path: Path) -> None:
    """As `participant.delivery.outbox` writes it; what cannot be read may be pending. Nothing is written there."""
    assert not has_study(tmp_path)
    outbox = join(tmp_path)
    whole = outbox.read_bytes()
    assert has_study(tmp_path)
    assert outbox.read_bytes() == whole
    assert [entry.name for entry in outbox.parent.iterdir()] == ["outbox.db"]
    other = sqlite3.connect(outbox)
    other.execute("BEGIN EXCLUSIVE")
    assert has_study(tmp_path)
    other.close()
    forget_address(outbox)
    assert not has_study(tmp_path)
    join(tmp_path, ".joining")
    assert not has_study(tmp_path)
    join(tmp_path, "s2")
    assert has_study(tmp_path)
    outbox.write_bytes(b"no database" * 100)
    assert has_study(tmp_path)


def test_whether_sending_is_on_hold_is_read_from_the_outbox(tmp_path: Path) -> None:
    """As `kairos study review --mode` leaves it there; what cannot be read says neither."""
    assert is_on_hold(tmp_path, "s1") is None
    outbox = join(tmp_path)
    assert is_on_hold(tmp_path, "s1") is False
    with Outbox(outbox) as box:
        start_review(box, 0, None)
        set_mode(box, Mode.HOLD)
    assert is_on_hold(tmp_path, "s1") is True
    with Outbox(outbox) as box:
        set_mode(box, Mode.ASK)
    assert is_on_hold(tmp_path, "s1") is False
    with Outbox(outbox) as box:
        start_review(box, 0, Mode.HOLD)
    assert is_on_hold(tmp_path, "s1") is True
    outbox.write_bytes(b"no database" * 100)
    assert is_on_hold(tmp_path, "s1") is None
    assert is_on_hold(tmp_path, "../s1") is None


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_a_pipe_in_the_place_of_an_outbox_does_not_stop_kairos(tmp_path: Path, ending: str) -> None:
    """SQLite would wait at it for ever; the process of its own is the control of that."""
    outbox = join(tmp_path)
    pipe = outbox.with_name(outbox.name + ending)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    asks = (
        "import sys; from pathlib import Path; from daemon.runtime.study.work import has_study;"
        f"sys.exit(has_study(Path({str(tmp_path)!r})))"
    )
    assert subprocess.run([sys.executable, "-c", asks], timeout=20, check=False).returncode == 0
    with pytest.raises(BadFile, match="is not a plain file"):
        Outbox(outbox)


class Counted(StudyWork):
    """Notes when a child would start."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, chance=random.Random(1))
        self.starts_s: list[float] = []
        self._background.start = lambda loop: self.starts_s.append(loop.time())  # type: ignore[method-assign]


def test_without_a_study_nothing_is_set_and_nothing_started(tmp_path: Path) -> None:
    loop, work = HandLoop(), Counted(tmp_path)
    work.start(loop)  # type: ignore[arg-type]  # all of a loop that it needs
    work.look_again()
    loop.run_until(7 * 86_400.0)
    assert (loop.timers, work.starts_s, list(tmp_path.iterdir())) == ([], [], [])


def test_the_work_starts_at_most_once_an_hour_at_moments_that_vary(tmp_path: Path) -> None:
    outbox = join(tmp_path)
    loop, work = HandLoop(), Counted(tmp_path)
    work.start(loop)  # type: ignore[arg-type]  # all of a loop that it needs
    for hour in range(1, 25):
        loop.run_until(hour * 3600.0)
        assert len(loop.timers) == 1
    gaps = [after - before for before, after in zip(work.starts_s, work.starts_s[1:], strict=False)]
    assert 18 <= len(gaps) <= 24
    assert all(EVERY_S[0] <= gap <= EVERY_S[1] for gap in gaps)
    assert max(gaps) - min(gaps) > 300
    forget_address(outbox)
    loop.run_until(48 * 3600.0)
    assert len(work.starts_s) == len(gaps) + 1
    assert loop.timers == []


def test_on_request_it_starts_at_once_but_not_again_and_again(tmp_path: Path) -> None:
    loop, work = HandLoop(), Counted(tmp_path)
    work.start(loop)  # type: ignore[arg-type]  # all of a loop that it needs
    join(tmp_path)
    work.look_again()
    loop.run_until(5.0)
    assert work.starts_s == [2.0]
    for second in range(5, 65, 10):
        loop.run_until(float(second))
        work.look_again()
    loop.run_until(70.0)
    assert work.starts_s == [2.0, 62.0]


@pytest.fixture
def child(tmp_path: Path) -> Callable[[str], StudyWork]:
    join(tmp_path)

    def make(program: str) -> StudyWork:
        return StudyWork(tmp_path, command=(sys.executable, "-S", "-c", program, str(tmp_path / "out")))

    return make


@pytest.mark.parametrize("there", [True, False])
@in_loop
async def test_a_program_that_is_not_there_is_reported_and_tried_again_in_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, there: bool
) -> None:
    caplog.set_level(logging.INFO)
    join(tmp_path)
    if not there:
        monkeypatch.setenv("PATH", str(tmp_path))
    work = StudyWork(tmp_path, command=(str(tmp_path / "none"),))
    loop = asyncio.get_running_loop()
    work._loop = loop
    work._wake()
    assert work._background.is_running == there
    await until(lambda: not work._background.is_running)
    assert work._timer is not None
    assert work._timer.when() - loop.time() > EVERY_S[0] - 60
    work.stop()
    assert ("ended: 127" if there else "cannot be started") in caplog.text


@pytest.mark.parametrize(("status", "calls"), [(0, 0), (1, 0), (4, 1)])
@in_loop
async def test_a_child_that_finds_a_folder_damaged_is_reported(tmp_path: Path, status: int, calls: int) -> None:
    join(tmp_path)
    reported: list[None] = []
    command = (sys.executable, "-S", "-c", f"import sys; sys.exit({status})")
    work = StudyWork(tmp_path, command=command, on_damaged=lambda: reported.append(None))
    await woken(work)
    work.stop()
    assert len(reported) == calls


def test_the_last_child_outlives_kairos(tmp_path: Path, child: Callable[[str], StudyWork]) -> None:
    work = child("import sys; sys.stdin.read(); open(sys.argv[1], 'w').close()")
    loop = HandLoop()
    work.start(loop)  # type: ignore[arg-type]  # all of a loop that it needs
    work.leave()
    work.stop()
    assert loop.timers == []
    assert work._last is not None
    assert work._last.wait(20) == 0
    assert (tmp_path / "out").exists()
    nobody = StudyWork(tmp_path / "nobody", command=("true",))
    nobody.leave()
    assert nobody._last is None


def test_no_timer_is_set_for_a_study_that_has_nothing_to_do_any_more(tmp_path: Path) -> None:
    """Until the clock is set back: it is looked again when a session begins. Control: without the fact there is one."""
    outbox, now_ns = join(tmp_path), [1_000]
    loop, work = HandLoop(), StudyWork(tmp_path, wall_ns=lambda: now_ns[0])
    with Outbox(outbox) as box:
        box.save_fact(IDLE_FROM, b"1000")
    work.start(loop)  # type: ignore[arg-type]  # all of a loop that it needs
    assert loop.timers == []
    now_ns[0] = 999
    work.resume()
    work.resume()
    assert len(loop.timers) == 1
