"""Pixels and damage by `zwlr_screencopy_manager_v1`, which compositors of the wlroots family offer to any program.

A copy that waits for damage says that something was painted; it is asked for anew only once somebody has taken that, so
a still screen costs nothing. Pixels are copied when they are asked for, and never those of the waiting copy: they would
be as old as the paint, and a window list of now says nothing about them.
"""

import math
import mmap
import os
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

assert sys.platform == "linux"  # nothing else has a compositor of this kind

import numpy as np

from daemon.capture.scene import Monitor, intersection
from storage.errors import EnvironmentFault
from storage.records import Box
from storage.wayland import Event, WaylandConnection

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels

_MANAGER, _SHM, _OUTPUT, _PLACES = "zwlr_screencopy_manager_v1", "wl_shm", "wl_output", "zxdg_output_manager_v1"
_WITH_DAMAGE = 2
"""The version of the manager from which on a copy can wait for damage."""

_PIXEL = 4
_BGR, _RGB = (0, 1), (0x34324258, 0x34324241)
"""Formats with a byte for blue, green and red, in this order or the other."""

_UPSIDE_DOWN = 1
_MIRRORED = 4


class _Shared:
    """Memory that the compositor copies into."""

    def __init__(self, connection: WaylandConnection, shm: int, layout: tuple[int, int, int, int]) -> None:
        self.layout = layout
        size = layout[3] * layout[2]
        file = os.memfd_create("kairos-screen", os.MFD_CLOEXEC)
        try:
            os.ftruncate(file, size)
            self.memory = mmap.mmap(file, size)
            self.buffer = connection.buffer(shm, file, layout)
        finally:
            os.close(file)

    def free(self, connection: WaylandConnection) -> None:
        connection.request(self.buffer, 0)


@dataclass(eq=False)
class _Copy:
    """One copy of an output or a part of it, from the request until it is there."""

    frame: int = 0
    layout: tuple[int, int, int, int] | None = None
    is_described: bool = False
    is_ready: bool = False
    has_failed: bool = False
    upside_down: bool = False
    damage: list[Box] = field(default_factory=list)

    @property
    def has_ended(self) -> bool:
        return self.is_ready or self.has_failed


@dataclass(eq=False)
class _Output:
    """A monitor as the compositor describes it."""

    object: int = 0
    name: str = ""
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    turned: int = 0
    """By how many quarters, to the left; 4 more: and mirrored."""

    is_watched: bool = False
    waiting: _Copy | None = None
    scratch: _Shared | None = None

    @property
    def box(self) -> Box:
        return Box(self.x, self.y, self.width, self.height)


class ScreencopyFrames:
    """Damage and pixels of all outputs, in the coordinates of the compositor's layout, whatever their scale is."""

    def __init__(self, connection: WaylandConnection) -> None:
        """Use a connection that `offers_frames`; nothing is copied before `watch`."""
        self._connection = connection
        self._manager = connection.bind(connection.offers(_MANAGER)[0], 3)
        self._has_described = connection.globals[connection.offers(_MANAGER)[0]][1] >= 3  # noqa: PLR2004  # buffer_done
        self._shm = connection.bind(connection.offers(_SHM)[0], 1)
        self._places = connection.bind(connection.offers(_PLACES)[0], 3)
        self._outputs: dict[int, _Output] = {}
        self._target: _Shared | None = None
        self._painted: list[Box] = []
        self.damaged = True
        """Whether anything was painted since the last `take_damage`."""
        self.copies = 0
        """How many copies have been asked for."""
        self._dark: frozenset[Box] = frozenset()

    def follow_outputs(self) -> bool:
        """Take in which outputs there are; return whether that or their places changed."""
        connection = self._connection
        before = [(output.box, output.turned) for output in self._outputs.values()]
        offered = connection.offers(_OUTPUT)
        for number in self._outputs.keys() - set(offered):
            del self._outputs[number]
        for number in offered:
            if number not in self._outputs:
                self._outputs[number] = self._bind_output(number)
        connection.changed = False
        connection.round_trip()
        return before != [(output.box, output.turned) for output in self._outputs.values()]

    def _bind_output(self, number: int) -> _Output:
        output = _Output(name=f"output {number}")

        def on_geometry(*values: int | str) -> None:
            self._connection.changed |= values[-1] != output.turned
            output.turned = int(values[-1])

        def on_place(x: int, y: int) -> None:
            self._connection.changed |= (x, y) != (output.x, output.y)
            output.x, output.y = x, y

        def on_size(width: int, height: int) -> None:
            self._connection.changed |= (width, height) != (output.width, output.height)
            output.width, output.height = width, height

        def on_name(name: str) -> None:
            output.name = name

        output.object = self._connection.bind(number, 2, {0: ("iiiiissi", on_geometry)})
        place = self._connection.create({0: ("ii", on_place), 1: ("ii", on_size), 3: ("s", on_name)})
        self._connection.request(self._places, 1, place, output.object)
        return output

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the outputs."""
        return tuple(Monitor(name=output.name, box=output.box) for output in self._outputs.values() if output.width)

    def note_dark(self, dark: frozenset[Box]) -> None:
        """Take in which outputs are turned off: nothing can be copied of them, and they show nothing."""
        if dark != self._dark:
            self._painted += dark ^ self._dark
            self._dark, self.damaged = dark, True

    def watch(self, hidden: Collection[Box] | None) -> None:
        """Wait for damage from now on, but of no output that is hidden whole, and of none at all where it is None.

        Of what is closed nothing is copied, not even to learn that it was painted.
        """
        for output in self._outputs.values():
            closed = None if hidden is None else (*hidden, *self._dark)
            on = closed is not None and not any(intersection(output.box, box) == output.box for box in closed)
            if on and not output.is_watched:
                output.is_watched = True
                self._wait_for_damage(output)
            elif output.is_watched and not on:
                output.is_watched = False
                self._drop_waiting(output)

    def _drop_waiting(self, output: _Output) -> None:
        if output.waiting is not None:
            self._connection.request(output.waiting.frame, 1)
            output.waiting = None
        if output.scratch is not None:
            output.scratch.free(self._connection)
            output.scratch = None  # what it held may be of the time in which the screen closed

    def _wait_for_damage(self, output: _Output) -> None:
        if output.waiting is not None or not output.width:
            return
        output.waiting = copy = self._begin(output, output.box)
        self._connection.wait(lambda: copy.is_described or copy.has_failed)
        if copy.layout is None or copy.has_failed:
            self._drop_waiting(output)
            return
        if output.scratch is None or output.scratch.layout != copy.layout:
            if output.scratch is not None:
                output.scratch.free(self._connection)
            output.scratch = _Shared(self._connection, self._shm, copy.layout)
        self._connection.request(copy.frame, 2, output.scratch.buffer)

    def note_arrived(self) -> bool:
        """Take in which waiting copies have come; `damaged` says whether any did. Monitors stay what they are."""
        for output in self._outputs.values():
            copy = output.waiting
            if copy is not None and copy.has_ended:
                factor = output.width / copy.layout[1] if copy.layout is not None else 1.0
                painted = [] if output.turned else [_scaled(box, factor, output.box) for box in copy.damage]
                self._painted += painted or [output.box]
                self._connection.request(copy.frame, 1)
                output.waiting = None
                self.damaged = True
        return False

    def take_damage(self) -> tuple[Box, ...]:
        """Return what was painted since the last call; what is painted from now on is told later."""
        self.note_arrived()
        painted, self._painted, self.damaged = tuple(self._painted), [], False
        for output in self._outputs.values():
            if output.is_watched:
                self._wait_for_damage(output)
        return painted

    def grab(self, box: Box) -> "Pixels":
        """Return a fresh picture of a rectangle: shape (h, w, 4), BGRA."""
        output = max(self._outputs.values(), key=lambda output: _shared_area(output.box, box), default=None)
        part = intersection(output.box, box) if output is not None else None
        picture: Pixels = np.zeros((box.h, box.w, _PIXEL), np.uint8)
        if output is not None and part is not None and output.box not in self._dark:
            pixels = self._copied(output, part)
            picture[part.y - box.y : part.y - box.y + part.h, part.x - box.x : part.x - box.x + part.w] = pixels
        return picture

    def _copied(self, output: _Output, part: Box) -> "Pixels":
        """Return the pixels of a part; a screen that is turned is copied whole: compositors differ in its parts."""
        if output.turned and part != output.box:
            left, top = part.x - output.x, part.y - output.y
            return self._copied(output, output.box)[top : top + part.h, left : left + part.w]
        copy = self._begin(output, part)
        self._connection.wait(lambda: copy.is_described or copy.has_failed)
        if copy.layout is not None and not copy.has_failed:
            if self._target is None or self._target.layout != copy.layout:
                if self._target is not None:
                    self._target.free(self._connection)
                self._target = _Shared(self._connection, self._shm, copy.layout)
            self._connection.request(copy.frame, 0, self._target.buffer)
            self._connection.wait(lambda: copy.has_ended)
        self._connection.request(copy.frame, 1)
        if not copy.is_ready or self._target is None:
            raise EnvironmentFault("the screen cannot be read", code="screen_unreadable")
        return _pixels_of(self._target, part, output.turned, upside_down=copy.upside_down)

    def _begin(self, output: _Output, part: Box) -> _Copy:
        self.copies += 1
        copy = _Copy()

        def on_layout(format_: int, width: int, height: int, stride: int) -> None:
            copy.layout = format_, width, height, stride
            copy.is_described = copy.is_described or not self._has_described

        events: dict[int, Event] = {
            0: ("uuuu", on_layout),
            1: ("u", lambda flags: setattr(copy, "upside_down", bool(flags & _UPSIDE_DOWN))),
            2: ("uuu", lambda *_: setattr(copy, "is_ready", True)),
            3: ("", lambda: setattr(copy, "has_failed", True)),
            4: ("uuuu", lambda *box: copy.damage.append(Box(*box))),
            6: ("", lambda: setattr(copy, "is_described", True)),
        }
        copy.frame = self._connection.create(events)
        place = Box(part.x - output.x, part.y - output.y, part.w, part.h)
        self._connection.request(self._manager, 1, copy.frame, 0, output.object, *place)
        return copy


def offers_frames(connection: WaylandConnection) -> bool:
    """Return whether the compositor lets the screen be copied, and says when it is worth it."""
    versions = [connection.globals[number][1] for number in connection.offers(_MANAGER)]
    return bool(versions and versions[0] >= _WITH_DAMAGE) and all(map(connection.offers, (_SHM, _PLACES)))


def _pixels_of(shared: _Shared, part: Box, turned: int, *, upside_down: bool) -> "Pixels":
    """Return what was copied, in the size that the part has in the layout: on a screen with a scale each nth pixel."""
    format_, width, height, stride = shared.layout
    rows: Pixels = np.frombuffer(shared.memory, np.uint8).reshape(height, stride)[:, : width * _PIXEL]
    pixels = rows.reshape(height, width, _PIXEL)
    if format_ not in (*_BGR, *_RGB):
        raise EnvironmentFault("the screen has colours of another kind than can be read", code="screen_unreadable")
    if upside_down:
        pixels = pixels[::-1]
    pixels = np.rot90(pixels, -turned)
    if turned >= _MIRRORED:
        pixels = pixels[:, ::-1]
    height, width = pixels.shape[:2]
    if (width, height) != (part.w, part.h):
        pixels = pixels[np.arange(part.h) * height // part.h][:, np.arange(part.w) * width // part.w]
    return pixels[..., [2, 1, 0, 3]] if format_ in _RGB else pixels


def _scaled(box: Box, factor: float, output: Box) -> Box:
    """Return a damaged box of a copy of an output where it is in the layout, not smaller."""
    left, top = math.floor(box.x * factor), math.floor(box.y * factor)
    right, bottom = math.ceil((box.x + box.w) * factor), math.ceil((box.y + box.h) * factor)
    return intersection(Box(output.x + left, output.y + top, right - left, bottom - top), output) or output


def _shared_area(output: Box, box: Box) -> int:
    shared = intersection(output, box)
    return shared.w * shared.h if shared is not None else 0
