"""One recording of a person, as our records; and how files are read."""

import gzip
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from daemon.capture.diff import BAND, TILE, Tiles, merge_tiles
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.files import decode_text
from storage.records import Box, EventKind, Focus, Frame, InputEvent, KeyClass, Record

LARGEST = 1 << 28
"""Characters of one file once unpacked; the largest published one has four million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A part of a recording that is a file of its own in the publication, such as one form filled in."""

    file: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording: `sources` are session times and records in the order of time."""

    name: str
    person: str
    sources: Sequence[tuple[int, Record]]
    end_ns: int
    task: str = ""
    demos: tuple[Demo, ...] = ()


def read_text(path: Path) -> str:
    """Return the text of a file, unpacked where its name ends in `.gz`.

    Raises:
        BadFile: it cannot be read, or is far larger than any published one.
    """
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise BadFile(f"{path} is larger than any published recording")
        return decode_text(content)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise BadFile(f"{path} cannot be read ({type(error).__name__})") from error


SIZE = (1920, 1080)
SCREEN = Box(0, 0, *SIZE)
MERGE_NS = NS_PER_S // 10
"""Motion, and scrolling one way, is merged over this long: the rate of our own capture."""

FRAME_NS = NS_PER_S // 2
"""Frames come at most this often, as in our own capture."""


@dataclass(frozen=True, slots=True)
class ScreenChange:
    """A change of the screen: where, and a name of the picture after it (equal names are equal pictures)."""

    t_ns: int
    boxes: tuple[Box, ...]
    picture: str


class RecordedDesk:
    """Collects what one person did and saw, in any order; `sources` returns it in the order of time."""

    def __init__(self, app: str) -> None:
        self._records: list[tuple[int, Record]] = []
        self._changes: list[ScreenChange] = []
        self._position: tuple[int, int] | None = None
        focus = Focus(t_ns=0, app=app, window=1, title_digest="", geometry=SCREEN)
        self._records.append((0, focus))

    def key(self, t_ns: int, key_class: KeyClass, count: int = 1) -> None:
        """Add a key press, or several equal ones."""
        self._append(InputEvent(t_ns=t_ns, kind=EventKind.KEY, key_class=key_class, count=count))

    def press(self, t_ns: int, x: int, y: int, button: str = "left") -> None:
        """Add a button press."""
        self._position = (x, y)
        self._append(InputEvent(t_ns=t_ns, kind=EventKind.BUTTON_DOWN, button=button, x=x, y=y))

    def release(self, t_ns: int, x: int, y: int, button: str = "left") -> None:
        """Add a button release."""
        self._position = (x, y)
        self._append(InputEvent(t_ns=t_ns, kind=EventKind.BUTTON_UP, button=button, x=x, y=y))

    def move(self, t_ns: int, x: int, y: int) -> None:
        """Add motion of the pointer."""
        before, self._position = self._position or (x, y), (x, y)
        path = round(np.hypot(x - before[0], y - before[1]))
        last = self._records[-1][1]
        event = InputEvent(t_ns=t_ns, kind=EventKind.MOTION, x=x, y=y, path=path)
        if isinstance(last, InputEvent) and _merges(last, event):
            event = replace(event, path=last.path + path, count=last.count + 1)
            self._records.pop()
        self._append(event)

    def scroll(self, t_ns: int, x: int, y: int, dy: int) -> None:
        """Add scroll steps; up is positive."""
        last = self._records[-1][1]
        event = InputEvent(t_ns=t_ns, kind=EventKind.SCROLL, x=x, y=y, dy=dy)
        if isinstance(last, InputEvent) and _merges(last, event) and (last.dy > 0) == (dy > 0):
            event = replace(event, dy=last.dy + dy, count=last.count + 1)
            self._records.pop()
        self._append(event)

    def change(self, t_ns: int, boxes: Iterable[Box], picture: str) -> None:
        """Add a change of the screen."""
        found = tuple(boxes)
        if found:
            self._changes.append(ScreenChange(t_ns, found, picture))

    def sources(self) -> list[tuple[int, Record]]:
        """Return all records with their times, in the order of time."""
        frames = ((frame.t_ns, frame) for frame in frames_of(self._changes))
        return sorted((*self._records, *frames), key=lambda source: source[0])

    def _append(self, event: InputEvent) -> None:
        self._records.append((event.t_ns, event))


def frames_of(changes: Iterable[ScreenChange]) -> Iterable[Frame]:
    """Yield frames of changes in the order of time; changes between two frames are joined."""
    tiles = np.zeros((-(-SIZE[1] // BAND), -(-SIZE[0] // TILE)), np.bool_)
    due_ns, last_ns, picture = None, -FRAME_NS, ""
    for change in sorted(changes, key=lambda one: one.t_ns):
        if due_ns is not None and change.t_ns > due_ns:
            yield _frame(due_ns, tiles, picture)
            last_ns, due_ns = due_ns, None
            tiles[:] = False
        for box in change.boxes:
            _mark(tiles, box)
        picture = change.picture
        if due_ns is None:
            due_ns = max(change.t_ns, last_ns + FRAME_NS)
    if due_ns is not None:
        yield _frame(due_ns, tiles, picture)


def _frame(t_ns: int, tiles: Tiles, picture: str) -> Frame:
    boxes = tuple(Box(*box) for box in merge_tiles(tiles, *SIZE))
    return Frame(t_ns=t_ns, monitor="rebuilt", size=SIZE, digest=picture, changed=boxes)


def _mark(tiles: Tiles, box: Box) -> None:
    left, top = max(0, box.x), max(0, box.y)
    right, bottom = min(SIZE[0], box.x + box.w), min(SIZE[1], box.y + box.h)
    if left < right and top < bottom:
        tiles[top // BAND : -(-bottom // BAND), left // TILE : -(-right // TILE)] = True


def _merges(last: InputEvent, event: InputEvent) -> bool:
    return last.kind is event.kind and last.t_ns // MERGE_NS == event.t_ns // MERGE_NS
