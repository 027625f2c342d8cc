"""Recordings of other programs: AgentNet's JSON lines, and videos damaged box by box."""

import contextlib
import random
import struct
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from daemon.replay.imports.video_frames import scan_video
from storage.errors import BadFile
from storage.session.video_sandbox import probe_video
from tests.fakes.hostile.commands import command, use_sessions
from tests.fakes.hostile.values import NUMBERS, ODDITIES, changed, damaged, dump, value
from tests.fakes.sessions import agentnet
from tests.fakes.sessions.session_sample import write_video

_FILES = ("events.jsonl", "metadata.json", "top_window.jsonl", "a11y.jsonl", "element.jsonl")
_INSIDE = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"dinf", b"udta", b"mvex", b"moof", b"traf"}
_WORDS = (0, 1, 2, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def recording(rng: random.Random, folder: Path) -> None:
    """A recording of AgentNet without a video, imported; if that is accepted the session is used."""
    source, sessions = folder / "recording", folder / "sessions"
    agentnet.write_recording(source, video=False)
    lines: dict[str, list[Any]] = {
        "events.jsonl": list(agentnet.events()),
        "top_window.jsonl": [{"time_stamp": agentnet.BASE_S + n, "top_window_name": f"app {n}"} for n in range(9)],
        "a11y.jsonl": [{"time_stamp": agentnet.BASE_S + 11, "axtree": agentnet.tree()}],
        "element.jsonl": [{"time_stamp": agentnet.BASE_S + 12, "a11y_tree": agentnet.tree()}],
        "metadata.json": [agentnet.metadata()],
    }
    for _ in range(rng.randint(1, 4)):
        _change_lines(rng, lines[rng.choice(_FILES)])
    for name, objects in lines.items():
        raw = "\n".join(map(dump, objects)).encode(errors="surrogatepass")
        if rng.random() < 0.1:  # some are damaged too
            raw = damaged(rng, raw)
        (source / name).write_bytes(raw)
    if rng.random() < 0.15:
        _put_oddity(rng, source / rng.choice(_FILES))
    command("sessions", "import", str(source), "--sessions", str(sessions))
    use_sessions(rng, sessions, uses=2)


def _change_lines(rng: random.Random, objects: list[Any]) -> None:
    at = rng.randrange(len(objects)) if objects else 0
    match rng.randrange(8):
        case 0 if objects:
            del objects[at]
        case 1 if objects:
            objects.extend(objects[at : at + 1] * rng.choice((1, 100, 1_000)))
        case 2 if objects and isinstance(objects[at], dict):
            objects[at] = {**objects[at], "time_stamp": rng.choice((*NUMBERS, agentnet.BASE_S + 600_000))}
        case 3:
            span = rng.choice((10, 1_000))
            paused = ("pause", "resume")
            objects.extend(agentnet.event(n / 100, paused[n % 2]) for n in range(span))
        case 4:
            tree: Any = rng.choice(([[]] * 200_000, [{}] * 100_000, {"a": "x" * 3_000_000}))
            objects.append({"time_stamp": agentnet.BASE_S + 1, "axtree": tree})
        case 5:
            rng.shuffle(objects)
        case _ if objects:
            objects[at] = changed(rng, objects[at])
        case _:
            objects.append(value(rng))


def _put_oddity(rng: random.Random, path: Path) -> None:
    path.unlink()
    match rng.randrange(5):
        case 0 | 1 | 2:
            rng.choice(ODDITIES)(path)
        case 3:
            path.write_bytes(b'{"time_stamp": 1, "axtree": ' + b"[" * 1_000_000)
        case _:
            with path.open("wb") as file:
                file.truncate(64 << 20)  # a hole: one line of NUL


# ---------------------------------------------------------------- videos


@cache
def videos() -> tuple[bytes, bytes]:
    shots = [np.full((64, 96, 3), shade, np.uint8) for shade in (0, 200, 0, 90)]
    with tempfile.TemporaryDirectory() as scratch:
        found = []
        for name, container in (("v.mp4", "mp4"), ("v.mkv", "matroska")):
            write_video(Path(scratch) / name, shots, container=container)
            found.append((Path(scratch) / name).read_bytes())
    return found[0], found[1]


def video_file(rng: random.Random, folder: Path) -> None:
    """A video, looked through as one of a session or of a recording."""
    mp4, matroska = videos()
    if rng.random() < 0.75:  # Matroska has no boxes
        for _ in range(rng.randint(1, 3)):
            mp4 = _with_box(rng, mp4)
    raw = mp4 if rng.random() < 0.75 else damaged(rng, matroska)
    if rng.random() < 0.1:  # some are damaged too
        raw = damaged(rng, raw)
    path, into = folder / "screen.mp4", folder / "new"
    path.write_bytes(raw)
    into.mkdir()
    with contextlib.suppress(BadFile):
        if rng.random() < 0.5:
            probe_video(path)
        else:
            scan_video(path, into, store_width=1280, video_file_s=60.0)


def _boxes(data: bytes, at: int, end: int) -> Iterator[tuple[int, int]]:
    while at + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, at)
        if size < 8 or at + size > end:
            return
        yield at, size
        if kind in _INSIDE:
            yield from _boxes(data, at + 8, at + size)
        at += size


def _with_box(rng: random.Random, raw: bytes) -> bytes:
    boxes = list(_boxes(raw, 0, len(raw)))
    if not boxes:
        return raw
    at, size = rng.choice(boxes)
    data = bytearray(raw)
    match rng.randrange(7):
        case 0:
            struct.pack_into(">I", data, at, rng.choice((*_WORDS, size - 4, size + 4)))
        case 1:
            data[at + 4 : at + 8] = rng.choice((b"free", b"moov", b"trak", b"stbl", b"uuid", b"\0\0\0\0", b"moof"))
        case 2:
            del data[at : at + size]
        case 3:
            data[at:at] = data[at : at + size] * rng.choice((1, 1, 50))
        case _:
            if size >= 16:  # a number or a byte within it
                word = at + 8 + rng.randrange((size - 8) // 4) * 4
                struct.pack_into(">I", data, word, rng.choice((*_WORDS, rng.randrange(1 << 32))))
    return bytes(data)
