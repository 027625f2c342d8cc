"""Sessions in AgentNet's layout, imported again with equal events; and what was deleted is gone from an export."""

import argparse
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.capture.keys import cell_start
from daemon.history.labelling import LabelService
from daemon.purge.purge import begin, finish
from daemon.purge.span import PurgeSpan
from daemon.replay.imports.agentnet.importer import import_recording
from lab.benchmarks.commands import BENCHMARKS
from lab.benchmarks.guide import statistics as module
from lab.benchmarks.guide.export import export, export_agentnet
from storage.clock import DAY_NS, NS_PER_S, SystemClock
from storage.errors import BadFile, UsageError
from storage.records import (
    Box,
    Element,
    Elements,
    EventKind,
    Focus,
    InputEvent,
    KeyClass,
    NeedLabel,
    SegmentLabel,
    State,
    TaskMark,
    TaskStep,
)
from storage.session.derived import note_copy, take_out_of_copies
from storage.session.labels import put_label, read_labels
from storage.session.log import SessionReader
from storage.session.retention import NOTICE_NS, delete_due_sessions
from storage.settings import Settings, StorageSettings
from storage.state.store import StateStore
from storage.testing import WALL_NS, SessionBuilder
from storage.timeline import LabelReply

MODIFIER = KeyClass.MODIFIER
HELD = (KeyClass.UNDO, KeyClass.REDO, KeyClass.COPY, KeyClass.CUT, KeyClass.PASTE, KeyClass.SAVE, KeyClass.FIND)


def worked(base: Path, number: int = 0, app: str = "writer") -> Path:
    """Write a session with every kind of event, each class of key, and a modifier before what needs one."""
    session = SessionBuilder(app=app, recording=True, wall_ns=WALL_NS + number * 3600 * NS_PER_S, begin_ns=5 * NS_PER_S)
    session.focus(app)
    session.put(TaskMark, code="sort", step=TaskStep.BEGUN, title="Sort a table", program="Calc", skill=2)
    session.wait(1).picture(40)
    for x in range(10, 60, 10):
        session.wait(0.2).put(InputEvent, kind=EventKind.MOTION, key_class=None, x=x, y=20, path=10)
    session.wait(1).click(60, 20)
    session.wait(1).click(70, 30, button="right")
    session.wait(1).put(InputEvent, kind=EventKind.SCROLL, x=5, y=5, dy=-7, count=3)
    session.wait(1).put(InputEvent, kind=EventKind.SCROLL, x=5, y=5, dx=1)
    for key_class in KeyClass:
        if key_class in (*HELD, KeyClass.SELECT_ALL, KeyClass.SHORTCUT):
            session.wait(0.3).keys(1, MODIFIER)
        if key_class is not MODIFIER:
            session.keys(2, key_class, gap_s=0.3)
    session.wait(1).put(InputEvent, key_class=KeyClass.CHARACTER, count=4)
    elements = (Element(role="button", box=Box(10, 10, 40, 20), name=f"Save {app}"),)
    session.wait(1).add(Elements(t_ns=session.clock.now_ns(), app=app, elements=elements))
    session.wait(2).focus("firefox")
    session.wait(1).put(InputEvent, kind=EventKind.KEY, key_class=KeyClass.ENTER, own=True)
    session.wait(3).picture(90)
    session.put(TaskMark, code="sort", step=TaskStep.DONE, title="Sort a table", program="Calc", skill=2)
    folder = session.wait(5).end().write(base)
    for rater, states in (("anna", (State.WAITING,)), ("anna", (State.DEBUGGING,))):
        start_ns = (6 + 9 * (states[0] is State.DEBUGGING)) * NS_PER_S
        put_label(
            folder,
            SegmentLabel(
                label_id=states[0].value,
                rater=rater,
                start_ns=start_ns,
                end_ns=start_ns + 8 * NS_PER_S,
                states=states,
                need=NeedLabel.YES,
                wanted=f"in {app}",
                would_help=f"of {app}",
            ),
        )
    return folder


def events(folder: Path) -> list[InputEvent]:
    """Return input as the session has it from its beginning on; paths are measured anew, and motion is one a tenth."""
    with SessionReader(folder) as reader:
        begin_ns = reader.first().at_ns
        rows = [row for row in reader.rows((InputEvent.KIND,)) if isinstance(row, InputEvent) and not row.own]
    return [replace(row, seq=0, at_ns=0, t_ns=row.t_ns - begin_ns, path=0) for row in rows]


def tasks(folder: Path) -> list[TaskMark]:
    with SessionReader(folder) as reader:
        begin_ns = reader.first().at_ns
        rows = [row for row in reader.rows((TaskMark.KIND,)) if isinstance(row, TaskMark)]
    return [replace(row, seq=0, at_ns=row.at_ns - begin_ns) for row in rows]


def _rounded(event: InputEvent) -> InputEvent:
    return replace(event, t_ns=cell_start(event.t_ns)) if event.kind is EventKind.KEY else event


def test_an_export_is_imported_with_equal_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each class of key, buttons, scrolling, motion, programs, names of controls and pictures; nothing is left out."""
    folder = worked(tmp_path / "sessions")
    export_agentnet(tmp_path / "sessions", tmp_path / "out")
    assert "left out" not in capsys.readouterr().err
    recording = tmp_path / "out" / "recording_1"
    imported = import_recording(recording, tmp_path / "again", Settings())
    assert imported.problems == ()
    own = [_rounded(event) for event in events(folder)]
    assert {event.key_class for event in own if event.key_class} == set(KeyClass)
    assert events(imported.folder) == own
    with SessionReader(imported.folder) as reader:
        rows = list(reader)
    assert [row.app for row in rows if isinstance(row, Focus)] == ["writer", "firefox"]
    (elements,) = (row.elements for row in rows if isinstance(row, Elements))
    assert elements == (Element(role="button", box=Box(10, 10, 40, 20), name="Save writer"),)
    own_marks, marks = tasks(folder), tasks(imported.folder)
    assert [mark.step for mark in marks] == [TaskStep.BEGUN, TaskStep.DONE]
    assert marks == own_marks
    assert json.loads((recording / "task_name.json").read_text())["task_name"] == "Sort a table"
    assert "2026" not in "".join(path.read_text() for path in recording.glob("*.json*"))


def test_what_has_no_place_there_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A password, and a shortcut whose modifier is not known, before which one is added."""
    session = SessionBuilder(recording=True)
    session.wait(1).put(InputEvent, kind=EventKind.PROTECTED, key_class=None)
    session.wait(1).keys(1, KeyClass.UNDO)
    folder = session.wait(1).end().write(tmp_path / "sessions")
    export_agentnet(tmp_path / "sessions", tmp_path / "out")
    said = capsys.readouterr().err
    assert "1 input without a place, or in a password field were left out" in said
    assert "1 modifiers that were not recorded were added\n" in said
    imported = import_recording(tmp_path / "out" / "recording_1", tmp_path / "again", Settings())
    assert [event.key_class for event in events(imported.folder)] == [MODIFIER, KeyClass.UNDO]
    (folder / "session.db").write_bytes(b"damaged")
    with pytest.raises(BadFile, match="no session that can be read"):
        export_agentnet(tmp_path / "sessions", tmp_path / "other")


@pytest.mark.parametrize("write", [export, export_agentnet], ids=["guide", "agentnet"])
def test_what_was_deleted_is_gone_from_an_export(
    tmp_path: Path, write: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command again; also what a kill has left beside it. A folder of somebody else is refused."""
    assert callable(write)
    base, out = tmp_path / "sessions", tmp_path / "out"
    worked(base, app="writer")
    gone = worked(base, 1, app="marker")
    write(base, out)

    def found() -> int:
        files = (path for path in tmp_path.rglob("*") if path.is_file() and "sessions" not in path.parts)
        return sum(b"marker" in path.read_bytes() or "marker" in path.name for path in files)

    assert found() >= 1
    shutil.rmtree(gone)
    (tmp_path / ".out-export-x").mkdir()
    (tmp_path / ".out-export-x" / "old").write_bytes(b"marker")
    write(base, out)
    assert found() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "sessions"]
    again = worked(base, 1, app="marker")
    write(base, out)
    kept = worked(base, 2, app="calc")
    assert take_out_of_copies([again, kept]) == ([str(out)], [])
    assert found() == 0
    assert len(list(out.rglob("*.mp4"))) == 1
    note_copy(kept, tmp_path / "sessions", part="..")
    assert take_out_of_copies([kept]) == ([], [str(tmp_path / "sessions")])
    write(base, out)
    assert found() >= 1
    with StateStore(tmp_path / "state.db") as state:
        now_ns = SystemClock().wall_ns() + 1000 * DAY_NS
        for at_ns in (now_ns, now_ns + NOTICE_NS):
            delete_due_sessions(base, StorageSettings(), state, at_ns)
    assert found() == 0, "what was too old is deleted by itself, and from there too"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "letter").write_bytes(b"mine")
    for taken in ("own", "own/letter"):
        with pytest.raises(UsageError, match="not an empty folder"):
            write(base, tmp_path / taken)
    capsys.readouterr()


def test_what_is_cut_off_or_said_no_more_is_gone_from_exports_at_once(tmp_path: Path) -> None:
    """By a purge of the second half, and by a label that is deleted in the window; the rest stays, as the words do."""
    base, state_file = tmp_path / "sessions", tmp_path / "state.db"
    folder, other = worked(base, app="marker"), worked(base, 1)
    guide, agentnet = tmp_path / "guide", tmp_path / "agentnet"
    export(base, guide, {(folder.name, "goal", "in marker"): ("a", "b", "c")})
    export_agentnet(base, agentnet)

    def rows() -> list[dict[str, object]]:
        found = (json.loads(path.read_bytes()) for path in sorted((guide / "annotations").glob("*.json")))
        return [row for each in found for row in each if str(row["video_id"]).startswith("marker")]

    assert (len(rows()), len(list(guide.rglob("*.mp4")))) == (6, 2)
    with SessionReader(folder) as reader:
        start, end_ns = reader.first(), reader.last_at_ns()
    assert end_ns is not None
    span = PurgeSpan(scope="last", begin_wall_ns=start.wall_ns + (end_ns - start.at_ns) // 2, end_wall_ns=None)
    shutil.rmtree(other)
    begin(span, base, state_file)
    report = finish(state_file)
    assert report is not None
    assert report.cut == (folder.name,)
    assert [row["start_time"] for row in rows()] == [1.0] * 3
    assert [row["distractors"] for row in rows() if "distractors" in row] == [["a", "b", "c"]]
    imported = import_recording(agentnet / "recording_1", tmp_path / "again", Settings())
    assert events(imported.folder) == [_rounded(event) for event in events(folder)] != []
    service = LabelService(base, state_file, SystemClock())
    service.attach(NoView())
    service.open(folder.name)
    service.remove(read_labels(folder)[0].label_id)
    service.close()
    assert rows() == []
    assert [path.name for path in guide.rglob("*.mp4")] == ["writer_anna_Task_2.mp4"]


class NoView:
    """A window that shows nothing."""

    def show_reply(self, reply: LabelReply) -> None:
        """Show nothing."""


@pytest.mark.parametrize("count", [0, -3, 10**12])
def test_a_count_of_input_that_cannot_be_is_refused(tmp_path: Path, count: int) -> None:
    """Whoever made the session wrote it; each of so many presses would be a line."""
    session = SessionBuilder()
    session.put(InputEvent, kind=EventKind.KEY, key_class=KeyClass.TAB, count=count)
    session.end().write(tmp_path / "s")
    with pytest.raises(BadFile, match="no session that can be read"):
        export_agentnet(tmp_path / "s", tmp_path / "out")


def test_a_set_is_described_as_the_paper_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts and shares of states, lengths and narration, beside the published ones; by the command."""
    for number in range(5):
        worked(tmp_path / "sessions", number, app=f"app{number}")
    export(tmp_path / "sessions", tmp_path / "out")
    parser = argparse.ArgumentParser()
    BENCHMARKS["guide"].register(parser.add_subparsers())
    for words in ((), ("--json",)):
        arguments = parser.parse_args(["guide", str(tmp_path / "out"), "--describe", *words])
        assert arguments.run(arguments) == 0
    told = capsys.readouterr().out
    found = json.loads(told.splitlines()[-1])
    assert found["videos"] == 5
    assert {kind: each["count"] for kind, each in found["segments"].items()} == {
        "labelled segments": 10,
        "intent questions": 10,
        "need questions": 10,
        "content questions": 10,
    }
    assert found["segments"]["need questions"]["mean_s"] == 8.0
    assert found["states"]["labelled segments"] == {"waiting": 5, "debugging": 5}
    assert found["narrated_s"] == 0.0
    assert "50.00" in told
    assert "33 min 44 sec" in told
    assert found["total_s"] > 5 * 10
    with (tmp_path / "out" / "videos" / "video_urls.csv").open("a") as listed:
        listed.write("x" * 200_000)
    with pytest.raises(BadFile, match="no list of videos"):
        arguments.run(arguments)


def test_published_shares_of_states_are_those_of_their_counts() -> None:
    """A changed digit of table C4 fails."""
    tables = json.loads((Path(module.__file__).parent / "data" / "statistics.json").read_text())["tables"]
    rows = list(tables[1]["rows"].values())
    assert len(rows) == 9
    for column in range(0, 8, 2):
        total = sum(int(row[column]) for row in rows)
        for row in rows:
            assert round(100 * int(row[column]) / total, 2) == pytest.approx(float(row[column + 1]), abs=0.0051)
