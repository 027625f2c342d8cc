"""A recording as the AgentNet recorder writes it: about 20 s of work, whose picture changes at 5 s and 15 s."""

import json
from pathlib import Path

import numpy as np

from storage.records import Box
from tests.fakes.sessions.session_sample import write_video

BASE_S = 150_000.0
SCREEN = Box(0, 0, 320, 240)
MARKER = "\N{SNOWMAN}"


def event(second: float, action: str, **fields: object) -> dict[str, object]:
    """Return a line as the recorder writes it, `second` after the start of the video."""
    return {"time_stamp": BASE_S + second, "action": action, **fields}


def events(scale: float = 1.0) -> list[dict[str, object]]:
    found = [event(-0.25, "move", x=10.5 * scale, y=20.25 * scale)]
    found += [event(n / 100, "move", x=n * scale, y=2 * n * scale) for n in range(100)]
    found += [event(2, "click", x=310 * scale, y=230 * scale, button="left", pressed=True)]
    found += [event(2.1, "click", x=310 * scale, y=230 * scale, button="left", pressed=False)]
    found += [event(3 + n / 100, "scroll", x=5, y=5, dx=0, dy=-1) for n in range(3)]
    for n in range(4):
        found += [event(12 + n, "press", name="ctrl_l"), event(12.1 + n, "press", name="\x1a")]
        found += [event(12.2 + n, "release", name="\x1a"), event(12.3 + n, "release", name="ctrl_l")]
    return [*found, event(20, "press", name=MARKER, pynput_key=repr(MARKER))]


def metadata(**fields: object) -> dict[str, object]:
    facts: dict[str, object] = {
        "system": "Windows",
        "screen_width": SCREEN.w,
        "screen_height": SCREEN.h,
        "scroll_direction": -1,
        "video_start_timestamp": BASE_S,
        "start_time": "2026-01-02 03:04:05",
    }
    return {key: value for key, value in (facts | fields).items() if value is not None}


def tree(scale: float = 1.0) -> dict[str, object]:
    return {
        "Name": "Editor",
        "ControlType": "WindowControl",
        "BoundingRectangle": {"left": 0, "top": 0, "right": 320 * scale, "bottom": 240 * scale},
        "Children": [
            {
                "Name": "Save",
                "ControlType": "ButtonControl",
                "Value": f"typed {MARKER}",
                "BoundingRectangle": {"left": 20 * scale, "top": 20 * scale, "right": 80 * scale, "bottom": 40 * scale},
                "Children": [],
            }
        ],
    }


def write_recording(folder: Path, *, scale: float = 1.0, video: bool = True, **facts: object) -> Path:
    """Write a recording of about 20 s whose picture changes at 5 s and 15 s."""
    folder.mkdir(parents=True)
    write_lines(folder / "events.jsonl", events(scale))
    (folder / "metadata.json").write_text(json.dumps(metadata(**facts)))
    tops = [(0.1, "editor"), (0.5, "editor"), (10.0, "browser")]
    write_lines(
        folder / "top_window.jsonl", [{"time_stamp": BASE_S + at, "top_window_name": name} for at, name in tops]
    )
    write_lines(folder / "a11y.jsonl", [{"time_stamp": BASE_S + 11, "axtree": tree(scale)}])
    if video:
        shots = [np.full((240, 320, 3), 100, np.uint8) for _ in range(3)]
        shots[1][100:120, 200:260] = 255
        shots[2][:] = shots[1]
        shots[2][0:20, 0:20] = 0
        write_video(folder / "screen.mp4", [shots[(n >= 50) + (n >= 150)] for n in range(210)])
    return folder


def write_lines(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
