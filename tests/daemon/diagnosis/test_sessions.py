"""Many sessions: what is kept in each one's folder, what counts of it, and what cannot be read."""

import json
import os
import shutil
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.diagnosis import sessions
from daemon.diagnosis.episodes import SessionDiagnosis
from daemon.diagnosis.sessions import UnreadableSession, diagnose_sessions, read_cache
from storage.session.heartbeat import Heartbeat
from storage.session.log import DATABASE, DIAGNOSIS, GOALS, MODEL_ANSWERS, SessionReader, list_sessions
from storage.session.retention import delete_session
from storage.session.transfer.export import export_session
from storage.session.transfer.import_session import import_session
from tests.fakes.detectors.trouble import DAY_S, NOON_S, episode, write

MARKER = "Zebrafinch"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "STATE"))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def folder(base: Path) -> Path:
    return write(base, *episode(60.0))


def read(base: Path, **options: bool | float) -> list[SessionDiagnosis | UnreadableSession]:
    return list(diagnose_sessions(list_sessions(base), base, **options))  # type: ignore[arg-type]  # by name


def found_in(folder: Path, text: str) -> list[str]:
    return [path.name for path in sorted(folder.rglob("*")) if path.is_file() and text.encode() in path.read_bytes()]


def openings(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    opened: list[Path] = []

    class Counting(SessionReader):
        def __init__(self, path: Path) -> None:
            opened.append(path)
            super().__init__(path)

    monkeypatch.setattr(sessions, "SessionReader", Counting)
    return opened


def test_a_session_is_read_once_and_then_from_its_own_folder(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(3):
        write(base, *episode(60.0), day=day)
    opened = openings(monkeypatch)
    first = read(base)
    assert len(opened) == 3
    assert read(base) == first
    assert len(opened) == 3
    assert [len(diagnosis.episodes) for diagnosis in first if isinstance(diagnosis, SessionDiagnosis)] == [1, 1, 1]


def test_many_sessions_are_read_in_processes_with_the_same_answer(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [write(base, *episode(60.0), day=day) for day in range(9)]
    (folders[4] / DATABASE).write_bytes(b"no database")
    opened = openings(monkeypatch)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    found = read(base)
    assert opened == []
    assert [diagnosis.session for diagnosis in found] == [folder.name for folder in folders]
    assert [number for number, one in enumerate(found) if isinstance(one, UnreadableSession)] == [4]
    assert [(folder / DIAGNOSIS).exists() for folder in folders] == [number != 4 for number in range(9)]
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    for folder in folders:
        (folder / DIAGNOSIS).unlink(missing_ok=True)
    assert read(base) == found
    assert len(opened) == len(folders)


@pytest.mark.parametrize("change", ["rows", "garbage", "name", "rules", "thresholds", "link", "folder"])
def test_what_was_kept_of_something_else_does_not_count(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, folder: Path
) -> None:
    (first,) = read(base)
    kept = folder / DIAGNOSIS
    values = json.loads(kept.read_text())
    if change == "rows":
        os.utime(folder / DATABASE, ns=(7, 7))
    elif change == "garbage":
        kept.write_bytes(b"\xff{")
    elif change == "name":
        kept.write_text(json.dumps({**values, "found": {**values["found"], "session": "another"}}))
    elif change == "rules":
        kept.write_text(json.dumps({**values, "rules": values["rules"] + 1}))
    elif change == "thresholds":
        kept.write_text(json.dumps({**values, "thresholds": {"100": 0.1}}))
    elif change == "link":
        kept.rename(tmp_path / "elsewhere.json")
        kept.symlink_to(tmp_path / "elsewhere.json")
    else:
        kept.unlink()
        kept.mkdir()
    assert read_cache(folder) is None
    opened = openings(monkeypatch)
    assert read(base) == [first]
    assert len(opened) == 1


def test_outside_the_folder_of_sessions_nothing_is_read_or_left_beside_one(
    base: Path, tmp_path: Path, folder: Path
) -> None:
    """A foreign folder may bring a file of that name, and is not written to."""
    read(base)
    shutil.copytree(folder, tmp_path / "foreign" / folder.name)
    foreign = tmp_path / "foreign" / folder.name
    forged = foreign / DIAGNOSIS
    forged.write_text(forged.read_text().replace("undo_bursts", "flow"))
    (found,) = diagnose_sessions([foreign], base)
    assert isinstance(found, SessionDiagnosis)
    assert [shown_episode.evidence for shown_episode in found.episodes] == ["undo_bursts"]
    forged.unlink()
    list(diagnose_sessions([foreign], base))
    assert not forged.exists()


def test_deleting_a_session_deletes_what_was_found_in_it(base: Path, tmp_path: Path) -> None:
    """A control's name is in the rows and in what is kept of them; afterwards it is nowhere."""
    folder = write(base, *episode(60.0, name=MARKER))
    other = write(base, *episode(60.0, name="Other"), day=1)
    read(base)
    assert found_in(tmp_path, MARKER) == [DIAGNOSIS, DATABASE]
    delete_session(folder, base)
    read(base)
    assert found_in(tmp_path, MARKER) == []
    assert found_in(tmp_path, "Other") == [DIAGNOSIS, DATABASE]
    assert list_sessions(base) == [other]


@pytest.mark.parametrize("name", [DIAGNOSIS, GOALS, MODEL_ANSWERS])
def test_exports_leave_what_was_found_and_answered_out_and_imports_take_none_over(
    base: Path, tmp_path: Path, name: str
) -> None:
    folder = write(base, *episode(60.0, name=MARKER))
    (folder / name).write_bytes(b"of this machine")
    export_session(folder, tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert name not in archive.namelist()
    for source in (tmp_path / "one.zip", folder):
        imported = import_session(source, tmp_path / "imported")
        assert [path.name for path in imported.iterdir()] == [DATABASE]


def test_a_session_that_cannot_be_read_is_named_and_the_others_are_read(base: Path) -> None:
    good = write(base, *episode(60.0))
    (base / "20261101-101010-aaaa").mkdir()
    (base / "20261101-101010-bbbb").mkdir()
    (base / "20261101-101010-bbbb" / DATABASE).write_bytes(b"garbage")
    torn = write(base, *episode(60.0), day=1)
    raw = (torn / DATABASE).read_bytes()
    (torn / DATABASE).write_bytes(raw.replace(b'"help_need":0.9', b'"help_need":"x"'))
    found = read(base)
    assert [diagnosis.session for diagnosis in found if isinstance(diagnosis, SessionDiagnosis)] == [good.name]
    bad = [diagnosis for diagnosis in found if isinstance(diagnosis, UnreadableSession)]
    assert [diagnosis.session for diagnosis in bad] == ["20261101-101010-aaaa", "20261101-101010-bbbb", torn.name]
    assert all(diagnosis.problem for diagnosis in bad)


def test_sessions_that_had_ended_before_are_not_opened(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(4):
        folder = write(base, *episode(60.0), day=day)
        ended_ns = round((NOON_S + day * DAY_S + 600.0) * 1e9)
        os.utime(folder / DATABASE, ns=(ended_ns, ended_ns))
    opened = openings(monkeypatch)
    found = read(base, since=NOON_S + 2 * DAY_S + 300.0)
    assert [diagnosis.began for diagnosis in found if isinstance(diagnosis, SessionDiagnosis)] == [
        NOON_S + 2 * DAY_S,
        NOON_S + 3 * DAY_S,
    ]
    assert len(opened) == 2


def test_what_is_kept_is_for_this_user_alone_and_as_old_as_the_session(base: Path, folder: Path) -> None:
    """By its files' times others see how old a session is."""
    os.utime(folder / DATABASE, ns=(5_000_000_000, 5_000_000_000))
    read(base)
    kept = (folder / DIAGNOSIS).stat()
    assert stat.S_IMODE(kept.st_mode) == 0o600
    assert kept.st_mtime_ns == 5_000_000_000
    assert sorted(path.name for path in folder.iterdir()) == [DIAGNOSIS, DATABASE]


def test_a_session_that_is_being_recorded_is_read_and_nothing_is_kept(base: Path, folder: Path) -> None:
    """It will hold more in a moment."""
    heartbeat = Heartbeat(folder)
    assert [type(diagnosis) for diagnosis in read(base)] == [SessionDiagnosis]
    heartbeat.close(in_order=True)
    assert not (folder / DIAGNOSIS).exists()
    read(base)
    assert (folder / DIAGNOSIS).exists()


def test_a_folder_that_may_not_be_written_to_is_read_all_the_same(
    base: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("storage.files.os.utime", refuse)
    assert [type(diagnosis) for diagnosis in read(base)] == [SessionDiagnosis]
    assert [path.name for path in folder.iterdir()] == [DATABASE]


def test_sessions_are_read_one_after_the_other(base: Path) -> None:
    """Whoever takes one at a time holds one at a time."""
    for day in range(2):
        write(base, *episode(60.0), day=day)
    found = diagnose_sessions(list_sessions(base), base)
    assert isinstance(found, Iterator)
    next(found)
    assert [(folder / DIAGNOSIS).exists() for folder in list_sessions(base)] == [True, False]
