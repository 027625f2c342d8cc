"""Exports and session folders: members, names, sizes and links that no session has, and damaged databases."""

import contextlib
import hashlib
import io
import os
import random
import socket
import struct
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

from storage.clock import NS_PER_S
from storage.session.retention import delete_due_sessions
from storage.settings import StorageSettings
from storage.state.store import StateStore
from tests.fakes.hostile.commands import command, use_sessions
from tests.fakes.hostile.databases import damaged_database, database
from tests.fakes.hostile.values import changed, damaged, dump
from tests.fakes.sessions.session_sample import WALL_NS, write_session

Members = list[tuple[str, bytes]]

_NAMES = (
    "../outside",
    "/tmp/outside",  # noqa: S108  # a name of somebody who wants to write there
    "session.db/",
    "session.db-journal",
    "session.db-shm",
    "SESSION.DB",
    "screen-000.mp4",
    "screen-001.mp4",
    "screen-999999999.mp4",
    "..\\outside",
    "pulse",
    "",
    "a/b",
    "records.jsonl",
    "session.db\0.txt",
    "\u202escreen",
    "x" * 5_000,
)
_BOMB_BYTES = (1 << 16, 4 << 20, 32 << 20)
_FIELDS = (0, 1, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)
_CENTRAL, _LOCAL, _END = b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"
_NAME = "20260921-141320-abcd"


@cache
def video() -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        return (write_session(Path(scratch)) / "screen-000.mp4").read_bytes()


# ---------------------------------------------------------------- exports


def export_file(rng: random.Random, folder: Path) -> None:
    """An export, imported; if that is accepted the session is used."""
    members: Members = [("session.db", database()), ("records.jsonl", b"{}\n")]
    if rng.random() < 0.5:  # else the archive alone is odd
        members[0] = ("session.db", damaged_database(rng, members[0][1], folder))
    for _ in range(rng.randint(0, 2)):
        _change_members(rng, members)
    members = _with_manifest(rng, members)
    raw = _packed(rng, members)
    for _ in range(rng.choice((0, 0, 1, 2))):
        raw = _with_field(rng, raw)
    if rng.random() < 0.1:  # some are damaged too
        raw = damaged(rng, raw)
    path, sessions = folder / "one.zip", folder / "sessions"
    path.write_bytes(raw)
    command("sessions", "import", str(path), "--sessions", str(sessions))
    use_sessions(rng, sessions)


def _change_members(rng: random.Random, members: Members) -> None:
    at = rng.randrange(len(members)) if members else 0
    match rng.randrange(6):
        case 0 if members:
            members[at] = (rng.choice(_NAMES), members[at][1])
        case 1 if members:
            members.append(members[at])
        case 2 if members:
            del members[at]
        case 3:
            name = rng.choice(("session.db-wal", "pulse", "records.jsonl", "manifest.json"))
            members.append((name, bytes(rng.choice(_BOMB_BYTES))))
        case 4:
            members.append(("session.db-wal", rng.randbytes(rng.choice((10, 32, 5_000)))))
        case _:
            members.append((rng.choice(_NAMES), rng.randbytes(rng.choice((0, 16, 5_000)))))


def _with_manifest(rng: random.Random, members: Members) -> Members:
    files = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members
        if name != "manifest.json"
    }
    manifest: object = {"format": "kairos-export", "version": 1, "session_id": "x", "files": files}
    if rng.random() < 0.2:
        manifest = changed(rng, manifest)
    return [*members, ("manifest.json", dump(manifest).encode())]


def _packed(rng: random.Random, members: Members) -> bytes:
    """Return an archive; some say that their members are links or folders."""
    mode = 0o600 if rng.random() < 0.85 else rng.choice((0o120777, 0o040755, 0o020600, 0o010600, 0o170000))
    how = zipfile.ZIP_DEFLATED if rng.random() < 0.8 else rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_LZMA))
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a name comes twice is what is wanted
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in members:
                info = zipfile.ZipInfo(name)
                info.external_attr = mode << 16
                info.compress_type = how
                info.extra = rng.choice((b"", b"", b"", b"\1\0\x08\0" + bytes(8), b"up\xff\xff", rng.randbytes(9)))
                archive.writestr(info, data, compresslevel=1)
            if rng.random() < 0.05:
                archive.comment = rng.choice((b"PK\x05\x06" + bytes(18), b"x" * 65_535))
    return out.getvalue()


def _with_field(rng: random.Random, raw: bytes) -> bytes:
    mark, fields = rng.choice(
        (
            (_CENTRAL, ((4, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (38, 4), (42, 4))),
            (_LOCAL, ((4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2))),
            (_END, ((4, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2))),
        )
    )
    found = [at for at in range(len(raw)) if raw.startswith(mark, at)] if len(raw) < 1 << 20 else [raw.rfind(mark)]
    if not found or found[-1] < 0:
        return raw
    header, (offset, size) = rng.choice(found), rng.choice(fields)
    if header + offset + size > len(raw):
        return raw
    value = rng.choice(_FIELDS)
    if mark == _CENTRAL and offset == 42 and rng.random() < 0.6:  # two members share their bytes
        value = struct.unpack_from("<I", raw, rng.choice(found) + 42)[0] if len(raw) > 46 else 0
    data = bytearray(raw)
    data[header + offset : header + offset + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return bytes(data)


# ---------------------------------------------------------------- session folders


def session_folder(rng: random.Random, folder: Path) -> None:
    """A folder of a session with odd files in it, imported from elsewhere or found among our own."""
    sessions = folder / "sessions"
    own = rng.random() < 0.5
    session = (sessions if own else folder / "elsewhere") / _NAME
    session.mkdir(parents=True)
    raw = database() if rng.random() < 0.2 else damaged_database(rng, database(), folder)
    (session / "session.db").write_bytes(raw)
    for _ in range(rng.randint(0, 3)):
        with contextlib.suppress(OSError):  # it is there already, as something else
            _add_odd_file(rng, session)
    if own:
        _sweep(rng, sessions, folder)
    else:
        command("sessions", "import", str(session), "--sessions", str(sessions))
    use_sessions(rng, sessions)
    if own:
        command("sessions", "delete", _NAME, "--yes", "--sessions", str(sessions))


def _sweep(rng: random.Random, sessions: Path, folder: Path) -> None:
    settings = StorageSettings(keep_days=rng.choice((1, 30, 3650)), keep_gb=rng.choice((0.1, 20)))
    os.environ["XDG_STATE_HOME"] = str(folder)
    with StateStore(folder / "state.db") as state:
        for days in (0, 2):
            now_ns = WALL_NS + (40 + days) * 86_400 * NS_PER_S
            delete_due_sessions(sessions, settings, state, now_ns)


def _add_odd_file(rng: random.Random, session: Path) -> None:  # noqa: PLR0912  # one line for each oddity
    name = rng.choice(("session.db", "session.db-wal", "session.db-shm", "session.db-journal", "pulse", "x"))
    path = session / rng.choice((name, "screen-000.mp4", "screen-001.mp4"))
    outside = session.parent / "outside"
    if path.is_dir():
        return
    path.unlink(missing_ok=True)
    match rng.randrange(11):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
            (path / "inner").write_bytes(b"x")
        case 2:
            outside.write_bytes(b"precious")
            path.symlink_to(outside)
        case 3:
            path.symlink_to(path)
        case 4:
            _add_socket(session)
        case 5:
            for number in range(1_100):
                (session / f"{number}").touch()
        case 6:
            path.write_bytes(rng.randbytes(rng.choice((0, 16, 32, 40_000))))
        case 7:  # a journal whose end names a master journal outside
            master = str(outside).encode()
            end = struct.pack(">II", len(master), sum(master)) + b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
            (session / "session.db-journal").unlink(missing_ok=True)  # it may be a pipe by now
            (session / "session.db-journal").write_bytes(bytes(512) + master + end)
        case 8:
            (session / os.fsdecode(b"\xff\xfe")).write_bytes(b"x")
        case 9:
            with path.open("wb") as file:
                file.truncate(rng.choice((1 << 20, 1 << 33)))  # a hole
        case _:
            path.write_bytes(database())


def _add_socket(session: Path) -> None:
    """Leave a socket behind, bound in the folder itself, since its whole path may be too long."""
    descriptor = os.open(session, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(f"/proc/self/fd/{descriptor}/session.sock")
    finally:
        os.close(descriptor)
