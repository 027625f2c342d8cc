"""When pictures of the screen are taken, and how they become the small ones that the JPEG ring and the recording share.

Nothing is due while nothing was painted; the first paint after a click, a switch or a new window does not wait for its
turn. Where the screen is a whole multiple of the picture, only the rows that changed are scaled again: with a margin of
`MARGIN` rows the result is the same to the byte as scaling everything. Half the size, the usual one, is made of what
changed alone where `diff.compiled` is there.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.capture import diff
from daemon.capture.diff import BAND, Pixels
from daemon.capture.fence.rules import Zones
from daemon.capture.picture_ring import PictureRing
from daemon.capture.scene import Monitor, intersection
from daemon.capture.screen import FILL, RawGrab, RedactedScreen
from storage.clock import NS_PER_S
from storage.records import Box, Record
from storage.session.video import Picture, VideoPlan
from storage.settings import CaptureSettings

PAINT_NS = 60_000_000
"""Time given to a paint to complete; a guess."""

MIN_INTERVAL_NS = 100_000_000
"""However much happens, pictures are this far apart."""

ANSWER_NS = NS_PER_S
"""How long after a click, a switch or a new window a paint still counts as its answer."""

MARGIN = 4

_HALF = 2

Planes = tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]


class FrameScheduler:
    """Knows when a picture was last taken, when something was painted, and when there was input."""

    def __init__(self, settings: CaptureSettings) -> None:
        """Take the rates; the first picture is due at once."""
        self._active_ns = round(NS_PER_S / settings.active_fps)
        self._passive_ns = round(NS_PER_S / settings.passive_fps)
        self._recent_ns = round(settings.input_recent_s * NS_PER_S)
        self._input_ns: int | None = None
        self._frame_ns: int | None = None
        self._painted_ns: int | None = None
        self._cause_ns: int | None = None
        self.on_battery = False
        self.is_present = False
        """Whether somebody is active by what the desktop says: there, a pointer that moves is not told."""

    def note_paint(self, now_ns: int) -> None:
        """Take in that something was painted, or uncovered."""
        if self._painted_ns is None:
            self._painted_ns = now_ns

    def note_input(self, t_ns: int) -> None:
        """Take in an input event."""
        self._input_ns = t_ns

    def expect_answer(self, t_ns: int) -> None:
        """Take in a click, or a window that appeared or came to the front: what follows is due soon."""
        self._cause_ns = t_ns

    def note_frame(self, t_ns: int, *, changed: bool) -> None:
        """Take in that a picture was taken; if it shows a change and came late enough, it was the answer expected."""
        self._frame_ns, self._painted_ns = t_ns, None
        if changed and self._cause_ns is not None and t_ns >= self._cause_ns + PAINT_NS:
            self._cause_ns = None

    def is_input_active(self, now_ns: int) -> bool:
        """Return whether there was input recently."""
        return self.is_present or (self._input_ns is not None and now_ns - self._input_ns <= self._recent_ns)

    def due_ns(self, now_ns: int) -> int | None:
        """Return when the next picture is due; None while nothing was painted."""
        if self._painted_ns is None:
            return None
        if self._frame_ns is None:
            return self._painted_ns
        if self._cause_ns is not None and now_ns - self._cause_ns <= ANSWER_NS:
            return max(self._painted_ns + PAINT_NS, self._cause_ns + PAINT_NS, self._frame_ns + MIN_INTERVAL_NS)
        interval_ns = self._active_ns if self.is_input_active(now_ns) else self._passive_ns
        return max(self._painted_ns + PAINT_NS, self._frame_ns + interval_ns * (2 if self.on_battery else 1))


class Scaler:
    """Holds the last picture and updates it; used by the capture thread alone."""

    def __init__(self, settings: CaptureSettings, plan: VideoPlan | None, ring: PictureRing | None) -> None:
        """Scale for `plan` (a recording), for `ring`, or for both."""
        from av.video.reformatter import VideoReformatter

        self._width = settings.store_width
        self._quality = settings.jpeg_quality
        self._plan = plan
        self._ring = ring
        self._reformatter = VideoReformatter()
        self._source: Pixels | None = None
        self._flat = np.zeros(0, np.uint8)
        self._is_handed_over = False
        self._last: Picture | None = None

    def picture(self, canvas: Pixels, changed: Sequence[Box], t_ns: int, area: Box | None = None) -> Picture | None:
        """Return the picture to record, if there is a recording; put it into the ring, if there is one.

        `canvas` is the same array for as long as it is the same screen, whose place on the desktop is `area`; `changed`
        is where it differs from the last call, in its own coordinates.
        """
        width, height = self._size(canvas)
        factor = canvas.shape[1] // width
        exact = factor * width == canvas.shape[1] and factor * height == canvas.shape[0] and BAND % (2 * factor) == 0
        whole = not exact
        if self._source is not canvas:
            self._source, self._flat = canvas, np.empty(width * height * 3 // 2, np.uint8)
            whole = True
        elif self._is_handed_over:  # what was handed over must not change with this frame
            self._flat = np.empty_like(self._flat) if whole else self._flat.copy()
        self._is_handed_over = False
        target = _planes_of(self._flat, width, height)
        if exact and factor == _HALF and diff.compiled is not None:
            for x, y, w, h in [Box(0, 0, *canvas.shape[1::-1])] if whole else changed:
                part, chroma = (
                    np.s_[y // 2 : (y + h) // 2, x // 2 : (x + w) // 2],
                    np.s_[y // 4 : (y + h) // 4, x // 4 : (x + w) // 4],
                )
                diff.compiled.halve(canvas[y : y + h, x : x + w], target[0][part], target[1][chroma], target[2][chroma])
        elif whole:
            _paste(target, self._scaled(canvas, width, height), 0, 0, height)
        else:
            for top, bottom in _spans(changed):
                first, last = max(0, top - MARGIN * factor), min(canvas.shape[0], bottom + MARGIN * factor)
                rows = self._scaled(canvas[first:last], width, (last - first) // factor)
                _paste(target, rows, (top - first) // factor, top // factor, (bottom - top) // factor)
        if self._ring is not None:
            self._ring.put(t_ns, self._jpeg(target), area)
        if self._plan is None:
            return None
        ref = self._plan.ref(t_ns, (width, height))
        self._is_handed_over = True
        self._last = Picture(t_ns=t_ns, ref=ref, planes=self._flat.reshape(-1, width), width=width, height=height)
        return self._last

    def repeat(self, t_ns: int) -> Picture | None:
        """Return the last picture once more, for the encoder to flush it."""
        if self._last is None or self._plan is None:
            return None
        last, self._last = self._last, None
        ref = self._plan.ref(t_ns, (last.width, last.height))
        return Picture(t_ns=t_ns, ref=ref, planes=last.planes, width=last.width, height=last.height, repeat=True)

    def _size(self, canvas: Pixels) -> tuple[int, int]:
        height, width = canvas.shape[:2]
        scaled = min(self._width, width)
        return max(2, scaled & ~1), max(2, round(height * scaled / width) & ~1)

    def _scaled(self, pixels: Pixels, width: int, height: int) -> Planes:
        import av
        from av.video.reformatter import ColorRange, Colorspace, Interpolation

        frame = self._reformatter.reformat(
            av.VideoFrame.from_numpy_buffer(pixels, format="bgra"),
            width=width,
            height=height,
            format="yuv420p",
            interpolation=Interpolation.FAST_BILINEAR,
            dst_colorspace=Colorspace.ITU601,
            dst_color_range=ColorRange.JPEG,
            threads=1,
        )
        luma, blue, red = (_plane(plane) for plane in frame.planes)
        return luma, blue, red

    def _jpeg(self, planes: Planes) -> bytes:
        import simplejpeg

        jpeg: bytes = simplejpeg.encode_jpeg_yuv_planes(*planes, self._quality)
        return jpeg


class PictureMaker:
    """The picture of the active monitor, the grab under way, and what becomes of it; for the capture thread."""

    def __init__(
        self,
        grab: Callable[[Box], Pixels],
        settings: CaptureSettings,
        *,
        key: bytes,
        ring: PictureRing | None,
        plan: VideoPlan | None,
        on_picture: Callable[[Picture], bool] | None,
    ) -> None:
        """Grab with `grab`; keep pictures in `ring`, record them by `plan` with `on_picture`, or neither."""
        self.scheduler = FrameScheduler(settings)
        self._grab = grab
        self._key = key
        self._plan = plan
        self._on_picture = on_picture
        has_pictures = ring is not None or (plan is not None and on_picture is not None)
        self._scaler = Scaler(settings, plan, ring) if has_pictures else None
        self._repeat_ns = round(settings.still_repeat_s * NS_PER_S)
        self._screen: RedactedScreen | None = None
        self.raw: RawGrab | None = None
        """The grab under way."""
        self.raw_epoch = 0
        """The gate's epoch of that grab."""
        self.zones = Zones()
        """All that was closed at any moment since that grab began."""
        self.release_ns = 0
        """When it may be handed over at the earliest."""
        self.shown_epoch = -1
        """The gate's epoch of what the picture shows."""
        self.repeat_due_ns: int | None = None
        """When the last recorded picture should be sent again."""

    def due_ns(self, now_ns: int) -> int | None:
        """Return when there is something to do for the next picture."""
        return self.release_ns if self.raw is not None else self.scheduler.due_ns(now_ns)

    def reset(self) -> None:
        """Begin anew: the monitors or their resolution changed."""
        self._screen = self.raw = None

    def discard(self) -> None:
        """Discard the grab under way, and grab all of the monitor the next time."""
        self.repeat_due_ns = self.raw = None
        if self._screen is not None:
            self._screen.invalidate()

    def screen_of(self, monitor: Monitor) -> RedactedScreen:
        """Return the picture of a monitor, a new one after a switch or a change of resolution."""
        if self._screen is None or self._screen.monitor != monitor:
            self._screen, self.raw = RedactedScreen(self._grab, monitor, self._key), None
        return self._screen

    def redact(self, raw: RawGrab, screen: RedactedScreen, now_ns: int) -> list[Record]:
        """Apply the fence to a grab of `screen`; return the frame with its digests, if anything changed."""
        frame = screen.redact(raw, self.zones, input_active=self.scheduler.is_input_active(raw.t_ns))
        tile_digests = screen.take_tile_digests()
        if not screen.is_stale:
            self.shown_epoch = self.raw_epoch
        self.scheduler.note_frame(raw.t_ns, changed=frame is not None)
        if frame is None:
            return []
        ref = self._record(screen, frame.changed, raw.t_ns, now_ns)
        if ref is not None:
            frame = replace(frame, image_ref=ref)
        return [frame] if tile_digests is None else [frame, tile_digests]

    def _record(self, screen: RedactedScreen, changed: Sequence[Box], t_ns: int, now_ns: int) -> str | None:
        """Put the picture into the ring and record it; return where it is recorded."""
        if self._scaler is None:
            return None
        area = screen.monitor.box
        local = [Box(box.x - area.x, box.y - area.y, box.w, box.h) for box in changed]
        picture = self._scaler.picture(screen.canvas, local, t_ns, area)
        if picture is None or self._on_picture is None or self._plan is None:
            return None
        if not self._on_picture(picture):
            self._plan.cut()
            return None
        self.repeat_due_ns = now_ns + self._repeat_ns
        return picture.ref

    def repeat(self, now_ns: int) -> None:
        """Send the last recorded picture again if that is due, for the encoder to flush it."""
        if self.repeat_due_ns is not None and now_ns >= self.repeat_due_ns:
            self.repeat_due_ns = None
            picture = self._scaler.repeat(now_ns) if self._scaler is not None else None
            if picture is not None and self._on_picture is not None:
                self._on_picture(picture)

    def part(self, area: Box, hidden: Iterable[Box]) -> tuple[Pixels, Box] | None:
        """Return the redacted picture of a part of the monitor, without what is `hidden`, and which part it is."""
        screen = self._screen
        place = intersection(area, screen.monitor.box) if screen is not None else None
        if screen is None or place is None:
            return None
        left, top = screen.monitor.box.x, screen.monitor.box.y
        rows, columns = slice(place.y - top, place.y - top + place.h), slice(place.x - left, place.x - left + place.w)
        picture = screen.canvas[rows, columns, :3].copy()
        for box in hidden:
            covered = intersection(box, place)
            if covered is not None:
                x, y = covered.x - place.x, covered.y - place.y
                picture[y : y + covered.h, x : x + covered.w] = FILL
        return picture, place


def _planes_of(flat: NDArray[np.uint8], width: int, height: int) -> Planes:
    """Return the three planes inside one I420 buffer."""
    luma, chroma = width * height, width * height // 4
    return (
        flat[:luma].reshape(height, width),
        flat[luma : luma + chroma].reshape(height // 2, width // 2),
        flat[luma + chroma :].reshape(height // 2, width // 2),
    )


def _paste(target: Planes, rows: Planes, skip: int, at: int, count: int) -> None:
    """Copy `count` rows of luma, and half as many of chroma, from row `skip` to row `at`."""
    for plane, fresh, half in zip(target, rows, (1, 2, 2), strict=True):
        plane[at // half : (at + count) // half] = fresh[skip // half : (skip + count) // half]


def _spans(changed: Sequence[Box]) -> list[tuple[int, int]]:
    """Return the changed rows as (first, one past the last), merged where margins overlap."""
    spans: list[tuple[int, int]] = []
    for top, bottom in sorted((box.y, box.y + box.h) for box in changed):
        if spans and top <= spans[-1][1] + 2 * MARGIN:
            spans[-1] = (spans[-1][0], max(spans[-1][1], bottom))
        else:
            spans.append((top, bottom))
    return spans


def _plane(plane: Any) -> NDArray[np.uint8]:
    rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
    return rows[: plane.height, : plane.width]
