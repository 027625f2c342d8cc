"""Where password fields are that have had the keyboard: covered until they are empty, hidden or gone. Pure.

Dots that stay behind tell how long a password is, and so does a digest of their pixels. A field lies where its program
said, and moves with its window; of a program that does not answer any more it stays covered until that window closes.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from daemon.capture.control_source import FieldSeen
from daemon.capture.scene import DesktopWindow, Scene, contains
from storage.clock import NS_PER_S
from storage.records import Box

MARGIN = 4
"""A field's frame and what it paints around itself, in pixels."""

MAX_FIELDS = 64
FOLLOWS_NS = NS_PER_S // 2
"""How long a program may take to know that its window was moved: what it said until then may be about either place."""

KEPT_NS = 5 * NS_PER_S
"""No picture is older that may yet show a field which is gone."""


@dataclass(slots=True)
class _Field:
    """A field: where it is now, where it was when its program last said so, and in which window.

    `left_ns` is when the keyboard left it; None while it is there. `ended_ns` is when nothing was to be seen in it any
    more, `hidden_ns` since when its window is not on the screen.
    """

    box: Box | None
    said: Box | None
    left_ns: int | None = None
    ended_ns: int | None = None
    hidden_ns: int | None = None
    moved_ns: int = -FOLLOWS_NS
    client: int = 0
    corner: tuple[int, int] = (0, 0)

    def shows(self, since_ns: int) -> bool:
        """Return whether anything of it may have been on the screen since then."""
        ends = (self.ended_ns if self.left_ns is not None else None, self.hidden_ns)
        return all(end_ns is None or end_ns >= since_ns for end_ns in ends)


class CoveredFields:
    """The fields of all programs, by process and object."""

    def __init__(self) -> None:
        self._fields: OrderedDict[tuple[int, Hashable], _Field] = OrderedDict()
        self._scene = Scene(t_ns=0)

    def entered(self, pid: int, key: Hashable, box: Box | None) -> None:
        """Note that the keyboard is in a field."""
        field = self._fields.get((pid, key)) or self._add(pid, key)
        field.left_ns = field.ended_ns = field.hidden_ns = None
        field.box = field.said = box
        field.client = 0
        self._anchor(pid, field)

    def left(self, pid: int, key: Hashable, t_ns: int) -> None:
        """Note that the keyboard left a field: what it last said was before that."""
        field = self._fields.get((pid, key))
        if field is not None and field.left_ns is None:
            field.left_ns, field.ended_ns = t_ns, None

    def seen(self, seen: FieldSeen) -> None:
        """Take in what a field said; what it says while it has the keyboard tells only where it is."""
        field = self._fields.get((seen.pid, seen.key))
        if field is None:
            if not seen.holds:
                return
            field = self._add(seen.pid, seen.key)
            field.left_ns = seen.t_ns
        if seen.holds:
            field.ended_ns = None
            if seen.box != field.said and seen.t_ns >= field.moved_ns + FOLLOWS_NS:
                field.box = field.said = seen.box
                self._anchor(seen.pid, field)
        elif field.left_ns is not None and seen.t_ns >= field.left_ns and field.ended_ns is None:
            field.ended_ns = seen.t_ns

    def follow(self, scene: Scene, now_ns: int) -> None:
        """Move fields with their windows, and end those whose window was closed."""
        self._scene = scene
        if not self._fields:
            return
        places = {window.client: window.box for window in scene.windows}
        for (pid, key), field in list(self._fields.items()):
            place = places.get(field.client)
            if place is not None:
                field.hidden_ns = None
                self._move(field, place, now_ns)
            elif not self._anchor(pid, field) and field.client and field.hidden_ns is None:
                field.hidden_ns = now_ns
            is_over = field.hidden_ns is not None and field.hidden_ns < now_ns - KEPT_NS
            if is_over and field.client not in scene.clients:
                del self._fields[pid, key]

    def covered(self, since_ns: int) -> frozenset[Box]:
        """Return the rectangles of fields that may have been seen at any time since then."""
        return frozenset(
            Box(box.x - MARGIN, box.y - MARGIN, box.w + 2 * MARGIN, box.h + 2 * MARGIN)
            for field in self._fields.values()
            if field.shows(since_ns)
            for box in (field.box, field.said)
            if box is not None
        )

    def placeless(self, since_ns: int) -> set[int]:
        """Return the programs with such a field of which nobody said where it is."""
        return {pid for (pid, _), field in self._fields.items() if field.box is None and field.shows(since_ns)}

    def clear(self) -> None:
        """Forget all: the person does not want them told apart any more."""
        self._fields.clear()

    def lose(self) -> None:
        """Note that nobody says any more what is in fields: those with a known window stay covered until it closes."""
        self._fields = OrderedDict((key, field) for key, field in self._fields.items() if field.client)
        for pid, key in self._fields:
            self.left(pid, key, 0)

    def _add(self, pid: int, key: Hashable) -> _Field:
        if len(self._fields) >= MAX_FIELDS:
            ended = (known for known, field in self._fields.items() if field.ended_ns is not None)
            oldest = next(ended, next(iter(self._fields)))
            gone = self._fields.pop(oldest)
            rest = [field for (other, _), field in self._fields.items() if other == oldest[0]]
            if rest and gone.ended_ns is None:
                rest[0].box = rest[0].said = None  # it is somewhere in its program
        field = self._fields[pid, key] = _Field(None, None)
        return field

    def _anchor(self, pid: int, field: _Field) -> bool:
        """Find the window that a field is in, as far as can be told; return whether there is one on the screen.

        Where its window is gone it may be in another one there: the one below was not asked which of them holds it.
        """
        window = _window_at(self._scene, pid, field.box)
        if window is not None:
            field.client, field.corner, field.hidden_ns = window.client, window.box[:2], None
        return window is not None

    def _move(self, field: _Field, place: Box, now_ns: int) -> None:
        right, down = place.x - field.corner[0], place.y - field.corner[1]
        if right or down:
            field.corner, field.moved_ns = place[:2], now_ns
            if field.box is not None:
                field.box = Box(field.box.x + right, field.box.y + down, field.box.w, field.box.h)


def _window_at(scene: Scene, pid: int, box: Box | None) -> DesktopWindow | None:
    """Return the topmost window of a program around the middle of a box; its active one where there is no box."""
    for window in reversed(scene.windows):
        if pid in (window.pid, *window.connected[:1]):
            if box is None and window.client == scene.active:
                return window
            if box is not None and contains((window.box,), box.x + box.w // 2, box.y + box.h // 2):
                return window
    return None
