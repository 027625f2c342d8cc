"""Exports and imports: what is ours comes back as it was; what is hostile is refused and touches nothing."""

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import av
import pytest

from storage import testing
from storage.clock import NS_PER_S, SystemClock
from storage.db.codec import canonical
from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError
from storage.files import state_folder
from storage.records import HelpAnswer, ModelAnswer, ModelTier, SessionStart
from storage.session.heartbeat import HEARTBEAT_FILE
from storage.session.log import SessionReader
from storage.session.retention import session_infos, sweep_staging_folders
from storage.session.transfer import archive as archive_module
from storage.session.transfer import export as export_module
from storage.session.transfer.archive import MANIFEST_NAME, Member
from storage.session.transfer.export import export_lines, export_session
from storage.session.transfer.import_session import import_session, read_record_list, reserved_folder
from storage.session.verify import verify
from storage.settings import DetectorSettings, ModelSettings, Settings, StorageSettings
from tests.fakes.sessions.session_sample import listing, rows, start_row, write_session

Members = dict[str, bytes]
Refused = Callable[[Path], str]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_session(tmp_path_factory.mktemp("recorded"))


@pytest.fixture(scope="module")
def good(session: Path, tmp_path_factory: pytest.TempPathFactory) -> Members:
    target = tmp_path_factory.mktemp("exported") / "good.zip"
    export_session(session, target)
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_manifest(members: Members) -> Members:
    files = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
        if name != MANIFEST_NAME
    }
    manifest = {"format": "kairos-export", "version": 1, "session_id": "x", "files": files}
    return members | {MANIFEST_NAME: json.dumps(manifest).encode()}


def pack(path: Path, members: Members, *, mode: int = 0o600, how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = how
            archive.writestr(info, data)
    return path


@pytest.mark.parametrize(
    ("name", "size"), [("screen-900.mp4", 3 << 30), ("screen-900.mp4", 5 << 30), (HEARTBEAT_FILE, 99)]
)
def test_what_does_not_fit_into_an_export_is_refused_before_it_is_copied(
    name: str, size: int, session: Path, tmp_path: Path
) -> None:
    """Gigabytes of a hole are nothing on disk, and took minutes to pack before anything was said."""
    folder = shutil.copytree(session, tmp_path / session.name)
    with (folder / name).open("wb") as file:
        file.truncate(size)
    read: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_module, "copy_stream", lambda source, out, limit, of: _count(read, source, out, limit, of))
        with pytest.raises(KairosError, match=r"larger than|too large"):
            export_session(folder, tmp_path / "out.zip")
    assert sum(read) < 1 << 30
    assert not (tmp_path / "out.zip").exists()
    assert not list(state_folder().iterdir())


def test_a_pipe_among_the_pictures_does_not_hold_up_an_export(session: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(session, tmp_path / session.name)
    os.mkfifo(folder / "screen-900.mp4")
    with pytest.raises(BadFile):
        export_session(folder, tmp_path / "out.zip")


def _count(read: list[int], source: IO[bytes], out: IO[bytes], limit: int, name: str) -> Member:
    member = archive_module.copy_stream(source, out, limit, name)
    read.append(member.size)
    return member


def lines(folder: Path) -> list[str]:
    with SessionReader(folder) as reader:
        found = [canonical(row) for row in reader]
    assert found[0].count(f'"session_id":"{folder.name}"') == 1
    return [found[0].replace(folder.name, "this"), *found[1:]]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """Return a function that imports a file, wants it refused, and wants nothing changed anywhere around."""
    surroundings = tmp_path / "home"
    (surroundings / "deeper").mkdir(parents=True)
    (surroundings / "precious").write_text("mine")
    sessions = surroundings / "deeper" / "sessions"
    sessions.mkdir(mode=0o700)

    def check(path: Path) -> str:
        before = listing(tmp_path)
        with pytest.raises(BadFile) as caught:
            import_session(path, sessions)
        assert listing(tmp_path) == before
        assert caught.value.exit_code == 4
        return caught.value.what

    return check


def test_an_export_imports_as_the_same_rows_and_pictures(session: Path, tmp_path: Path) -> None:
    size = export_session(session, tmp_path / "one.zip")
    back = import_session(tmp_path / "one.zip", tmp_path / "sessions")
    assert size == (tmp_path / "one.zip").stat().st_size
    assert lines(back) == lines(session)
    assert (back / "screen-000.mp4").read_bytes() == (session / "screen-000.mp4").read_bytes()
    assert verify(back) == verify(session)
    assert back.name != session.name
    assert stat.S_IMODE(back.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in back.iterdir()} == {0o600}
    assert [path.name for path in (tmp_path / "sessions").iterdir()] == [back.name]


def test_two_exports_of_a_session_are_equal(session: Path, tmp_path: Path) -> None:
    export_session(session, tmp_path / "one.zip")
    export_session(session, tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("foreign", ["99991231-235959-ffff", "00000101-000000-0000", "../../elsewhere", ""])
def test_an_import_gets_a_name_and_an_id_of_our_own(tmp_path: Path, foreign: str) -> None:
    """Whatever it was called elsewhere: its name is a time, and nothing that is keyed by an id meets another's."""
    folder = testing.write_session(tmp_path / "foreign", [start_row(session_id=foreign)])
    back = import_session(folder, tmp_path / "sessions")
    with SessionReader(back) as reader:
        assert reader.first() == start_row(session_id=back.name)
    assert back.name != foreign
    (info,) = session_infos(tmp_path / "sessions")
    assert 0 < info.started_wall_ns <= SystemClock().wall_ns()


@pytest.mark.parametrize(("stated_ns", "named_ns"), [(-1, 500), (400, 400), (501, 500), (2**62, 500)])
def test_an_import_is_named_by_when_it_began_or_else_by_now(tmp_path: Path, stated_ns: int, named_ns: int) -> None:
    """A start before 1970 or still to come cannot be true; such a session counts as begun when it was imported."""
    now_wall_ns = 500 * NS_PER_S
    with reserved_folder(tmp_path, stated_ns * NS_PER_S, now_wall_ns=now_wall_ns) as folder:
        named = datetime.strptime(folder.name[:15], "%Y%m%d-%H%M%S").astimezone()
    assert named.timestamp() == named_ns


def test_an_export_without_video_imports_without_names_of_pictures(session: Path, tmp_path: Path) -> None:
    export_session(session, tmp_path / "small.zip", video=False)
    back = import_session(tmp_path / "small.zip", tmp_path / "sessions")
    report = verify(back)
    assert (report.ok, report.problems, report.frames) == (True, (), 3)
    assert not list(back.glob("*.mp4"))


def test_a_cut_off_session_is_exported_with_its_log_and_heartbeat(tmp_path: Path) -> None:
    folder = write_session(tmp_path / "recorded", ended=False, pictures=0)
    keeper = sqlite3.connect(folder / "session.db")
    keeper.execute("PRAGMA journal_mode = WAL")
    body = keeper.execute("SELECT body FROM records WHERE seq = 13").fetchone()[0]
    extra = json.loads(body) | {"seq": 14, "at_ns": 110_000_000_000}
    keeper.execute("INSERT INTO records VALUES (14, 110000000000, 'feedback', ?)", (json.dumps(extra),))
    keeper.commit()
    copy = tmp_path / "killed" / folder.name
    shutil.copytree(folder, copy)
    keeper.close()
    (copy / "pulse").write_bytes((112 * 10**9).to_bytes(8, "little") + (110 * 10**9).to_bytes(8, "little"))
    assert (copy / "session.db-wal").stat().st_size > 0
    export_session(copy, tmp_path / "cut.zip")
    for source in (copy, tmp_path / "cut.zip"):
        back = import_session(source, tmp_path / "sessions")
        assert len(lines(back)) == 14
        assert verify(back).lost_s == 2.0 + 2.0


def test_the_written_list_reads_back_as_the_rows(session: Path, tmp_path: Path) -> None:
    export_lines(session, tmp_path / "list.jsonl")
    with SessionReader(session) as reader:
        assert list(map(canonical, read_record_list(tmp_path / "list.jsonl"))) == list(map(canonical, reader))


@pytest.mark.parametrize("recording", [False, True])
def test_an_older_journal_is_exported_without_excluded_titles_and_programs(tmp_path: Path, *, recording: bool) -> None:
    """Earlier builds stored them in every first row. With consent to the recording they stay: the control."""
    fence = {"excluded_apps": ["Tinder"], "excluded_titles": ["oncology", "salary"], "settle_s": 1.0}
    start = replace(start_row(), recording=recording, settings={"fence": fence, "storage": {"flush_s": 0.5}})
    folder = testing.write_session(tmp_path / start.session_id, [start, *rows()[1:3]])
    export_session(folder, tmp_path / "one.zip")
    export_lines(folder, tmp_path / "list.jsonl")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        exported = [archive.read(name) for name in archive.namelist()]
    database, listed = exported[0], (tmp_path / "list.jsonl").read_bytes()
    for word in (b"Tinder", b"oncology", b"salary"):
        assert [word in data for data in (database, exported[1], listed)] == [recording] * 3
    back = import_session(tmp_path / "one.zip", tmp_path / "sessions")
    with SessionReader(back) as reader:
        found = list(reader)
    assert isinstance(found[0], SessionStart)
    assert {name: len(found[0].settings["fence"][name]) for name in list(fence)[:2]} == {  # type: ignore[arg-type]  # lists
        "excluded_apps": 1,
        "excluded_titles": 2,
    }
    assert replace(found[0], settings=start.settings, session_id=start.session_id) == start
    assert found[1:] == rows()[1:3]


MARKED = replace(
    Settings(),
    storage=StorageSettings(sessions_dir="/home/markada/sessions"),
    strong_model=ModelSettings(
        preset="markpreset", model="markmodel", url="https://markhost.example", key_name="MARKKEY"
    ),
    detector=DetectorSettings(name="/home/markada/mine.onnx"),
)
MARKS = (
    b"markada",
    b"markpreset",
    b"markmodel",
    b"markhost",
    b"MARKKEY",
    b"markkernel",
    b"markboot",
    b"markanswer",
    b"markhelp",
    b"markfile",
)


@pytest.mark.parametrize("recording", [False, True])
def test_no_mark_of_who_somebody_is_leaves_with_an_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, recording: bool
) -> None:
    """In no file of it, although earlier builds stored them; what a replay needs stays. The control changes nothing."""
    start = replace(start_row(), recording=recording, settings=asdict(MARKED), platform="Linux 6.8.0-markkernel")
    start = replace(start, imported_from=None if recording else "list markfile.jsonl", boot="markboot")
    asked: dict[str, Any] = {"at_ns": start.at_ns, "tier": ModelTier.STRONG, "asked_at_ns": 1, "latency_ns": 1}
    answer = testing.plain(ModelAnswer, seq=2, model="markanswer", **asked)
    helped = testing.plain(HelpAnswer, seq=3, model="markhelp", **asked)
    folder = testing.write_session(tmp_path / start.session_id, [start, answer, helped])

    def exported(name: str) -> list[bytes]:
        export_session(folder, tmp_path / f"{name}.zip")
        export_lines(folder, tmp_path / f"{name}.jsonl")
        with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
            return [*(archive.read(each) for each in archive.namelist()), (tmp_path / f"{name}.jsonl").read_bytes()]

    files = exported("clean")
    assert len(files) == 4, "database, list, manifest, lines"
    assert [mark for mark in MARKS for data in files if mark in data] == []
    with SessionReader(import_session(tmp_path / "clean.zip", tmp_path / "sessions")) as reader:
        kept = reader.first().settings
    assert (kept["detector"]["name"], kept["policy"]) == ("mine.onnx", asdict(MARKED)["policy"])
    monkeypatch.setattr(export_module, "_portable", lambda row: row)
    leaky = exported("control")
    assert {mark for mark in MARKS for data in leaky if mark in data} == set(MARKS[: -1 if recording else None])


def test_an_export_never_overwrites(session: Path, tmp_path: Path) -> None:
    target = tmp_path / "there.zip"
    target.write_text("mine")
    for write in (export_session, export_lines):
        with pytest.raises(UsageError):
            write(session, target)
    assert target.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_a_repacked_good_export_imports(good: Members, tmp_path: Path) -> None:
    """Control of all tests below: packing as they do is not what gets an export refused."""
    assert verify(import_session(pack(tmp_path / "x.zip", with_manifest(good)), tmp_path / "sessions")).ok


PLAY_LIST = b"ffconcat version 1.0\nfile secret.mp4\n"
FOREIGN = (
    "../evil",
    "/etc/evil",
    "..\\evil",
    "sub/session.db",
    "screen-000.mp4/../../evil",
    "C:evil",
    "evil\0.mp4",
    "pulse/",
)
SMALL_BOMBS = {f"screen-{number:03}.mp4": bytes(1 << 20) for number in range(20)}
"""A thousand members of a megabyte of zeros each are a gigabyte out of one megabyte."""


@pytest.mark.parametrize(
    ("hostile", "said"),
    [
        *(pytest.param({name: b"evil"}, "nothing was unpacked", id=repr(name)) for name in FOREIGN),
        pytest.param({"records.jsonl": bytes(20 << 20)}, "times its size", id="a bomb"),
        pytest.param(SMALL_BOMBS, "times its size", id="many small bombs"),
        pytest.param({"screen-000.mp4": PLAY_LIST}, "whatever its name says", id="a play list that is called a video"),
    ],
)
def test_a_hostile_member_is_refused(
    good: Members, tmp_path: Path, refused: Refused, hostile: Members, said: str
) -> None:
    assert said in refused(pack(tmp_path / "x.zip", with_manifest(good | hostile)))


def test_zipfile_alone_would_take_the_foreign_name(good: Members, tmp_path: Path) -> None:
    """Control: the standard library reads such an archive without complaint."""
    pack(tmp_path / "x.zip", with_manifest(good | {"../evil": b"evil"}))
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert archive.read("../evil") == b"evil"


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR])
def test_a_member_that_is_no_plain_file_is_refused(good: Members, tmp_path: Path, refused: Refused, kind: int) -> None:
    assert "nothing was unpacked" in refused(pack(tmp_path / "x.zip", with_manifest(good), mode=kind | 0o777))


def test_a_member_that_comes_twice_is_refused(good: Members, tmp_path: Path, refused: Refused) -> None:
    """Which of two would count is nothing to guess about."""
    path = pack(tmp_path / "x.zip", with_manifest(good))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("session.db", b"another")
    assert "twice" in refused(path)


def _local_header(name: str, data: bytes, *, hidden: int = 0) -> bytes:
    """Return the header of a stored member; the bytes `hidden` behind it count as its extra field."""
    sizes = (zlib.crc32(data), len(data), len(data), len(name), hidden)
    return struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, *sizes) + name.encode()


def overlapping(path: Path, members: Members, *, shared: bytes, names: list[str]) -> Path:
    """Write an archive in which some members share the same stored bytes: each local header hides those behind it."""
    body, offsets = b"", {}
    for name in reversed(names):
        offsets[name] = len(body)  # from the end of them, as yet
        body = _local_header(name, shared, hidden=len(body)) + body
    offsets = {name: len(body) - offset - 30 - len(name) for name, offset in offsets.items()}
    body += shared
    plain = {name: data for name, data in members.items() if name not in names}
    for name, data in plain.items():
        offsets[name] = len(body)
        body += _local_header(name, data) + data
    directory = b""
    for name, offset in offsets.items():
        data = plain.get(name, shared)
        directory += struct.pack(
            "<4s6H3I5H2I",
            *(b"PK\1\2", 20, 20, 0, 0, 0, 0, zlib.crc32(data), len(data), len(data)),
            *(len(name), 0, 0, 0, 0, 0o600 << 16, offset),
        )
        directory += name.encode()
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, len(offsets), len(offsets), len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    return path


def test_members_that_share_their_bytes_are_refused_before_anything_is_written(
    good: Members, tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file would become a thousand large ones; written one after the other, nothing in it shares any."""
    shared = random.Random(1).randbytes(200_000)
    names = [f"screen-{number:03}.mp4" for number in range(20)]
    hostile = with_manifest(good | dict.fromkeys(names, shared))
    unpacked: list[str] = []
    real = archive_module._unpack_member

    def unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path, name: str) -> Member:
        unpacked.append(member.filename)
        return real(archive, member, into, name)

    monkeypatch.setattr(archive_module, "_unpack_member", unpack)
    path = overlapping(tmp_path / "x.zip", hostile, shared=shared, names=names)
    with zipfile.ZipFile(path) as archive:
        assert sum(member.file_size for member in archive.infolist()) > 10 * path.stat().st_size
    assert "share" in refused(path)
    assert unpacked == []
    for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        assert "share" not in refused(pack(tmp_path / "x.zip", hostile, how=how))
        assert len(unpacked) == len(hostile)
        unpacked.clear()


def test_more_files_than_a_session_has_are_refused_unread(session: Path, tmp_path: Path, refused: Refused) -> None:
    folder = shutil.copytree(session, tmp_path / "foreign")
    for number in range(1_000):
        (folder / f"{number}").touch()
    assert "more files" in refused(folder)
    assert "more files" in refused(pack(tmp_path / "x.zip", {f"{number}": b"" for number in range(1_001)}))


def test_a_member_that_grows_beyond_what_it_says_is_refused(good: Members, tmp_path: Path, refused: Refused) -> None:
    path = pack(tmp_path / "x.zip", with_manifest(good | {"records.jsonl": b"a" * 5_000}))
    data = bytearray(path.read_bytes())
    stated = (5_000).to_bytes(4, "little")
    while (place := data.find(stated)) >= 0:
        data[place : place + 4] = (50).to_bytes(4, "little")
    path.write_bytes(data)
    assert "damaged" in refused(path)


def test_an_encrypted_or_oddly_packed_member_is_refused(good: Members, tmp_path: Path, refused: Refused) -> None:
    """Only what our own export uses is unpacked."""
    assert "does not use" in refused(pack(tmp_path / "x.zip", with_manifest(good), how=zipfile.ZIP_BZIP2))


def test_a_changed_member_is_refused(good: Members, tmp_path: Path, refused: Refused) -> None:
    changed = with_manifest(good) | {"screen-000.mp4": good["screen-000.mp4"] + b"x"}
    assert "damaged" in refused(pack(tmp_path / "x.zip", changed))


@pytest.mark.parametrize(
    "manifest",
    [b"", b"[]", b"[" * 100_000, b'{"format": "other", "version": 1, "session_id": "", "files": {}}', b"\xff\xfe"],
)
def test_a_senseless_manifest_is_refused(good: Members, tmp_path: Path, refused: Refused, manifest: bytes) -> None:
    refused(pack(tmp_path / "x.zip", good | {MANIFEST_NAME: manifest}))


def test_an_export_of_a_newer_version_says_so(good: Members, tmp_path: Path, refused: Refused) -> None:
    newer = with_manifest(good)[MANIFEST_NAME].replace(b'"version": 1', b'"version": 2')
    assert "a newer Kairos" in refused(pack(tmp_path / "x.zip", good | {MANIFEST_NAME: newer}))


def test_a_file_that_is_cut_off_anywhere_is_refused(good: Members, tmp_path: Path, refused: Refused) -> None:
    data = pack(tmp_path / "x.zip", with_manifest(good)).read_bytes()
    for length in (0, 1, 21, 22, 100, len(data) // 2, len(data) - 22, len(data) - 1):
        (tmp_path / "x.zip").write_bytes(data[:length])
        refused(tmp_path / "x.zip")


def test_unpinned_the_play_list_would_open_the_other_file(good: Members, tmp_path: Path) -> None:
    """Control: opened without a pinned format the same play-list shows the other file's pictures."""
    (tmp_path / "secret.mp4").write_bytes(good["screen-000.mp4"])
    (tmp_path / "screen-000.mp4").write_bytes(PLAY_LIST)
    with av.open(str(tmp_path / "screen-000.mp4")) as container:
        assert sum(1 for _ in container.decode(video=0)) == 3


def test_links_and_pipes_in_a_session_folder_are_refused(session: Path, tmp_path: Path, refused: Refused) -> None:
    folder = tmp_path / "foreign"
    for make in (lambda path: path.symlink_to(session / "session.db"), os.mkfifo, os.mkdir):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        make(folder / "session.db")
        refused(folder)


def test_a_rollback_journal_is_left_behind(session: Path, tmp_path: Path) -> None:
    """SQLite would act on a file name in it, so it does not come along."""
    folder = shutil.copytree(session, tmp_path / "foreign")
    (folder / "session.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"/tmp/precious")
    back = import_session(folder, tmp_path / "sessions")
    assert sorted(path.name for path in back.iterdir()) == ["screen-000.mp4", "session.db"]


def test_a_full_disk_is_no_fault_of_the_file(session: Path, tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("in the way")
    with pytest.raises(KairosError) as caught:
        import_session(session, tmp_path / "sessions")
    assert caught.value.exit_code == 3


def test_a_file_that_is_too_large_is_not_copied(
    session: Path, tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hole of gigabytes takes no room until it is copied, so the size is looked at before."""
    odd = Path(shutil.copytree(session, tmp_path / "odd"))
    with (odd / "screen-001.mp4").open("wb") as file:
        file.truncate((1 << 20) + 1)
    monkeypatch.setattr(archive_module, "_VIDEO_LIMIT", 1 << 20)
    copied: list[str] = []
    real = archive_module.copy_stream

    def watched(source: IO[bytes], out: IO[bytes], limit: int, name: str) -> Member:
        copied.append(name)
        assert "screen-001" not in name, "it is being copied"
        return real(source, out, limit, name)

    monkeypatch.setattr(archive_module, "copy_stream", watched)
    assert "screen-001.mp4 is larger than it may be" in refused(odd)
    assert copied


def test_importing_twice_gives_two_sessions(session: Path, tmp_path: Path) -> None:
    first = import_session(session, tmp_path / "sessions")
    second = import_session(session, tmp_path / "sessions")
    assert first != second
    assert lines(first) == lines(second)


def test_a_killed_export_leaves_nothing_where_it_was_to_be(tmp_path: Path, session: Path) -> None:
    """What it had copied lies in the data folder, where the next export or a purge removes it."""
    killed = (
        "import os, signal, sys; from pathlib import Path; from storage.session.transfer import export\n"
        "export._fill = lambda archive, *_: (archive.writestr('x', b'x' * 99), os.kill(os.getpid(), signal.SIGKILL))\n"
        "export.export_session(Path(sys.argv[1]), Path(sys.argv[2]) / 'copy.kairos')\n"
    )
    place = tmp_path / "elsewhere"
    place.mkdir()
    done = subprocess.run([sys.executable, "-c", killed, str(session), str(place)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(place.iterdir()) == []
    assert [path.name for path in state_folder().glob(".import-*/*")] != []
    sweep_staging_folders(state_folder())
    assert list(state_folder().glob(".import-*")) == []
    export_session(session, place / "copy.kairos")
    assert [path.name for path in place.iterdir()] == ["copy.kairos"]
    assert (place / "copy.kairos").stat().st_mode & 0o777 == 0o600


def test_where_files_need_a_name_a_failed_export_removes_its_own(
    tmp_path: Path, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems have no files without a name."""
    monkeypatch.setattr("storage.session.transfer.export.os.O_TMPFILE", os.O_DIRECTORY | os.O_EXCL | os.O_CREAT)
    target = tmp_path / "copy.kairos"
    assert export_session(session, target) == target.stat().st_size
    target.unlink()
    monkeypatch.setattr("storage.session.transfer.export._fill", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(EnvironmentFault, match="No space left"):
        export_session(session, target)
    assert not target.exists()
