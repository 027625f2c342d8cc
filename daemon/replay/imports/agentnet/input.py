"""Converts a recording's input events to our records: clocks aligned, motion merged, keys reduced to classes.

Unreadable lines are counted, never fatal. Coordinates stay the recorder's own until `scaled`.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from daemon.capture.keys import class_of_character, class_of_name
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import EventKind, InputEvent, KeyClass, Record, Switch, SwitchName

_ALIASES = {
    "control": "ctrl",
    "option": "alt",
    "altgr": "alt_gr",
    **dict.fromkeys(("command", "super", "win", "windows", "meta"), "cmd"),
    **dict.fromkeys(("capslock", "caps lock"), "caps_lock"),
    "numlock": "num_lock",
    "scrolllock": "scroll_lock",
    " ": "space",
    **dict.fromkeys(("return", "numpad_enter"), "enter"),
    "del": "delete",
    "escape": "esc",
    **dict.fromkeys(("apps", "context_menu"), "menu"),
    "help": "f1",
    **dict.fromkeys(("pageup", "page up"), "page_up"),
    **dict.fromkeys(("pagedown", "page down"), "page_down"),
}
_MODIFIERS = frozenset(("ctrl", "alt", "shift", "cmd", "alt_gr", "fn", "caps_lock", "num_lock", "scroll_lock"))
_SIDES = ("_l", "_r", "left", "right")
_SPACE = 0x20
_LETTERS = 0x40


class AgentNetKeys:
    """Converts presses to key classes; stores only which modifiers are down."""

    def __init__(self, *, mac: bool) -> None:
        """Start with no modifier down, for a recording from a Mac or from elsewhere."""
        self._mac = mac
        self._down: set[str] = set()

    def press(self, name: str) -> KeyClass:
        """Return the class of a key press."""
        key = _plain(name)
        if key in _MODIFIERS:
            self._down.add(key)
            return KeyClass.MODIFIER
        return self._classify_on_mac(key) if self._mac else self._classify(key)

    def release(self, name: str) -> None:
        """Note that a modifier is no longer down."""
        self._down.discard(_plain(name))

    def _classify(self, key: str) -> KeyClass:
        ctrl = bool(self._down & {"ctrl", "cmd"}) and "alt_gr" not in self._down  # not every Mac says that it is one
        return _class_of(key, ctrl=ctrl, alt="alt" in self._down, shift="shift" in self._down)

    def _classify_on_mac(self, key: str) -> KeyClass:
        command = "cmd" in self._down
        if len(key) == 1 and "ctrl" in self._down and not command:
            return KeyClass.SHORTCUT
        alt = command and "alt" in self._down
        return _class_of(key, ctrl=command, alt=alt, shift="shift" in self._down and key != "delete")


def _class_of(key: str, *, ctrl: bool, alt: bool, shift: bool) -> KeyClass:
    if len(key) == 1:
        return class_of_character(key, ctrl=ctrl, alt=alt, shift=shift)
    return class_of_name(key, ctrl=ctrl, alt=alt, shift=shift)


def _plain(name: str) -> str:
    """Return the name as our own capture has it, a modifier without its side; a control character as its letter."""
    if len(name) == 1:
        name = (chr(ord(name) + _LETTERS) if ord(name) < _SPACE else name).lower()
        return _ALIASES.get(name, name)
    key = name.removeprefix("Key.").lower()
    for side in _SIDES:
        whole = _ALIASES.get(key.removesuffix(side), key.removesuffix(side))
        if key.endswith(side) and whole in _MODIFIERS:
            return whole
    return _ALIASES.get(key, key)


MERGE_NS = 100_000_000
"""Motion, and scrolling one way, is merged over this long: the rate of our own capture."""

LONGEST_S = 7 * 24 * 3600.0
"""A time further than this from the start of the recording is an error."""

JITTER_NS = NS_PER_S
"""Lines of different threads may be a little out of order; one this much before the first is an error."""

MAX_COORDINATE = 1 << 20
"""A coordinate beyond this is an error."""

MAX_VALUES = 300_000
"""A line of more values than this is not decoded: the largest trees of controls have a tenth of it."""

MAX_PARTS = 64
MAX_PAUSES = 1_000
"""Every picture of the video is moved by the pauses before it."""

_BEFORE_VALUES = (b",", b"[", b"{")

BUTTONS = {"left", "middle", "right"}

Line = TypeVar("Line", bound=msgspec.Struct)


class EventLine(msgspec.Struct):
    """One line of `events.jsonl`; fields the recorder adds beyond these are ignored."""

    time_stamp: float
    action: str
    x: float | None = None
    y: float | None = None
    dx: float = 0.0
    dy: float = 0.0
    button: str | None = None
    pressed: bool | None = None
    name: str | None = None


class UnreadableLines:
    """Counts the unreadable lines of a file; stores the first one's number, never its content."""

    def __init__(self, name: str) -> None:
        """Start with none."""
        self._name = name
        self._count = 0
        self._first = 0

    def add(self, number: int) -> None:
        """Count line `number`."""
        self._count += 1
        self._first = self._first or number

    def problems(self) -> list[str]:
        """Return at most one sentence about them."""
        if not self._count:
            return []
        return [f"{self._name}: {self._count} lines could not be read, the first is line {self._first}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Converts the recorder's clock and the video's clock to session time.

    `base_s` is the recorder's clock when the video began; session time 0 lies `before_ns` earlier, because input may
    come first.
    """

    base_s: float
    before_ns: int = 0

    def of_clock(self, clock_s: float) -> int | None:
        """Return the session time of a recorder's time; None if it cannot belong to this recording."""
        since_s = clock_s - self.base_s
        if not math.isfinite(since_s) or abs(since_s) > LONGEST_S:
            return None
        t_ns = round(since_s * NS_PER_S) + self.before_ns
        return max(0, t_ns) if t_ns > -JITTER_NS else None

    def of_video(self, video_ns: int, pauses: Sequence[tuple[int, int]] = ()) -> int:
        """Return the session time of a video time; the video leaves out `pauses` (spans of session time)."""
        t_ns = video_ns + self.before_ns
        for began_ns, ended_ns in pauses:
            if t_ns < began_ns:
                break
            t_ns += ended_ns - began_ns
        return t_ns


@dataclass(slots=True, kw_only=True)
class PointerExtent:
    """The largest pointer positions: over all, and in parts of the recording with about as many positions each."""

    x: float = 0.0
    y: float = 0.0
    parts: list[tuple[float, float]] = field(default_factory=list)
    positions: int = 0
    _in_a_part: int = 1

    def add(self, x: float, y: float) -> None:
        """Take in one position."""
        self.x, self.y = max(self.x, x), max(self.y, y)
        if self.positions == len(self.parts) * self._in_a_part:
            if len(self.parts) == MAX_PARTS:
                self.parts = [_largest(*pair) for pair in zip(self.parts[::2], self.parts[1::2], strict=True)]
                self._in_a_part *= 2
            self.parts.append((x, y))
        else:
            self.parts[-1] = _largest(self.parts[-1], (x, y))
        self.positions += 1


def _largest(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return max(one[0], other[0]), max(one[1], other[1])


def decode_lines(lines: Iterable[bytes], kind: type[Line], unreadable: UnreadableLines) -> Iterator[tuple[int, Line]]:
    """Yield the number and content of every line that decodes to a `kind`; count the others.

    A value takes up to a hundred times its bytes in memory, so values are counted (too many, if anything: those inside
    texts too) before a line is decoded.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            if sum(map(line.count, _BEFORE_VALUES)) > MAX_VALUES:
                unreadable.add(number)
                continue
            try:
                decoded = decoder.decode(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                unreadable.add(number)
            else:
                yield number, decoded


class InputReader:
    """Converts lines to records, in the recorder's order and coordinates."""

    def __init__(self, *, timeline: Timeline, scroll: int, mac: bool, unreadable: UnreadableLines) -> None:
        """Start with no key down.

        Args:
            timeline: from the recorder's clock to session time.
            scroll: +1, or -1 where the recorder's scroll steps count the other way.
            mac: whether keys are those of a Mac.
            unreadable: counts lines without meaning.
        """
        self._timeline = timeline
        self._scroll = scroll
        self._keys = AgentNetKeys(mac=mac)
        self._unreadable = unreadable
        self._position: tuple[int, int] | None = None
        self._pause_began_ns: int | None = None
        self._ready: deque[tuple[int, Record]] = deque()
        self.extent = PointerExtent()
        self.pauses: list[tuple[int, int]] = []

    def read(self, lines: Iterable[tuple[int, EventLine]]) -> Iterator[tuple[int, Record]]:
        """Convert numbered lines; yield session times and records, in the order of the lines.

        Once all is read, `extent` and `pauses` (spans of session time in which recording was paused) are known.

        Raises:
            BadFile: recording was paused more often than anybody does.
        """
        for number, line in lines:
            t_ns = self._timeline.of_clock(line.time_stamp)
            if t_ns is None or not self._take(line, t_ns):
                self._unreadable.add(number)
            while len(self._ready) > 1:  # what follows may be merged into the last one
                yield self._ready.popleft()
        yield from self._ready

    def _take(self, line: EventLine, t_ns: int) -> bool:
        match line.action:
            case "press" if line.name:
                self._append(InputEvent(t_ns=t_ns, kind=EventKind.KEY, key_class=self._keys.press(line.name)))
            case "release" if line.name:
                self._keys.release(line.name)
            case "pause" | "resume":
                self._switch(t_ns, on=line.action == "pause")
            case "move" | "click" | "scroll":
                return self._take_pointer(line, t_ns)
            case _:
                return False
        return True

    def _take_pointer(self, line: EventLine, t_ns: int) -> bool:
        if line.x is None or line.y is None or max(map(abs, (line.x, line.y, line.dx, line.dy))) > MAX_COORDINATE:
            return False
        x, y = round(line.x), round(line.y)
        if line.action == "move":
            path = round(math.dist(self._position or (x, y), (x, y)))
            self._append(InputEvent(t_ns=t_ns, kind=EventKind.MOTION, x=x, y=y, path=path))
        elif line.action == "scroll":
            dx, dy = self._scroll * _steps(line.dx), self._scroll * _steps(line.dy)
            self._append(InputEvent(t_ns=t_ns, kind=EventKind.SCROLL, x=x, y=y, dx=dx, dy=dy))
        elif line.pressed is None:
            return False
        else:
            kind = EventKind.BUTTON_DOWN if line.pressed else EventKind.BUTTON_UP
            button = line.button if line.button in BUTTONS else "other"
            self._append(InputEvent(t_ns=t_ns, kind=kind, button=button, x=x, y=y))
        self._position = (x, y)
        self.extent.add(line.x, line.y)
        return True

    def _switch(self, t_ns: int, *, on: bool) -> None:
        self._ready.append((t_ns, Switch(name=SwitchName.PAUSED, on=on, by="person")))
        if on:
            self._pause_began_ns = t_ns if self._pause_began_ns is None else self._pause_began_ns
        elif self._pause_began_ns is not None:
            if len(self.pauses) == MAX_PAUSES:
                raise BadFile(f"the recording was paused more than {MAX_PAUSES} times, which nobody does")
            self.pauses.append((self._pause_began_ns, t_ns))
            self._pause_began_ns = None

    def _append(self, event: InputEvent) -> None:
        """Append an event, or merge motion or scrolling the same way into the last event of the same time slot."""
        last = self._ready[-1][1] if self._ready else None
        if isinstance(last, InputEvent) and _can_merge(last, event):
            event = replace(
                event,
                t_ns=max(last.t_ns, event.t_ns),
                dx=last.dx + event.dx,
                dy=last.dy + event.dy,
                path=last.path + event.path,
                count=last.count + 1,
            )
            self._ready.pop()
        self._ready.append((event.t_ns, event))


def scaled(record: Record, factor: float) -> Record:
    """Return the record with its pointer position divided by `factor`."""
    if not isinstance(record, InputEvent) or record.x is None or record.y is None or factor == 1:
        return record
    return replace(record, x=round(record.x / factor), y=round(record.y / factor), path=round(record.path / factor))


def _steps(amount: float) -> int:
    return round(amount) or _sign(amount)


def _can_merge(last: InputEvent, event: InputEvent) -> bool:
    if last.kind is not event.kind or event.t_ns // MERGE_NS != last.t_ns // MERGE_NS:
        return False
    if event.kind is EventKind.SCROLL:
        return _sign(last.dx) == _sign(event.dx) and _sign(last.dy) == _sign(event.dy)
    return event.kind is EventKind.MOTION


def _sign(amount: float) -> int:
    return (amount > 0) - (amount < 0)
