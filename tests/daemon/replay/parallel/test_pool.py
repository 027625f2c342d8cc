"""Work spread over processes and over a Dask cluster: equal results in equal order, whichever worker is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.replay.parallel import dask_cluster, work
from daemon.replay.parallel.pool import map_in_order
from daemon.replay.replay import ReplayJob, run_job
from storage import testing
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.records import Record, is_derived
from tests.fakes.cluster.cluster_work import Done, Job, die, square, square_once_killed
from tests.fakes.cluster.dask_nodes import DaskNodes
from tests.fakes.sessions.derived_session import stuck_rows

JOBS = [Job(number=number) for number in range(10)]
SQUARES = [job.number**2 for job in JOBS]
SESSIONS = 100


def quiet(text: str) -> None:
    """Say nothing."""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskNodes]:
    """Return a scheduler; workers are started by the tests, and a killed one is replaced by the next."""
    found = DaskNodes(tmp_path_factory.mktemp("dask"))
    yield found
    found.close()


@pytest.fixture
def two_workers(nodes: DaskNodes) -> str:
    nodes.workers(2)
    return nodes.address


@contextmanager
def killer(mark: Path) -> Iterator[list[int]]:
    """Kill, within the block, the process that writes into a file that it waits for that; yield its id."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.02):
            if mark.exists() and (pid := mark.read_text()):
                os.kill(int(pid), signal.SIGKILL)
                killed.append(int(pid))
                return

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


@pytest.fixture(params=["processes", "dask"])
def scheduler(request: pytest.FixtureRequest) -> str | None:
    return str(request.getfixturevalue("two_workers")) if request.param == "dask" else None


def test_a_cluster_without_workers_is_given_up(nodes: DaskNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes.workers(0)
    monkeypatch.setattr(work, "POLL_S", 0.05)
    monkeypatch.setattr(dask_cluster, "NO_WORKER_S", 0.2)
    reports: list[str] = []
    with pytest.raises(EnvironmentFault, match="dask worker tcp://"):
        list(map_in_order(square, JOBS, scheduler=nodes.address, workers=0, report=reports.append))
    assert len(reports) == 1


def test_results_come_in_the_order_of_the_items(scheduler: str | None) -> None:
    alone = list(map_in_order(square, JOBS, scheduler=None, workers=1, report=quiet))
    assert {done.pid for done in alone} == {os.getpid()}
    spread = list(map_in_order(square, JOBS, scheduler=scheduler, workers=2, report=quiet))
    assert [(done.square, done.parts) for done in spread] == [(done.square, done.parts) for done in alone]
    assert os.getpid() not in {done.pid for done in spread}


def test_an_error_of_ours_arrives_where_the_item_stands(two_workers: str) -> None:
    jobs = [Job(number=number) for number in (11, 12, 13, 14)]
    found: list[Done] = []
    with pytest.raises(BadFile, match="13 is no number") as raised:
        found.extend(map_in_order(square, jobs, scheduler=two_workers, workers=2, report=quiet))
    assert [done.square for done in found] == [121, 144]
    assert raised.value.remedy == "take another"


def test_a_killed_worker_loses_no_result(scheduler: str | None, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    jobs = [Job(number=job.number, mark=str(mark) if job.number == 4 else "") for job in JOBS]
    with killer(mark) as killed:
        done = list(map_in_order(square_once_killed, jobs, scheduler=scheduler, workers=2, report=quiet))
    assert [outcome.square for outcome in done] == SQUARES
    assert len(killed) == 1
    assert done[4].pid not in {*killed, os.getpid()}


def test_only_the_item_that_kills_every_process_is_named(tmp_path: Path) -> None:
    jobs = [Job(number=job.number, mark="deadly" if job.number == 2 else "") for job in JOBS]
    reports: list[str] = []
    found: list[Done] = []
    with pytest.raises(EnvironmentFault, match="worked on job 2 was killed"):
        found.extend(map_in_order(die, jobs, scheduler=None, workers=2, report=reports.append))
    assert [done.square for done in found] == SQUARES[:2]
    assert any("job 2 is done again" in text for text in reports)


def test_a_cluster_with_other_code_is_refused_with_both_builds(
    two_workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is done by a build that could give other results."""
    monkeypatch.setattr(work, "build_id", lambda: "Kairos of another day")
    with pytest.raises(EnvironmentFault, match=r"it has Kairos .*, here is Kairos of another day"):
        list(map_in_order(square, JOBS, scheduler=two_workers, workers=2, report=quiet))


def test_a_build_is_its_code_its_models_and_its_data(tmp_path: Path) -> None:
    for name in ("detectors/models/embedded.onnx", "detectors/mllm/data/cascade.json", "policies/chain.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    before = work.files_digest(tmp_path)
    for name in ("detectors/models/MODEL.md", "detectors/models/__init__.pyc", "lab/logs/pack.bin"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("beside")
        assert work.files_digest(tmp_path) == before
    for name in ("detectors/models/embedded.onnx", "detectors/mllm/data/cascade.json", "policies/chain.py"):
        (tmp_path / name).write_text("two")
        assert work.files_digest(tmp_path) != before
        (tmp_path / name).write_text("one")
    assert work.files_digest(tmp_path) == before


def test_the_shipped_model_and_tables_are_part_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = Path.read_bytes

    def noted(path: Path) -> bytes:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    assert work.files_digest(Path(work.__file__).resolve().parents[3]) in work.build_id()
    assert {"embedded.onnx", "cascade.json", "costs.toml", "work.py"} <= set(read)


def test_a_worker_that_comes_later_with_other_code_refuses_the_work(
    two_workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "build_id", lambda: "Kairos of another day")
    monkeypatch.setattr(dask_cluster, "_check_builds", lambda *_: None)
    with pytest.raises(EnvironmentFault, match=r"it has Kairos .*, here is Kairos of another day"):
        list(map_in_order(square, JOBS, scheduler=two_workers, workers=2, report=quiet))


def test_a_worker_without_kairos_is_named(nodes: DaskNodes) -> None:
    with nodes.stranger(), pytest.raises(EnvironmentFault, match=r"tcp://127.0.0.1:\d+ .* it has no daemon"):
        list(map_in_order(square, JOBS, scheduler=nodes.address, workers=2, report=quiet))


def test_without_dask_the_error_has_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EnvironmentFault, match=r"kairos-assistant\[scale\]"):
        list(map_in_order(square, JOBS, scheduler="tcp://127.0.0.1:1", workers=0, report=quiet))


def test_a_wrong_address_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("127.0.0.1", "tcp://", "tcp://127.0.0.1", "http://127.0.0.1:8786", "tcp://127.0.0.1:8786/x"):
        with pytest.raises(UsageError, match="no address"):
            list(map_in_order(square, JOBS, scheduler=wrong, workers=0, report=quiet))
    monkeypatch.setattr(dask_cluster, "CONNECT_S", 0.3)
    with pytest.raises(EnvironmentFault, match="no Dask scheduler answers"):
        list(map_in_order(square, JOBS, scheduler="tcp://127.0.0.1:1", workers=0, report=quiet))


# --- replay -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    rows = stuck_rows()
    ends = [index for index, row in enumerate(rows) if index and not is_derived(row)]
    base = tmp_path_factory.mktemp("sessions")
    return [str(_write(rows[:end], base / f"{number:03}")) for number, end in enumerate(ends[10 : 10 + SESSIONS])]


def _write(rows: list[Record], folder: Path) -> Path:
    folder.mkdir()
    testing.write_session(folder, rows)
    return folder


def _replayed(
    sessions: list[str], out: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[object, bytes]:
    assert main(["replay", *sessions, "--json", "--out", str(out), *options]) == 0
    results = json.loads(capsys.readouterr().out)["sessions"]
    return [
        {name: value for name, value in result.items() if name != "speed_x"} for result in results
    ], out.read_bytes()


def test_a_hundred_sessions_replay_to_the_same_bytes_on_two_workers(
    sessions: list[str], two_workers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(sessions) == SESSIONS
    alone = _replayed(sessions, tmp_path / "alone", capsys, "--workers", "1", "--check")
    spread = _replayed(sessions, tmp_path / "spread", capsys, "--scheduler", two_workers, "--check")
    assert spread == alone
    assert alone[1].count(b"\n") > SESSIONS * 10


def test_a_replay_whose_worker_is_killed_midway_gives_the_same_bytes(
    sessions: list[str], nodes: DaskNodes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pids = nodes.workers(2)
    detector = ("--detector", "tests.fakes.cluster.cluster_detectors:marked")
    few = sessions[-20:]
    with killer(nodes.mark) as killed:
        spread = _replayed(few, tmp_path / "spread", capsys, "--scheduler", nodes.address, *detector)
    assert len(killed) == 1
    assert killed[0] in pids
    assert spread == _replayed(few, tmp_path / "alone", capsys, "--workers", "1", *detector)


def test_a_worker_that_does_not_see_the_session_says_where(two_workers: str, tmp_path: Path) -> None:
    job = ReplayJob(folder=str(tmp_path / "elsewhere"))
    with pytest.raises(BadFile, match="is not there on") as raised:
        list(map_in_order(run_job, [job], scheduler=two_workers, workers=0, report=quiet))
    assert "shared folder" in raised.value.remedy


def test_nothing_of_dask_is_imported_without_a_scheduler(sessions: list[str]) -> None:
    program = "import sys; from daemon.cli.main import main; main(['replay', sys.argv[1]]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program, sessions[0]], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "daemon.replay.parallel.pool" in loaded
    assert loaded.isdisjoint({"daemon.replay.parallel.dask_cluster", "distributed", "dask", "tornado", "cloudpickle"})
