"""Files of trajectories in the layouts of others, with rows made by hand, and pictures to go with them."""

import json
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import simplejpeg
from numpy.typing import NDArray

GREY = 200


def grey(width: int, height: int) -> NDArray[np.uint8]:
    return np.full((height, width, 3), GREY, np.uint8)


def jpeg(width: int = 60, height: int = 40) -> bytes:
    found: bytes = simplejpeg.encode_jpeg(grey(width, height), quality=95, colorsubsampling="444")
    return found


def png(width: int = 60, height: int = 40) -> bytes:
    rows = np.concatenate([np.zeros((height, 1), np.uint8), grey(width, height).reshape(height, width * 3)], axis=1)
    return png_of(struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), zlib.compress(rows.tobytes()))


def png_of(header: bytes, data: bytes) -> bytes:
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", data), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def write_lines(path: Path, rows: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_json(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_pictures(folder: Path, *names: str, size: tuple[int, int] = (60, 40)) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(png(*size) if name.endswith(".png") else jpeg(*size))


_ROWS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
PLAIN_HEAD: dict[str, Any] = _ROWS["plain_head"]
PLAIN_STEP: dict[str, Any] = _ROWS["plain_step"]
MIND2WEB: list[dict[str, Any]] = [row | {"raw_html": row["raw_html"] * 100} for row in _ROWS["mind2web"]]
AITZ: list[dict[str, Any]] = _ROWS["aitz"]
REWARD: dict[str, Any] = _ROWS["agent_reward"]
ANNOTATIONS = "\n".join([*_ROWS["annotations"], ""])


def aitz_step(number: int, kind: int | str, **fields: object) -> dict[str, Any]:
    path = f"google_apps/e17/e17_{number}.png"
    return {**AITZ[3], "step_id": number, "image_path": path, "result_action_type": kind, **fields}
