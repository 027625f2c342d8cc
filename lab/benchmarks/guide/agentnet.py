"""Writes recorded sessions in the layout of AgentNet's recorder: `events.jsonl`, `metadata.json`, and what goes beside.

Importing it again (`kairos sessions import FOLDER`) gives equal events: kinds, times, places, buttons, scroll steps,
classes of keys, and tasks of a study. Which key was pressed is in no session, so one of its class stands for it; a
modifier is held for what needs one. How far the pointer went between two of its places is measured anew. Of controls
there are names and places, of windows the program; when somebody worked is left out.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.files import write_whole
from storage.records import Elements, EventKind, Focus, Frame, InputEvent, KeyClass, Record, TaskMark, TaskStep
from storage.session.log import SessionReader

BEGAN = "2000-01-01 00:00:00"
ADDED = "modifiers that were not recorded were added"
MOST_EVENTS = 5_000_000
_HELD = {
    KeyClass.UNDO: "z",
    KeyClass.REDO: "y",
    KeyClass.COPY: "c",
    KeyClass.CUT: "x",
    KeyClass.PASTE: "v",
    KeyClass.SAVE: "s",
    KeyClass.FIND: "f",
    KeyClass.SELECT_ALL: "a",
    KeyClass.SHORTCUT: "b",
}
"""Keys that mean it with Ctrl held."""

_KEYS: Mapping[KeyClass, str] = {
    KeyClass.CHARACTER: "a",
    KeyClass.ENTER: "enter",
    KeyClass.TAB: "tab",
    KeyClass.BACKSPACE: "backspace",
    KeyClass.DELETE: "delete",
    KeyClass.ESCAPE: "esc",
    KeyClass.NAVIGATION: "left",
    KeyClass.FUNCTION: "f5",
    KeyClass.HELP: "f1",
    KeyClass.MENU: "menu",
    KeyClass.OTHER: "insert",
}

Line = dict[str, Any]


def write_recording(folder: Path, out: Path) -> Counter[str]:
    """Write a session into a folder, without its video; return what could not be written.

    Raises:
        BadFile: the session cannot be read, or holds no possible count of input.
    """
    left_out: Counter[str] = Counter()
    with SessionReader(folder) as reader:
        begin_ns = reader.first().at_ns
        kinds = (InputEvent.KIND, Focus.KIND, Elements.KIND, Frame.KIND, TaskMark.KIND)
        rows = list(reader.rows(kinds))
    counts = [row.count for row in rows if isinstance(row, InputEvent)]
    if min(counts, default=1) < 1 or sum(counts) > MOST_EVENTS:
        raise BadFile(f"{folder.name} has more input than can be written, or less than none")
    files = {
        "events.jsonl": _events(rows, begin_ns, left_out),
        "top_window.jsonl": _windows(rows, begin_ns),
        "a11y.jsonl": _trees(rows, begin_ns),
    }
    out.mkdir(parents=True)
    for name, lines in files.items():
        content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        if content:
            write_whole(out / name, content.encode())
    sizes = Counter(row.size for row in rows if isinstance(row, Frame))
    width, height = sizes.most_common(1)[0][0] if sizes else _reached(rows)
    facts = {"system": "Linux", "screen_width": width, "screen_height": height, "video_start_timestamp": 0.0}
    write_whole(out / "metadata.json", json.dumps(facts | {"scroll_direction": 1, "start_time": BEGAN}).encode())
    marks = [row for row in rows if isinstance(row, TaskMark)]
    if marks:
        write_whole(out / "task_name.json", json.dumps(_tasks(marks, begin_ns), ensure_ascii=False).encode())
    return left_out


def _tasks(marks: Iterable[TaskMark], begin_ns: int) -> Line:
    """Return the names of what somebody was asked to do, and beside them when each task began and ended."""
    stamps = [
        {
            "time_stamp": _at(mark.at_ns, begin_ns),
            "step": mark.step.value,
            "task_name": mark.title,
            "code": mark.code,
            "software": mark.program,
            "skill": mark.skill,
        }
        for mark in marks
    ]
    names = dict.fromkeys(mark.title for mark in marks if mark.step is TaskStep.BEGUN)
    return {"task_name": "; ".join(names), "description": "", "kairos_tasks": stamps}


def _at(row_ns: int, begin_ns: int) -> float:
    return max(0, row_ns - begin_ns) / NS_PER_S


def _reached(rows: Iterable[Record]) -> tuple[int, int]:
    """Return a screen that holds every place of the pointer."""
    places = [(row.x, row.y) for row in rows if isinstance(row, InputEvent) and row.x is not None and row.y is not None]
    return max((x for x, _ in places), default=0) + 1, max((y for _, y in places), default=0) + 1


def _events(rows: Iterable[Record], begin_ns: int, left_out: Counter[str]) -> Iterator[Line]:
    events = [row for row in rows if isinstance(row, InputEvent) and not row.own]
    held = False
    for place, event in enumerate(events):
        at = {"time_stamp": _at(event.t_ns, begin_ns)}
        if event.kind is EventKind.KEY and event.key_class is not None:
            for line in _key(events, place, held=held, left_out=left_out):
                held = (line["name"] != "ctrl_l" and held) or (line["name"] == "ctrl_l" and line["action"] == "press")
                yield at | line
        elif event.x is None or event.y is None:
            left_out["input without a place, or in a password field"] += event.count
        elif event.kind is EventKind.SCROLL:
            for dx, dy in zip(_divided(event.dx, event.count), _divided(event.dy, event.count), strict=True):
                yield at | {"action": "scroll", "x": event.x, "y": event.y, "dx": dx, "dy": dy}
        elif event.kind is EventKind.MOTION:
            yield at | {"action": "move", "x": event.x, "y": event.y}
        elif event.kind in (EventKind.BUTTON_DOWN, EventKind.BUTTON_UP):
            pressed = event.kind is EventKind.BUTTON_DOWN
            yield at | {"action": "click", "x": event.x, "y": event.y, "button": event.button, "pressed": pressed}
        else:
            left_out["input of other kinds"] += event.count


def _key(events: list[InputEvent], place: int, *, held: bool, left_out: Counter[str]) -> Iterator[Line]:
    """Yield presses of a key, with what must be held or let go before it."""
    event = events[place]
    if event.key_class is KeyClass.MODIFIER:
        if held:
            yield {"action": "release", "name": "ctrl_l"}
        after = (row.key_class for row in events[place + 1 :] if row.kind is EventKind.KEY)
        next_class = next((found for found in after if found is not KeyClass.MODIFIER), None)
        name = "ctrl_l" if next_class in _HELD else "shift_l"
        yield from ({"action": "press", "name": name} for _ in range(event.count))
        if name == "shift_l":
            yield {"action": "release", "name": name}
        return
    needs = event.key_class in _HELD
    if needs and not held:
        left_out[ADDED] += 1
        yield {"action": "press", "name": "ctrl_l"}
    elif held and not needs:
        yield {"action": "release", "name": "ctrl_l"}
    assert event.key_class is not None  # noqa: S101  # whoever calls has looked
    name = _HELD[event.key_class] if needs else _KEYS[event.key_class]
    yield from ({"action": "press", "name": name} for _ in range(event.count))


def _divided(steps: int, count: int) -> list[int]:
    """Divide scroll steps over merged events, the first taking what is left."""
    each = int(steps / count)
    return [steps - each * (count - 1), *[each] * (count - 1)]


def _windows(rows: Iterable[Record], begin_ns: int) -> Iterator[Line]:
    for row in rows:
        if isinstance(row, Focus) and not row.own:
            yield {"time_stamp": _at(row.t_ns, begin_ns), "top_window_name": row.app}


def _trees(rows: Iterable[Record], begin_ns: int) -> Iterator[Line]:
    for row in rows:
        if isinstance(row, Elements):
            nodes = [
                {
                    "role": element.role,
                    **({"name": element.name} if element.name else {}),
                    "BoundingRectangle": {
                        "left": element.box.x,
                        "top": element.box.y,
                        "right": element.box.x + element.box.w,
                        "bottom": element.box.y + element.box.h,
                    },
                }
                for element in row.elements
            ]
            yield {"time_stamp": _at(row.t_ns, begin_ns), "axtree": nodes}
