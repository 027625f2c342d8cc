"""A damaged session: every command says the same of it, quotes nothing of it, and what can be read is kept."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.main import main
from storage.errors import BadFile
from storage.files import sessions_folder
from storage.records import SegmentLabel, SessionStart
from storage.session.labels import LABELS, put_label, read_labels
from storage.session.log import DATABASE, SessionReader, list_sessions
from storage.session.transfer.import_session import import_session
from storage.session.transfer.recover import recover_session
from storage.session.verify import verify
from storage.testing import SessionBuilder
from tests.fakes.sessions.rows import rows_in

TITLE = "Quittenmarmelade"
PAGE = 4096


@pytest.fixture
def folder() -> Path:
    session = SessionBuilder()
    for number in range(400):
        session.wait(1).focus("writer", title=f"{TITLE} {number}")
        session.keys(2)
    return session.end().write(sessions_folder())


def a_page(database: Path) -> None:
    raw = bytearray(database.read_bytes())
    middle = len(raw) // PAGE // 2 * PAGE
    raw[middle : middle + PAGE] = os.urandom(PAGE)
    database.write_bytes(raw)


def half(database: Path) -> None:
    database.write_bytes(database.read_bytes()[: database.stat().st_size // 2])


def within_a_page(database: Path) -> None:
    """Cut it off there: the rest of the page reads as rows of number 0."""
    database.write_bytes(database.read_bytes()[: database.stat().st_size // 2 + 17])


def the_first_page(database: Path) -> None:
    raw = bytearray(database.read_bytes())
    raw[100:PAGE] = os.urandom(PAGE - 100)
    database.write_bytes(raw)


def a_page_of_the_views(database: Path) -> None:
    """They take more room than the first page has."""
    raw = bytearray(database.read_bytes())
    place = raw.index(b"CREATE VIEW") // PAGE * PAGE
    assert place >= PAGE
    raw[place : place + PAGE] = os.urandom(PAGE)
    database.write_bytes(raw)


def the_head(database: Path) -> None:
    """Write over what SQLite knows a database by."""
    raw = bytearray(database.read_bytes())
    raw[:100] = bytes(100)
    database.write_bytes(raw)


def a_row(database: Path) -> None:
    _change(database, "UPDATE records SET body = '{' WHERE seq = 300")


def a_text(database: Path) -> None:
    _change(database, "UPDATE records SET body = CAST(body || x'ff' AS TEXT) WHERE seq = 300")


def _change(database: Path, statement: str) -> None:
    connection = sqlite3.connect(database)
    with connection:
        connection.execute(statement)
    connection.close()


DAMAGES = [a_page, half, within_a_page, the_first_page, a_page_of_the_views, the_head, a_row, a_text]


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_command_says_the_same_and_quotes_nothing(
    folder: Path, damage: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(folder / DATABASE)
    said = {}
    for words in (
        ("sessions", "show"),
        ("sessions", "verify"),
        ("sessions", "export", "--out", str(tmp_path / "a.zip")),
        ("sessions", "export", "--jsonl", "--out", str(tmp_path / "a.jsonl")),
        ("sessions", "import"),
        ("replay",),
        ("replay", "--check"),
        ("report", "--out", str(tmp_path / "a.html")),
        ("why", "--session"),
    ):
        assert main([*words, str(folder)]) == 4
        output = capsys.readouterr()
        assert TITLE not in output.out + output.err
        what, remedy = output.err.splitlines()[-2:]
        said[words] = what.partition(" is damaged: ")[0], remedy
    assert set(said.values()) == {
        (f"kairos: {folder / DATABASE}", f"copy what can be read of it: kairos sessions recover {folder}")
    }
    assert main(["diagnose", "--out", str(tmp_path / "a.html"), str(folder)]) == 4
    assert "session.db is damaged: " in capsys.readouterr().err
    assert not any(tmp_path.glob("a.*"))


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_can_be_read_becomes_a_session(folder: Path, damage: Callable[[Path], None]) -> None:
    """The control: undamaged, every row is there."""
    before = rows_in(folder)
    whole = recover_session(folder, sessions_folder())
    assert (whole.rows, whole.missing) == (len(before), 0)
    assert verify(whole.folder).ok
    damage(folder / DATABASE)
    raw = (folder / DATABASE).read_bytes()
    found = recover_session(folder, sessions_folder())
    kept = rows_in(found.folder)
    numbers = {row.seq for row in kept}
    assert kept[1:] == [row for row in before[1:] if row.seq in numbers]
    assert damage not in (a_row, a_text) or found.missing == 1
    assert len(kept) == found.rows > len(before) // 4
    assert damage not in (the_first_page, a_page_of_the_views, the_head) or kept[1:] == before[1:]
    assert not verify(found.folder).damaged
    with SessionReader(found.folder) as reader:
        assert reader.first().imported_from == f"recovered {folder.name}"
    assert (folder / DATABASE).read_bytes() == raw


@pytest.mark.parametrize("statement", ["DELETE FROM records WHERE seq = 1", "DELETE FROM records"])
def test_a_session_without_its_beginning_is_told_alike(
    folder: Path, statement: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the rows are only copied: of none that can be read nothing succeeds."""
    _change(folder / DATABASE, statement)
    said = set()
    for words in ("show", "verify", "import", "export --jsonl", f"export --out {tmp_path / 'a.zip'}"):
        assert main(["sessions", *words.split(), str(folder)]) == 4
        output = capsys.readouterr()
        assert output.out == "" or words == "verify"
        said.add(tuple(output.err.splitlines()[-2:]))
    assert main(["replay", str(folder)]) == 4
    said.add(tuple(capsys.readouterr().err.splitlines()[-2:]))
    ((what, remedy),) = said
    assert what.endswith("it does not begin with the first row of a session")
    assert remedy == f"copy what can be read of it: kairos sessions recover {folder}"


def test_the_list_says_what_to_do_with_a_damaged_session(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    the_head(folder / DATABASE)
    assert main(["sessions", "list"]) == 0
    assert f"copy what can be read of it: kairos sessions recover {folder}" in capsys.readouterr().out


def test_what_was_said_of_a_damaged_session_stays_with_what_is_recovered(folder: Path) -> None:
    """Unless it cannot be read itself, which importing names by the folder that it came from."""
    label = SegmentLabel(label_id="1", rater="me", start_ns=1_000_000_000, end_ns=9_000_000_000)
    said = put_label(folder, label)
    a_page(folder / DATABASE)
    assert read_labels(recover_session(folder, sessions_folder()).folder) == said
    (folder / LABELS).write_bytes(b"noise")
    found = recover_session(folder, sessions_folder())
    assert (read_labels(found.folder), found.left) == ((), (LABELS,))
    with pytest.raises(BadFile, match=str(folder / LABELS)):
        import_session(folder, sessions_folder())


def test_of_a_session_without_its_first_row_nothing_is_made(folder: Path) -> None:
    _change(folder / DATABASE, "DELETE FROM records WHERE seq = 1")
    with pytest.raises(BadFile, match="does not begin with the first row") as fault:
        recover_session(folder, sessions_folder())
    assert str(fault.value.remedy).endswith(f"kairos sessions delete {folder.name}")
    assert list_sessions(sessions_folder()) == [folder]


def test_a_video_that_is_damaged_is_left_and_the_rows_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "screen-000.mp4").write_bytes(b"no video")
    assert main(["sessions", "recover", folder.name]) == 0
    assert "what is damaged in it was left there: screen-000.mp4" in capsys.readouterr().out
    (new,) = (made for made in list_sessions(sessions_folder()) if made != folder)
    assert [path.name for path in new.iterdir()] == [DATABASE]
    assert isinstance(rows_in(new)[0], SessionStart)


def test_a_full_disk_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing the copy fails, not reading what is copied."""
    shutil.copytree(folder, folder.with_name("20261119-120000-aaaa"))

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("storage.session.transfer.import_session.SessionWriter.append", full)
    with pytest.raises(sqlite3.OperationalError) as fault:
        recover_session(folder, sessions_folder())
    opened = [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert fault.tb is not None  # its frames hold whatever was not closed
    assert not [path for path in opened if path.is_relative_to(sessions_folder())]
