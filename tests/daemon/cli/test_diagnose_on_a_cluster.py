"""`--scheduler`: a cluster asks the same as one process, nothing twice, and comes to the same bytes."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from daemon.cli.diagnose import PAGE_NAME
from storage.errors import BadFile, UsageError
from storage.session.log import MODEL_ANSWERS
from tests.fakes.cluster.dask_nodes import DaskNodes
from tests.fakes.cluster.packed_work import ADDRESS, work_packed
from tests.fakes.commands.diagnose_command import Diagnose
from tests.fakes.detectors.trouble import key, write
from tests.fakes.mllm.diagnosed_work import write_plain
from tests.fakes.mllm.model_queries import JudgingServer

WAYS = ((), ("--judge", "planned"), ("--goal-only",))


def agents(folder: Path) -> Path:
    """Write five trajectories: two with the same steps, two with the same task, one whose task nobody states."""
    for number, (goal, count) in enumerate((("a", 3), ("b", 3), ("c", 4), ("c", 5), (None, 6))):
        write_plain(folder, count, goal=goal and f"Make {goal} bold", key=f"t{number}")
    return folder


def both(diagnose: Diagnose, server: JudgingServer, tmp_path: Path, *words: object, scheduler: str) -> None:
    """Run a command on a cluster and in one process, and compare output, page, and what was asked."""
    found = []
    for where in ("there", "here"):
        server.bodies.clear()
        out = () if "--goal-only" in words else ("--out", tmp_path / where)
        elsewhere = ("--scheduler", scheduler) if where == "there" else ()
        answer = diagnose(*words, "--json", *out, *elsewhere)
        assert answer.code == 0, answer.err
        page = (tmp_path / where / PAGE_NAME).read_bytes() if out else b""
        found.append((answer.out.replace(f"/{where}/", "/"), page, Counter(server.bodies)))
        shutil.rmtree(tmp_path / "CACHE", ignore_errors=True)
        for stored in (tmp_path / "STATE").rglob(MODEL_ANSWERS):
            stored.unlink()
    there, here = found
    assert there == here
    assert max(there[2].values()) == 1


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_shares_come_to_the_same_bytes_and_nothing_is_asked_twice(
    diagnose: Diagnose, server: JudgingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: tuple[str, ...]
) -> None:
    """Packed as for workers elsewhere; what two trajectories would both ask is in one share."""
    jobs = work_packed(monkeypatch)
    both(diagnose, server, tmp_path, agents(tmp_path / "agents"), *way, scheduler=ADDRESS)
    assert jobs == [1 if way[:1] == ("--judge",) else 4]


def test_a_task_that_is_stated_parts_the_work_of_judges_that_ask_about_it_alone(
    diagnose: Diagnose, server: JudgingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every file states its task, each task is a share."""
    jobs = work_packed(monkeypatch)
    folder = agents(tmp_path / "agents")
    (folder / "t4.jsonl").unlink()
    both(diagnose, server, tmp_path, folder, "--judge", "planned", scheduler=ADDRESS)
    assert jobs == [3]


def test_a_session_is_one_share_and_never_leaves_for_a_cluster_elsewhere(
    diagnose: Diagnose, server: JudgingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answers lie in its folder; a scheduler on another machine is refused before anything is asked."""
    jobs = work_packed(monkeypatch)
    folder = write(tmp_path / "STATE" / "kairos" / "sessions", *(key(8.0 + 10 * number) for number in range(4)))
    refused = diagnose(folder.name, "--scheduler", "tcp://192.0.2.1:8786")
    assert (refused.code, "may not leave this one" in refused.err) == (UsageError.exit_code, True)
    assert (jobs, server.bodies) == ([], [])
    answer = diagnose(folder.name, "--judge", "final", "--scheduler", ADDRESS, "--json")
    assert answer.json["judged"]["asked"] == {"final": 1, "goal": 1}
    assert (jobs, (folder / MODEL_ANSWERS).exists()) == ([1], True)


def test_files_that_change_meanwhile_are_refused(
    diagnose: Diagnose, server: JudgingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that does not find what it is to ask about says so, and asks nothing."""
    folder = agents(tmp_path / "agents")
    jobs = work_packed(monkeypatch, before=(folder / "t0.jsonl").unlink)
    answer = diagnose(folder, "--scheduler", ADDRESS)
    assert "does not hold what it held before" in answer.err
    assert (answer.code, jobs, server.bodies) == (BadFile.exit_code, [4], [])


@pytest.mark.slow
@pytest.mark.parametrize("way", [*WAYS, ("--judge", "key-frames")], ids=" ".join)
def test_real_workers_come_to_the_same_bytes_and_ask_nothing_twice(
    diagnose: Diagnose, server: JudgingServer, tmp_path: Path, way: tuple[str, ...]
) -> None:
    """Two workers of a Dask scheduler, each a process of its own, that share the file of answers."""
    (tmp_path / "dask").mkdir()
    nodes = DaskNodes(tmp_path / "dask")
    try:
        nodes.workers(2)
        both(diagnose, server, tmp_path, agents(tmp_path / "agents"), *way, scheduler=nodes.address)
    finally:
        nodes.close()
