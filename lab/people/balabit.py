"""Reads a session of the Balabit mouse data: administrators over remote desktop, hours on end.

A file is CSV with a header: record timestamp, client timestamp (seconds), button, state, x, y. Pointer, presses and the
wheel are the person's own. There are no keys, no windows and no screen in it.

**Invented**: one program fills the screen. Each press changes the screen 0.15 to 0.45 s later (six in ten of these
changes are as small as a button, three are a panel, one is the whole screen), each turn of the wheel a large part of
it. A stated share of presses has no answer; on real pages it is 1.5 to 2.6 %. So the screen is no
evidence here: only presses, motion and pauses are those of real people.
"""

import csv
import math
import random
from collections.abc import Iterator
from pathlib import Path

from lab.people.desk import SIZE, RecordedDesk, Recording, read_text
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Box

COLUMNS = 6
_LARGEST = 16_384
"""Positions beyond are a fault of the recorder (65535)."""

_BUTTONS = {"Left": "left", "Right": "right", "Middle": "middle"}
_SMALL, _PANEL = 0.6, 0.9


def read(path: Path, app: str, *, unanswered: float) -> Recording:
    """Read a session; `unanswered` is the share of presses without an answer of the screen.

    Raises:
        BadFile: it is not such a file.
    """
    desk, drawn = RecordedDesk(app), random.Random(f"{path.stem} {unanswered}")  # noqa: S311  # a simulated screen
    t_ns, number = 0, 0
    for stamp_s, button, state, x, y in _rows(path):
        t_ns = max(t_ns, round(stamp_s * NS_PER_S))
        if state in {"Move", "Drag"}:
            desk.move(t_ns, x, y)
        elif state == "Pressed":
            number += 1
            desk.press(t_ns, x, y, _BUTTONS.get(button, "other"))
            if drawn.random() >= unanswered:
                after_ns = round(drawn.uniform(0.15, 0.45) * NS_PER_S)
                desk.change(t_ns + after_ns, (_answer(drawn.random(), x, y),), f"press {number}")
        elif state == "Released":
            desk.release(t_ns, x, y, _BUTTONS.get(button, "other"))
        elif button == "Scroll":
            number += 1
            desk.scroll(t_ns, x, y, 1 if state == "Up" else -1)
            desk.change(t_ns + NS_PER_S // 10, (Box(200, 150, 1400, 800),), f"wheel {number}")
    return Recording(name=path.name.split(".")[0], person=path.parent.name, sources=desk.sources(), end_ns=t_ns)


def _answer(kind: float, x: int, y: int) -> Box:
    """Return where the screen changes after a press: a button, a panel or everything."""
    if kind < _SMALL:
        return Box(x - 40, y - 12, 80, 24)
    if kind < _PANEL:
        return Box(x - 200, y - 120, 640, 420)
    return Box(0, 0, *SIZE)


def _rows(path: Path) -> Iterator[tuple[float, str, str, int, int]]:
    lines = csv.reader(read_text(path).splitlines())
    if len(next(lines, ())) != COLUMNS:
        raise BadFile(f"{path} is no mouse session: its header has not {COLUMNS} columns")
    for number, line in enumerate(lines, 2):
        try:
            _, stamp, button, state, across, down = line
            stamp_s, x, y = float(stamp), int(across), int(down)
        except ValueError as error:
            raise BadFile(f"line {number} of {path} is no event of the mouse") from error
        if math.isfinite(stamp_s) and 0 <= x < _LARGEST and 0 <= y < _LARGEST:
            yield stamp_s, button, state, x, y
