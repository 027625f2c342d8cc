"""Video sessions: source rows, video and labels are kept, and what is there is not played again."""

import json
from dataclasses import asdict
from pathlib import Path

import msgspec

from lab.benchmarks.guide.clips import load_sessions
from lab.simulation.persona import Split
from lab.simulation.recording.session import LABELS, PLAN, SCRIPT, SessionSpec
from lab.simulation.recording.workers import ABOUT, SESSION, VideoWorkers
from storage.records import Frame, SessionStart, is_derived
from storage.session.log import SessionReader
from storage.session.verify import verify
from tests.fakes.lab.clips import session

PLAN_OF = SessionSpec(name="train-1-0000-calc", seed="1-0", person=0, program="calc", split=Split.TRAIN, seconds=20.0)


class Played:
    """A session's process that has already ended: it left a made-up session in its folder."""

    pid = 0

    def __init__(self, folder: Path, *, labelled: bool = True) -> None:
        made = session(folder / "made")
        (folder / "sessions").mkdir()
        (made / "session").rename(folder / "sessions" / "20261121-120000-abcd")
        if labelled:
            (made / LABELS).rename(folder / LABELS)
        lines = [
            {"kind": "program", "t_ns": 1, "versions": {"calc": "1"}, "catalogue": "abc"},
            {"kind": "end", "t_ns": 2, "why": None},
        ]
        (folder / SCRIPT).write_text("".join(json.dumps(line) + "\n" for line in lines))

    def poll(self) -> int:
        return 0

    def terminate(self) -> None:
        raise AssertionError

    def kill(self) -> None:
        raise AssertionError


def test_a_filmed_session_is_what_the_benchmark_reads(tmp_path: Path) -> None:
    asked: list[SessionSpec] = []

    def start(folder: Path) -> Played:
        asked.append(msgspec.json.decode((folder / PLAN).read_bytes(), type=SessionSpec))
        return Played(folder)

    done = VideoWorkers(tmp_path, desktops=1, report=lambda _: None, start=start).play([PLAN_OF])
    assert not done.failed
    assert asked[0].video
    folder = tmp_path / PLAN_OF.name
    assert sorted(path.name for path in folder.iterdir()) == [ABOUT, LABELS, SESSION]
    assert verify(folder / SESSION).ok
    with SessionReader(folder / SESSION) as reader:
        rows = list(reader)
    with SessionReader(session(tmp_path / "control" / "recorded") / "session") as reader:
        assert sum(map(is_derived, reader)) == 40
    assert not any(map(is_derived, rows))
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    first = rows[0]
    assert isinstance(first, SessionStart)
    assert first.settings["storage"]["sessions_dir"] == ""
    assert sum(isinstance(row, Frame) and row.image_ref is not None for row in rows) == 40
    assert len(load_sessions(tmp_path).clips) == 4
    again = VideoWorkers(tmp_path, desktops=1, report=lambda _: None, start=start).play([PLAN_OF])
    assert len(asked) == again.before == 1
    assert [asdict(head) for head in again.sessions] == [asdict(head) for head in done.sessions]


def test_a_session_without_labels_fails_by_name_and_leaves_its_folder(tmp_path: Path) -> None:
    """Nothing half-made appears; what happened can be looked at."""
    done = VideoWorkers(
        tmp_path, desktops=1, report=lambda _: None, start=lambda folder: Played(folder, labelled=False)
    ).play([PLAN_OF])
    assert [failure.name for failure in done.failed] == [PLAN_OF.name]
    assert not (tmp_path / PLAN_OF.name).exists()
    assert (tmp_path / ".work" / PLAN_OF.name).is_dir()
