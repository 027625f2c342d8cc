"""What a child in the background gets, and that it ends: for the work of a study and for indexing documentation."""

import asyncio
import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from daemon.runtime import background_command as module
from daemon.runtime.background_command import BackgroundCommand, child_environment
from daemon.runtime.library_work import LibraryWork
from daemon.runtime.study.work import StudyWork
from tests.fakes.commands.background import in_loop, is_gone, until

Work = StudyWork | LibraryWork

LOG_NAMES = {"study": "the work of the study", "library": "indexing documentation"}
"""What the log calls each work."""


@pytest.fixture(params=list(LOG_NAMES))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def child(tmp_path: Path, kind: str) -> Callable[[str], Work]:
    def make(program: str) -> Work:
        command: Sequence[str] = (sys.executable, "-S", "-c", program, str(tmp_path / "out"))
        if kind == "library":
            return LibraryWork(tmp_path, lambda: 1, command=command)
        outbox = tmp_path / "studies" / "s1" / "outbox.db"
        outbox.parent.mkdir(parents=True)
        outbox.write_bytes(b"of a study")
        return StudyWork(tmp_path, command=command)

    return make


TELL = """
import json, os, sys
found = {
    "env": dict(os.environ), "fds": sorted(os.listdir("/proc/self/fd")), "nice": os.nice(0),
    "session": os.getsid(0), "pid": os.getpid(), "cwd": os.getcwd(), "in": os.readlink("/proc/self/fd/0"),
    "idle": os.sched_getscheduler(0) == os.SCHED_IDLE,
}
print("what the person typed", file=sys.stderr)
with open(sys.argv[1] + ".new", "w") as file:
    json.dump(found, file)
os.rename(sys.argv[1] + ".new", sys.argv[1])
sys.exit(3)
"""


@in_loop
async def test_a_child_gets_no_secret_and_no_descriptor_and_runs_behind_everything_else(
    child: Callable[[str], Work],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    monkeypatch.setenv("DISPLAY", ":7")
    caplog.set_level(logging.INFO)
    secret = os.open(tmp_path / "secret", os.O_RDWR | os.O_CREAT)
    os.set_inheritable(secret, True)
    work = child(TELL)
    loop = asyncio.get_running_loop()
    work._loop = loop
    before = threading.active_count()
    work._wake()
    assert threading.active_count() == before
    await until(lambda: work._background._child is None)
    assert threading.active_count() == before
    work.stop()
    os.close(secret)
    found = json.loads((tmp_path / "out").read_text())
    assert not {"GEMINI_API_KEY", "DISPLAY"} & found["env"].keys()
    assert {"PATH", "HOME"} & os.environ.keys() <= found["env"].keys()
    assert len(found["fds"]) <= 4  # three standard ones, and the one that lists them
    assert (found["in"], found["cwd"], found["session"]) == ("/dev/null", "/", found["pid"])
    assert found["nice"] == 19
    assert found["idle"] == (kind == "library" or os.sched_getscheduler(0) == os.SCHED_IDLE)  # that is inherited
    assert [record.getMessage() for record in caplog.records if record.name == module.__name__] == [
        f"{LOG_NAMES[kind]} ended: 3"
    ]


HANG = """
import os, subprocess, sys, time
inner = subprocess.Popen(["sleep", "600"])
with open(sys.argv[1] + ".new", "w") as file:
    file.write(f"{os.getpid()} {inner.pid}")
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(600)
"""


@pytest.mark.parametrize("stopped", [True, False])
@in_loop
async def test_a_child_that_hangs_is_killed_with_all_that_it_started(
    child: Callable[[str], Work], kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, *, stopped: bool
) -> None:
    caplog.set_level(logging.INFO)
    work = child(HANG)
    loop = asyncio.get_running_loop()
    work._loop = loop
    work._wake()
    background = work._background
    await until((tmp_path / "out").exists)
    pids = [int(word) for word in (tmp_path / "out").read_text().split()]
    assert not any(map(is_gone, pids))
    if stopped:
        work.stop()
    else:  # its limit has come; a shorter one could come before the child had begun
        assert background._limit is not None
        background._limit._run()
    await until(lambda: background._child is None and all(map(is_gone, pids)))
    work.stop()
    assert (work._timer, background._limit, background._ended_fd) == (None, None, -1)
    assert caplog.records[-1].getMessage() == f"{LOG_NAMES[kind]} ended: {-15 if stopped else -9}"


STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], "w").close()
time.sleep(600)
"""


@in_loop
async def test_a_child_that_does_not_want_to_end_is_killed(tmp_path: Path) -> None:
    ends: list[int] = []
    command = (sys.executable, "-S", "-c", STUBBORN, str(tmp_path / "out"))
    background = BackgroundCommand("it", command, limit_s=600, on_end=ends.append)
    loop = asyncio.get_running_loop()
    background.start(loop)
    await until((tmp_path / "out").exists)
    background.stop()
    assert ends == [-9]


def test_the_environment_of_the_child_is_a_list_of_names() -> None:
    kept = child_environment({"HOME": "/h", "LC_ALL": "C", "XDG_STATE_HOME": "/s", "OPENAI_API_KEY": "x", "A": "b"})
    assert kept == {"HOME": "/h", "LC_ALL": "C", "XDG_STATE_HOME": "/s"}


@in_loop
async def test_one_child_is_at_work_at_a_time(tmp_path: Path) -> None:
    ends: list[int] = []
    append = "import sys; open(sys.argv[1], 'a').write('x'); sys.stdin.read()"
    command = (sys.executable, "-S", "-c", append, str(tmp_path / "out"))
    background = BackgroundCommand("it", command, limit_s=600, on_end=ends.append)
    loop = asyncio.get_running_loop()
    background.start(loop)
    background.start(loop)
    await until(lambda: not background.is_running)
    background.start(loop)
    await until(lambda: not background.is_running)
    assert (tmp_path / "out").read_text() == "xx"
    assert ends == [0, 0]


@in_loop
async def test_a_child_that_nobody_could_watch_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As without a free descriptor."""

    def fail(_: int) -> int:
        raise OSError(24, "Too many open files")

    ends: list[int] = []
    monkeypatch.setattr(os, "pidfd_open", fail)
    background = BackgroundCommand("it", ("sleep", "600"), limit_s=600, on_end=ends.append)
    loop = asyncio.get_running_loop()
    background.start(loop)
    assert ends == [-9]
