"""Reads the texts of a picture in a child process, one at a time, for at most ten seconds.

The child gets the picture alone: no address of a desktop, bus or socket, and no descriptor but its pipes.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec

import numpy as np

from daemon.capture.accessibility.ocr.child import HEADER, MAX_CHARACTERS, MAX_LINES
from daemon.capture.control_source import Control, ControlList
from daemon.capture.diff import Pixels
from daemon.capture.scene import contains, intersection
from storage.records import Box, ControlRole

COMMAND = (sys.executable, "-P", "-m", "daemon.capture.accessibility.ocr.child")
LIMIT_S = 10.0
MAX_BYTES = 1_000_000
LEAST_SCORE = 0.5
"""A text that is less certain than this is none; of 1, as the model says, and not calibrated."""

_ENV = {"LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"}

ReadTexts = Callable[[Pixels, Box, Sequence[Box]], Awaitable[ControlList | None]]
"""Takes a picture of shape (height, width, 3), blue first, where that is on the desktop, and in which places of it."""


def is_installed() -> bool:
    """Return whether texts can be read off pictures here."""
    return find_spec("rapidocr") is not None


async def read_texts(
    pixels: Pixels,
    place: Box,
    areas: Sequence[Box],
    *,
    command: Sequence[str] = COMMAND,
    limit_s: float | None = None,
) -> ControlList | None:
    """Return what is written in a picture as controls of the role "text"; None if it cannot be read in time.

    The picture is of shape (height, width, 3), blue first, and stands at `place`; texts whose middle is in none of
    `areas` are left out. A child that is late, or whose reader was cancelled, is killed. The list is never
    `complete`: most of what can be pressed has no words on it.
    """
    height, width = pixels.shape[:2]
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_ENV,
        cwd="/",
        limit=MAX_BYTES,
    )
    try:
        async with asyncio.timeout(LIMIT_S if limit_s is None else limit_s):
            picture = HEADER.pack(width, height) + np.ascontiguousarray(pixels).tobytes()
            _, answer = await asyncio.gather(_write(child, picture), _read(child))
            if len(answer) <= MAX_BYTES:
                await child.wait()
    except TimeoutError:
        return None
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode != 0 or len(answer) > MAX_BYTES:
        return None
    return _controls(answer, place, areas)


async def _write(child: asyncio.subprocess.Process, picture: bytes) -> None:
    """Give a child its picture; one that ends early takes less of it."""
    assert child.stdin is not None  # noqa: S101  # a pipe was asked for
    with suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(picture)
        await child.stdin.drain()
    child.stdin.close()


async def _read(child: asyncio.subprocess.Process) -> bytes:
    """Return what a child answers; of one that says too much a little more than it may."""
    assert child.stdout is not None  # noqa: S101  # a pipe was asked for
    answer = bytearray()
    while len(answer) <= MAX_BYTES and (piece := await child.stdout.read(MAX_BYTES)):
        answer += piece
    return bytes(answer)


def _controls(answer: bytes, place: Box, areas: Sequence[Box]) -> ControlList | None:
    """Return the lines of a child as controls; it has read what anybody may have drawn, so nothing of it is trusted."""
    try:
        lines = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    controls = []
    for line in lines[:MAX_LINES] if isinstance(lines, list) else ():
        match line:
            case [str() as text, float() | int() as score, int() as x, int() as y, int() as w, int() as h]:
                box = Box(place.x + x, place.y + y, max(w, 1), max(h, 1))
                visible = contains(areas, box.x + box.w // 2, box.y + box.h // 2)
                name = "".join(character for character in text if character.isprintable()).strip()
                if score >= LEAST_SCORE and visible and name and intersection(box, place) == box:
                    controls.append(
                        Control(key=(x, y, w, h), role=ControlRole.TEXT, name=name[:MAX_CHARACTERS], box=box)
                    )
            case _:
                return None
    return ControlList(controls=tuple(controls), complete=False)
