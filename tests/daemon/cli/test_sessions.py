"""`kairos sessions`: what each action prints, and with which status it ends."""

import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from daemon.cli.sessions import register
from daemon.purge.purge import preview
from daemon.purge.span import PurgeSpan
from daemon.replay.replay import replay
from storage import testing
from storage.clock import NS_PER_S
from storage.db.codec import canonical
from storage.records import Anchor, EventKind, Focus, Frame, InputEvent, KeyClass, SessionEnd
from storage.session.derived import note_copy
from storage.session.log import SessionReader
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.sessions.agentnet import write_recording
from tests.fakes.sessions.session_sample import SCREEN, WALL_NS, numbered, rows, start_row, write_session
from tests.fakes.sessions.unreadable import lock

Kairos = Callable[..., Answer]


@pytest.fixture
def kairos(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Kairos:
    def run(action: str, *arguments: str) -> Answer:
        return run_command(register, capsys, "sessions", action, *arguments, "--sessions", str(tmp_path / "sessions"))

    return run


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_session(tmp_path / "sessions", pictures=0)


def test_list_names_every_session(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    """Cut-off and unreadable ones are listed too, and say so; other folders are not."""
    assert kairos("list").out.count("\n") == 1
    cut = write_session(tmp_path / "sessions", ended=False, pictures=0)
    broken = write_session(tmp_path / "sessions", pictures=0)
    (broken / "session.db").write_text("gone")
    (tmp_path / "sessions" / ".import-x").mkdir()
    found = {entry["session"]: entry for entry in kairos("list", "--json").json["sessions"]}
    assert set(found) == {session.name, cut.name, broken.name}
    assert found[session.name] | {"bytes": 0, "path": ""} == {
        "session": session.name,
        "path": "",
        "bytes": 0,
        "at": WALL_NS / NS_PER_S,
        "duration_s": 10.0,
        "ended": True,
        "still_recording": False,
        "recording": True,
        "imported": False,
        "frames": 3,
        "offers": 1,
        "estimates": 1,
        "decisions": 1,
    }
    assert found[cut.name]["ended"] is False
    assert "problem" in found[broken.name]
    text = kairos("list").out
    assert "cut off" in text
    assert "cannot be read" in text


def test_list_names_a_folder_that_cannot_be_read(
    kairos: Kairos, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is listed as unreadable, and so are the others as ever."""
    locked = write_session(tmp_path / "sessions", pictures=0)
    lock(locked, monkeypatch)
    found = {entry["session"]: entry for entry in kairos("list", "--json").json["sessions"]}
    assert set(found) == {session.name, locked.name}
    assert "problem" not in found[session.name]
    assert found[locked.name]["problem"] == "Permission denied"
    assert f"{locked.name}  cannot be read: Permission denied" in kairos("list").out
    for action in (("show",), ("verify",), ("delete", "--yes")):
        assert kairos(*action, str(locked)).code == 4
        assert kairos(*action, locked.name).code == 4


def test_an_empty_folder_of_sessions_is_no_error(
    kairos: Kairos, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody who just installed Kairos asks too, whose folder is not there yet."""
    assert run_command(register, capsys, "sessions", "list").out.startswith("There are no sessions in ")
    (tmp_path / "sessions").mkdir()
    assert kairos("list").out.startswith("There are no sessions in ")
    assert kairos("list", "--json").json["sessions"] == []


def test_a_folder_that_is_named_must_be_there(kairos: Kairos, tmp_path: Path) -> None:
    """A name mistyped must not look like a folder without sessions."""
    for _ in range(2):
        answer = kairos("list")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == f"{tmp_path / 'sessions'} is not a folder\ncheck the path given with --sessions"
        (tmp_path / "sessions").touch()


def test_show_gives_wall_clock_times(kairos: Kairos, session: Path) -> None:
    """Each offer, estimate and decision carries seconds since the epoch, and an offer its words and answer."""
    facts = kairos("show", session.name, "--json").json
    start_s = WALL_NS / NS_PER_S
    assert [facts[key][0]["at"] for key in ("offers", "estimates", "decisions")] == [start_s + 7] * 3
    (offer,) = facts["offers"]
    assert (offer["answer"], offer["answered_at"], offer["topic"]) == ("accepted", start_s + 9, "undo_bursts")
    assert offer["title"]
    assert facts["estimates"][0]["help_need"] == pytest.approx(0.1234567)
    assert facts["decisions"][0]["verdict"] == "offer"
    assert (facts["at"], facts["duration_s"], facts["frames"], facts["events"]) == (start_s, 10.0, 3, 7)
    assert (facts["ended"], facts["recording"], facts["imported_from"]) == ("quit", True, None)


def test_show_follows_a_wall_clock_that_jumped(kairos: Kairos, tmp_path: Path) -> None:
    """After an anchor its offset holds; before it the old one does."""
    folder = tmp_path / "sessions" / "20260921-141320-abcd"
    found = rows()
    jump = Anchor(wall_ns=WALL_NS + 3_600 * NS_PER_S, reason="clock_jump")
    found.insert(11, numbered(jump, 0, found[10].at_ns))
    testing.write_session(folder, [numbered(row, number, row.at_ns) for number, row in enumerate(found, start=1)])
    facts = kairos("show", "20260921", "--json").json
    start_s = WALL_NS / NS_PER_S
    assert facts["offers"][0]["at"] == start_s + 3_600
    assert facts["offers"][0]["answered_at"] == start_s + 3_602
    assert facts["at"] == start_s


def test_show_prints_plain_sentences(kairos: Kairos, session: Path) -> None:
    """Words of the card, the answer and plain sentences, no codes."""
    text = kairos("show", session.name).out
    assert "Help was offered once:" in text
    assert "accepted" in text
    assert "undo_bursts" not in text
    assert "Help need was estimated once; the highest probability was 0.12." in text


def test_a_name_in_a_session_cannot_write_to_the_terminal(kairos: Kairos, session: Path) -> None:
    """Control characters of a foreign session are shown as question marks."""
    with closing(sqlite3.connect(session / "session.db", isolation_level=None)) as connection:
        connection.execute("UPDATE records SET body = replace(body, '\"editor\"', '\"\\u001b[31mred\"')")
    assert "\x1b" not in kairos("show", session.name).out
    assert "?[31mred" in kairos("show", session.name).out


def test_verify_distinguishes_sound_unsound_and_damaged(kairos: Kairos, session: Path) -> None:
    """Status 0, 1 and 4, with the same JSON fields each time."""
    fields = {"session", "ok", "duration_s", "frames", "events", "lost_s", "problems"}
    answer = kairos("verify", session.name, "--json")
    assert (answer.code, answer.json["ok"], set(answer.json)) == (0, True, fields)
    with closing(sqlite3.connect(session / "session.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM records WHERE seq = 5")
    answer = kairos("verify", session.name, "--json")
    assert (answer.code, answer.json["ok"], set(answer.json)) == (1, False, fields)
    with closing(sqlite3.connect(session / "session.db", isolation_level=None)) as connection:
        connection.execute("UPDATE records SET body = '' WHERE seq = 4")
    answer = kairos("verify", session.name, "--json")
    assert (answer.code, answer.json["ok"], set(answer.json)) == (4, False, fields)
    assert "damaged" in answer.err
    (session / "session.db").write_text("gone")
    assert kairos("verify", session.name).code == 4
    assert kairos("verify", "20000101").code == 4


def test_export_and_import_from_the_command_line(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    """The file that export names is one that import takes, also into another folder."""
    target = tmp_path / "one.zip"
    answer = kairos("export", session.name, "--out", str(target), "--json").json
    assert (answer["file"], answer["bytes"]) == (str(target), target.stat().st_size)
    answer = kairos("import", str(target), "--json").json
    assert set(answer) == {"session", "duration_s", "frames", "events", "problems"}
    assert (answer["duration_s"], answer["frames"], answer["events"], answer["problems"]) == (10.0, 3, 7, [])
    assert Path(answer["session"]).parent == tmp_path / "sessions"
    assert "is now session" in kairos("import", str(target)).out
    assert kairos("export", session.name, "--out", str(target)).code == 2


def test_an_export_into_a_folder_that_is_missing_says_so(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    answer = kairos("export", session.name, "--out", str(tmp_path / "missing" / "a.zip"))
    assert (answer.code, "make the folder first" in answer.err) == (3, True)


def test_export_as_lines(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    """Lines go to stdout or to a file, and are the canonical form."""
    with SessionReader(session) as reader:
        wanted = "".join(canonical(row) + "\n" for row in reader)
    assert kairos("export", session.name, "--jsonl").out == wanted
    assert kairos("export", session.name, "--jsonl", "--out", str(tmp_path / "x.jsonl"), "--json").json["bytes"] > 0
    assert (tmp_path / "x.jsonl").read_text() == wanted
    assert kairos("export", session.name, "--jsonl", "--json").code == 2
    assert "without labels" in kairos("export", session.name, "--jsonl", "--labels").err


def test_import_derives_the_rest_of_a_list_written_by_hand(kairos: Kairos, tmp_path: Path) -> None:
    """A few source records without numbers become a session with estimates and decisions that replays."""
    written = [Focus(t_ns=0, app="editor", window=1, title_digest="", geometry=SCREEN)]
    keys = [
        InputEvent(t_ns=n * NS_PER_S, kind=EventKind.KEY, key_class=KeyClass.UNDO if n % 2 else KeyClass.CHARACTER)
        for n in range(1, 60)
    ]
    (tmp_path / "list.jsonl").write_text("\n".join(canonical(row) for row in [*written, *keys]))
    answer = kairos("import", str(tmp_path / "list.jsonl"), "--json").json
    assert (answer["duration_s"], answer["events"], answer["problems"]) == (59.0, 59, [])
    replayed = replay(Path(answer["session"]), check=True)
    assert (replayed.identical, replayed.estimates > 5, replayed.decisions > 5) == (True, True, True)


def test_a_list_that_is_no_session_is_refused(kairos: Kairos, tmp_path: Path) -> None:
    """Lines that are no records, gaps and contradictions end with status 4 and leave nothing."""
    whole = [start_row(), numbered(SessionEnd(reason="quit"), 2, 100 * NS_PER_S)]
    good = [canonical(row) for row in whole]
    climbing = Frame(t_ns=1, monitor="m", size=(1, 1), digest="", changed=(), image_ref="../../x@0")
    lists = [
        ["{}"],
        ['{"record": "spell"}'],
        ['{"record": "tick", "seq": "one"}'],
        ["{" * 5_000],
        [good[0], good[1].replace('"seq":2', '"seq":1')],
        [good[0], good[0]],
        [good[0].replace(str(WALL_NS), str(2**62))],
        [canonical(climbing)],
    ]
    for number, lines in enumerate(lists):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("\n".join(lines))
        answer = kairos("import", str(path))
        assert (answer.code, number) == (4, number)
    path.write_text("\n".join(good))
    assert kairos("import", str(path)).code == 0
    assert len(kairos("list", "--json").json["sessions"]) == 1


def test_import_of_a_recording_from_the_command_line(kairos: Kairos, tmp_path: Path) -> None:
    """A recorder's folder is recognized by its events."""
    answer = kairos("import", str(write_recording(tmp_path / "recording", video=False)), "--json").json
    assert set(answer) == {"session", "duration_s", "frames", "events", "problems"}
    assert (answer["frames"], answer["events"]) == (0, 115)
    assert kairos("show", answer["session"], "--json").json["imported_from"] == "AgentNet recording recording"


def test_import_refuses_what_it_does_not_know(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    """Other folders, texts, missing files and a bare database end with status 4 and a reason."""
    (tmp_path / "text").write_text("hello")
    (tmp_path / "empty").mkdir()
    for name in ("text", "empty", "missing"):
        assert kairos("import", str(tmp_path / name)).code == 4
    assert "folder that it lies in" in kairos("import", str(session / "session.db")).err


def test_delete_asks_first(kairos: Kairos, session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing goes without a yes; what goes is said before."""
    assert kairos("delete", session.name).code == 2

    class Person(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Person("no\n"))
    answer = kairos("delete", session.name)
    assert (answer.code, session.exists()) == (1, True)
    assert str(session) in answer.err
    monkeypatch.setattr("sys.stdin", Person("yes\n"))
    assert (kairos("delete", session.name).code, session.exists()) == (0, False)


def test_who_deletes_a_session_is_told_where_copies_lie(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    """By the command and by a purge, of those that are still there."""
    for name in ("here", "gone", "here"):
        note_copy(session, tmp_path / name)
    (tmp_path / "here").mkdir()
    span = PurgeSpan(scope="all", begin_wall_ns=0, end_wall_ns=None)
    told = f"{tmp_path / 'here'}: delete it there, or run the export again"
    assert told in preview(span, session.parent, tmp_path / "state.db").not_reached
    answer = kairos("delete", session.name, "--yes")
    assert [line for line in answer.out.splitlines() if "export" in line] == [f"exported to {told}"]


def test_a_session_that_is_named_twice_is_deleted_once(kairos: Kairos, session: Path) -> None:
    assert kairos("delete", session.name, session.name, "--yes", "--json").json["deleted"] == [str(session)]


def test_nothing_is_deleted_where_one_of_several_is_no_session(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    other = tmp_path / "precious"
    copytree(session, other)
    assert kairos("delete", session.name, str(other), "--yes").code == 4
    assert session.exists()


def test_a_folder_of_several_people_stays_theirs(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    kairos("export", session.name, "--out", str(archive))
    kairos("delete", session.name, "--yes")
    session.parent.chmod(0o2775)
    assert kairos("import", str(archive)).code == 0
    assert session.parent.stat().st_mode & 0o7777 == 0o2775


def test_delete_takes_only_sessions(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    """With `--yes` it does not ask, and a folder that is no session in its place stays."""
    other = tmp_path / "precious"
    session.rename(other)
    assert kairos("delete", str(other), "--yes").code == 4
    assert other.exists()
    other.rename(session)
    assert kairos("delete", session.name, "--yes", "--json").json == {
        "deleted": [str(session)],
        "taken_out_of": [],
        "copies": [],
    }
    assert not session.exists()


def test_import_of_a_whole_list_gives_the_same_session(kairos: Kairos, session: Path, tmp_path: Path) -> None:
    """A whole list becomes the same session, but for the pictures, which a list has none of."""
    kairos("export", session.name, "--jsonl", "--out", str(tmp_path / "x.jsonl"))
    answer = kairos("import", str(tmp_path / "x.jsonl"), "--json")
    assert (answer.code, answer.json["frames"], answer.json["problems"]) == (0, 3, [])
    back = kairos("export", answer.json["session"], "--jsonl").out
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    new_id = {"session_id": Path(answer.json["session"]).name}
    assert new_id["session_id"] != session.name
    changed = {"frame": {"image_ref": None}, "session_start": new_id}
    assert [json.loads(line) for line in back.splitlines()] == [
        line | changed.get(line["record"], {}) for line in lines
    ]
