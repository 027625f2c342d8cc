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
    """Return a plain picture."""
    return np.full((height, width, 3), GREY, np.uint8)


def jpeg(width: int = 60, height: int = 40) -> bytes:
    """Return a plain picture as JPEG."""
    found: bytes = simplejpeg.encode_jpeg(grey(width, height), quality=95, colorsubsampling="444")
    return found


def png(width: int = 60, height: int = 40) -> bytes:
    """Return a plain picture as PNG."""
    rows = np.concatenate([np.zeros((height, 1), np.uint8), grey(width, height).reshape(height, width * 3)], axis=1)
    return png_of(struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), zlib.compress(rows.tobytes()))


def png_of(header: bytes, data: bytes) -> bytes:
    """Return a PNG file of a header and packed rows, true or not."""
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", data), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def write_lines(path: Path, rows: Iterable[object]) -> Path:
    """Write rows as JSON lines; return the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_json(path: Path, value: object) -> Path:
    """Write a value as JSON; return the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_pictures(folder: Path, *names: str, size: tuple[int, int] = (60, 40)) -> None:
    """Write plain pictures below a folder, each in the format that its name says."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(png(*size) if name.endswith(".png") else jpeg(*size))


PLAIN_HEAD: dict[str, Any] = {
    "trajectory": 1, "key": "t1", "source": "ours", "app": "writer", "goal": "Make the title bold",
}  # fmt: skip
PLAIN_STEP: dict[str, Any] = {
    "number": 1,
    "app": "writer",
    "action": {"verb": "click", "args": {"x": 8, "y": 10}},
    "target": {"name": "Bold", "role": "button", "box": [5, 5, 10, 10]},
    "before": "1.png",
}

MIND2WEB: list[dict[str, Any]] = [
    {
        "annotation_id": "m1",
        "confirmed_task": "Find a flight to Rome on June 1, 2026",
        "action_reprs": ["[textbox]  To  -> TYPE: Rome", "[button]  Search flights -> CLICK"],
        "operation": json.dumps({"op": op, "original_op": op, "value": value}),
        "screenshot": f"m1/{place}.jpg",
        "pos_candidates": [
            json.dumps({"tag": "div", "attributes": json.dumps({"bounding_box_rect": "0,0,60,40"})}),
            json.dumps(
                {
                    "tag": "button",
                    "is_original_target": True,
                    "attributes": json.dumps({"bounding_box_rect": f"10.4,{place}0,20,8"}),
                }
            ),
        ],
        "website": "united",
        "domain": "Travel",
        "target_action_index": str(place),
        "raw_html": "<html>" * 100,
    }
    for place, op, value in ((0, "TYPE", "Rome"), (1, "CLICK", ""))
]


def aitz_step(number: int, kind: int | str, **fields: object) -> dict[str, Any]:
    """Return a row of AitZ."""
    return {
        "episode_id": 17,
        "step_id": number,
        "instruction": "Turn on the flashlight",
        "image_path": f"google_apps/e17/e17_{number}.png",
        "result_action_type": kind,
        "result_action_text": "",
        "result_touch_yx": "[-1.0, -1.0]",
        "result_lift_yx": "[-1.0, -1.0]",
        "ui_text": "[]",
        **fields,
    }


AITZ: list[dict[str, Any]] = [
    aitz_step(0, 4, result_touch_yx="[1.01, 0.5]", result_lift_yx="[0.2, 0.5]"),
    aitz_step(1, 4, result_touch_yx="[0.25, 0.75]", result_lift_yx="[0.26, 0.75]"),
    aitz_step(2, 3, result_action_text="light"),
    aitz_step(3, 5),
    aitz_step(4, 10),
]

REWARD: dict[str, Any] = {
    "benchmark": "workarena",
    "goal": "Order a laptop",
    "agent": "GenericAgent-m",
    "model": "m",
    "summary_info": {"cum_reward": 1.0},
    "steps": [
        {"action": "click('a51')", "reasoning": "Open the list", "screenshot_path": "trajectories/screenshots/0.png"},
        {"action": "fill('b12', 'laptop')", "reasoning": None, "screenshot_path": "trajectories/screenshots/1.png"},
        {"action": None, "reasoning": None, "screenshot_path": "trajectories/screenshots/2.png"},
    ],
}

ANNOTATIONS = (
    "benchmark,model_name,task_id,trajectory_success,trajectory_side_effect,trajectory_optimality,trajectory_looping"
    """
workarena,GenericAgent-m,order-l2-1,Successful,No,3. Somewhat Optimal,No
workarena,GenericAgent-m,order-l2-1,Unsuccessful,No,2. Suboptimal,Yes
workarena,GenericAgent-m,order-2,Unsure,No,3. Somewhat Optimal,No
workarena,GenericAgent-m,order-2,Successful,Unsure,3. Somewhat Optimal,No
"""
)
