"""Loops of other programs that watch screens, which `kairos bench peers` runs beside Kairos.

Written after the sources of openrecall, gum, MineContext, screenpipe and ActivityWatch's two watchers: their rates, and
what they compare and store. What they read, ask or send afterwards is left out.
"""

import json
import select
import sys
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from io import BufferedWriter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.clock import NS_PER_S, SystemClock

Pixels = NDArray[np.uint8]
Loop = Generator[float, None, None]
"""Yields how many seconds to wait before the next round."""

_STILL = 0.9
_HASHES, _LEAST_BITS = 30, 7
_HISTOGRAM, _FORCED = 0.02, 10
_SETTLED_NS = 2 * NS_PER_S


def _shot(grabber: Any) -> Any:
    return grabber.grab(grabber.monitors[1])


def _pixels(shot: Any) -> Pixels:
    return np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)


def _encoder(codec: str, pixels: Pixels, form: str, options: Mapping[str, str]) -> Any:
    import av

    context: Any = av.CodecContext.create(codec, "w")
    context.height, context.width = pixels.shape[:2]
    context.pix_fmt, context.framerate = form, 1
    context.thread_count, context.options = 1, dict(options)
    return context


def _encoded(context: Any, pixels: Pixels, *, end: bool = True) -> bytes:
    import av

    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="bgra").reformat(format=context.pix_fmt)
    return b"".join(bytes(packet) for packet in (*context.encode(frame), *(context.encode(None) if end else ())))


def _openrecall(out: BufferedWriter) -> Loop:
    """Every three seconds a new connection, one similarity of all pixels, lossless WebP."""
    import mss

    before: NDArray[np.float64] | None = None
    while True:
        with mss.MSS() as grabber:
            shot = _shot(grabber)
        rgb = np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)
        grey = rgb @ np.array((0.2989, 0.5870, 0.1140))
        if before is None or _similarity(before, grey) < _STILL:
            out.write(_encoded(_encoder("libwebp", _pixels(shot), "bgra", {"lossless": "1"}), _pixels(shot)))
            before = grey
        yield 3.0


def _similarity(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    small, little = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    means, spread = (first.mean(), second.mean()), ((first - first.mean()) * (second - second.mean())).mean()
    above = (2 * means[0] * means[1] + small) * (2 * spread + little)
    return float(above / ((means[0] ** 2 + means[1] ** 2 + small) * (first.var() + second.var() + little)))


def _gum(out: BufferedWriter) -> Loop:
    """Ten pictures a second, whatever happens; two of them as JPEG once the pointer was used and two seconds passed."""
    import mss
    import simplejpeg
    from Xlib.display import Display

    clock = SystemClock()
    place, used_ns = None, 0
    with mss.MSS() as grabber, closing(Display()) as display:
        before = shot = _shot(grabber)
        while True:
            last, shot = shot, _shot(grabber)
            pointer = display.screen().root.query_pointer()
            if (pointer.root_x, pointer.root_y) != place:
                place, before, used_ns = (pointer.root_x, pointer.root_y), last, used_ns or clock.now_ns()
            elif used_ns and clock.now_ns() - used_ns >= _SETTLED_NS:
                out.writelines(simplejpeg.encode_jpeg(_pixels(each), 70, "BGRA") for each in (before, shot))
                used_ns = 0
            yield 0.1


def _minecontext(out: BufferedWriter) -> Loop:
    """Every five seconds a PNG, kept where its difference hash is far from the last thirty."""
    import mss

    hashes: deque[NDArray[np.bool_]] = deque(maxlen=_HASHES)
    with mss.MSS() as grabber:
        while True:
            pixels = _pixels(_shot(grabber))
            picture = _encoded(_encoder("png", pixels, "rgba", {}), pixels)
            height, width = pixels.shape[0] // 8, pixels.shape[1] // 9
            cells = pixels[: 8 * height, : 9 * width, 1].reshape(8, height, 9, width).mean(axis=(1, 3))
            digest = cells[:, 1:] > cells[:, :-1]
            if all(np.count_nonzero(digest != other) > _LEAST_BITS for other in hashes):
                out.write(picture)
            hashes.append(digest)
            yield 5.0


def _screenpipe(out: BufferedWriter) -> Loop:
    """Each second a sixth of the pixels' histogram; what differs, and each tenth second, as H.265."""
    import mss

    with mss.MSS() as grabber:
        pixels = _pixels(_shot(grabber))
        context = _encoder(
            "libx265",
            pixels,
            "yuv420p",
            {"preset": "ultrafast", "crf": "23", "x265-params": "bframes=0:log-level=none"},
        )
        before, skipped = np.zeros(256, np.intp), _FORCED
        try:
            while True:
                pixels = _pixels(_shot(grabber))
                counts = np.bincount(pixels[::6, ::6, 1].ravel(), minlength=256)
                skipped += 1
                if skipped >= _FORCED or np.abs(counts - before).sum() / counts.sum() >= _HISTOGRAM:
                    out.write(_encoded(context, pixels, end=False))
                    before, skipped = counts, 0
                yield 1.0
        finally:
            out.writelines(bytes(packet) for packet in context.encode(None))


def _activitywatch(out: BufferedWriter) -> Loop:
    """Each second the title of the window in front, and how long there was no input; no picture."""
    from Xlib import X
    from Xlib.display import Display

    with closing(Display()) as display:
        root, atom = display.screen().root, display.intern_atom("_NET_ACTIVE_WINDOW")
        while True:
            found = root.get_full_property(atom, X.AnyPropertyType)
            window = display.create_resource_object("window", found.value[0]) if found and found.value[0] else None
            idle_ms = root.screensaver_query_info().idle
            seen = {"title": window.get_wm_name(), "app": window.get_wm_class()} if window is not None else {}
            out.write(json.dumps({**seen, "idle_ms": idle_ms}).encode() + b"\n")
            yield 1.0


LOOPS = {
    "openrecall": _openrecall,
    "gum": _gum,
    "minecontext": _minecontext,
    "screenpipe": _screenpipe,
    "activitywatch": _activitywatch,
}


def run(name: str, folder: Path, on_started: Callable[[], object]) -> None:
    """Run one of them until standard input ends; what it stores goes into the folder of a session."""
    place = folder / "sessions" / name
    place.mkdir(parents=True)
    with (place / "stored").open("wb") as out:
        loop = LOOPS[name](out)
        wait_s = next(loop)
        on_started()
        while not select.select([sys.stdin], [], [], wait_s)[0]:
            wait_s = next(loop)
        loop.close()
