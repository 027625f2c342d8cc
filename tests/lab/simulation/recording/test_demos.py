"""Recordings of demos and scenes become labelled sessions: by their script, without words, each listed once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.commands import register
from lab.simulation.recording.demos import FIRST_PERSON, pack_recordings
from lab.simulation.recording.pack import Packed, read_manifest, read_packed
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Focus, Record, SessionStart, State
from storage.session.log import create_session
from storage.session.transfer.import_session import write_rows
from storage.settings import Settings
from tests.fakes.commands.command_line import run_command
from tests.fakes.detectors.fake_detectors import first_row
from tests.fakes.sessions import people
from tests.fakes.sessions.desk import Desk, S

ABOUT_FILE, SCRIPT_FILE, SESSIONS = "demo.json", "script.jsonl", "sessions"
WALL_S = 1_800_000_000


def rows_of(desk: Desk) -> list[Record]:
    """Return the numbered rows of a session in which a desk was seen; wall-clock time is `WALL_S` later."""
    start = first_row(Settings(), wall_ns=(WALL_S + 1) * NS_PER_S)
    rows: list[Record] = [start, *desk.records]
    return [
        replace(row, seq=number + 1, at_ns=S if isinstance(row, SessionStart) else getattr(row, "t_ns", S))
        for number, row in enumerate(rows)
    ]


def leave(folder: Path, rows: Sequence[Record], lines: Sequence[Mapping[str, Any]], told: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True)
    session = create_session(folder / SESSIONS, WALL_S * NS_PER_S)
    write_rows(rows, session)
    (folder / SCRIPT_FILE).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    moved = {**told, "session": str(Path("/elsewhere") / SESSIONS / session.name)}
    (folder / ABOUT_FILE).write_text(json.dumps(moved), encoding="utf-8")


FLUENT = {"kind": "phase", "name": "fluent"}
STUCK = {"kind": "phase", "name": "stuck", "stuck_kind": "undo_loop"}
FAILED = {"kind": "attempt", "thing": "undo_loop", "outcome": "failed"}
KEY = {"kind": "key", "late_ms": 1.0}
DEMO = {"app": "mousepad", "seed": 4}

Line = tuple[float, Mapping[str, Any]]
SCRIPT: Sequence[Line] = (
    *((2.0, FLUENT), (2.5, KEY), (4.0, KEY)),
    *((5.0, {"kind": "piece", "name": "paragraph", "trap": False}), (5.5, KEY), (9.0, KEY)),
    *((10.0, {"kind": "piece", "name": "read over", "trap": True}), (10.5, KEY), (14.0, KEY)),
    *((16.0, STUCK), (17.0, KEY), (19.0, FAILED), (21.0, KEY), (24.0, FAILED), (27.0, FAILED)),
    *((28.0, {"kind": "attempt", "thing": "undo_loop", "outcome": "abandoned"}), (30.0, {"kind": "end"})),
)


def recording(
    folder: Path, script: Sequence[Line] = SCRIPT, about: Mapping[str, Any] = DEMO, name: str = "demo.json"
) -> Path:
    desk = Desk(about["seed"] if isinstance(about.get("seed"), int) else 1)
    while desk.now < 32.0:
        people.write_prose(desk)
    rows = [replace(row, title="Secret plans") if isinstance(row, Focus) else row for row in rows_of(desk)]
    lines = [{"t_ns": round(at * S), "wall_ns": round(at * S), **facts} for at, facts in script]
    leave(folder, rows, lines, dict(about))
    (folder / "demo.json").rename(folder / name)
    return folder


def pack_one(folder: Path, out: Path) -> Packed:
    (entry,) = pack_recordings(folder, out)
    return read_packed(entry.path(out))


def test_labels_are_those_of_the_script(tmp_path: Path) -> None:
    recording(tmp_path / "demos" / "a")
    packed = pack_one(tmp_path / "demos", tmp_path)
    seen = [
        (label.behavior, label.state, label.start_ns / S, label.end_ns / S, label.hard_negative)
        for label in packed.labels
    ]
    assert seen == [
        ("live begin", State.PERFORMING_ACTIONS, 2.5, 4.0, False),
        ("live paragraph", State.PERFORMING_ACTIONS, 5.5, 9.0, False),
        ("live read over", State.ASSESSMENT, 10.5, 14.0, True),
        ("live undo_loop", State.FRUSTRATION, 17.0, 27.0, False),
    ]
    assert [label.need_from_ns and label.need_from_ns / S for label in packed.labels] == [None, None, None, 24.0]
    assert (packed.person, packed.program) == (FIRST_PERSON + 4, "mousepad-demo")


def test_a_calm_scene_is_work_that_looks_like_trouble(tmp_path: Path) -> None:
    calm = [line for line in SCRIPT if line[0] < 15.0]
    about = {"scene": "firefox-calm-many_records", "seed": 2}
    recording(tmp_path / "scenes" / "a", calm, about, "scene.json")
    packed = pack_one(tmp_path / "scenes", tmp_path)
    assert {(label.behavior, label.hard_negative) for label in packed.labels} == {("live many_records", True)}
    assert packed.program == "firefox-scene"


def test_titles_stay_behind(tmp_path: Path) -> None:
    """A demo is recorded with titles; a packed session never holds any."""
    folder = recording(tmp_path / "demos" / "a")
    packed = pack_one(tmp_path / "demos", tmp_path)
    titles = [row.title for row in packed.rows if isinstance(row, Focus)]
    assert titles
    assert not any(titles)
    assert not any(row.recording for row in packed.rows if isinstance(row, SessionStart))
    stored = next((folder / "sessions").glob("*/session.db")).read_bytes()
    assert b"Secret plans" in stored  # the control: it was there to be left out


def test_the_command_adds_to_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each recording is listed once, however often it is packed."""
    recording(tmp_path / "demos" / "a")
    recording(tmp_path / "more" / "b", about={"app": "calc", "seed": 5})
    for folder in ("demos", "demos", "more"):
        words = ("simulate", "--from-demos", str(tmp_path / folder), "--out", str(tmp_path / "out"))
        assert run_command(register, capsys, *words).code == 0
    assert [entry.name for entry in read_manifest(tmp_path / "out").sessions] == ["train-demo-a", "train-demo-b"]


@pytest.mark.parametrize(
    ("name", "about"),
    [("demo.json", {"seed": 1}), ("demo.json", {"app": "calc", "seed": "x"}), ("scene.json", {"scene": 3, "seed": 1})],
)
def test_what_is_no_recording_is_named(name: str, about: Mapping[str, Any], tmp_path: Path) -> None:
    recording(tmp_path / "demos" / "a", about=about, name=name)
    with pytest.raises(BadFile, match=name):
        pack_recordings(tmp_path / "demos", tmp_path)


def test_one_failure_is_no_need(tmp_path: Path) -> None:
    """The control: with the second failure gone nobody needs help."""
    once = [line for line in SCRIPT if line[1] is not FAILED or line[0] < 20.0]
    recording(tmp_path / "demos" / "a", once)
    assert not any(label.need_from_ns for label in pack_one(tmp_path / "demos", tmp_path).labels)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    """With what to do."""
    with pytest.raises(BadFile, match="holds no recording") as refused:
        pack_recordings(tmp_path, tmp_path / "out")
    assert "kairos demo --out" in str(refused.value)
